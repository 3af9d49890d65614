/** A table that goes on over a page's end is one table: its parts are joined when their columns agree. */
import { unionBox } from '../layout/text-line.js';
import type { SketchedCell, SketchedTable } from '../layout/sketched-table.js';
import type { Block, TableBlock } from './block.js';

function cellText(cell: SketchedCell): string {
  return cell.lines.map((line) => line.text).join(' ').replace(/\s+/g, ' ').trim().toLowerCase();
}

function headerRows(table: SketchedTable): number {
  let rows = 0;
  while (rows < table.rowCount && table.cells.some((cell) => cell.row === rows && cell.columnHeader)) rows++;
  return rows;
}

function rowTexts(table: SketchedTable, rows: number): string {
  return table.cells.filter((cell) => cell.row < rows).map((cell) => `${cell.column}:${cellText(cell)}`).sort().join('|');
}

function sameColumns(above: SketchedTable, below: SketchedTable): boolean {
  if (above.index && below.index) return true;
  if (above.index !== below.index || above.columnCount !== below.columnCount || above.columnCount < 2) return false;
  const tolerance = 0.04 * Math.max(above.box.right - above.box.left, 1) + 4;
  if (Math.abs(above.box.right - above.box.left - (below.box.right - below.box.left)) > 3 * tolerance) return false;
  const shift = below.box.left - above.box.left;
  return above.columnLefts.every((left, index) => {
    const other = below.columnLefts[index]!;
    return left === Infinity || other === Infinity || Math.abs(other - left - shift) <= tolerance;
  });
}

/** What lies between two parts of one table: only what the page puts there. */
function onlyFurnitureBetween(blocks: Block[]): boolean {
  return blocks.every((block) => block.kind === 'text' && (block.role === 'page_header' || block.role === 'page_footer' || block.role === 'footnote'
    || block.role === 'caption' && /\b(cont|continued|fortsetzung|suite|continuación)\b/i.test(block.stretches[0]!.lines[0]!.text)));
}

function append(above: TableBlock, below: TableBlock, skip: number): void {
  const { table } = above;
  const shift = table.rowCount - skip;
  for (const cell of below.table.cells) if (cell.row >= skip) table.cells.push({ ...cell, row: cell.row + shift, columnHeader: false });
  table.rowCount += below.table.rowCount - skip;
  table.confidence = Math.min(table.confidence, below.table.confidence);
  above.places.push(...below.places);
  above.captions.push(...below.captions);
  const heads = below.table.cells.filter((cell) => cell.row < skip);
  if (heads.length === 0) return;
  const text = heads.map((cell) => cell.lines.map((line) => line.text).join(' ')).join(' ');
  above.repeatedHeads.push({ pageIndex: below.pageIndex, box: unionBox(heads.map((cell) => cell.box)), text });
}

/** Joins parts of tables on consecutive pages; a header that is repeated stands once. */
export function joinTables(blocks: Block[], heightOf: (pageIndex: number) => number): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    if (block.kind === 'table') {
      let at = result.length - 1;
      while (at >= 0 && result[at]!.kind !== 'table' && result.length - at < 12) at--;
      const above = result[at];
      if (above !== undefined && above.kind === 'table' && goesOn(above, block, result.slice(at + 1), heightOf)) {
        const rows = headerRows(block.table);
        const repeated = rows > 0 && rowTexts(block.table, rows) === rowTexts(above.table, rows);
        append(above, block, repeated ? rows : 0);
        continue;
      }
    }
    result.push(block);
  }
  return result;
}

function goesOn(above: TableBlock, below: TableBlock, between: Block[], heightOf: (pageIndex: number) => number): boolean {
  const last = above.places.at(-1)!;
  if (below.pageIndex !== last.pageIndex + 1) return false;
  if (last.box.bottom < 0.6 * heightOf(last.pageIndex) || below.table.box.top > 0.4 * heightOf(below.pageIndex)) return false;
  if (!sameColumns(above.table, below.table) || !onlyFurnitureBetween(between)) return false;
  const rows = headerRows(below.table);
  if (rows === 0) return true;
  return rowTexts(below.table, rows) === rowTexts(above.table, rows) || below.table.evidence !== 'unruled' && above.table.evidence === below.table.evidence;
}
