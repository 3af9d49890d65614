/** A table that goes on over a page's end is one table: its parts are joined when their columns agree. */
import { unionBox, widthOf } from '../../geometry/box.js';
import type { PageTableCell, PageTable } from '../page/page-table.js';
import type { Block, TableBlock } from './block.js';
import { plainText } from './block.js';
import { hasOtherName, isContinuedCaption, isContinuedLine, sortCaptions, withoutContinuedRow } from './continued.js';

function cellText(cell: PageTableCell): string {
  return cell.lines.map((line) => line.text).join(' ').replace(/\s+/g, ' ').trim().toLowerCase();
}

function headerRows(table: PageTable): number {
  let rows = 0;
  while (rows < table.rowCount && table.cells.some((cell) => cell.row === rows && cell.columnHeader)) rows++;
  return rows;
}

function rowTexts(table: PageTable, rows: number): string {
  return table.cells.filter((cell) => cell.row < rows).map((cell) => `${cell.column}:${cellText(cell)}`).sort().join('|');
}

/**
 * How many rows at the top of the part below repeat the header above: 0 where they differ. Where a row is cut by the
 * page's end its rest has no label, and resembles a second row of the repeated header.
 */
function repeatedRows(above: PageTable, below: PageTable): number {
  const same = (rows: number): boolean => rows > 0 && rows <= below.rowCount && rowTexts(below, rows) === rowTexts(above, rows);
  const known = [headerRows(below), headerRows(above)].find(same);
  if (known !== undefined) return known;
  // Only its repetition may show that a row is a header: words over columns of words.
  const texts = below.cells.filter(({ row }) => row === 0).map(cellText);
  return texts.length > 1 && texts.every((text) => kindOf(text) === 'text') && new Set(texts).size === texts.length && same(1) ? 1 : 0;
}

function sameColumns(above: PageTable, below: PageTable): boolean {
  if (above.index && below.index) return true;
  if (above.index !== below.index || above.columnCount !== below.columnCount || above.columnCount < 2) return false;
  const width = Math.max(widthOf(above.box), 1);
  const tolerance = 0.05 * width + 4;
  const wider = Math.abs(width - widthOf(below.box));
  if (wider > 3 * tolerance) return false;
  const shift = below.box.left - above.box.left;
  const agree = above.columnLefts.every((left, index) => {
    const other = below.columnLefts[index]!;
    return left === Infinity || other === Infinity || Math.abs(other - left - shift) <= tolerance;
  });
  return agree || wider <= 0.01 * width && columnsMeet(above, below, shift) && repeatedRows(above, below) > 0;
}

/**
 * Each column stands where the other table's does. The edge before figures at the right of their column lies where the longest text beside them ends, which
 * is another one on each page: two parts of one table, of the same width and with the same head, had it 85 points apart.
 */
function columnsMeet(above: PageTable, below: PageTable, shift: number): boolean {
  const endsBehind = (one: PageTable, other: PageTable, by: number): boolean => one.columnLefts.every((left, column) => left < (other.columnLefts[column + 1] ?? Infinity) + by);
  return endsBehind(above, below, -shift) && endsBehind(below, above, shift);
}

/** What lies between two parts of one table: only what the page puts there. */
function onlyFurnitureBetween(above: TableBlock, blocks: Block[]): boolean {
  return blocks.every((block) => block.kind === 'text' && (block.role === 'page_header' || block.role === 'page_footer' || block.role === 'footnote'
    || isContinuedCaption(block, above) || isContinuedLine(block, above)));
}

/** Cells of this row, where none reaches into it or out of it. */
function plainRow({ cells }: PageTable, row: number): PageTableCell[] | null {
  const own = cells.filter((cell) => cell.row <= row && row < cell.row + cell.rowSpan);
  return own.every(({ rowSpan }) => rowSpan === 1) ? own : null;
}

function isEmptyRow(table: PageTable, row: number): boolean {
  return plainRow(table, row)?.every((cell) => cellText(cell) === '') ?? false;
}

/** What this row holds goes on with the row above the page's end: it has no label, and each of its texts goes on where the one above stopped. */
function isRestOfRow(last: PageTableCell[], row: PageTableCell[]): boolean {
  const filled = row.filter((cell) => cellText(cell) !== '');
  const goesOn = filled.map((cell) => {
    const above = last.find(({ column, columnSpan }) => column === cell.column && columnSpan === cell.columnSpan);
    const end = above?.lines.at(-1);
    return above !== undefined && end !== undefined && (end.softHyphen || (!/[.!?:;]["”’)]?$/u.test(end.text) && /^[("'„“]?\p{Ll}/u.test(cell.lines[0]?.text ?? '')));
  });
  return filled.length > 0 && filled.every(({ column }) => column > 0) && goesOn.every((goes) => goes);
}

/** Whether every row from `begin` on that holds text has a label in the first column: where labels stand only in the first row of a group, a row without one is a row. */
function isLabelled({ cells, rowCount }: PageTable, begin: number): boolean {
  for (let row = begin; row < rowCount; row++) {
    const filled = cells.filter((cell) => cell.row <= row && row < cell.row + cell.rowSpan && cellText(cell) !== '');
    if (filled.length > 0 && !filled.some(({ column }) => column === 0)) return false;
  }
  return true;
}

/** Empties the remaining part of a row that a page's end cut: the part of its frame without text, and the rest of its texts below. Returns how many rows of `below` are used up. */
function joinSplitRow(above: PageTable, below: PageTable, skip: number): number {
  let begin = skip;
  while (begin < below.rowCount && isEmptyRow(below, begin)) begin++;
  while (above.rowCount > 1 && isEmptyRow(above, above.rowCount - 1)) {
    above.rowCount--;
    above.cells = above.cells.filter(({ row }) => row < above.rowCount);
  }
  const [last, first] = [plainRow(above, above.rowCount - 1), plainRow(below, begin)];
  if (last === null || first === null || first.length === 0 || last.some(({ columnHeader }) => columnHeader) || !isRestOfRow(last, first)) return begin;
  if (!isLabelled(above, headerRows(above)) || !isLabelled(below, begin + 1)) return begin;
  for (const cell of first) last.find(({ column }) => column === cell.column)?.lines.push(...cell.lines);
  return begin + 1;
}

function append(above: TableBlock, below: TableBlock, heads: number): void {
  const { table } = above;
  const skip = joinSplitRow(table, below.table, heads);
  const shift = table.rowCount - skip;
  for (const cell of below.table.cells) if (cell.row >= skip) table.cells.push({ ...cell, row: cell.row + shift, columnHeader: false });
  table.rowCount += below.table.rowCount - skip;
  table.confidence = Math.min(table.confidence, below.table.confidence);
  above.places.push(...below.places);
  const { again, more } = sortCaptions(above, below);
  above.captions.push(...more);
  for (const caption of again) above.repeatedHeads.push({ pageIndex: below.pageIndex, box: caption.columnParts[0]!.box, text: plainText(caption) });
  const repeated = below.table.cells.filter((cell) => cell.row < heads);
  if (repeated.length === 0) return;
  for (const cell of table.cells) if (cell.row < heads) cell.columnHeader = true;
  const text = repeated.map((cell) => cell.lines.map((line) => line.text).join(' ')).join(' ');
  above.repeatedHeads.push({ pageIndex: below.pageIndex, box: unionBox(repeated.map((cell) => cell.box)), text });
}

/** Joins the part below to the table above where it goes on with it; what stands between them and says no more than that is furniture. */
function joinParts(above: TableBlock, below: TableBlock, between: Block[], heightOf: (pageIndex: number) => number): boolean {
  const [last, first] = [withoutContinuedRow(above, -1, above.captions), withoutContinuedRow(below, 1, above.captions)];
  const [whole, rest] = [{ ...above, table: last?.table ?? above.table }, { ...below, table: first?.table ?? below.table }];
  if (!goesOn(whole, rest, between, heightOf)) return false;
  above.table = whole.table;
  for (const row of [last, first]) if (row !== null) above.repeatedHeads.push(row.line);
  for (const block of between) {
    if (isContinuedLine(block, above) && block.role !== 'page_header' && block.role !== 'footnote') block.role = block.columnParts[0]!.pageIndex === below.pageIndex ? 'page_header' : 'page_footer';
  }
  append(above, rest, repeatedRows(above.table, rest.table));
  return true;
}

/** Joins parts of tables on consecutive pages; a header that is repeated stands once. */
export function joinTables(blocks: Block[], heightOf: (pageIndex: number) => number): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    if (block.kind === 'table') {
      let at = result.length - 1;
      while (at >= 0 && result[at]!.kind !== 'table' && result.length - at < 12) at--;
      const above = result[at];
      if (above !== undefined && above.kind === 'table' && joinParts(above, block, result.slice(at + 1), heightOf)) continue;
    }
    result.push(block);
  }
  return result;
}

function kindOf(text: string): 'empty' | 'number' | 'text' {
  if (text === '') return 'empty';
  return /^[\s$€£¥(+−–-]*\d[\d.,\s]*[%)]*$/.test(text) ? 'number' : 'text';
}

/** The kind of content of most cells of each column below the header. */
function columnKinds(table: PageTable): ('empty' | 'number' | 'text')[] {
  const heads = headerRows(table);
  return Array.from({ length: table.columnCount }, (_, column) => {
    const kinds = table.cells.filter((cell) => cell.column === column && cell.row >= heads).map((cell) => kindOf(cellText(cell)));
    const numbers = kinds.filter((kind) => kind === 'number').length;
    const texts = kinds.filter((kind) => kind === 'text').length;
    return numbers === 0 && texts === 0 ? 'empty' : numbers >= texts ? 'number' : 'text';
  });
}

/** The first row holds numbers where the table above does: it is a row like the others and no header. */
function beginsWithData(above: PageTable, below: PageTable): boolean {
  const kinds = columnKinds(above);
  const first = below.cells.filter((cell) => cell.row === 0);
  const agrees = first.every((cell) => cellText(cell) === '' || kinds[cell.column] === 'empty' || kindOf(cellText(cell)) === kinds[cell.column]);
  return agrees && first.some((cell) => kinds[cell.column] === 'number' && kindOf(cellText(cell)) === 'number');
}

/** The part below begins where a page, or a column of it, begins; the part above ends where one ends. */
function followsOn(above: TableBlock, below: TableBlock, heightOf: (pageIndex: number) => number): boolean {
  const last = above.places.at(-1)!;
  if (below.pageIndex === last.pageIndex) return below.table.box.left > last.box.right - 5 && below.table.box.top < last.box.bottom;
  if (below.pageIndex !== last.pageIndex + 1) return false;
  return last.box.bottom > 0.6 * heightOf(last.pageIndex) && below.table.box.top < 0.4 * heightOf(below.pageIndex);
}

function goesOn(above: TableBlock, below: TableBlock, between: Block[], heightOf: (pageIndex: number) => number): boolean {
  if (!onlyFurnitureBetween(above, between) || hasOtherName(above, below)) return false;
  // Its columns were held against the table's, and nothing stands between them.
  if (above.table.lone === true || below.table.lone === true) return above.table.columnCount === below.table.columnCount;
  if (!followsOn(above, below, heightOf) || !sameColumns(above.table, below.table)) return false;
  const rows = headerRows(below.table);
  const sameColumn = below.pageIndex === above.places.at(-1)!.pageIndex;
  // Two tables that stand side by side are two, unless the second has no header of its own.
  if (rows === 0 && !sameColumn || beginsWithData(above.table, below.table)) return true;
  if (sameColumn) return false;
  return repeatedRows(above.table, below.table) > 0 || below.table.evidence !== 'unruled' && above.table.evidence === below.table.evidence;
}
