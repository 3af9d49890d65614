/** Points and vowel marks of Hebrew and Arabic: they are drawn above, below or inside a letter and stand on its line, in its place. */
import type { Glyph } from './glyphs.js';

const mark = /^\p{M}+$/u;
/** Letters drawn this many places before or after a mark are looked at. */
const REACH = 4;

/** A sign without a place of its own in the line. */
export function isMark(glyph: Glyph): boolean {
  return mark.test(glyph.text);
}

/** Puts right-to-left marks onto the baseline and into the width of the letter over, under or in which their ink stands; a mark that is far from all letters stays. */
export function seatMarks(glyphs: Glyph[]): void {
  for (const [at, glyph] of glyphs.entries()) {
    if (!glyph.rightToLeft || glyph.run.angle !== 0 || !isMark(glyph)) continue;
    const letter = letterOf(glyphs, at);
    if (letter === null) continue;
    glyph.v = letter.v;
    const middle = Math.min(letter.u1, Math.max(letter.u0, (glyph.ink.left + glyph.ink.right) / 2));
    glyph.u0 = middle;
    glyph.u1 = middle;
  }
}

function letterOf(glyphs: Glyph[], at: number): Glyph | null {
  const glyph = glyphs[at]!;
  const middle = (glyph.ink.left + glyph.ink.right) / 2;
  let [best, least] = [null as Glyph | null, 0.3 * glyph.run.size];
  for (let other = Math.max(0, at - REACH); other <= Math.min(glyphs.length - 1, at + REACH); other++) {
    const letter = glyphs[other]!;
    if (!letter.rightToLeft || isMark(letter) || Math.abs(letter.v - glyph.v) > glyph.run.size || letter.run.font !== glyph.run.font) continue;
    const away = Math.max(0, letter.u0 - middle, middle - letter.u1);
    if (away < least) [best, least] = [letter, away];
  }
  return best;
}
