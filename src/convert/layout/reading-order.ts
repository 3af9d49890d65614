/** Determines the reading order of a page: splits it at the tallest gutter into the part above, the two sides and the part below, until each part is one column. */
import { hasRightToLeftLetter } from '../wording/scripts.js';
import { containsBox, holdsMiddle, middleY, unionBox } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { ColumnRule } from '../page/regions.js';
import type { PageStructure } from '../page/values.js';
import { findGutter, medianSize } from './gutters.js';
import { sectionsOf } from './sections.js';
import type { Gutter } from './gutters.js';
import type { Piece } from './sides.js';
import { nominalBox } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';
import { isVerticalText, wholeVerticalLines } from './vertical.js';
import { rowsOfColumn } from './column-rows.js';
import type { Column, ColumnItem } from './column-rows.js';

const maxDepth = 24;

function isRightToLeft(pieces: Piece[]): boolean {
  let rtl = 0;
  let all = 0;
  for (const { line } of pieces) {
    if (line === null) continue;
    all += line.text.length;
    if (hasRightToLeftLetter(line.text)) rtl += line.text.length;
  }
  return rtl > 0.5 * all;
}

/** The last line of a paragraph that spans the columns may be too short to cross their gutter. It still belongs above them. */
function belowLastLine(gutter: Gutter, pieces: Piece[]): number {
  const crossing = pieces.filter((piece) => piece.line !== null && piece.box.bottom <= gutter.top + 0.5 && piece.box.right > gutter.x && piece.box.left < gutter.x);
  const last = crossing.reduce<Piece | null>((lowest, piece) => (lowest === null || piece.box.bottom > lowest.box.bottom ? piece : lowest), null);
  if (last === null || last.line === null) return gutter.top;
  const { size, font, baseline, box } = last.line;
  const next = pieces.find(({ line }) => line !== null && line.font === font && Math.abs(line.size - size) < 0.05 * size && line.box.left < box.left + 0.5 * size
    && line.box.right <= gutter.x && line.baseline > baseline + 0.8 * size && line.baseline < baseline + 1.5 * size);
  if (next === undefined) return gutter.top;
  const beside = pieces.some((piece) => piece !== next && piece.box.top < next.box.bottom && piece.box.bottom > next.box.top);
  return beside ? gutter.top : next.box.bottom;
}

function cut(pieces: Piece[], rules: ColumnRule[], rightToLeft: boolean, depth: number, leaves: Piece[][]): void {
  if (pieces.length === 0) return;
  const texts = pieces.flatMap(({ line }) => (line === null ? [] : [line]));
  if (texts.length === pieces.length && isVerticalText(texts)) {
    leaves.push(pieces);
    return;
  }
  const sections = depth < maxDepth ? sectionsOf(pieces, medianSize(pieces), rightToLeft) : [];
  const parts = sections.length > 1 ? sections.flatMap((section) => (section.columns.length > 0 ? section.columns : [section.pieces])) : sections[0]?.columns ?? [];
  if (parts.length > 1) {
    let wasOne = false;
    for (const part of parts) {
      const own: Piece[][] = [];
      cut(part, rules, rightToLeft, depth + 1, own);
      // Two sections of one column each are read as one.
      if (wasOne && own.length === 1) leaves.at(-1)!.push(...own[0]!);
      else leaves.push(...own);
      wasOne = own.length === 1 && sections.length > 1 && sections.every(({ columns }) => columns.length === 0);
    }
    return;
  }
  const gutter = depth < maxDepth ? findGutter(pieces, rules, rightToLeft) : null;
  if (gutter === null) {
    leaves.push(pieces);
    return;
  }
  const top = belowLastLine(gutter, pieces);
  const above: Piece[] = [];
  const left: Piece[] = [];
  const right: Piece[] = [];
  const below: Piece[] = [];
  for (const piece of pieces) {
    const middle = middleY(piece.box);
    if (middle <= top) above.push(piece);
    else if (middle >= gutter.bottom) below.push(piece);
    else if (piece.box.left + piece.box.right <= 2 * gutter.x) left.push(piece);
    else right.push(piece);
  }
  const sides = isRightToLeft([...left, ...right]) ? [right, left] : [left, right];
  for (const part of [above, ...sides, below]) cut(part, rules, rightToLeft, depth + 1, leaves);
}

/**
 * The columns of a page in reading order. `lines` are the pieces to order, without furniture and without the text of
 * figures. Tables and figures of the structure are ordered among them.
 */
export function orderPage(structure: PageStructure, lines: TextLine[], vocabulary: Vocabulary): Column[] {
  // A picture behind running text does not separate its columns; it is ordered where it begins.
  const objects = [...structure.tables.map((table) => table.box), ...structure.figures.map(({ box, ownsText }) => (ownsText || !lines.some((line) => containsBox(box, line.box)) ? box : { ...box, bottom: box.top }))];
  const cards = structure.cardRows.map((row) => row.cards.map((card) => lines.filter((line) => holdsMiddle(card, line.box))));
  const inCards = new Set(cards.flat(2));
  const pieces: Piece[] = [
    ...wholeVerticalLines(lines.filter((line) => !inCards.has(line))).map(pieceOf),
    // The text alone determines the white space between columns, not the fill behind it.
    ...[...objects, ...structure.cardRows.map(({ box }, row) => unionOf(cards[row]!.flat()) ?? box)].map((box, object) => ({ box, line: null, object })),
  ];
  const rightToLeft = isRightToLeft([...pieces, ...[...inCards].map(pieceOf)]);
  const leaves: Piece[][] = [];
  cut(pieces, structure.columnRules, rightToLeft, 0, leaves);
  const columnsOf = (card: TextLine[][]): Column[] => (rightToLeft ? [...card].reverse() : card).flatMap((own) => {
    const parts: Piece[][] = [];
    cut(wholeVerticalLines(own).map(pieceOf), structure.columnRules, rightToLeft, 0, parts);
    return parts.map((part) => rowsOfColumn(part, rightToLeft, vocabulary));
  });
  return leaves.flatMap((leaf) => withCards(rowsOfColumn(leaf, rightToLeft, vocabulary), (object) => (object < objects.length ? null : columnsOf(cards[object - objects.length]!))));
}

function unionOf(lines: TextLine[]): Box | null {
  return lines.length === 0 ? null : unionBox(lines.map((line) => pieceOf(line).box));
}

function pieceOf(line: TextLine): Piece {
  return { box: line.angle === 270 ? line.box : nominalBox(line), line, object: -1 };
}

/** Splits the column at each row of cards in it; each card is then a column. */
function withCards(column: Column, cardsAt: (object: number) => Column[] | null): Column[] {
  const parts: Column[] = [];
  let open: ColumnItem[] = [];
  const close = (): void => {
    if (open.length > 0) parts.push({ ...column, items: open });
    open = [];
  };
  for (const item of column.items) {
    const cards = item.line === null ? cardsAt(item.object) : null;
    if (cards === null) open.push(item);
    else {
      close();
      parts.push(...cards);
    }
  }
  close();
  return parts;
}
