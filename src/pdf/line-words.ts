/** The words and lines of the page interface, made from glyph lines. */
import { middleX, unionBox } from '../geometry/box.js';
import type { Glyph } from './glyph.js';
import type { GlyphLine } from './glyphs-to-lines.js';
import type { Box, Line, Word, WordTrace } from './pdf-page.js';
import { isRightToLeftText, logicalOrder } from './bidi.js';

/** A word and whether a space stands between it and its left neighbour. */
interface WordGlyphs {
  glyphs: Glyph[];
  apart: boolean;
}

const letter = /\p{L}/u;

/** `trace` receives each word with its characters. */
export function makeLine(line: GlyphLine, trace?: WordTrace): Line {
  const pieces = piecesOf(line);
  const words = line.glyphs.some((glyph) => glyph.rightToLeft) ? turnRound(pieces, trace) : pieces.map((piece) => makeWord(piece.glyphs, !piece.apart, undefined, trace));
  const size = mainSize(line.glyphs);
  const main = words.find((word) => Math.abs(word.size - size) < 0.01) ?? words[0];
  return {
    words,
    box: unionBox(words.map((word) => word.box)),
    baseline: main?.baseline ?? 0,
    size,
    angle: main?.angle ?? 0,
  };
}

function piecesOf(line: GlyphLine): WordGlyphs[] {
  const pieces: WordGlyphs[] = [];
  let current: WordGlyphs | undefined;
  line.glyphs.forEach((glyph, index) => {
    const before = line.glyphs[index - 1];
    const apart = line.starts[index] === true;
    if (current === undefined || apart || before === undefined || !sameStyle(before, glyph)) pieces.push((current = { glyphs: [glyph], apart }));
    else current.glyphs.push(glyph);
  });
  return pieces;
}

/** In ems: the ink of a superior figure is at least this far above the baseline. */
const SUPERIOR = 0.2;

/** Superior figures of a font are words of their own, as raised ones are. */
function isSuperiorFigure({ text, run, ink, v }: Glyph): boolean {
  const code = text.charCodeAt(0);
  return code >= DIGITS.first && code <= DIGITS.last && run.angle === 0 && v - ink.bottom > SUPERIOR * run.size;
}

const DIGITS = { first: 0x30, last: 0x39 };

function sameStyle(a: Glyph, b: Glyph): boolean {
  if (isSuperiorFigure(a) !== isSuperiorFigure(b)) return false;
  if (a.run === b.run) return Math.abs(a.v - b.v) < 0.1 * a.run.size;
  return (
    a.run.font === b.run.font &&
    a.run.color === b.run.color &&
    a.run.invisible === b.run.invisible &&
    a.run.object.mcid === b.run.object.mcid &&
    Math.abs(a.run.size - b.run.size) <= 0.02 * a.run.size &&
    Math.abs(a.v - b.v) < 0.06 * a.run.size
  );
}

/** Glyphs in reading order; `written` is their text if it differs from the displayed one. */
function makeWord(glyphs: Glyph[], glued: boolean, written?: string, trace?: WordTrace): Word {
  const first = glyphs[0] as Glyph;
  const last = glyphs[glyphs.length - 1] as Glyph;
  const { run } = first;
  let text = '';
  let order = first.index;
  for (const glyph of glyphs) {
    text += glyph.text;
    order = Math.min(order, glyph.index);
  }
  const word: Word = {
    text: (written ?? text).normalize('NFC'),
    box: wordBox(glyphs),
    baseline: first.v * run.cos - first.u0 * run.sin,
    font: run.font,
    size: run.size,
    color: run.color,
    angle: run.angle,
    glued,
    softHyphen: last.softHyphen,
    invisible: run.invisible,
    order,
    link: -1,
    underline: false,
    strike: false,
    mcid: run.object.mcid,
    ...(run.angle === 0 && written === undefined && { letters: glyphs.map(({ ink }) => ink) }),
  };
  trace?.(word, glyphs);
  return word;
}

/** Along the line by the advances, across it by the ink. */
function wordBox(glyphs: Glyph[]): Box {
  const box = unionBox(glyphs.map(({ ink }) => ink));
  let [u0, u1] = [Infinity, -Infinity];
  for (const glyph of glyphs) {
    if (glyph.u0 < u0) u0 = glyph.u0;
    if (glyph.u1 > u1) u1 = glyph.u1;
  }
  const angle = glyphs[0]?.run.angle ?? 0;
  if (angle === 0) return { ...box, left: u0, right: u1 };
  if (angle === 90) return { ...box, top: -u1, bottom: -u0 };
  if (angle === 180) return { ...box, left: -u1, right: -u0 };
  return angle === 270 ? { ...box, top: u0, bottom: u1 } : box;
}

function mainSize(glyphs: Glyph[]): number {
  const counts = new Map<number, number>();
  for (const glyph of glyphs) counts.set(glyph.run.size, (counts.get(glyph.run.size) ?? 0) + 1);
  let [best, most] = [0, 0];
  for (const [size, count] of counts) if (count > most) [best, most] = [size, count];
  return best;
}

/** Glyphs whose order is fixed: the letters of one right-to-left run, or one other character; none for the white space between pieces. */
interface OrderedGlyphs {
  glyphs: Glyph[];
  piece: WordGlyphs;
  text: string;
  space: boolean;
}

function stretchesOf(pieces: WordGlyphs[]): OrderedGlyphs[] {
  const stretches: OrderedGlyphs[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (piece.apart && at > 0) stretches.push({ glyphs: [], piece, text: '', space: true });
    let letters: OrderedGlyphs | undefined;
    for (const glyph of piece.glyphs) {
      const isLetter = isRightToLeftText(glyph.text);
      if (isLetter && letters !== undefined) letters.glyphs.push(glyph);
      else {
        const stretch: OrderedGlyphs = { glyphs: [glyph], piece, text: glyph.text, space: false };
        stretches.push(stretch);
        letters = isLetter ? stretch : undefined;
      }
    }
  }
  for (const stretch of stretches) {
    if (stretch.glyphs.length < 2) continue;
    stretch.glyphs = inReadingOrder(stretch.glyphs);
    stretch.text = stretch.glyphs.map((glyph) => glyph.text).join('');
  }
  return stretches;
}

const middleOf = ({ ink }: Glyph): number => middleX(ink);

/**
 * The letters of a right-to-left run in reading order. The file's reader has reversed them, unless it took them for parts
 * of a left-to-right line: then their places define the order.
 */
function inReadingOrder(glyphs: Glyph[]): Glyph[] {
  const sorted = [...glyphs].sort((a, b) => a.index - b.index);
  if (glyphs[0]!.run.angle !== 0) return sorted;
  const turned = sorted.some((glyph, at) => at > 0 && middleOf(glyph) > middleOf(sorted[at - 1]!) + 0.1 * glyph.run.size);
  return turned ? sorted.sort((a, b) => middleOf(b) - middleOf(a) || a.index - b.index) : sorted;
}

/** The words of a line with right-to-left letters, in reading order. Most of its letters decide the direction. */
function turnRound(pieces: WordGlyphs[], trace: WordTrace | undefined): Word[] {
  const letters = pieces.flatMap((piece) => piece.glyphs.filter((glyph) => letter.test(glyph.text)));
  const base = letters.filter((glyph) => glyph.rightToLeft).length * 2 > letters.length ? 1 : 0;
  const stretches = stretchesOf(pieces);
  const words: Word[] = [];
  let word: { piece: WordGlyphs; glyphs: Glyph[]; text: string; glued: boolean } | undefined;
  let glued = false;
  const finish = (): void => {
    if (word !== undefined) words.push(makeWord(word.glyphs, word.glued, word.text, trace));
    word = undefined;
  };
  for (const { index, text } of logicalOrder(stretches, base)) {
    const { glyphs, piece, space } = stretches[index]!;
    if (word !== undefined && (space || word.piece !== piece)) finish();
    if (space) glued = false;
    else if (word === undefined) word = { piece, glyphs: [...glyphs], text, glued };
    else {
      word.glyphs.push(...glyphs);
      word.text += text;
    }
    if (!space) glued = true;
  }
  finish();
  return words;
}
