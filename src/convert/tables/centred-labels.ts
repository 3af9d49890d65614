/** Labels of two rows, set between them at half height where nothing is drawn: a row of their own on the page, and none of the table. */
import type { FoundTable, TableCell } from '../table.js';

/** How far from the middle of the rows above and below, and how far apart these are, in parts of what other rows are. */
const offMiddle = 0.25;
const farthestRows = 1.4;
/** Rows whose distance tells what is usual. */
const leastDistances = 2;

interface Row {
  cells: TableCell[];
  baseline: number;
}

/** The tables with such labels as cells over both rows. Drawn and tagged tables tell their cells themselves. */
export function withCentredLabels(tables: FoundTable[]): FoundTable[] {
  return tables.map((table) => (table.evidence === 'ruled' || table.evidence === 'tagged' ? table : withCentredLabelsIn(table)));
}

function withCentredLabelsIn(table: FoundTable): FoundTable {
  const rows = rowsOf(table);
  for (let row = rows.length - 2; row > 0; row--) {
    if (holdsLabels(rows, row, table.columnCount)) return withCentredLabelsIn(withoutRow(table, row));
  }
  return table;
}

/** What begins in each row; a baseline of NaN where no text does. */
function rowsOf({ rowCount, cells }: FoundTable): Row[] {
  return Array.from({ length: rowCount }, (_, row) => {
    const own = cells.filter((cell) => cell.row === row && cell.words.length > 0);
    return { cells: own, baseline: own.length === 0 ? NaN : Math.max(...own.map(({ words }) => middleOf(words.map(({ baseline }) => baseline)))) };
  });
}

const middleOf = (values: number[]): number => (Math.min(...values) + Math.max(...values)) / 2;

function holdsLabels(rows: Row[], row: number, columnCount: number): boolean {
  const [above, here, below] = [rows[row - 1]!, rows[row]!, rows[row + 1]!];
  const columns = here.cells.flatMap(({ column, columnSpan }) => Array.from({ length: columnSpan }, (_, at) => column + at));
  if (columns.length === 0 || columns.length > columnCount / 2 || here.cells.some(({ rowSpan }) => rowSpan > 2)) return false;
  const isOver = ({ column, columnSpan }: TableCell): boolean => columns.some((own) => own >= column && own < column + columnSpan);
  const isFull = ({ cells }: Row): boolean => cells.length > 0 && !cells.some(isOver) && cells.every(({ rowSpan }) => rowSpan === 1);
  if (!isFull(above) || !isFull(below)) return false;
  const apart = below.baseline - above.baseline;
  const distances = rows.flatMap(({ baseline }, at) => (at > 0 && Math.abs(at - row) > 1 && at !== row + 1 ? [baseline - rows[at - 1]!.baseline] : [])).filter(Number.isFinite).sort((a, b) => a - b);
  if (distances.length < leastDistances || !(apart > 0) || apart > farthestRows * distances[distances.length >> 1]!) return false;
  return Math.abs(here.baseline - (above.baseline + below.baseline) / 2) < offMiddle * apart;
}

/** Its labels begin in the row above and reach over the one below. */
function withoutRow(table: FoundTable, row: number): FoundTable {
  const cells = table.cells.flatMap((cell): TableCell[] => {
    const end = cell.row + cell.rowSpan;
    if (cell.row === row) return cell.words.length === 0 ? [] : [{ ...cell, row: row - 1, rowSpan: 2 }];
    if (cell.row > row) return [{ ...cell, row: cell.row - 1 }];
    return [{ ...cell, rowSpan: end > row ? cell.rowSpan - 1 : cell.rowSpan }];
  });
  const labels = cells.filter((cell) => cell.row === row - 1 && cell.rowSpan === 2 && cell.words.length > 0);
  const isCovered = (cell: TableCell): boolean => cell.words.length === 0 && labels.some((label) => label !== cell && cell.row >= label.row && cell.row < label.row + 2 && cell.column >= label.column && cell.column < label.column + label.columnSpan);
  return { ...table, rowCount: table.rowCount - 1, cells: cells.filter((cell) => !isCovered(cell)).map((cell) => (labels.includes(cell) ? { ...cell, columnHeader: cell.columnHeader || headsOf(table, row) } : cell)) };
}

/** The rows above and below are the head. */
function headsOf({ cells }: FoundTable, row: number): boolean {
  return cells.some((cell) => cell.row === row - 1 && cell.columnHeader) && cells.some((cell) => cell.row === row + 1 && cell.columnHeader);
}
