/** Files of docling's samples whose own answers are wrong, with what is wrong in them: ours differs on purpose, and the scores of `bench formats` tell it. */

/** By the name of the file. What is said was looked up in the file itself. */
export const differences: Readonly<Record<string, string>> = {
  'asciidoc_04.asciidoc': 'a table\'s attributes ([%autowidth, cols=...]) are printed as if they were text.',
  'docx_rich_cells.docx': 'runs in the cells of nested tables lose their bold, italic and strike-through, and x2 and H2O fall apart; nested tables are flat words, where ours are HTML in their cell.',
  'html_code_snippets.html': 'spaces are put before the full stops and commas that follow code, and a block of shell lines is joined to one line.',
  'html_inline_group_in_table_cell.html': 'code in a table cell is parted into three, one of them a link.',
  'table_06.html': 'tables in the cells of tables are flat words in one row, where ours are HTML in their cell.',
  'elife-56337.nxml': 'superscripts and subscripts are written as if they stood on the line: 107 cells for 10<sup>7</sup>; the decision letter and the authors\' answer behind the article, a fifth of its words, are left out; figure supplements are left out, their captions too; the bold and italic of captions is lost.',
  'ptag100.xml': 'section headings lose their titles: `2.1. Basic formulations: Hamiltonian and invariant` is printed as `2.1.`.',
  'odf_presentation_01.odp': 'merged cells are taken for empty ones, and a paragraph whose list style has no number (num-format="") gets a 1.',
  'xlsx_07_gap_tolerance_.xlsx': 'number formats are ignored: cells that show 1.1 to 1.9 are printed as 1 to 9.',
  'xlsx_comments.xlsx': 'the comment that begins a thread (Minimum number of saltwater ducks) is lost to its reply.',
  'deepseek_example.md': 'the first line, half a sentence of the page before, is left out.',
};
