/** The words and lines of the page interface, made from glyph lines. */
import type { Glyph, TextRun } from './glyphs.js';
import type { Box, Line, Word } from './page.js';
import type { GlyphLine } from './lines.js';
import { union } from './geometry.js';

export function makeLine(line: GlyphLine): Line {
  const words: Word[] = [];
  let start = 0;
  for (let index = 1; index <= line.glyphs.length; index++) {
    const glyph = line.glyphs[index];
    const before = line.glyphs[index - 1];
    if (glyph !== undefined && before !== undefined && line.wordStart[index] !== true && sameStyle(before, glyph)) continue;
    words.push(makeWord(line.glyphs.slice(start, index), line.wordStart[start] !== true));
    start = index;
  }
  if (line.rightToLeft) turnRound(words);
  const box = words.reduce<Box>((all, word) => union(all, word.box), { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity });
  const size = mainSize(line.glyphs);
  const main = words.find((word) => Math.abs(word.size - size) < 0.01) ?? words[0];
  return { words, box, baseline: main?.baseline ?? box.bottom, size, angle: main?.angle ?? 0 };
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
  const rightToLeft = glyphs.some((glyph) => glyph.rightToLeft);
  const ordered = rightToLeft ? [...glyphs].sort((a, b) => a.index - b.index) : glyphs;
  const first = ordered[0] as Glyph;
  const last = ordered[ordered.length - 1] as Glyph;
  const { run } = first;
  return {
    text: ordered.map((glyph) => glyph.text).join('').normalize('NFC'),
    box: wordBox(glyphs, run),
    baseline: run.angle === 0 ? first.v : originY(first),
    font: run.font,
    size: run.size,
    color: run.color,
    angle: run.angle,
    glued,
    softHyphen: last.softHyphen,
    invisible: run.invisible,
    order: Math.min(...glyphs.map((glyph) => glyph.index)),
    link: -1,
    underline: false,
    strike: false,
    mcid: run.object.mcid,
  };
}

/** Along the line the advances count, across it the ink. */
function wordBox(glyphs: Glyph[], run: TextRun): Box {
  const box = glyphs.reduce<Box>((all, glyph) => union(all, glyph.ink), { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity });
  if (run.angle !== 0) return box;
  const u0 = Math.min(...glyphs.map((glyph) => glyph.u0));
  const u1 = Math.max(...glyphs.map((glyph) => glyph.u1));
  return { ...box, left: u0, right: u1 };
}

/** y on the seen page of a glyph's origin: the inverse of the turn into the line's frame. */
function originY(glyph: Glyph): number {
  return glyph.v * glyph.run.cos - glyph.u0 * glyph.run.sin;
}

function mainSize(glyphs: Glyph[]): number {
  const counts = new Map<number, number>();
  for (const glyph of glyphs) counts.set(glyph.run.size, (counts.get(glyph.run.size) ?? 0) + 1);
  let [best, most] = [0, 0];
  for (const [size, count] of counts) if (count > most) [best, most] = [size, count];
  return best;
}

const leftToRightWord = /^[\p{L}\p{N}\p{P}\p{S}]*$/u;
const rightToLeftLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

function turnRound(words: Word[]): void {
  words.reverse();
  let start = 0;
  for (let index = 0; index <= words.length; index++) {
    const word = words[index];
    if (word !== undefined && leftToRightWord.test(word.text) && !rightToLeftLetter.test(word.text)) continue;
    if (index - start > 1) words.splice(start, index - start, ...words.slice(start, index).reverse());
    start = index + 1;
  }
}
