/** Items of a list that stand side by side, as the options of an exam do. Their numbers run along the rows or down the columns. */
import { lastOf, splitWhere } from '../page/group-by-baseline.js';
import { markerOf } from '../wording/markers.js';
import type { Marker } from '../wording/markers.js';
import type { Piece } from './sides.js';

/** Pieces on one height, from the left. */
interface Row {
  pieces: Piece[];
}

/** In ems: the white space before an item beside another one; how far lines may stand off the column of theirs. */
const whiteBetween = 1.5;
const slack = 0.6;
/** The largest indent of the second line of an item, in ems. */
const furthestIn = 3;

const initial = /^[A-Z]\.$/;

/** An item's lines, each in pieces. */
interface Item {
  lines: Piece[][];
  marker: Marker;
}

/** The lines of a run of rows in the order in which they are read. */
interface Run {
  first: Row;
  rows: Set<Row>;
  lines: Piece[][];
}

const textOf = (pieces: Piece[]): string => pieces.map(({ line }) => line!.text).join(' ');

function countedMarker(pieces: Piece[]): Marker | null {
  const marker = markerOf(textOf(pieces));
  return marker === null || marker.kind === 'bullet' || marker.kind === 'check' || marker.shape === '[#]' ? null : marker;
}

/** The row's items, where it begins with one and each text far from the one before is another. */
function itemsOf({ pieces }: Row): Item[] | null {
  const parts = splitWhere(pieces, (part, piece, index) => piece.box.left - lastOf(part).box.right > whiteBetween * piece.line!.size && countedMarker(pieces.slice(index)) !== null);
  const items = parts.map((part) => ({ lines: [part], marker: countedMarker(part) }));
  return items.every((item): item is Item => item.marker !== null && item.marker.shape === items[0]!.marker?.shape) ? items : null;
}

/** The columns' items with the row's pieces as their next lines, where each stands right below one of them and no further out than its text. */
function continueItems(row: Row, above: Item[]): boolean {
  const owners = row.pieces.map((piece) => above.findLast(({ lines }) => {
    const [first] = lines.at(-1)!;
    const shift = piece.box.left - lines[0]![0]!.box.left;
    return shift > slack * piece.line!.size && shift < furthestIn * piece.line!.size && piece.line!.baseline - first!.line!.baseline < 1.6 * piece.line!.size;
  }));
  if (owners.some((owner, index) => owner === undefined || owners.indexOf(owner) !== index)) return false;
  for (const [index, owner] of owners.entries()) owner!.lines.push([row.pieces[index]!]);
  return true;
}

const areCounted = (items: Item[]): boolean => items.every(({ marker }, index) => index === 0 || valueOf(marker) === valueOf(items[index - 1]!.marker) + 1);

/** Letters that are roman figures, too, count as letters: options seldom go beyond them. */
function valueOf({ text, value }: Marker): number {
  const letter = /^\(?([a-z])[.)]/i.exec(text)?.[1];
  return letter === undefined ? value : letter.toLowerCase().charCodeAt(0) - 96;
}

/** The items row by row, or column by column, as they count; null where they do neither. */
function inOrder(rows: Item[][]): Item[] | null {
  const alongRows = rows.flat();
  if (areCounted(alongRows)) return alongRows;
  const most = Math.max(...rows.map(({ length }) => length));
  const downColumns = Array.from({ length: most }, (_, column) => rows.flatMap((row) => row.slice(column, column + 1))).flat();
  return areCounted(downColumns) ? downColumns : null;
}

/** Below the items stand texts side by side that none of them takes as its next line: then they have no order here. */
function isTail(row: Row | undefined, above: Item[]): boolean {
  const [first, second] = row?.pieces ?? [];
  return first !== undefined && second !== undefined && first.line!.baseline - above[0]!.lines.at(-1)![0]!.line!.baseline < 1.6 * first.line!.size && second.box.left - first.box.right > whiteBetween * first.line!.size;
}

const standUnder = (items: Item[], above: Item[]): boolean => items.length <= above.length && items.every(({ lines }, index) => Math.abs(lines[0]![0]!.box.left - above[index]!.lines[0]![0]!.box.left) < slack * lines[0]![0]!.line!.size);

/** The runs of rows with items side by side; `rows` are from the top. */
export function optionsBeside(rows: Row[]): Run[] {
  const runs: Run[] = [];
  for (let index = 0; index < rows.length; index++) {
    const first = rows[index]!;
    const items = first.pieces.length < 2 ? null : itemsOf(first);
    if (items === null || items.length < 2) continue;
    const found = [items];
    let end = index + 1;
    for (; end < rows.length; end++) {
      const row = rows[end]!;
      const below = itemsOf(row);
      if (below !== null && standUnder(below, items) && below[0]!.marker.shape === items[0]!.marker.shape) found.push(below);
      else if (below !== null || !continueItems(row, found.at(-1)!)) break;
    }
    const begin = index;
    index = end - 1;
    // Initials of names count, too.
    const mayBeNames = found.length === 1 && initial.test(items[0]!.marker.text);
    const order = mayBeNames || isTail(rows[end], found.at(-1)!) ? null : inOrder(found);
    if (order === null) continue;
    runs.push({ first, rows: new Set(rows.slice(begin, end)), lines: order.flatMap(({ lines }) => lines) });
  }
  return runs;
}
