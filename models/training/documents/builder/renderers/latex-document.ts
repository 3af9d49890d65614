/** A document as LaTeX in a theme. */
import type { FlowBlock, FlowCell, Run } from '../flow.js';
import type { Truth } from '../truth.js';
import { marginBoxes } from '../truth.js';
import { writeCode, writeMaths, writeRun, writeRuns } from './latex-text.js';
import type { ColorOf } from './latex-text.js';
import type { Draw } from './themes.js';

/** Longer tables are cut by pages; in two columns they cannot be. */
const LONG_ROWS = 22;
/** Characters of a cell above which its column is set as paragraphs. */
const WIDE_CELL = 28;
const WIDE_TABLE = 85;

interface Theme {
  documentClass: string;
  options: string;
  preamble: string[];
  twoColumns: boolean;
  rules: 'grid' | 'booktabs' | 'none' | 'head';
  bullets: string;
  numbers: (at: number) => string;
  captionBelow: boolean;
  realFootnotes: boolean;
  runningHead: 'none' | 'foot' | 'both';
  headColor: string;
}

const fonts = ['\\usepackage{lmodern}', '\\usepackage{mathptmx}', '\\usepackage{mathpazo}', '\\usepackage{charter}', '\\usepackage{helvet}\\renewcommand\\familydefault\\sfdefault', '\\usepackage{bookman}', '\\usepackage{newcent}', '\\usepackage{tgtermes}', '\\usepackage{tgheros}\\renewcommand\\familydefault\\sfdefault', ''];

export function drawTheme(draw: Draw): Theme {
  const documentClass = draw.of(['article', 'article', 'scrartcl', 'memoir', 'extarticle', 'report']);
  const twoColumns = draw.chance(0.35) && documentClass !== 'memoir';
  const side = draw.between(1.5, twoColumns ? 2 : 3.6).toFixed(2);
  const size = draw.of(documentClass === 'extarticle' ? ['8pt', '9pt', '14pt'] : ['10pt', '10pt', '11pt', '12pt']);
  const preamble = [draw.of(fonts), `\\usepackage[left=${side}cm,right=${side}cm,top=${draw.between(1.8, 3).toFixed(2)}cm,bottom=${draw.between(2, 3).toFixed(2)}cm]{geometry}`];
  if (draw.chance(0.3)) preamble.push('\\setlength\\parindent{0pt}\\setlength\\parskip{.6em}');
  if (draw.chance(0.2)) preamble.push(`\\linespread{${draw.of(['1.1', '1.3', '1.5'])}}`);
  if (draw.chance(0.4) && documentClass !== 'memoir' && documentClass !== 'scrartcl') preamble.push(`\\usepackage{titlesec}\\titleformat*{\\section}{${draw.of(['\\large\\scshape', '\\bfseries', '\\Large\\sffamily\\bfseries', '\\centering\\normalsize\\scshape', '\\normalsize\\bfseries\\itshape'])}}\\titleformat*{\\subsection}{${draw.of(['\\itshape', '\\bfseries', '\\sffamily', '\\scshape'])}}`);
  return {
    documentClass, options: [size, draw.of(['a4paper', 'a4paper', 'letterpaper', 'a5paper']), ...(twoColumns ? ['twocolumn'] : [])].join(','), preamble, twoColumns, rules: draw.of(['grid', 'booktabs', 'booktabs', 'none', 'head'] as const),
    bullets: draw.of(['\\textbullet', '--', '$\\ast$', '$\\circ$', '$\\triangleright$']), numbers: draw.of([(at: number) => `${at}.`, (at: number) => `(${at})`, (at: number) => `${String.fromCharCode(96 + ((at - 1) % 26) + 1)})`]),
    captionBelow: draw.chance(0.4), realFootnotes: draw.chance(0.7), runningHead: draw.of(['none', 'foot', 'both', 'both'] as const), headColor: draw.of(['000000', '000000', '1F3F7F', '7F1F1F']),
  };
}

export class LatexDocument {
  #truth: Truth;
  #theme: Theme;
  #title: string;
  #color: ColorOf;

  /** `colored` gives each leaf its colour; otherwise headings have that of the theme and all else is black. */
  constructor(truth: Truth, theme: Theme, title: string, colored: boolean) {
    this.#truth = truth;
    this.#theme = theme;
    this.#title = title;
    const hex = (color: number): string => color.toString(16).toUpperCase().padStart(6, '0');
    this.#color = (leaf) => (colored ? hex(truth.leaves[leaf]!.color) : truth.nodes[truth.leaves[leaf]!.node]!.kind === 'heading' ? theme.headColor : '000000');
  }

  write(blocks: readonly FlowBlock[]): string {
    const { documentClass, options, preamble, runningHead } = this.#theme;
    const margin = (name: (typeof marginBoxes)[number], text: string): string => `{\\color[HTML]{${this.#color(marginBoxes.indexOf(name))}}${text}}`;
    const title: Run = { text: this.#title.slice(0, 60), leaf: marginBoxes.indexOf('top-center'), inline: 0 };
    const heads = runningHead === 'none' ? '\\pagestyle{empty}' : `\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}${runningHead === 'both' ? `\\fancyhead[C]{${writeRun(title, this.#color)}}` : '\\renewcommand\\headrulewidth{0pt}'}\\fancyfoot[C]{${margin('bottom-center', '\\thepage')}}`;
    return `\\documentclass[${options}]{${documentClass}}\n\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}\\usepackage{textcomp,amsmath,amssymb,xcolor,array,longtable,booktabs,multirow}\n${preamble.join('\n')}\n${heads}\n\\setcounter{secnumdepth}{-2}\\raggedbottom\\sloppy\n`
      + `\\begin{document}\n${this.#blocks(joinNumbers(blocks))}\n\\end{document}\n`;
  }

  #blocks(blocks: readonly FlowBlock[], inCell = false): string {
    return blocks.map((block) => this.#block(block, inCell)).join(inCell ? '\\par ' : '\n\n');
  }

  #block(block: FlowBlock, inCell: boolean): string {
    switch (block.type) {
      case 'text':
        return this.#text(block, inCell);
      case 'list':
        return block.items.length === 0 ? '' : `\\begin{itemize}\n${block.items.map((item, at) => {
          const label = block.ordered ? this.#theme.numbers(at + 1) : this.#theme.bullets;
          return `\\item[{\\color[HTML]{${this.#color(item.marker)}}${label}}] ${this.#blocks(item.blocks)}`;
        }).join('\n')}\n\\end{itemize}`;
      case 'table':
        return this.#table(block);
      case 'formula': {
        const number = block.number === null ? '' : `\\tag*{${writeRun(block.number, this.#color)}}`;
        return `\\begin{equation*}${writeMaths(block.maths, this.#color)}${number}\\end{equation*}`;
      }
      case 'rule':
        return '\\noindent\\rule{\\linewidth}{.4pt}';
    }
  }

  #text({ kind, level, runs, node }: Extract<FlowBlock, { type: 'text' }>, inCell: boolean): string {
    const text = writeRuns(runs, this.#color);
    if (inCell) return text;
    switch (kind) {
      case 'heading':
        return `\\${['section', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'][level - 1] ?? 'paragraph'}*{${text}}`;
      case 'title':
        return `\\begin{center}\\LARGE ${text}\\end{center}`;
      case 'subtitle': case 'author':
        return `\\begin{center}\\large ${text}\\end{center}`;
      case 'code':
        return `\\begin{flushleft}\\small\\ttfamily ${writeCode(runs, this.#color)}\\end{flushleft}`;
      case 'caption':
        return `\\begin{center}\\small ${text}\\end{center}`;
      case 'footnote':
        return this.#theme.realFootnotes ? `\\begingroup\\renewcommand\\thefootnote{}\\footnotetext{${text}}\\endgroup` : `{\\footnotesize ${text}\\par}`;
      case 'reference':
        return `{\\small\\hangindent=1.5em\\hangafter=1\\noindent ${text}\\par}`;
      case 'address': case 'signature': case 'toc-entry':
        return `\\noindent ${text}\\par`;
      default:
        return this.#isIn(node, 'quote') ? `\\begin{quote}${text}\\end{quote}` : this.#isIn(node, 'abstract') ? `\\begin{quote}\\small ${text}\\end{quote}` : text;
    }
  }

  #isIn(node: number, kind: string): boolean {
    for (let at = node; at >= 0; at = this.#truth.nodes[at]!.parent) if (this.#truth.nodes[at]!.kind === kind) return true;
    return false;
  }

  #table({ rows, columns, headRows, caption, cells }: Extract<FlowBlock, { type: 'table' }>): string {
    if (cells.length === 0 || columns === 0) return '';
    const { twoColumns, rules, captionBelow } = this.#theme;
    const long = rows > LONG_ROWS;
    if (long && twoColumns) throw new Error('A long table does not fit into a column.');
    const specification = columnsOf(cells, columns, rules === 'grid');
    const lines = Array.from({ length: rows }, (_, row) => this.#row(row, columns, cells, specification));
    const isTop = rules !== 'none';
    const line = rules === 'grid' ? '\\hline' : '\\midrule';
    const top = !isTop ? '' : rules === 'grid' ? '\\hline' : '\\toprule';
    const bottom = !isTop ? '' : rules === 'grid' ? '\\hline' : '\\bottomrule';
    const body: string[] = [];
    for (const [row, text] of lines.entries()) {
      body.push(`${text}\\\\`);
      if (rules === 'grid' && row < rows - 1) body.push(underline(row, columns, cells));
      else if (row === headRows - 1 && rules !== 'none' && row < rows - 1) body.push(line);
      if (long && row === headRows - 1) body.push('\\endhead');
    }
    const head = caption.length === 0 ? '' : this.#blocks(caption);
    const size = columns > 5 ? '\\small' : '';
    const inside = `{${specification.text}}\n${top}${body.join('\n')}\n${bottom}`;
    const table = long ? `{${size}\\begin{longtable}${inside}\\end{longtable}}` : `\\begin{center}${size}\\begin{tabular}${inside}\\end{tabular}\\end{center}`;
    return captionBelow ? `${table}\n${head}` : `${head}\n${table}`;
  }

  #row(row: number, columns: number, cells: readonly FlowCell[], { letters, bar }: ColumnSpecification): string {
    const out: string[] = [];
    for (let column = 0; column < columns; column++) {
      const cell = cells.find((each) => each.row <= row && row < each.row + each.rowSpan && each.column <= column && column < each.column + each.columnSpan);
      let text = '';
      let width = 1;
      if (cell !== undefined) {
        width = cell.columnSpan;
        if (cell.row === row) {
          text = this.#blocks(cell.blocks.filter(({ type }) => type === 'text'), true);
          if (cell.blocks.some(({ type }) => type !== 'text')) throw new Error('A cell holds more than text.');
          if (cell.head) text = `\\bfseries ${text}`;
          if (cell.rowSpan > 1) text = `\\multirow{${cell.rowSpan}}{*}{${text.replaceAll('\\par ', ' ')}}`;
        }
        if (width > 1) text = `\\multicolumn{${width}}{${column === 0 ? bar : ''}c${bar}}{${text.replaceAll('\\par ', ' ')}}`;
        column += width - 1;
      }
      out.push(letters[column]?.startsWith('p') === true ? text : text.replaceAll('\\par ', ' ').replaceAll('\\\\{}', ' '));
    }
    return out.join(' & ');
  }
}

interface ColumnSpecification {
  letters: string[];
  bar: string;
  text: string;
}

function columnsOf(cells: readonly FlowCell[], columns: number, grid: boolean): ColumnSpecification {
  const widths = Array.from({ length: columns }, (_, column) => Math.max(3, ...cells.filter((cell) => cell.column === column && cell.columnSpan === 1).map(lengthOf)));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const letters = widths.map((width, column) => {
    if (width > WIDE_CELL || total > WIDE_TABLE) return `p{${((0.92 * Math.min(width, 2 * WIDE_CELL)) / widths.reduce((sum, each) => sum + Math.min(each, 2 * WIDE_CELL), 0)).toFixed(3)}\\linewidth}`;
    const numbers = cells.filter((cell) => cell.column === column && !cell.head && /^[\s\d.,()%$€£-]+$/u.test(textOf(cell)));
    return numbers.length > 1 ? 'r' : 'l';
  });
  const bar = grid ? '|' : '';
  return { letters, bar, text: bar + letters.map((letter) => letter + bar).join('') };
}

function textOf({ blocks }: FlowCell): string {
  return blocks.map((block) => (block.type === 'text' ? block.runs.map(({ text }) => text).join('') : '')).join(' ');
}

function lengthOf(cell: FlowCell): number {
  return textOf(cell).length;
}

/** The line below a row, without the columns of cells that go on. */
function underline(row: number, columns: number, cells: readonly FlowCell[]): string {
  let out = '';
  for (let column = 0; column < columns; column++) {
    const spans = cells.some((cell) => cell.row <= row && cell.row + cell.rowSpan > row + 1 && cell.column <= column && column < cell.column + cell.columnSpan);
    if (!spans) out += `\\cline{${column + 1}-${column + 1}}`;
  }
  return out;
}

/** A formula takes the number that stands behind it. */
export function joinNumbers(blocks: readonly FlowBlock[]): FlowBlock[] {
  const out: FlowBlock[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (block.type === 'text' && block.kind === 'formula-number' && last?.type === 'formula' && last.number === null && block.runs.length === 1) out[out.length - 1] = { ...last, number: block.runs[0]! };
    else out.push(block);
  }
  return out;
}
