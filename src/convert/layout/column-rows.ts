/** Orders one column from top to bottom: joins pieces on one baseline to rows, and drop capitals to the line that they begin. */
import { fromTopEdge, lastOf, splitWhere } from '../page/group-by-baseline.js';
import { gapTolerances, rowOverlap, sameTopPoints } from '../page/tolerances.js';
import { heightOf, horizontalOverlap, middleY, unionBox, verticalOverlap, widthOf } from '../../geometry/box.js';
import { median } from '../../geometry/statistics.js';
import type { Piece } from './sides.js';
import { optionsBeside } from './options-beside.js';
import { joinPieces } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import { isVertical } from './vertical.js';
import { isCaptionText } from '../wording/captions.js';
import { hasIdeographic } from '../wording/scripts.js';
import type { Vocabulary } from '../page/vocabulary.js';

/** A row of text, or the index of a table or figure. */
export type ColumnItem = { line: TextLine; object: -1 } | { line: null; object: number };

/** A strip of the page that is read from top to bottom. */
export interface Column {
  left: number;
  right: number;
  items: ColumnItem[];
}

interface Row {
  pieces: Piece[];
  top: number;
  bottom: number;
}

function overlapShare(piece: Piece, row: Row): number {
  const shared = verticalOverlap(piece.box, row);
  return shared / Math.max(0.1, Math.min(heightOf(piece.box), heightOf(row)));
}

function fits(piece: Piece, row: Row): boolean {
  if (overlapShare(piece, row) < rowOverlap.height) return false;
  return row.pieces.every((other) => {
    const shared = horizontalOverlap(piece.box, other.box);
    return shared <= rowOverlap.width * Math.min(widthOf(piece.box), widthOf(other.box));
  });
}

/** A capital much taller than the text beside it, at the beginning of a line. */
function isDropCapital(piece: Piece, size: number): boolean {
  const line = piece.line;
  return line !== null && line.size >= 1.7 * size && /^["'“‘«¿¡(]?\p{L}$/u.test(line.text);
}

function takeDropCapitals(texts: Piece[], vocabulary: Vocabulary): Piece[] {
  const size = median(texts.map((piece) => piece.line!.size));
  const capitals = texts.filter((piece) => isDropCapital(piece, size));
  if (capitals.length === 0) return texts;
  const rest = new Set(texts);
  for (const capital of capitals) {
    const beside = texts
      .filter((piece) => piece !== capital && piece.line!.size < 0.7 * capital.line!.size && piece.box.left >= capital.box.right - 2
        && piece.box.left - capital.box.right < 2 * size
        && piece.line!.baseline > capital.box.top && piece.line!.baseline < capital.box.bottom + 0.3 * size)
      .sort((a, b) => a.line!.baseline - b.line!.baseline);
    const first = beside[0];
    if (first === undefined || !rest.has(first)) continue;
    const line = joinPieces([capital.line!, first.line!], () => gluesCapital(capital.line!.text, first.line!.text, vocabulary));
    rest.delete(capital);
    rest.delete(first);
    rest.add({ ...first, line: { ...line, box: first.line!.box, size: first.line!.size, baseline: first.line!.baseline } });
  }
  return [...rest];
}

/** Texts behind `A` or `I` that are the rest of its word more often than a word of their own. */
const restOfWord = /^(?:s|t|n|ll|fter|lthough|nd|ny|re|mong|bout|ccording|cross|gain|lso|lmost|long|round|way|f|nto|ts|t[’']s|ndeed|nside|magine)$/i;

/** `A` and `I` are separate words unless the document, or the language, knows the word that they would begin. */
function gluesCapital(capital: string, text: string, vocabulary: Vocabulary): boolean {
  const letter = capital.at(-1)!;
  const first = /^[\p{L}\p{M}’']+/u.exec(text)?.[0] ?? '';
  if (first === '') return /^[’']/.test(text);
  if (!/[AIÀOYE]/.test(letter) || vocabulary.has((letter + first).toLowerCase())) return true;
  if (vocabulary.has(first.toLowerCase())) return false;
  return /[AI]/.test(letter) ? restOfWord.test(first) : true;
}

/** In ems: the least white space between a label in the margin and a heading beside it. */
const besideLabel = 1.5;

/** Whether a heading stands beside its label, like a post beside its years in a curriculum vitae: these are two lines. The bold value of a form's field belongs to the line of its name. */
function labelAndHeading({ pieces }: Row): boolean {
  const [label, heading] = [pieces[0]!.line!, pieces[1]?.line];
  return pieces.length === 2 && heading !== null && heading !== undefined && heading.bold && !label.bold && heading.angle === 0 && label.text.length > 3 && /\d/.test(label.text) && /\p{L}{3}/u.test(heading.text)
    && Math.abs(heading.size - label.size) < 0.15 * heading.size && heading.box.left - label.box.right > besideLabel * heading.size;
}

/** The row's pieces, split before each piece that begins as a caption, if the first one does: captions of tables or figures side by side. */
function captionsBeside(row: Row): Piece[][] {
  const { pieces } = row;
  if (labelAndHeading(row)) return pieces.map((piece) => [piece]);
  if (pieces.length === 1 || !isCaptionText(pieces[0]!.line!.text)) return [pieces];
  return splitWhere(pieces, (part, piece) => piece.box.left - lastOf(part).box.right > 1.5 * piece.line!.size && isCaptionText(piece.line!.text));
}

/** Joins lines of vertical writing, from the right, to paragraphs. A paragraph ends where a line ends early, or the next line begins further down or has another size. */
function verticalParagraphs({ pieces, top, bottom }: Row): Piece[][] {
  return splitWhere(pieces, (part, piece) => {
    const last = lastOf(part);
    const { size } = piece.line!;
    return Math.abs(last.line!.size - size) > 0.09 * size || last.box.bottom < bottom - 1.5 * size || piece.box.top > top + 0.7 * size;
  });
}

/** Groups the tables and figures of one column: those that begin at one height side by side form a group. Both are in reading order. */
function objectsBeside(objects: Piece[], rightToLeft: boolean): Piece[][] {
  const isBeside = ({ box }: Piece, other: Piece): boolean => Math.abs(box.top - other.box.top) < sameTopPoints && horizontalOverlap(box, other.box) <= 0;
  const groups = splitWhere(fromTopEdge(objects), (group, piece) => !group.every((other) => isBeside(other, piece)));
  for (const group of groups) group.sort((a, b) => (rightToLeft ? b.box.right - a.box.right : a.box.left - b.box.left));
  return groups;
}

/** The rows of one column in order, with its tables and figures between them. */
export function rowsOfColumn(pieces: Piece[], rightToLeft: boolean, vocabulary: Vocabulary): Column {
  const texts = takeDropCapitals(pieces.filter((piece) => piece.line !== null), vocabulary);
  // The tallest pieces come first, so that the reference of a row is its main text and not a superscript.
  texts.sort((a, b) => (a.box.top + a.box.bottom) - (b.box.top + b.box.bottom) || a.box.left - b.box.left);
  // In vertical writing the longest lines come first and a row is as tall as all its lines together: a line of two characters would not reach down to the indented one before it.
  const vertical = texts.length > 0 && texts.every(({ line }) => isVertical(line!));
  if (vertical) texts.sort((a, b) => heightOf(b.box) - heightOf(a.box));
  const rows: Row[] = [];
  for (const piece of texts) {
    const row = rows.slice(-6).reverse().find((candidate) => fits(piece, candidate));
    if (row === undefined) {
      rows.push({ pieces: [piece], top: piece.box.top, bottom: piece.box.bottom });
    } else {
      row.pieces.push(piece);
      if (vertical) {
        row.top = Math.min(row.top, piece.box.top);
        row.bottom = Math.max(row.bottom, piece.box.bottom);
      } else if (heightOf(piece.box) > heightOf(row)) {
        row.top = piece.box.top;
        row.bottom = piece.box.bottom;
      }
    }
  }
  // Lines that run downwards follow each other from right to left.
  const fromRight = ({ pieces: inRow }: Row): boolean => rightToLeft || inRow.every(({ line }) => line!.angle === 270);
  for (const row of rows) row.pieces.sort((a, b) => (fromRight(row) ? b.box.right - a.box.right : a.box.left - b.box.left));
  const lineOf = (beside: Piece[]): ColumnItem => ({ line: joinPieces(beside.map((piece) => piece.line!), joinsTightly), object: -1 });
  const runs = vertical || rightToLeft ? [] : optionsBeside(rows);
  const items: { middle: number; item: ColumnItem }[] = rows.flatMap((row) => {
    const middle = middleY(row);
    const run = runs.find(({ rows: own }) => own.has(row));
    const parts = run !== undefined ? run.first === row ? run.lines : [] : row.pieces.every(({ line }) => isVertical(line!)) ? verticalParagraphs(row) : captionsBeside(row);
    return parts.map((beside) => ({ middle, item: lineOf(beside) }));
  });
  for (const beside of objectsBeside(pieces.filter(({ line }) => line === null), rightToLeft)) {
    // Objects beside each other share one place, that of the shortest, which ends first.
    const middle = Math.min(...beside.map(({ box }) => middleY(box)));
    items.push(...beside.map(({ object }) => ({ middle, item: { line: null, object } as const })));
  }
  items.sort((a, b) => a.middle - b.middle);
  const { left, right } = unionBox(pieces.map((piece) => piece.box));
  return { left, right, items: items.map((entry) => entry.item) };
}

/** Raised and lowered pieces that touch the preceding piece belong to the same word. */
function joinsTightly(left: TextLine, right: TextLine): boolean {
  const gap = right.box.left - left.box.right;
  // Brackets and stops of ideographic text are half white space.
  if (hasIdeographic(left.text.at(-1)!) && hasIdeographic(right.text[0]!) && gap < gapTolerances.tightIdeographs * Math.min(left.size, right.size)) return true;
  return gap < gapTolerances.tight * Math.min(left.size, right.size) && gap > -0.5 * left.size && left.size !== right.size;
}
