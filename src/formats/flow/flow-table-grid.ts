/** A table's rows laid out as a grid: spans take their places, and a grid that a few spans would blow up is cut to its bound. */
import type { FlowTableEntry } from './flow-blocks.js';

/** Places of one table, rows times columns. */
export const maximumCells = 2_000_000;

export interface GridPlace {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  entry: FlowTableEntry;
}

export interface LaidTable {
  rowCount: number;
  columnCount: number;
  places: GridPlace[];
}

/** Columns that cells begin in are kept before those that only spans reach. */
function clipped(places: GridPlace[], rowCount: number): LaidTable {
  const most = Math.max(1, Math.floor(maximumCells / Math.max(1, rowCount)));
  const reach = places.reduce((wide, place) => Math.max(wide, place.column + place.columnSpan), 0);
  const begun = places.reduce((wide, place) => Math.max(wide, place.column + 1), 0);
  const columnCount = Math.min(reach <= 100 ? reach : begun, most);
  const kept = places.filter((place) => place.column < columnCount);
  for (const place of kept) place.columnSpan = Math.min(place.columnSpan, columnCount - place.column);
  return { rowCount, columnCount, places: kept };
}

/** Each entry goes to the first free place of its row. Entries past `maximumCells` are left out. */
export function layTable(rows: FlowTableEntry[][]): LaidTable {
  const filled = rows.slice(0, maximumCells);
  // The row up to which a column is taken by a span from above.
  const takenUntil: number[] = [];
  const places: GridPlace[] = [];
  const widest = Math.max(1000, Math.floor(maximumCells / Math.max(1, filled.length)));
  // Spans are followed as long as they cover a grid that may be: a million rows of a thousand columns each are cut anyway.
  let covered = 0;
  for (const [row, entries] of filled.entries()) {
    let column = 0;
    for (const entry of entries) {
      while ((takenUntil[column] ?? 0) > row) column++;
      if (column >= widest) break;
      const rowSpan = Math.max(1, Math.min(entry.rowSpan, filled.length - row));
      let columnSpan = 1;
      takenUntil[column] = row + rowSpan;
      while (columnSpan < entry.columnSpan && covered < 4 * maximumCells && column + columnSpan < widest && (takenUntil[column + columnSpan] ?? 0) <= row) {
        takenUntil[column + columnSpan] = row + rowSpan;
        columnSpan++;
        covered++;
      }
      places.push({ row, column, rowSpan, columnSpan, entry });
      column += columnSpan;
    }
  }
  return clipped(places, filled.length);
}
