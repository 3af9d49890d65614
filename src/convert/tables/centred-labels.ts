/** Labels of two rows, centred between them without a ruling: the page shows them as a row of their own, the table has none. */
import { sortedNumbers } from '../../geometry/statistics.js';
import type { FoundTable, TableCell } from '../page/found-table.js';

/** The largest distance from the middle of the rows above and below, and the largest distance of these two, both in usual row distances. */
const offMiddle = 0.25;
const farthestRows = 1.4;
/** The fewest rows whose distances give the usual one. */
const leastDistances = 2;

interface Row {
  cells: TableCell[];
  baseline: number;
}

/** Turns such labels into cells that span both rows. Ruled and tagged tables keep their cells. */
export function withCentredLabels(tables: FoundTable[]): FoundTable[] {
  return tables.map((table) => (table.evidence === 'ruled' || table.evidence === 'tagged' ? table : withCentredLabelsIn(table)));
}

function withCentredLabelsIn(table: FoundTable): FoundTable {
  const rows = rowsOf(table);
  const usual = usualDistances(rows);
  const labels = new Set<number>();
  for (let row = rows.length - 2; row > 0; row--) {
    // The next rows belong to other labels, or are the first of two rows with such labels.
    if (!labels.has(row + 1) && !labels.has(row + 2) && holdsLabels(rows, row, table.columnCount, usual)) labels.add(row);
  }
  return labels.size === 0 ? table : withoutRows(table, labels);
}

/** The cells that begin in each row; the baseline is NaN in a row without text. */
function rowsOf({ rowCount, cells }: FoundTable): Row[] {
  const rows = Array.from({ length: rowCount }, (): Row => ({ cells: [], baseline: NaN }));
  for (const cell of cells) if (cell.words.length > 0) rows[cell.row]?.cells.push(cell);
  for (const row of rows) if (row.cells.length > 0) row.baseline = Math.max(...row.cells.map(({ words }) => middleOf(words.map(({ baseline }) => baseline))));
  return rows;
}

function middleOf(values: number[]): number {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return (least + most) / 2;
}

/** Returns, for a row, the median distance of the rows other than it and its neighbours; NaN where there are too few. */
function usualDistances(rows: Row[]): (row: number) => number {
  const distances = rows.map(({ baseline }, at) => (at > 0 ? baseline - rows[at - 1]!.baseline : NaN));
  const sorted = sortedNumbers(distances.filter(Number.isFinite));
  return (row) => {
    const own = sortedNumbers(distances.slice(row - 1, row + 2).filter(Number.isFinite));
    const count = sorted.length - own.length;
    if (count < leastDistances) return NaN;
    let middle = count >> 1;
    for (const distance of own) if (distance <= sorted[middle]!) middle++;
    return sorted[middle]!;
  };
}

function holdsLabels(rows: Row[], row: number, columnCount: number, usual: (row: number) => number): boolean {
  const [above, here, below] = [rows[row - 1]!, rows[row]!, rows[row + 1]!];
  const columns = here.cells.flatMap(({ column, columnSpan }) => Array.from({ length: columnSpan }, (_, at) => column + at));
  if (columns.length === 0 || columns.length > columnCount / 2 || here.cells.some(({ rowSpan }) => rowSpan > 2)) return false;
  const isOver = ({ column, columnSpan }: TableCell): boolean => columns.some((own) => own >= column && own < column + columnSpan);
  const isFull = ({ cells }: Row): boolean => cells.length > 0 && !cells.some(isOver) && cells.every(({ rowSpan }) => rowSpan === 1);
  if (!isFull(above) || !isFull(below)) return false;
  const apart = below.baseline - above.baseline;
  if (!(apart > 0) || !(apart <= farthestRows * usual(row))) return false;
  return Math.abs(here.baseline - (above.baseline + below.baseline) / 2) < offMiddle * apart;
}

/** Lets the labels of these rows begin in the row above and span the one below. */
function withoutRows(table: FoundTable, rows: Set<number>): FoundTable {
  const place = [0];
  for (let row = 0; row < table.rowCount; row++) place.push(place[row]! + (rows.has(row) ? 0 : 1));
  const heads = new Set(table.cells.filter(({ columnHeader }) => columnHeader).map(({ row }) => row));
  const covered = new Set<number>();
  const at = (row: number, column: number): number => row * (table.columnCount + 1) + column;
  const cells = table.cells.flatMap((cell): TableCell[] => {
    if (!rows.has(cell.row)) {
      const row = place[cell.row]!;
      return [{ ...cell, row, rowSpan: place[Math.min(cell.row + cell.rowSpan, table.rowCount)]! - row }];
    }
    if (cell.words.length === 0) return [];
    const row = place[cell.row - 1]!;
    for (let column = cell.column; column < cell.column + cell.columnSpan; column++) covered.add(at(row, column)).add(at(row + 1, column));
    // The rows above and below are the header.
    return [{ ...cell, row, rowSpan: 2, columnHeader: cell.columnHeader || heads.has(cell.row - 1) && heads.has(cell.row + 1) }];
  });
  return { ...table, rowCount: table.rowCount - rows.size, cells: cells.filter(({ row, column, words }) => words.length > 0 || !covered.has(at(row, column))) };
}
