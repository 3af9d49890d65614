/** Vowel points, tone marks and the like: they are drawn above, below or inside a letter and are read after it. */
import { middleX, union } from '../geometry/box.js';
import { partitionPoint } from '../geometry/search.js';
import type { Glyph } from './glyph.js';

const mark = /^\p{Mn}+$/u;
const letter = /\p{L}/u;
/** Marks of Latin letters are joined where the letters are composed (settle.ts). */
const LAST_LATIN_MARK = '\u0482';
/** Letters drawn at most this many places before or after a mark are tried first. */
const REACH = 4;
/** Letters of a line that are compared on each side of a mark's place. */
const NEIGHBOURS = 4;
/** In ems: the largest distance of a mark's middle beside its letter. */
const BESIDE = 0.3;
const BAND_POINTS = 8;
/** A ligature with all its marks has fewer; a hostile file may put thousands on one letter. */
const LONGEST_TEXT = 24;

/** A character without its own place in the line. */
function isMark(glyph: Glyph): boolean {
  return mark.test(glyph.text);
}

/** Attaches the marks over, under or in a letter to that letter: they follow it in the text, as one glyph. A mark far from all letters stays separate. */
export function joinVowelPoints(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(isToJoin)) return glyphs;
  const letters = new LettersByPlace(glyphs);
  const joined = new Set<Glyph>();
  for (const [at, glyph] of glyphs.entries()) {
    if (!isToJoin(glyph)) continue;
    const letter = drawnBeside(glyphs, at) ?? letters.nearest(glyph);
    if (letter === null) continue;
    letter.text = withMark(letter, glyph);
    letter.ink = union(letter.ink, glyph.ink);
    joined.add(glyph);
  }
  return glyphs.filter((glyph) => !joined.has(glyph));
}

const isToJoin = (glyph: Glyph): boolean => glyph.text > LAST_LATIN_MARK && glyph.run.angle === 0 && isMark(glyph);

const holam = /[\u05b9\u05ba]/;

/** Along the line. Hebrew's o stands over the left edge of its letter, or beside it. */
const middleOf = ({ ink, text, run }: Glyph): number => middleX(ink) + (holam.test(text) ? 0.12 * run.size : 0);

const carriesMarks = (glyph: Glyph): boolean => glyph.run.angle === 0 && letter.test(glyph.text);

/** The distance of the mark's middle beside the letter, in points; Infinity if the two cannot belong together. */
function besideOf(letter: Glyph, glyph: Glyph): number {
  if (!carriesMarks(letter) || letter.text.length > LONGEST_TEXT || letter.rightToLeft !== glyph.rightToLeft || letter.run.font !== glyph.run.font) return Infinity;
  const [middle, { size }] = [middleOf(glyph), glyph.run];
  const away = Math.max(0, letter.u0 - middle, middle - letter.u1);
  return away < BESIDE * size && Math.abs(letter.v - glyph.v) <= size ? away : Infinity;
}

function drawnBeside(glyphs: Glyph[], at: number): Glyph | null {
  let [best, least] = [null as Glyph | null, Infinity];
  for (let other = Math.max(0, at - REACH); other <= Math.min(glyphs.length - 1, at + REACH); other++) {
    const away = besideOf(glyphs[other]!, glyphs[at]!);
    if (away < least) [best, least] = [glyphs[other]!, away];
  }
  return best;
}

/** The letters of a right-to-left ligature share its width, the first of them on the right: the mark follows the letter at its place. */
function withMark({ text, u0, u1, rightToLeft }: Glyph, glyph: Glyph): string {
  if (!rightToLeft) return text + glyph.text;
  const letters = text.match(/\P{M}\p{M}*/gu) ?? [text];
  const share = (u1 - middleOf(glyph)) / Math.max(u1 - u0, 0.01);
  const at = Math.max(0, Math.min(letters.length - 1, Math.floor(share * letters.length)));
  return letters.map((letter, index) => (index === at ? letter + glyph.text : letter)).join('');
}

/** Letters by their baselines and places: files may draw all marks of a line together. */
class LettersByPlace {
  #bands = new Map<number, Glyph[]>();

  constructor(glyphs: Glyph[]) {
    for (const glyph of glyphs) {
      if (!carriesMarks(glyph)) continue;
      const band = Math.floor(glyph.v / BAND_POINTS);
      const known = this.#bands.get(band);
      if (known === undefined) this.#bands.set(band, [glyph]);
      else known.push(glyph);
    }
    for (const band of this.#bands.values()) band.sort((a, b) => a.u0 - b.u0);
  }

  /** The letter whose ink is nearest to the mark's, or null. */
  nearest(glyph: Glyph): Glyph | null {
    const { size } = glyph.run;
    const last = Math.floor((glyph.v + Math.min(size, 60)) / BAND_POINTS);
    let [best, least] = [null as Glyph | null, Infinity];
    for (let band = Math.floor((glyph.v - Math.min(size, 60)) / BAND_POINTS); band <= last; band++) {
      const letters = this.#bands.get(band) ?? [];
      const at = firstFrom(letters, middleOf(glyph));
      for (let other = Math.max(0, at - NEIGHBOURS); other < Math.min(letters.length, at + NEIGHBOURS); other++) {
        const letter = letters[other]!;
        const cost = besideOf(letter, glyph) + Math.max(0, letter.ink.top - glyph.ink.bottom, glyph.ink.top - letter.ink.bottom);
        if (cost < least) [best, least] = [letter, cost];
      }
    }
    return best;
  }
}

/** The index of the first of `letters`, sorted by place, that begins at `u` or later. */
function firstFrom(letters: Glyph[], u: number): number {
  return partitionPoint(letters, (letter) => letter.u0 < u);
}
