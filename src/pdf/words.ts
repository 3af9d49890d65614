/** The words and lines of the page interface, made from glyph lines. */
import type { Glyph } from './glyphs.js';
import type { GlyphLine } from './lines.js';
import type { Box, Line, Word } from './page.js';
import { union } from './geometry.js';

/** A word and whether a space stands between it and its left neighbour. */
interface Piece {
  glyphs: Glyph[];
  apart: boolean;
  rightToLeft: boolean;
}

const nothing: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
const leftToRightLetter = /[\p{L}\p{N}]/u;

export function makeLine(line: GlyphLine): Line {
  const pieces = piecesOf(line);
  const rightToLeft = line.glyphs.filter((glyph) => glyph.rightToLeft).length * 2 > line.glyphs.length;
  const words = rightToLeft ? turnRound(pieces) : pieces.map((piece) => makeWord(piece.glyphs, !piece.apart));
  const size = mainSize(line.glyphs);
  const main = words.find((word) => Math.abs(word.size - size) < 0.01) ?? words[0];
  return {
    words,
    box: words.reduce<Box>((box, word) => union(box, word.box), nothing),
    baseline: main?.baseline ?? 0,
    size,
    angle: main?.angle ?? 0,
  };
}

function piecesOf(line: GlyphLine): Piece[] {
  const pieces: Piece[] = [];
  let current: Piece | undefined;
  line.glyphs.forEach((glyph, index) => {
    const before = line.glyphs[index - 1];
    const apart = line.starts[index] === true;
    if (current === undefined || apart || before === undefined || !sameStyle(before, glyph)) pieces.push((current = { glyphs: [glyph], apart, rightToLeft: false }));
    else current.glyphs.push(glyph);
    if (glyph.rightToLeft) current.rightToLeft = true;
  });
  return pieces;
}

function sameStyle(a: Glyph, b: Glyph): boolean {
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

function makeWord(glyphs: Glyph[], glued: boolean): Word {
  const ordered = glyphs.some((glyph) => glyph.rightToLeft) ? [...glyphs].sort((a, b) => a.index - b.index) : glyphs;
  const first = ordered[0] as Glyph;
  const last = ordered[ordered.length - 1] as Glyph;
  const { run } = first;
  let text = '';
  let order = first.index;
  for (const glyph of ordered) {
    text += glyph.text;
    order = Math.min(order, glyph.index);
  }
  return {
    text: text.normalize('NFC'),
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
  };
}

/** Along the line the advances count, across it the ink. */
function wordBox(glyphs: Glyph[]): Box {
  const box = { ...nothing };
  let [u0, u1] = [Infinity, -Infinity];
  for (const glyph of glyphs) {
    const { ink } = glyph;
    if (ink.left < box.left) box.left = ink.left;
    if (ink.top < box.top) box.top = ink.top;
    if (ink.right > box.right) box.right = ink.right;
    if (ink.bottom > box.bottom) box.bottom = ink.bottom;
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

/** Logical order of a right-to-left line: from the right, but stretches of Latin words and numbers keep their order. */
function turnRound(pieces: Piece[]): Word[] {
  const stretches: number[][] = [];
  let latin: number[] | undefined;
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index] as Piece;
    const isLatin = !piece.rightToLeft && piece.glyphs.some((glyph) => leftToRightLetter.test(glyph.text));
    if (isLatin && latin !== undefined) latin.unshift(index);
    else stretches.push((latin = [index]));
    if (!isLatin) latin = undefined;
  }
  const words: Word[] = [];
  let before: Piece | undefined;
  for (const stretch of stretches) {
    stretch.forEach((index, at) => {
      const piece = pieces[index] as Piece;
      // A stretch stands on paper left of the one before: the gap between them is the one before that one's leftmost piece.
      const gap = at === 0 ? before : piece;
      words.push(makeWord(piece.glyphs, gap !== undefined && !gap.apart));
    });
    before = pieces[stretch[0] as number];
  }
  return words;
}
