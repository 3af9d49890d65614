/** Corrects glyphs among their neighbours: drops repetitions, joins accents with their letters, separates icons from ligatures, and puts LaTeX's name on one line. */
import { accented, combiningForm, unnamedGlyph } from './characters.js';
import type { FontTable } from './fonts.js';
import type { Glyph } from './glyph.js';

/** In ems: the largest distance between two paintings of one letter, and the least distance that thickens it. */
const REPEAT_REACH = 0.12;
const THICKENING_SHIFT = 0.004;
/** Factors of a hash. */
const TEXT_FACTOR = 73856093;
const ANGLE_FACTOR = 19349663;
/** Buckets of the spatial hash that are searched, along each side. */
const BUCKETS_AROUND = 3;

export function settleGlyphs(glyphs: Glyph[], fonts: FontTable): Glyph[] {
  return seatLogos(composeAccents(nameOrDrop(dropRepeats(glyphs, fonts))));
}

/** Letters that are painted twice at nearly the same place are bold or have a shadow: one copy is kept. */
function dropRepeats(glyphs: Glyph[], fonts: FontTable): Glyph[] {
  const buckets = new Map<number, Glyph>();
  return glyphs.filter((glyph) => {
    if (glyph.space || !(glyph.run.size > 0)) return true;
    const reach = REPEAT_REACH * glyph.run.size;
    const column = Math.floor(glyph.u0 / reach);
    const row = Math.floor(glyph.v / reach);
    const seed = Math.imul(glyph.text.charCodeAt(0), TEXT_FACTOR) ^ Math.imul(glyph.run.angle, ANGLE_FACTOR);
    for (let bucket = 0; bucket < BUCKETS_AROUND * BUCKETS_AROUND; bucket++) {
      const before = buckets.get(bucketKey(seed, column - 1 + (bucket % BUCKETS_AROUND), row - 1 + Math.floor(bucket / BUCKETS_AROUND)));
      if (before === undefined || !isRepeat(before, glyph, reach)) continue;
      const shift = Math.hypot(glyph.u0 - before.u0, glyph.v - before.v);
      if (shift > THICKENING_SHIFT * glyph.run.size && before.run.color === glyph.run.color) before.run.font = fonts.emboldened(before.run.font);
      return false;
    }
    buckets.set(bucketKey(seed, column, row), glyph);
    return true;
  });
}

function bucketKey(seed: number, column: number, row: number): number {
  // An integer of 31 bits: larger keys make the map several times slower. isRepeat() separates glyphs that collide.
  return (seed ^ Math.imul(column, 83492791) ^ Math.imul(row, 1640531527)) >> 1;
}

function isRepeat(before: Glyph, glyph: Glyph, reach: number): boolean {
  return (
    before.text === glyph.text &&
    before.run.angle === glyph.run.angle &&
    before.run.invisible === glyph.run.invisible &&
    Math.abs(before.run.size - glyph.run.size) < 0.1 * glyph.run.size &&
    Math.abs(before.u0 - glyph.u0) < Math.min(reach, 0.35 * (glyph.u1 - glyph.u0)) &&
    Math.abs(before.v - glyph.v) < reach
  );
}

/** Joins accents that are drawn as separate characters, over the letter before or after, with that letter. */
function composeAccents(glyphs: Glyph[]): Glyph[] {
  let composed = false;
  const tries = { left: MOST_STRAY };
  for (let index = 0; index < glyphs.length; index++) {
    const accent = glyphs[index];
    if (accent === undefined || accent.text === '') continue;
    if (combiningForm(accent.text) === '' && lowForm(accent.text) === '') continue;
    const candidates = [lastBefore(glyphs, index), beyondSpace(glyphs, index, -1), glyphs[index + 1], beyondSpace(glyphs, index, 1)];
    const base = candidates.find((candidate) => candidate !== undefined && isOver(accent, candidate)) ?? strayBase(glyphs, accent, index, tries);
    const joined = base === undefined ? '' : joinedWith(base, accent);
    if (base === undefined || joined === '') continue;
    base.text = joined;
    accent.text = '';
    dropSpaceBetween(glyphs, index, base);
    composed = true;
  }
  return composed ? glyphs.filter((glyph) => glyph.text !== '') : glyphs;
}

/** A letter has at most this many accents before it. */
const MOST_ACCENTS = 3;

/** The previous glyph, without accents that have been joined with it. */
function lastBefore(glyphs: Glyph[], index: number): Glyph | undefined {
  let at = index - 1;
  while (at > index - 1 - MOST_ACCENTS && glyphs[at]?.text === '') at--;
  return glyphs[at];
}

/** The accents of a page for which all glyphs are searched at most. */
const MOST_STRAY = 200;

/** The letter of an accent that PDFium has moved to the end of its line, since TeX set it higher or lower than its letter; ASCII characters stand for themselves. */
function strayBase(glyphs: Glyph[], accent: Glyph, index: number, tries: { left: number }): Glyph | undefined {
  const next = glyphs[index + 1];
  const previous = glyphs[index - 1];
  const isAlone = (next === undefined || next.space || Math.abs(next.v - accent.v) > STRAY_DROP * accent.run.size) && (previous === undefined || previous.space || Math.abs(previous.v - accent.v) > STRAY_DROP * accent.run.size);
  if (accent.text.charCodeAt(0) <= LAST_ASCII || !isAlone || tries.left-- <= 0) return undefined;
  return glyphs.find((candidate) => candidate !== accent && Math.abs(candidate.v - accent.v) > STRAY_DROP * accent.run.size && isOver(accent, candidate) && joinedWith(candidate, accent) !== '');
}

/** In ems: an accent that was moved is at least so much higher or lower than its letter. */
const STRAY_DROP = 0.1;
const LAST_ASCII = 0x7f;

/** Spaces and line ends that PDFium puts between two glyphs at most. */
const MOST_SPACES = 3;

/** An accent that TeX raises over a capital, or lowers, is so far from it that PDFium puts spaces between the two. */
function beyondSpace(glyphs: Glyph[], index: number, step: 1 | -1): Glyph | undefined {
  let at = index + step;
  while (Math.abs(at - index) <= MOST_SPACES && glyphs[at]?.space === true) at += step;
  return glyphs[at];
}

function dropSpaceBetween(glyphs: Glyph[], index: number, base: Glyph): void {
  for (const step of [-1, 1] as const) {
    if (beyondSpace(glyphs, index, step) !== base) continue;
    for (let at = index + step; glyphs[at] !== base; at += step) glyphs[at]!.text = '';
  }
}

/** The mark under a letter for which TeX lowers a full stop or a macron, or ''. */
function lowForm(text: string): string {
  return lowMarks.get(text) ?? '';
}

const lowMarks = new Map([['.', '\u0323'], ['\u00af', '\u0331'], ['\u02c9', '\u0331']]);

/** The letter with its accent, or '' if they make none. */
function joinedWith(base: Glyph, accent: Glyph): string {
  const mark = isBelow(accent, base) ? lowForm(accent.text) : combiningForm(accent.text);
  return mark === '' ? '' : accented(base.text, mark);
}

/** Whether the accent's ink lies below the baseline of the letter; a full stop stands on it. */
function isBelow(accent: Glyph, base: Glyph): boolean {
  return base.run.angle === 0 && accent.ink.top > base.v && lowForm(accent.text) !== '';
}

/** In ems: how far the baseline of an accent lies below or above that of its letter at most. */
const FARTHEST = { below: 0.8, above: 0.5 };

function isOver(accent: Glyph, base: Glyph): boolean {
  if (base.space || base.run.angle !== accent.run.angle || accent.v - base.v > FARTHEST.below * base.run.size || base.v - accent.v > FARTHEST.above * base.run.size) return false;
  const [left, right] = base.run.sin === 0 ? [base.ink.left, base.ink.right] : [base.ink.top, base.ink.bottom];
  const [from, to] = base.run.sin === 0 ? [accent.ink.left, accent.ink.right] : [accent.ink.top, accent.ink.bottom];
  const middle = (from + to) / 2;
  return middle > left - 0.02 * base.run.size && middle < right + 0.02 * base.run.size;
}

/** A private-use glyph that touches a letter is an unnamed ligature and becomes U+FFFD. Alone it is an icon and is dropped. */
function nameOrDrop(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some((glyph) => glyph.text === unnamedGlyph)) return glyphs;
  return glyphs.filter((glyph, index) => {
    if (glyph.text !== unnamedGlyph) return true;
    if (!touchesLetter(glyphs[index - 1], glyph) && !touchesLetter(glyphs[index + 1], glyph)) return false;
    glyph.text = '\ufffd';
    return true;
  });
}

function touchesLetter(neighbour: Glyph | undefined, glyph: Glyph): boolean {
  if (neighbour === undefined || !/\p{L}$/u.test(neighbour.text) || neighbour.run.angle !== glyph.run.angle) return false;
  const reach = 0.12 * glyph.run.size;
  const gap = Math.max(neighbour.u0, glyph.u0) - Math.min(neighbour.u1, glyph.u1);
  return Math.abs(neighbour.v - glyph.v) < reach && gap < reach;
}

const logo = 'LATEX';

/** LaTeX writes its name with a small raised A over the foot of the L, which no rule for scripts would place between its letters. */
function seatLogos(glyphs: Glyph[]): Glyph[] {
  for (let at = 0; at + logo.length <= glyphs.length; at++) {
    const [first, second] = [glyphs[at]!, glyphs[at + 1]!];
    if (first.text !== 'L' || second.text !== 'A') continue;
    const { size, angle } = first.run;
    const letters = glyphs.slice(at, at + logo.length);
    const isLogo = letters.every(({ text, run, u0, v }, index) => text === logo[index] && run.angle === angle && Math.abs(v - first.v) < 0.3 * size && (index === 0 || u0 > letters[index - 1]!.u0));
    if (!isLogo || second.run.size > 0.9 * size || letters.at(-1)!.u0 - first.u0 > 2 * size) continue;
    second.run = first.run;
    second.v = first.v;
  }
  return glyphs;
}
