/** Finds bullets that the file does not mark as such: small drawn marks directly before a line of text become its first word, and letters that symbol fonts draw as bullets are replaced. */
import { sortedNumbers } from '../geometry/statistics.js';
import { containsBox, heightOf, holdsPoint, horizontalGap, middleY, widthOf } from '../geometry/box.js';
import { isReadFromRight } from './bidi.js';
import type { Box, Line, Word } from './pdf-page.js';
import type { Graphics, DrawnMark } from './paths.js';

/** In ems of the text: the size of a mark, its distance from its line, and the height of its middle above the baseline. */
const SIZE = { least: 0.12, most: 0.75 };
const GAP = { least: 0.1, most: 2.6 };
const HEIGHT = { least: 0.1, most: 0.6 };
/** Marks nearer to each other than this are a row of dots. */
const ROW_OF_DOTS = 2.6;
/** Points: the largest distance between entries of one legend. */
const NEIGHBOURS = { across: 120, down: 40 };
const MAX_MARKS = 3000;
const MAX_LETTERS = 200;
const HOLLOW = '◦';
const FULL = '•';

/**
 * Adds the marks among `graphics` that stand before lines as words of these lines and removes them from `graphics`. `drawings` are
 * regions of drawing, whose marks are not bullets.
 */
export function addDrawnBullets(lines: Line[], graphics: Graphics, drawings: Box[]): void {
  const boxes = new Set(graphics.boxes.map(({ box }) => box));
  // A rectangle with only an outline is a tick box.
  const small = graphics.marks.filter(({ box, fill }) => !(fill < 0 && boxes.has(box)) && !drawings.some((region) => containsBox(region, box, 1)));
  if (small.length === 0 || small.length > MAX_MARKS) return;
  const heads = arrowHeads(small, graphics);
  const marks = small.filter((mark) => !heads.has(mark));
  const rows = new Rows(lines, marks);
  const found = new Map<Line, DrawnMark>();
  for (const mark of marks) {
    const line = rows.lineBehind(mark);
    if (line !== null && !found.has(line)) found.set(line, mark);
  }
  if (isScattered([...found.values()])) return;
  const used = new Set<Box>();
  for (const [line, mark] of found) {
    if (hasOtherColours(mark, found)) continue;
    line.words.unshift(bulletOf(mark, line.words[0]!));
    line.box = { ...line.box, left: Math.min(line.box.left, mark.box.left), right: Math.max(line.box.right, mark.box.right) };
    used.add(mark.box);
  }
  graphics.strokes = graphics.strokes.filter((box) => !used.has(box));
  graphics.boxes = graphics.boxes.filter(({ box }) => !used.has(box));
}

/** Points between the end of a line and the arrow head on it. */
const ON_HEAD = 1.5;

const MAX_LINES = 500;

/** Marks at the ends of lines or curves that are longer than the marks. */
function arrowHeads(marks: DrawnMark[], { rulings, strokes }: Graphics): Set<DrawnMark> {
  const own = new Set(marks.map(({ box }) => box));
  const level = rulings.map(({ orientation, position, start, end }): Box => (orientation === 'horizontal'
    ? { left: start, right: end, top: position, bottom: position } : { left: position, right: position, top: start, bottom: end }));
  const lines = [...level.slice(0, MAX_LINES), ...strokes.filter((box) => !own.has(box)).slice(0, MAX_LINES)];
  return new Set(marks.filter(({ box }) => lines.some((line) => endsAt(line, box))));
}

/** The ends of a line are corners of its box, except for curves that turn back. */
function endsAt(line: Box, head: Box): boolean {
  const size = Math.max(widthOf(head), heightOf(head));
  if (Math.max(widthOf(line), heightOf(line)) <= 1.2 * size) return false;
  const isOn = (x: number, y: number): boolean => holdsPoint(head, x, y, ON_HEAD);
  return [line.left, line.right].some((x) => isOn(x, line.top) || isOn(x, line.bottom));
}

/** Letters that symbol fonts, and Word's list styles, draw as bullets. */
const letterBullet = /^[orqlnuvwzØ§]$/;
const signFont = /dingbat|wingding|webding|symbol/i;
/** The size of a bullet letter relative to the text, and the same for the text's own font family. */
const SMALL = 0.8;
const TINY = 0.7;
/** In ems: the least white space behind such a bullet. */
const AFTER_LETTER = 0.5;

/**
 * Finds letters that are bullets: the same single letter alone before several lines at one x, in a symbol font, the `o` of a
 * typewriter font beside another, or upright and clearly smaller. A variable in italics before its values,
 * a letter in bold or of the text's own size stays a letter.
 */
export function replaceLetterBullets(lines: Line[]): void {
  const groups = new Map<string, { words: Word[]; least: number }>();
  for (const { line, word, next } of lettersBefore(lines)) {
    const apart = next.box.left - word.box.right;
    if (line.angle !== 0 || apart < AFTER_LETTER * next.size || apart > 4 * next.size) continue;
    const least = linesNeeded(word, next);
    if (least === 0) continue;
    const key = `${word.text} ${word.font.name} ${word.size.toFixed(1)} ${Math.round(word.box.left / 2)}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { words: [word], least });
    else known.words.push(word);
  }
  for (const { words, least } of groups.values()) if (words.length >= least) for (const word of words) word.text = FULL;
}

/** The least number of lines with the letter that make it a bullet; 0 if it never is. */
function linesNeeded(word: Word, next: Word): number {
  if (word.font.italic || word.font.bold || !/^[\p{L}"“„«(]/u.test(next.text)) return 0;
  if (signFont.test(word.font.name) && word.font.name !== next.font.name) return 2;
  if (word.text === 'o' && word.font.monospace && !next.font.monospace) return 2;
  const family = ({ font }: Word): string => font.name.split(/[-,]/)[0]!;
  return word.size <= (family(word) === family(next) ? TINY : SMALL) * next.size ? 3 : 0;
}

/** Single letters that begin a line, or form one alone, with the next word at the same height. */
function* lettersBefore(lines: Line[]): Generator<{ line: Line; word: Word; next: Word }> {
  const alone = lines.filter(({ words }) => words.length === 1 && letterBullet.test(words[0]!.text));
  for (const line of lines) {
    const [word, next] = line.words;
    if (word !== undefined && next !== undefined && !next.glued && letterBullet.test(word.text)) yield { line, word, next };
  }
  for (const line of alone.slice(0, MAX_LETTERS)) {
    const word = line.words[0]!;
    const beside = lines.filter((other) => other !== line && Math.abs(other.baseline - line.baseline) < 0.4 * other.size && other.box.left > word.box.right);
    const nearest = beside.reduce<Line | null>((best, other) => (best === null || other.box.left < best.box.left ? other : best), null);
    if (nearest !== null) yield { line, word, next: nearest.words[0]! };
  }
}

/** Whether the marks stand at many x: points of a chart do; bullets stand at as many as the list is deep. */
function isScattered(marks: DrawnMark[]): boolean {
  const lefts = sortedNumbers(marks.map(({ box }) => box.left));
  const places = lefts.filter((left, at) => at === 0 || left - lefts[at - 1]! > 1.5).length;
  return places > Math.max(4, 0.5 * marks.length);
}

/** Whether marks beside it differ in colour: those of a legend do, those of a list do not. */
function hasOtherColours(mark: DrawnMark, found: Map<Line, DrawnMark>): boolean {
  for (const other of found.values()) {
    const [across, down] = [Math.abs(other.box.left - mark.box.left), Math.abs(other.box.top - mark.box.top)];
    const aligned = across < 1 && down < NEIGHBOURS.down || down < 1 && across < NEIGHBOURS.across;
    if (aligned && (other.fill !== mark.fill || other.stroke !== mark.stroke) && (other.fill >= 0) === (mark.fill >= 0)) return true;
  }
  return false;
}

function bulletOf(mark: DrawnMark, first: Word): Word {
  return {
    text: mark.fill >= 0 ? FULL : HOLLOW, box: mark.box, baseline: first.baseline, font: { ...first.font, bold: false, italic: false }, size: first.size, color: first.color,
    // Between two places in the painting order, directly before its line.
    order: first.order - 0.5,
    angle: 0, glued: false, softHyphen: false, invisible: false, link: -1, underline: false, strike: false, mcid: first.mcid,
  };
}

/** Lines and marks by their height on the page. */
class Rows {
  static readonly #height = 12;
  readonly #lines = new Map<number, Line[]>();
  readonly #marks = new Map<number, DrawnMark[]>();

  constructor(lines: Line[], marks: DrawnMark[]) {
    for (const line of lines) if (line.angle === 0 && line.words.length > 0) put(this.#lines, Rows.#row(line.baseline), line);
    for (const mark of marks) put(this.#marks, Rows.#row(middleOf(mark)), mark);
  }

  static #row(y: number): number {
    return Math.floor(y / Rows.#height);
  }

  /** The line before which `mark` stands alone (right of which, for a line that is read from the right); null for none. */
  lineBehind(mark: DrawnMark): Line | null {
    const y = middleOf(mark);
    let nearest: Line | null = null;
    let least = Infinity;
    for (const line of near(this.#lines, Rows.#row(y))) {
      const gap = gapBefore(line, mark);
      if (gap >= least || !fits(line, mark, gap)) continue;
      least = gap;
      nearest = line;
    }
    return nearest === null || this.#hasNeighbour(mark, nearest) ? null : nearest;
  }

  /** Whether other text is close before the mark, or another mark at the same height: a separator, a row of dots. */
  #hasNeighbour(mark: DrawnMark, line: Line): boolean {
    const row = Rows.#row(middleOf(mark));
    for (const other of near(this.#marks, row)) {
      if (other === mark || Math.abs(middleOf(other) - middleOf(mark)) > 0.3 * line.size) continue;
      if (distance(other.box, mark.box) < ROW_OF_DOTS * line.size) return true;
    }
    for (const other of near(this.#lines, row)) {
      if (other !== line && Math.abs(other.baseline - line.baseline) < 0.5 * line.size && distance(other.box, mark.box) < 1.2 * line.size) return true;
    }
    return false;
  }
}

function put<Value>(map: Map<number, Value[]>, key: number, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** The items in a row and in the rows beside it. */
function near<Value>(map: Map<number, Value[]>, row: number): Value[] {
  // The marks of a large line stand more than a row above its baseline.
  return [-1, 0, 1, 2].flatMap((step) => map.get(row + step) ?? []);
}

function fits(line: Line, mark: DrawnMark, gap: number): boolean {
  const { size } = line;
  const side = Math.max(widthOf(mark.box), heightOf(mark.box));
  const up = line.baseline - middleOf(mark);
  // An outlined mark as large as its letters is a tick box.
  const most = mark.fill >= 0 ? SIZE.most : 0.5;
  return side >= SIZE.least * size && side <= most * size && up >= HEIGHT.least * size && up <= HEIGHT.most * size
    && gap >= GAP.least * size && gap <= GAP.most * size && /[\p{L}\p{N}]/u.test(line.words.map(({ text }) => text).join(''));
}

/** White space between the mark and the side from which the line is read; Infinity on the other side. */
function gapBefore(line: Line, mark: DrawnMark): number {
  const gap = isReadFromRight(line.words) ? mark.box.left - line.box.right : line.box.left - mark.box.right;
  return gap < 0 ? Infinity : gap;
}

function middleOf({ box }: DrawnMark): number {
  return middleY(box);
}

/** White space between two boxes side by side, 0 if they overlap. */
function distance(a: Box, b: Box): number {
  return Math.max(0, horizontalGap(a, b));
}
