/** Regions of a spreadsheet as tables of the document, within what a document may hold. */
import type { DocumentBuilder, NodeOptions } from '../../document/builder.js';
import type { CellInput } from '../../document/table-grid.js';

/** Cells of one document: its JSON then has some 400 MB. */
const maximumCells = 1_000_000;
/** Places of one document's tables, filled or not: writers lay each of them out. */
const maximumPlaces = 4_000_000;

/** Ends included. */
interface TableRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface SheetGrid extends TableRange {
  merges: TableRange[];
  count: number;
  /** Fills `into`, row by row; positions are the sheet's. */
  cell: (index: number, into: SheetGridCell) => void;
}

export interface SheetGridCell {
  row: number;
  column: number;
  text: string;
}

/** The remaining room within a document's bounds, and what did not fit. */
export class TableBudget {
  readonly losses: string[] = [];
  #cells = maximumCells;
  #places = maximumPlaces;

  get cellsLeft(): number {
    return this.#cells;
  }

  lose(sentence: string): void {
    if (this.losses.length < 100) this.losses.push(sentence);
  }

  cut(sheet: string): void {
    this.lose(`The sheet "${sheet}" holds more cells than a document may have: the rest is left out.`);
  }

  /** How many rows of that width there is room for; they are taken. */
  takeRows(rows: number, columns: number): number {
    const taken = Math.min(rows, Math.floor(this.#places / columns));
    this.#places -= taken * columns;
    return taken;
  }

  takeCells(count: number): void {
    this.#cells = Math.max(0, this.#cells - count);
  }
}

/** Adds each region as a table; the first row is taken for its header. */
export function addTables(
  builder: DocumentBuilder, grids: SheetGrid[], budget: TableBudget, place: NodeOptions & { pageNumber: number; sheet: string },
): void {
  const { pageNumber, sheet, ...options } = place;
  for (const grid of grids) {
    const columns = grid.right - grid.left + 1;
    const rows = budget.takeRows(grid.bottom - grid.top + 1, columns);
    if (rows < grid.bottom - grid.top + 1) budget.cut(sheet);
    if (rows === 0) continue;
    const box = { left: grid.left, top: grid.top, right: grid.right + 1, bottom: grid.top + rows };
    const { data } = builder.addTable(rows, columns, cellsOf(grid, rows), { ...options, at: [{ pageNumber, box }] });
    budget.takeCells(data.table_cells.length);
  }
}

/** The cells one by one, anew each time: a sheet's million of them is never a second list beside the document's. */
function cellsOf(grid: SheetGrid, rows: number): Iterable<CellInput> {
  const merges = new Map(grid.merges.map((merge) => [merge.top * 65_536 + merge.left, merge]));
  const covered = new Set<number>();
  for (const { top, left, bottom, right } of grid.merges) {
    for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) if (row !== top || column !== left) covered.add(row * 65_536 + column);
  }
  return { [Symbol.iterator]: () => readCells(grid, rows, merges, covered) };
}

/** One object for all: what is kept of them is copied, and a sheet has a million. */
function* readCells(grid: SheetGrid, rows: number, merges: Map<number, TableRange>, covered: Set<number>): Generator<CellInput> {
  const cell: SheetGridCell = { row: 0, column: 0, text: '' };
  const input = { row: 0, column: 0, text: '', columnHeader: false, rowSpan: 1, columnSpan: 1 };
  for (let index = 0; index < grid.count; index++) {
    grid.cell(index, cell);
    const { row, column } = cell;
    if (row - grid.top >= rows) break;
    const key = row * 65_536 + column;
    if (covered.size > 0 && covered.has(key)) continue;
    const merge = merges.size > 0 ? merges.get(key) : undefined;
    input.row = row - grid.top;
    input.column = column - grid.left;
    input.text = cell.text;
    input.columnHeader = row === grid.top;
    input.rowSpan = merge === undefined ? 1 : merge.bottom - merge.top + 1;
    input.columnSpan = merge === undefined ? 1 : merge.right - merge.left + 1;
    yield input;
  }
}

/** Names in one sentence. */
const namedSheets = { most: 10, characters: 500 };

/** A remark where sheets are hidden: they are in a layer of their own, which no output but JSON shows. */
export function hiddenSheets(sheets: { name: string }[]): string[] {
  if (sheets.length === 0) return [];
  const names = sheets.slice(0, namedSheets.most).map(({ name }) => `"${name}"`).join(', ').slice(0, namedSheets.characters);
  return sheets.length === 1 ? [`The hidden sheet ${names} is not shown; the JSON has it in the layer "invisible".`]
    : [`${sheets.length} hidden sheets are not shown (${names}); the JSON has them in the layer "invisible".`];
}
