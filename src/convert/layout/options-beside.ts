/** Orders list items that stand side by side, such as the options of an exam. Their numbers run along the rows or down the columns. */
import { lastOf, splitWhere } from '../page/group-by-baseline.js';
import { markerOf } from '../wording/markers.js';
import type { Marker } from '../wording/markers.js';
import type { Piece } from './sides.js';

/** Pieces at one height, from the left. */
interface Row {
  pieces: Piece[];
}

/** In ems: the least white space before an item beside another one, and the distance of a line from its item's column. */
const whiteBetween = 1.5;
const slack = 0.6;
/** The largest indent of the second line of an item, in ems. */
const furthestIn = 3;

const initial = /^[A-Z]\.$/;

/** The lines of an item, each in pieces. */
interface Item {
  lines: Piece[][];
  marker: Marker;
}

/** The lines of a run of rows in reading order. */
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

/** The row's items, if it begins with one and every text far from the previous one is another item. */
function itemsOf({ pieces }: Row): Item[] | null {
  const parts = splitWhere(pieces, (part, piece, index) => piece.box.left - lastOf(part).box.right > whiteBetween * piece.line!.size && countedMarker(pieces.slice(index)) !== null);
  const items = parts.map((part) => ({ lines: [part], marker: countedMarker(part) }));
  return items.every((item): item is Item => item.marker !== null && item.marker.shape === items[0]!.marker?.shape) ? items : null;
}

/** Adds the row's pieces to the items of the columns, if each stands right below an item and begins no further out than the item's text. Otherwise returns null. */
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

/** Letters that are also roman numerals count as letters, because options seldom reach the others. */
function valueOf({ text, value }: Marker): number {
  const letter = /^\(?([a-z])[.)]/i.exec(text)?.[1];
  return letter === undefined ? value : letter.toLowerCase().charCodeAt(0) - 96;
}

/** The items row by row, or column by column, in the order of their numbers; null if neither order counts up. */
function inOrder(rows: Item[][]): Item[] | null {
  const alongRows = rows.flat();
  if (areCounted(alongRows)) return alongRows;
  const most = Math.max(...rows.map(({ length }) => length));
  const downColumns = Array.from({ length: most }, (_, column) => rows.flatMap((row) => row.slice(column, column + 1))).flat();
  return areCounted(downColumns) ? downColumns : null;
}

/** Whether texts side by side stand below the items that no item takes as its next line. Then the items have no order of their own. */
function isTail(row: Row | undefined, above: Item[]): boolean {
  const [first, second] = row?.pieces ?? [];
  return first !== undefined && second !== undefined && first.line!.baseline - above[0]!.lines.at(-1)![0]!.line!.baseline < 1.6 * first.line!.size && second.box.left - first.box.right > whiteBetween * first.line!.size;
}

const standUnder = (items: Item[], above: Item[]): boolean => items.length <= above.length && items.every(({ lines }, index) => Math.abs(lines[0]![0]!.box.left - above[index]!.lines[0]![0]!.box.left) < slack * lines[0]![0]!.line!.size);

/** The runs of rows with items side by side; `rows` are sorted from the top. */
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
    // Initials of names also form such a sequence.
    const mayBeNames = found.length === 1 && initial.test(items[0]!.marker.text);
    const order = mayBeNames || isTail(rows[end], found.at(-1)!) ? null : inOrder(found);
    if (order === null) continue;
    runs.push({ first, rows: new Set(rows.slice(begin, end)), lines: order.flatMap(({ lines }) => lines) });
  }
  return runs;
}
