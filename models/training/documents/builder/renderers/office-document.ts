/** A document as a flat OpenDocument text in a theme. Every leaf has a text style of its own, so that both runs differ in nothing but its colour. */
import { inlineBits } from '../kinds.js';
import type { FlowBlock, FlowCell, Run } from '../flow.js';
import type { Truth } from '../truth.js';
import { marginBoxes } from '../truth.js';
import { joinNumbers } from './latex-document.js';
import { cssColor } from '../colored-html.js';
import type { Draw } from './themes.js';

const fonts = ['Liberation Serif', 'Liberation Sans', 'DejaVu Sans', 'DejaVu Serif', 'Carlito', 'Caladea', 'Lato', 'EB Garamond', 'Linux Libertine O', 'Noto Sans', 'Noto Serif', 'Cantarell', 'Inter'];
const NAMESPACES = ['office', 'style', 'text', 'table', 'fo'].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'fo' ? 'xsl-fo-compatible' : name}:1.0"`).join(' ');
/** Page sizes in cm. */
const sizes = [[21, 29.7], [21, 29.7], [21.59, 27.94], [14.8, 21], [29.7, 21]] as const;

interface Theme {
  font: string;
  headFont: string;
  size: number;
  page: readonly [number, number];
  margin: number;
  columns: number;
  justify: boolean;
  spacing: number;
  indent: number;
  headColor: string;
  headScale: number;
  headCaps: boolean;
  rules: 'grid' | 'rows' | 'head' | 'none';
  shade: string | null;
  bullet: string;
  numberSuffix: string;
  captionBelow: boolean;
  header: boolean;
  footer: boolean;
}

export function drawOfficeTheme(draw: Draw): Theme {
  const font = draw.of(fonts);
  const page = draw.of(sizes);
  return {
    font, headFont: draw.chance(0.5) ? font : draw.of(fonts), size: draw.of([8, 9, 10, 10.5, 11, 12]), page, margin: draw.between(1.2, page[0] > 16 ? 3 : 1.6), columns: draw.chance(0.25) ? 2 : draw.chance(0.08) ? 3 : 1,
    justify: draw.chance(0.4), spacing: draw.of([0, 0.1, 0.2, 0.3]), indent: draw.chance(0.25) ? 0.6 : 0, headColor: draw.of(['#000000', '#000000', '#1f3f7f', '#2e74b5', '#7f1f1f', '#444444']), headScale: draw.between(1.05, 1.5),
    headCaps: draw.chance(0.2), rules: draw.of(['grid', 'grid', 'rows', 'head', 'none'] as const), shade: draw.of([null, null, '#dddddd', '#ddeeff', '#fff2cc']), bullet: draw.of(['•', '–', '◦', '▪', '‣', '*']),
    numberSuffix: draw.of(['.', ')', '']), captionBelow: draw.chance(0.4), header: draw.chance(0.5), footer: draw.chance(0.7),
  };
}

export class OfficeDocument {
  #truth: Truth;
  #theme: Theme;
  #colored: boolean;
  #styles: string[] = [];
  #textStyles = new Map<string, string>();
  #tables = 0;
  #lists = 0;

  constructor(truth: Truth, theme: Theme, colored: boolean) {
    this.#truth = truth;
    this.#theme = theme;
    this.#colored = colored;
  }

  write(blocks: readonly FlowBlock[], title: string, language: string): string {
    const { page: [width, height], margin, columns, header, footer, font, size } = this.#theme;
    const body = this.#blocks(joinNumbers(blocks));
    const heading = header ? `<style:header><text:p text:style-name="Margin">${this.#run({ text: title.slice(0, 60), leaf: marginBoxes.indexOf('top-center'), inline: 0 })}</text:p></style:header>` : '';
    const foot = footer ? `<style:footer><text:p text:style-name="Margin">${this.#run({ text: '', leaf: marginBoxes.indexOf('bottom-center'), inline: 0 }, '<text:page-number text:select-page="current">1</text:page-number>')}</text:p></style:footer>` : '';
    const band = '<style:header-style><style:header-footer-properties fo:min-height="0.6cm" fo:margin-bottom="0.3cm"/></style:header-style><style:footer-style><style:header-footer-properties fo:min-height="0.6cm" fo:margin-top="0.3cm"/></style:footer-style>';
    // Text styles of the master page must be among the automatic styles of both parts: flat files have one list.
    return `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:styles><style:default-style style:family="paragraph"><style:paragraph-properties fo:hyphenation-ladder-count="no-limit"/><style:text-properties fo:font-family="'${font}'" style:font-family-asian="'Noto Sans CJK JP'" style:font-family-complex="'Noto Sans Arabic'" fo:font-size="${size}pt" style:font-size-asian="${size}pt" style:font-size-complex="${size}pt" fo:language="${language.slice(0, 2)}" fo:country="none"/></style:default-style>${this.#paragraphStyles()}</office:styles>
<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties fo:page-width="${width}cm" fo:page-height="${height}cm" style:print-orientation="${width > height ? 'landscape' : 'portrait'}" fo:margin="${margin.toFixed(2)}cm">${columns > 1 ? `<style:columns fo:column-count="${columns}" fo:column-gap="0.6cm"/>` : ''}</style:page-layout-properties>${band}</style:page-layout>${this.#styles.join('')}</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L">${heading}${foot}</style:master-page></office:master-styles><office:body><office:text>${body}</office:text></office:body></office:document>`;
  }

  #paragraphStyles(): string {
    const { size, headFont, headScale, headColor, headCaps, justify, spacing, indent } = this.#theme;
    const style = (name: string, paragraph: string, text = ''): string => `<style:style style:name="${name}" style:family="paragraph"><style:paragraph-properties ${paragraph}/><style:text-properties ${text}/></style:style>`;
    const headings = Array.from({ length: 6 }, (_, at) => {
      const points = Math.max(size, size * headScale ** Math.max(0, 4 - at)).toFixed(1);
      return style(`Head${at + 1}`, 'fo:margin-top="0.35cm" fo:margin-bottom="0.15cm" fo:keep-with-next="always"', `fo:font-family="'${headFont}'" fo:font-size="${points}pt" fo:font-weight="${at < 4 ? 'bold' : 'normal'}" ${at > 3 ? 'fo:font-style="italic"' : ''} ${headCaps && at < 2 ? 'fo:text-transform="uppercase"' : ''} fo:color="${headColor}"`);
    });
    return [
      ...headings, style('Body', `fo:margin-bottom="${spacing}cm" fo:text-indent="${indent}cm" fo:text-align="${justify ? 'justify' : 'start'}"`), style('Plain', 'fo:margin="0cm"'), style('Title', 'fo:text-align="center" fo:margin-bottom="0.3cm"', `fo:font-family="'${headFont}'" fo:font-size="${(size * 1.8).toFixed(1)}pt"`),
      style('Center', 'fo:text-align="center" fo:margin-bottom="0.2cm"'), style('Caption', 'fo:text-align="center" fo:margin-top="0.15cm" fo:margin-bottom="0.2cm"', `fo:font-size="${(size * 0.9).toFixed(1)}pt" fo:font-style="italic"`),
      style('Small', 'fo:margin-bottom="0.1cm"', `fo:font-size="${(size * 0.82).toFixed(1)}pt"`), style('Code', 'fo:margin-bottom="0cm"', `fo:font-family="'Liberation Mono'" fo:font-size="${(size * 0.85).toFixed(1)}pt"`), style('Quote', 'fo:margin-left="1cm" fo:margin-right="1cm" fo:margin-bottom="0.2cm"', 'fo:font-style="italic"'),
      style('Margin', 'fo:text-align="center"', `fo:font-size="${(size * 0.8).toFixed(1)}pt"`), style('Rule', 'fo:border-bottom="0.5pt solid #000000" fo:margin-bottom="0.2cm"', 'fo:font-size="4pt"'), style('Number', 'fo:text-align="end"'),
    ].join('');
  }

  #color(leaf: number): string {
    const { kind } = this.#truth.nodes[this.#truth.leaves[leaf]!.node]!;
    return this.#colored ? cssColor(this.#truth.leaves[leaf]!.color) : kind === 'heading' ? this.#theme.headColor : '#000000';
  }

  #run({ text, leaf, inline }: Run, content?: string): string {
    const key = `${leaf}-${inline}`;
    let name = this.#textStyles.get(key);
    if (name === undefined) {
      this.#textStyles.set(key, (name = `T${this.#textStyles.size}`));
      const has = (tag: string): boolean => (inline & inlineBits[tag]!) !== 0;
      this.#styles.push(`<style:style style:name="${name}" style:family="text"><style:text-properties fo:color="${this.#color(leaf)}" ${has('b') ? 'fo:font-weight="bold"' : ''} ${has('i') ? 'fo:font-style="italic"' : ''} ${has('code') ? 'fo:font-family="\'Liberation Mono\'"' : ''} ${has('sup') ? 'style:text-position="super 58%"' : has('sub') ? 'style:text-position="sub 58%"' : ''} ${has('u') ? 'style:text-underline-style="solid"' : ''} ${has('s') ? 'style:text-line-through-style="solid"' : ''}/></style:style>`);
    }
    return `<text:span text:style-name="${name}">${content ?? text.split('\n').map(escapeSpaces).join('<text:line-break/>')}</text:span>`;
  }

  #blocks(blocks: readonly FlowBlock[], style?: string): string {
    return blocks.map((block) => this.#block(block, style)).join('');
  }

  #block(block: FlowBlock, style: string | undefined): string {
    switch (block.type) {
      case 'text': {
        const runs = block.runs.map((run) => this.#run(run)).join('');
        if (block.kind === 'heading') return `<text:h text:style-name="Head${Math.min(6, Math.max(1, block.level))}" text:outline-level="${block.level}">${runs}</text:h>`;
        return `<text:p text:style-name="${style ?? this.#styleOf(block)}">${runs}</text:p>`;
      }
      case 'list':
        return this.#list(block);
      case 'table':
        return this.#table(block);
      case 'formula':
        throw new Error('The document has a display formula.');
      case 'rule':
        return '<text:p text:style-name="Rule"/>';
    }
  }

  #styleOf({ kind, node }: Extract<FlowBlock, { type: 'text' }>): string {
    const byKind: Partial<Record<typeof kind, string>> = { title: 'Title', subtitle: 'Center', author: 'Center', caption: 'Caption', footnote: 'Small', reference: 'Small', code: 'Code', address: 'Plain', 'toc-entry': 'Plain', 'pull-quote': 'Quote', 'formula-number': 'Number' };
    for (let at = node; at >= 0; at = this.#truth.nodes[at]!.parent) if (this.#truth.nodes[at]!.kind === 'quote') return 'Quote';
    return byKind[kind] ?? 'Body';
  }

  /** A list for each item, so that each label has a colour of its own; numbers go on by their start value. */
  #list({ ordered, items, node }: Extract<FlowBlock, { type: 'list' }>): string {
    const { bullet, numberSuffix } = this.#theme;
    const { level } = this.#truth.nodes[node]!;
    return items.map((item, at) => {
      const name = `List${this.#lists++}`;
      const label = this.#run({ text: '', leaf: item.marker, inline: 0 }, '');
      const style = /"(T\d+)"/u.exec(label)![1]!;
      const place = `<style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment text:label-followed-by="listtab" fo:text-indent="-0.5cm" fo:margin-left="${(0.6 * level + 0.2).toFixed(1)}cm"/></style:list-level-properties>`;
      this.#styles.push(`<text:list-style style:name="${name}">${ordered ? `<text:list-level-style-number text:level="1" text:style-name="${style}" style:num-format="1" style:num-suffix="${numberSuffix}" text:start-value="${at + 1}">${place}</text:list-level-style-number>` : `<text:list-level-style-bullet text:level="1" text:style-name="${style}" text:bullet-char="${bullet}">${place}</text:list-level-style-bullet>`}</text:list-style>`);
      const [first, ...rest] = item.blocks;
      const inside = first === undefined || first.type !== 'text' ? '<text:p text:style-name="Plain"/>' : this.#block(first, 'Plain');
      // What follows the first paragraph stands behind the item: it is indented by its own list, if it is one.
      return `<text:list text:style-name="${name}"><text:list-item>${inside}</text:list-item></text:list>${this.#blocks(first?.type === 'text' ? rest : item.blocks, 'Quote')}`;
    }).join('');
  }

  #table({ rows, columns, headRows, caption, cells }: Extract<FlowBlock, { type: 'table' }>): string {
    if (rows === 0 || columns === 0) return '';
    const name = `Table${this.#tables++}`;
    const widths = Array.from({ length: columns }, (_, column) => Math.max(1, ...cells.filter((cell) => cell.column === column && cell.columnSpan === 1).map(widthOf)));
    for (const [column, width] of widths.entries()) this.#styles.push(`<style:style style:name="${name}.${column}" style:family="table-column"><style:table-column-properties style:rel-column-width="${width * 100}*"/></style:style>`);
    const written = Array.from({ length: rows }, (_, row) => this.#row(row, columns, cells, headRows, name));
    const table = `<table:table table:name="${name}">${widths.map((_, column) => `<table:table-column table:style-name="${name}.${column}"/>`).join('')}${headRows > 0 && headRows < rows ? `<table:table-header-rows>${written.slice(0, headRows).join('')}</table:table-header-rows>${written.slice(headRows).join('')}` : written.join('')}</table:table>`;
    const head = this.#blocks(caption, 'Caption');
    return this.#theme.captionBelow ? `${table}${head}` : `${head}${table}<text:p text:style-name="Plain"/>`;
  }

  #row(row: number, columns: number, cells: readonly FlowCell[], headRows: number, table: string): string {
    let out = '';
    for (let column = 0; column < columns; column++) {
      const cell = cells.find((each) => each.row <= row && row < each.row + each.rowSpan && each.column <= column && column < each.column + each.columnSpan);
      if (cell === undefined) out += `<table:table-cell table:style-name="${this.#cellStyle(-1, row < headRows, row + 1 === headRows, table, `e${row}-${column}`)}"><text:p text:style-name="Plain"/></table:table-cell>`;
      else if (cell.row !== row || cell.column !== column) out += '<table:covered-table-cell/>';
      else {
        const style = this.#cellStyle(cell.node, row < headRows, row + cell.rowSpan === headRows, table, String(cell.node));
        const blocks = cell.head ? cell.blocks.map((block) => (block.type === 'text' ? { ...block, runs: block.runs.map((run) => ({ ...run, inline: run.inline | inlineBits['b']! })) } : block)) : cell.blocks;
        out += `<table:table-cell table:style-name="${style}" table:number-columns-spanned="${cell.columnSpan}" table:number-rows-spanned="${cell.rowSpan}">${blocks.length === 0 ? '<text:p text:style-name="Plain"/>' : this.#blocks(blocks, 'Plain')}</table:table-cell>`;
      }
    }
    return `<table:table-row>${out}</table:table-row>`;
  }

  /** In the coloured run the fill of a cell is its colour. */
  #cellStyle(node: number, head: boolean, lastHead: boolean, table: string, key: string): string {
    const { rules, shade } = this.#theme;
    const name = `${table}.c${key}`;
    const line = '0.5pt solid #000000';
    const borders = rules === 'grid' ? `fo:border="${line}"` : rules === 'rows' || rules === 'head' && lastHead ? `fo:border-bottom="${line}"` : '';
    const fill = this.#colored && node >= 0 ? cssColor(this.#truth.nodes[node]!.outline) : head && shade !== null ? shade : '';
    this.#styles.push(`<style:style style:name="${name}" style:family="table-cell"><style:table-cell-properties ${borders} fo:padding="0.08cm" ${fill === '' ? '' : `fo:background-color="${fill}"`}/></style:style>`);
    return name;
  }
}

/** Characters of a line of text at most, and of a block that is no text. */
const WIDEST = 40;
const BLOCK_WIDTH = 20;

/** The width of a cell in characters: that of its text on one line, up to a limit, and at least that of its longest word. */
function widthOf({ blocks }: FlowCell): number {
  const texts = blocks.map((block) => (block.type === 'text' ? block.runs.map(({ text }) => text).join('') : 'x'.repeat(BLOCK_WIDTH)));
  const words = texts.flatMap((text) => text.split(/\s+/u).map((word) => word.length));
  return Math.max(0, ...words, ...texts.map((text) => Math.min(WIDEST, text.length))) + 1;
}

function escapeSpaces(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replace(/ {2,}/gu, (spaces) => ` <text:s text:c="${spaces.length - 1}"/>`);
}
