/** Pages as the converter's document-wide steps see them, made line by line without a PDF. */
import type { PageRegions, PageStructure } from '../../src/convert/page/values.js';
import type { PageContent } from '../../src/pdf/pdf-page.js';
import type { PageTable } from '../../src/convert/page/page-table.js';
import type { TextLine } from '../../src/convert/page/text-line.js';

let order = 0;

/** Letters of a proportional font: half as wide as high, a little more or less from word to word. */
function widthOf(text: string, size: number, fixed: boolean): number {
  const wide = [...text].filter((letter) => /[mwMWO]/.test(letter)).length - [...text].filter((letter) => /[ilt.,]/.test(letter)).length;
  return size * (0.5 * text.length + (fixed ? 0 : 0.2 * wide));
}

/** A line of text whose baseline begins at (left, baseline). */
export function line(left: number, baseline: number, text: string, style: Partial<TextLine> = {}): TextLine {
  const size = style.size ?? 10;
  return {
    text, baseline, size,
    box: { left, right: left + widthOf(text, size, style.monospace === true), top: baseline - 0.7 * size, bottom: baseline + 0.1 * size },
    font: style.bold === true ? 'Body-Bold' : 'Body', mixed: false, bold: false, italic: false, monospace: false, boldPrefix: 0, color: 0, angle: 0,
    softHyphen: false, order: order++, spans: [], role: '', pieces: [], ...style,
  };
}

/** Lines of running text, `width` points wide, the last one short; 12 points apart. */
export function paragraph(left: number, baseline: number, width: number, count: number, word = 'word', style: Partial<TextLine> = {}): TextLine[] {
  const size = style.size ?? 10;
  const letters = Math.floor(width / (0.5 * size));
  return Array.from({ length: count }, (_, index) => {
    const text = `${word}${index} `.repeat(Math.ceil(letters / (word.length + 2))).slice(0, letters).replace(/ $/, 's');
    const short = index === count - 1 && count > 1 ? `${text.slice(0, Math.floor(0.6 * letters)).trimEnd()}.` : text;
    return line(left, baseline + 1.2 * size * index, short, style);
  });
}

/** A page of which nothing is a table or a listing. */
export function regionsOf(content: PageContent): PageRegions {
  return { content, invisibleCharacters: 0, contents: null, listings: [], tables: [], prediction: null };
}

export function pageStructure(pageIndex: number, pieces: TextLine[], more: Partial<PageStructure> = {}): PageStructure {
  return {
    pageIndex, width: 600, height: 800, pieces, tables: [], figures: [], separators: [], columnRules: [], cardRows: [], panels: [],
    hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 },
    characters: pieces.reduce((sum, piece) => sum + piece.text.length, 0), unmappedCharacters: 0, invisibleCharacters: 0, pictureCoverage: 0, ...more,
  };
}

/** A table of one line of text a cell; the first row is its head. */
export function table(box: PageTable['box'], rows: string[][]): PageTable {
  const columnCount = rows[0]!.length;
  const width = (box.right - box.left) / columnCount;
  return {
    box, rowCount: rows.length, columnCount, size: 10, letters: rows.flat().join('').length, index: false, evidence: 'ruled', confidence: 0.9,
    columnLefts: rows[0]!.map((_, column) => box.left + column * width),
    cells: rows.flatMap((cells, row) => cells.map((text, column) => ({
      row, column, rowSpan: 1, columnSpan: 1, columnHeader: row === 0, rowHeader: false, lines: [{ text, softHyphen: false }],
      box: { left: box.left + column * width, right: box.left + (column + 1) * width, top: box.top + 12 * row, bottom: box.top + 12 * row + 12 },
    }))),
  };
}
