/** The document as a LaTeX source that compiles by itself: headings, lists, tables, pictures, code, formulas and footnotes as commands, all else escaped. */
import {
  blocksBelow, captionRefs, childrenOf, isEnumerated, isFloating, isGroup, isInlineGroup, isListGroup, isListItem, isPicture, isTable, isText, joinRuns, resolve, runsOf, shownLayers,
} from './document-tree.js';
import { codeBlock, decorateLatex, escapeLatex, escapeLines, missingCommands, safeFormula, typewriter } from './latex-text.js';
import { latexTable } from './latex-table.js';
import type { ImageMode } from './markdown.js';
import { pictureNotes } from './picture-notes.js';
import type { AnyTextItem, DoclingDocument, DocumentNode, GraphData, GroupItem, ImageRef, ListItem, PictureItem, TableCell, TableItem } from './model.js';

export interface LatexOptions {
  /** Only `referenced` shows pictures: LaTeX takes them from files. */
  imageMode?: ImageMode | undefined;
  keepFurniture?: boolean | undefined;
}

/** LaTeX lists of one kind within each other; deeper items stand on the deepest level. */
const deepestList = 20;
/** Commands from level 1 on. */
const headings = ['section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'];
/** TeX's `bp`, of which 72 are an inch. */
const pointsPerInch = 72;
/** `\linewidth` of the class `article`, in `bp`. */
const lineWidth = 340;

const preamble = `% Written by Lectern. pdflatex takes texts in Latin letters; for others compile with lualatex or xelatex and fonts that have them.
\\documentclass{article}
\\usepackage{iftex}
\\ifPDFTeX\\usepackage[T1]{fontenc}\\usepackage{textcomp}\\else\\usepackage{fontspec}\\fi
\\usepackage{amsmath,amssymb,graphicx,longtable,multirow,float,caption,enumitem}
\\usepackage[normalem]{ulem}
\\usepackage[hidelinks]{hyperref}
\\setcounter{secnumdepth}{-2}
\\setlistdepth{${deepestList}}
\\renewlist{itemize}{itemize}{${deepestList}}
\\renewlist{enumerate}{enumerate}{${deepestList}}
\\setlist[itemize]{label=\\textbullet}
\\setlist[enumerate]{label=\\arabic*.}
\\newcommand{\\ownmarkfootnote}[1]{{\\renewcommand{\\thefootnote}{}\\footnotetext{#1}}}
`;

/** Pictures that this program wrote; the addresses of other documents lead to no file beside the source. */
const ownPicture = /^artifacts\/[\w.-]+$/;

class LatexRenderer {
  readonly #document: DoclingDocument;
  readonly #options: LatexOptions;
  readonly #layers: ReadonlySet<string>;
  readonly #captions: Set<string>;
  #hasTitle = false;

  constructor(document: DoclingDocument, options: LatexOptions) {
    this.#document = document;
    this.#options = options;
    this.#layers = shownLayers(options.keepFurniture ?? false);
    this.#captions = captionRefs(document);
  }

  *blocks(): Generator<string> {
    for (const child of childrenOf(this.#document, this.#document.body)) {
      const latex = this.#block(child, 0);
      if (latex !== '') yield latex;
    }
  }

  #shown(node: DocumentNode): boolean {
    return this.#layers.has(node.content_layer);
  }

  #joined(nodes: DocumentNode[], depth: number): string {
    return nodes.map((node) => this.#block(node, depth)).filter((latex) => latex !== '').join('\n\n');
  }

  /** A node with what hangs below it; `depth` counts the lists around it. */
  #block(node: DocumentNode, depth: number): string {
    if (this.#captions.has(node.self_ref)) return '';
    if (isListGroup(node) && isGroup(node)) return this.#list(node, depth);
    if (isListItem(node)) return this.#itemsInList('itemize', this.#item(node, 1, false, depth + 1));
    return [this.#own(node), this.#joined(blocksBelow(this.#document, node), depth)].filter((latex) => latex !== '').join('\n\n');
  }

  #own(node: DocumentNode): string {
    if (isInlineGroup(node) && isGroup(node)) return this.#inline(node);
    if (isGroup(node) || !this.#shown(node)) return '';
    if (isText(node)) return this.#text(node);
    if (isTable(node)) return latexTable(node.data, this.#caption(node), (cell) => this.#cell(cell));
    if (isPicture(node)) return this.#figure(node);
    return 'graph' in node ? [this.#caption(node), graphList(node.graph)].filter((latex) => latex !== '').join('\n\n') : '';
  }

  #text(item: AnyTextItem): string {
    switch (item.label) {
      case 'title': return this.#title(oneLine(this.#words(item)));
      case 'section_header': return heading(item.level, oneLine(this.#words(item)));
      case 'field_heading': return heading(item.level, oneLine(this.#words(item)));
      case 'code': return [codeBlock(item.text), this.#caption(item)].filter((latex) => latex !== '').join('\n\n');
      case 'formula': return this.#formula(item, true);
      case 'checkbox_selected': return `$\\boxtimes$ ${this.#words(item)}`.trimEnd();
      case 'checkbox_unselected': return `$\\square$ ${this.#words(item)}`.trimEnd();
      case 'footnote': {
        const words = this.#words(item);
        return words === '' ? '' : `\\ownmarkfootnote{${words}}`;
      }
      default: return this.#words(item);
    }
  }

  #title(words: string): string {
    if (words === '') return '';
    if (this.#hasTitle) return `\\part*{${words}}`;
    this.#hasTitle = true;
    return `\\title{${words}}\n\\date{}\n\\maketitle`;
  }

  /** An item's text, escaped and decorated: its own, or its runs put together. */
  #words(item: AnyTextItem): string {
    const runs = runsOf(this.#document, item);
    return runs === null ? decorateLatex(escapeLines(item.text), item.formatting, item.hyperlink) : this.#inline(runs);
  }

  #inline(group: GroupItem): string {
    return joinRuns(childrenOf(this.#document, group).map((node) => ({ node, text: this.#run(node) })));
  }

  /** Within a paragraph: no environment may stand there. */
  #run(node: DocumentNode): string {
    if (isInlineGroup(node) && isGroup(node)) return this.#inline(node);
    if (isGroup(node)) return this.#flat(childrenOf(this.#document, node));
    if (!this.#shown(node) || this.#captions.has(node.self_ref)) return '';
    if (node.label === 'code') return decorateLatex(typewriter(node.text), node.formatting, node.hyperlink);
    if (node.label === 'formula') return this.#formula(node, false);
    if (isText(node)) return [this.#words(node), this.#flat(blocksBelow(this.#document, node))].filter((latex) => latex !== '').join(' ');
    const own = isTable(node) ? this.#texts(node) : isPicture(node) ? pictureNotes(node).map(escapeLatex).join(' ') : '';
    return [this.#caption(node), own, this.#flat(blocksBelow(this.#document, node))].filter((latex) => latex !== '').join(' ');
  }

  /** Blocks as one run of words. */
  #flat(nodes: DocumentNode[]): string {
    return nodes.map((node) => this.#run(node)).filter((latex) => latex !== '').join(' ');
  }

  /** A table within a cell: its texts in a row. */
  #texts(table: TableItem): string {
    return table.data.table_cells.map((cell) => this.#cell(cell)).filter((latex) => latex !== '').join(' ');
  }

  #cell(cell: TableCell): string {
    return oneLine(cell.ref === undefined ? escapeLatex(cell.text.trim()) : this.#run(resolve(this.#document, cell.ref)));
  }

  #formula(item: AnyTextItem, isBlock: boolean): string {
    const source = item.text;
    if (source === '') return escapeLines(item.orig);
    const formula = safeFormula(source);
    if (formula === null) return typewriter(source);
    if (!isBlock) return formula.isDisplayed ? typewriter(source) : `\\(${formula.tex}\\)`;
    return formula.isDisplayed ? formula.tex : `\\[${formula.tex}\\]`;
  }

  #list(group: GroupItem, depth: number): string {
    const isCounted = isEnumerated(this.#document, group);
    const items = childrenOf(this.#document, group).map((child, index) => {
      if (isListItem(child)) return this.#item(child, index + 1, isCounted, depth + 1);
      const latex = this.#block(child, depth + 1);
      // Something must open the list.
      return latex === '' || latex.startsWith('\\item') ? latex : index === 0 || !isListGroup(child) ? `\\item[]\n${latex}` : latex;
    }).filter((latex) => latex !== '');
    const [first = ''] = items;
    if (!first.startsWith('\\item') && items.length > 0) items[0] = `\\item[]\n${first}`;
    if (depth >= deepestList) return items.join('\n');
    return this.#itemsInList(isCounted ? 'enumerate' : 'itemize', items.join('\n'));
  }

  #itemsInList(name: string, items: string): string {
    return items === '' ? '' : `\\begin{${name}}\n${items}\n\\end{${name}}`;
  }

  #item(item: ListItem, position: number, isCounted: boolean, depth: number): string {
    const below = this.#joined(blocksBelow(this.#document, item), depth);
    if (!this.#shown(item)) return below === '' ? '' : `\\item[]\n${below}`;
    const isUsual = isCounted ? item.marker === '' || item.marker === `${position}.` : item.marker === '' || /^[^\p{L}\p{N}]*$/u.test(item.marker);
    const marker = isUsual ? '' : `[{${escapeLatex(item.marker)}}]`;
    const words = this.#words(item);
    return [`\\item${marker}${words === '' ? '' : ` ${words}`}`, below].filter((latex) => latex !== '').join('\n');
  }

  #caption(node: DocumentNode): string {
    if (!isFloating(node)) return '';
    const captions = node.captions.map((ref) => resolve(this.#document, ref)).filter(isText).filter((caption) => this.#shown(caption));
    return oneLine(captions.map((caption) => this.#words(caption)).filter((latex) => latex !== '').join(' '));
  }

  #figure(picture: PictureItem): string {
    const image = this.#options.imageMode === 'referenced' && picture.image !== null ? graphics(picture.image) : '';
    const caption = this.#caption(picture);
    const notes = pictureNotes(picture).map(escapeLines);
    const lines = [image === '' ? '% image' : image, ...notes.map((note) => `\n${note}`), ...(caption === '' ? [] : [`\\caption*{${caption}}`])];
    return image === '' && caption === '' && notes.length === 0 ? '% image' : ['\\begin{figure}[H]', '\\centering', ...lines, '\\end{figure}'].join('\n');
  }
}

/** Empty where the picture is no file beside the source. As large as it is, and no wider than the page. */
function graphics(image: ImageRef): string {
  if (!ownPicture.test(image.uri)) return '';
  const width = (image.size.width * pointsPerInch) / Math.max(image.dpi, 1);
  return `\\includegraphics[width=${width < lineWidth ? `${width.toFixed(1)}bp` : '\\linewidth'},height=0.9\\textheight,keepaspectratio]{${image.uri}}`;
}

/** Arguments of headings, captions and cells take no line breaks. */
function oneLine(latex: string): string {
  return latex.replace(/\\\\\{\}\s*|\s*\n\s*/g, ' ').trim();
}

function heading(level: number, words: string): string {
  return words === '' ? '' : `\\${headings[Math.min(level, headings.length) - 1] as string}{${words}}`;
}

/** Keys with their values; a cell that belongs to no key is an entry of its own. */
function graphList({ cells, links }: GraphData): string {
  const texts = new Map(cells.map(({ cell_id: id, text }) => [id, escapeLatex(text)]));
  const values = new Map<number, string[]>();
  const asValue = new Set<number>();
  for (const { label, source_cell_id: key, target_cell_id: value } of links) {
    const text = texts.get(value);
    if (label !== 'to_value' || text === undefined || asValue.has(value)) continue;
    values.set(key, [...(values.get(key) ?? []), text]);
    asValue.add(value);
  }
  const lines = cells.filter(({ cell_id: id }) => !asValue.has(id)).map(({ cell_id: id }) => `\\item[{${texts.get(id) ?? ''}}] ${(values.get(id) ?? []).join(', ')}`.trimEnd());
  return lines.length === 0 ? '' : `\\begin{description}\n${lines.join('\n')}\n\\end{description}`;
}

/** LaTeX in chunks that follow each other directly. */
export function* writeLatex(document: DoclingDocument, options: LatexOptions = {}): Generator<string> {
  yield `${preamble}\\hypersetup{pdftitle={${escapeLatex(document.name)}}}\n`;
  yield* missingCommands(document.texts.filter(({ label }) => label === 'formula').map(({ text }) => text));
  yield '\\begin{document}\n';
  for (const block of new LatexRenderer(document, options).blocks()) yield `\n${block}\n`;
  yield '\n\\end{document}\n';
}
