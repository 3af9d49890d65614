/** Joins the parts of a table that continues over the end of a page, if their columns agree. */
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
 * The number of rows at the top of the part below that repeat the header above: 0 if they differ. If the end of a page splits a row, its
 * rest has no label and resembles a second row of the repeated header.
 */
function repeatedRows(above: PageTable, below: PageTable): number {
  const same = (rows: number): boolean => rows > 0 && rows <= below.rowCount && rowTexts(below, rows) === rowTexts(above, rows);
  const known = [headerRows(below), headerRows(above)].find(same);
  if (known !== undefined) return known;
  // Words over columns of words are a header only if they are repeated.
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
 * Whether each column stands at the place of the other table's. In a column of right-aligned numbers the left edge depends on the longest text beside it,
 * which differs from page to page: two parts of one table, with the same width and header, differed by 85 points there.
 */
function columnsMeet(above: PageTable, below: PageTable, shift: number): boolean {
  const endsBehind = (one: PageTable, other: PageTable, by: number): boolean => one.columnLefts.every((left, column) => left < (other.columnLefts[column + 1] ?? Infinity) + by);
  return endsBehind(above, below, -shift) && endsBehind(below, above, shift);
}

/** Whether only furniture lies between two parts of one table. */
function onlyFurnitureBetween(above: TableBlock, blocks: Block[]): boolean {
  return blocks.every((block) => block.kind === 'text' && (block.role === 'page_header' || block.role === 'page_footer' || block.role === 'footnote'
    || isContinuedCaption(block, above) || isContinuedLine(block, above)));
}

/** The cells of this row, if none extends into it or out of it. */
function plainRow({ cells }: PageTable, row: number): PageTableCell[] | null {
  const own = cells.filter((cell) => cell.row <= row && row < cell.row + cell.rowSpan);
  return own.every(({ rowSpan }) => rowSpan === 1) ? own : null;
}

function isEmptyRow(table: PageTable, row: number): boolean {
  return plainRow(table, row)?.every((cell) => cellText(cell) === '') ?? false;
}

/** Whether this row continues the row above the page's end: it has no label, and each of its texts continues the one above. */
function isRestOfRow(last: PageTableCell[], row: PageTableCell[]): boolean {
  const filled = row.filter((cell) => cellText(cell) !== '');
  const goesOn = filled.map((cell) => {
    const above = last.find(({ column, columnSpan }) => column === cell.column && columnSpan === cell.columnSpan);
    const end = above?.lines.at(-1);
    return above !== undefined && end !== undefined && (end.softHyphen || (!/[.!?:;]["”’)]?$/u.test(end.text) && /^[("'„“]?\p{Ll}/u.test(cell.lines[0]?.text ?? '')));
  });
  return filled.length > 0 && filled.every(({ column }) => column > 0) && goesOn.every((goes) => goes);
}

/** Whether every row with text from `begin` on has a label in the first column. If only the first row of a group has a label, a row without one is a separate row. */
function isLabelled({ cells, rowCount }: PageTable, begin: number): boolean {
  for (let row = begin; row < rowCount; row++) {
    const filled = cells.filter((cell) => cell.row <= row && row < cell.row + cell.rowSpan && cellText(cell) !== '');
    if (filled.length > 0 && !filled.some(({ column }) => column === 0)) return false;
  }
  return true;
}

/** Consumes the second part of a row that the end of a page split: the empty frame, and the rest of its texts below. Returns the number of consumed rows of `below`. */
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

/** Joins the part below to the table above if it continues it. Blocks between them that say only that become furniture. */
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

/** Joins parts of tables on consecutive pages. A repeated header is kept once. */
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

/** The kind of content of most cells in each column below the header. */
function columnKinds(table: PageTable): ('empty' | 'number' | 'text')[] {
  const heads = headerRows(table);
  return Array.from({ length: table.columnCount }, (_, column) => {
    const kinds = table.cells.filter((cell) => cell.column === column && cell.row >= heads).map((cell) => kindOf(cellText(cell)));
    const numbers = kinds.filter((kind) => kind === 'number').length;
    const texts = kinds.filter((kind) => kind === 'text').length;
    return numbers === 0 && texts === 0 ? 'empty' : numbers >= texts ? 'number' : 'text';
  });
}

/** Whether the first row has numbers where the table above does: then it is not a header. */
function beginsWithData(above: PageTable, below: PageTable): boolean {
  const kinds = columnKinds(above);
  const first = below.cells.filter((cell) => cell.row === 0);
  const agrees = first.every((cell) => cellText(cell) === '' || kinds[cell.column] === 'empty' || kindOf(cellText(cell)) === kinds[cell.column]);
  return agrees && first.some((cell) => kinds[cell.column] === 'number' && kindOf(cellText(cell)) === 'number');
}

/** Whether the part below begins at the top of a page or column and the part above ends at the end of one. */
function followsOn(above: TableBlock, below: TableBlock, heightOf: (pageIndex: number) => number): boolean {
  const last = above.places.at(-1)!;
  if (below.pageIndex === last.pageIndex) return below.table.box.left > last.box.right - 5 && below.table.box.top < last.box.bottom;
  if (below.pageIndex !== last.pageIndex + 1) return false;
  return last.box.bottom > 0.6 * heightOf(last.pageIndex) && below.table.box.top < 0.4 * heightOf(below.pageIndex);
}

function goesOn(above: TableBlock, below: TableBlock, between: Block[], heightOf: (pageIndex: number) => number): boolean {
  if (!onlyFurnitureBetween(above, between) || hasOtherName(above, below)) return false;
  // Its columns were compared with the table's, and nothing stands between them.
  if (above.table.lone === true || below.table.lone === true) return above.table.columnCount === below.table.columnCount;
  if (!followsOn(above, below, heightOf) || !sameColumns(above.table, below.table)) return false;
  const rows = headerRows(below.table);
  const sameColumn = below.pageIndex === above.places.at(-1)!.pageIndex;
  // Two tables side by side stay separate, unless the second has no header of its own.
  if (rows === 0 && !sameColumn || beginsWithData(above.table, below.table)) return true;
  if (sameColumn) return false;
  return repeatedRows(above.table, below.table) > 0 || below.table.evidence !== 'unruled' && above.table.evidence === below.table.evidence;
}
