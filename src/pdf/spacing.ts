/** Finds the word boundaries of a track: spaces of the file, and gaps that exceed the font's own spacing. */
import { lowerMedian } from '../geometry/statistics.js';
import type { Glyph } from './glyph.js';
import type { PlacedGlyph } from './glyph-tracks.js';

/** In ems. Tight TeX lines have word gaps from 0.19; kerning and italic corrections stay below 0.12. */
const WORD_GAP = 0.16;
/** If the file contains spaces, a gap without one must be wider to separate words. */
const WORD_GAP_BESIDE_SPACES = 0.19;
const LEAST_TRACKING = 0.04;
const MOST_TRACKING = 0.85;
/** Letters with smaller gaps overlap and are not tracked. */
const MOST_TIGHTENING = 0.3;
/** Conditions of tracked text: the fewest gaps, their largest difference, absolute and relative to the tracking, and the share of equal gaps. */
const TRACKED = { leastGaps: 3, slack: 0.03, slackOfTracking: 0.25, share: 0.6 };
/** Tracking as wide as a word space. */
const SPACE_WIDE = 0.14;

export interface Spacing {
  /** Distance from the previous glyph, in points. */
  gaps: number[];
  /** Whether a word starts at the glyph. */
  starts: boolean[];
  /** Additional space between all letters around the glyph, in points. */
  tracking: number[];
}

export function measureSpacing(placed: PlacedGlyph[]): Spacing {
  const gaps = placed.map(({ glyph }, index) => (index === 0 ? 0 : glyph.u0 - placed[index - 1]!.glyph.u1));
  const spacing: Spacing = { gaps, starts: placed.map((_, index) => index === 0), tracking: placed.map(() => 0) };
  let start = 0;
  for (let index = 1; index <= placed.length; index++) {
    const glyph = placed[index]?.glyph;
    const first = placed[start]?.glyph;
    if (glyph !== undefined && first !== undefined && sameFace(first, glyph)) continue;
    measureStretch(placed, spacing, start, index);
    start = index;
  }
  joinSpelledWords(placed, spacing);
  joinSpelled(placed, spacing);
  setLeadersApart(placed, spacing);
  return spacing;
}

const LEAST_LEADER = 4;

/** Dots that lead from a title to its page number belong to neither, however close they are. */
function setLeadersApart(placed: PlacedGlyph[], spacing: Spacing): void {
  let start = 0;
  for (let index = 0; index <= placed.length; index++) {
    if (/^[.·․…_]$/u.test(placed[index]?.glyph.text ?? '')) continue;
    if (index - start >= LEAST_LEADER) {
      spacing.starts[start] = true;
      if (index < placed.length) spacing.starts[index] = true;
    }
    start = index + 1;
  }
}

function sameFace(a: Glyph, b: Glyph): boolean {
  return a.run === b.run || (a.run.font === b.run.font && Math.abs(a.run.size - b.run.size) < 0.03 * a.run.size);
}

/** A run of one font and size; its first glyph is compared with the previous run. */
function measureStretch(placed: PlacedGlyph[], spacing: Spacing, start: number, end: number): void {
  const size = placed[start]?.glyph.run.size ?? 1;
  const own: number[] = [];
  let spaces = 0;
  for (let index = start + 1; index < end; index++) {
    if (placed[index]?.spaced === true) spaces++;
    else own.push((spacing.gaps[index] ?? 0) / size);
  }
  const tracking = trackingOf(placed, own, start, end);
  const least = (spaces * 14 > end - start ? WORD_GAP_BESIDE_SPACES : WORD_GAP) + tracking + 0.5 * Math.max(0, tracking);
  for (let index = start; index < end; index++) {
    spacing.tracking[index] = tracking * size;
    if (index === 0) continue;
    const gap = spacing.gaps[index] ?? 0;
    const before = placed[index - 1]?.glyph.run.size ?? size;
    const em = index === start ? (size + before) / 2 : size;
    const limit = index === start ? WORD_GAP + Math.max(0, tracking) : least;
    spacing.starts[index] = placed[index]?.spaced === true ? gap > (0.04 + tracking) * em : gap > limit * em;
  }
}

/** Letter spacing beyond the font's own, in ems: a gap that most neighbours share. 0 for ordinary text. */
function trackingOf(placed: PlacedGlyph[], gaps: number[], start: number, end: number): number {
  if (gaps.length < TRACKED.leastGaps) return 0;
  const middle = lowerMedian(gaps);
  if (Math.abs(middle) < LEAST_TRACKING || middle > MOST_TRACKING || middle < -MOST_TIGHTENING) return 0;
  const slack = TRACKED.slack + TRACKED.slackOfTracking * Math.abs(middle);
  const alike = gaps.filter((gap) => Math.abs(gap - middle) <= slack).length;
  if (alike < TRACKED.share * gaps.length) return 0;
  // A gap as wide as a space may separate single letters that are words: sums, lists of variables, digits in cells.
  if (middle > SPACE_WIDE && !spellsWords(placed.slice(start, end), gaps.length)) return 0;
  return middle;
}

function spellsWords(placed: PlacedGlyph[], gapCount: number): boolean {
  const letters = placed.filter((each) => /^\p{L}+$/u.test(each.glyph.text)).length;
  if (gapCount < 4 || letters < 0.8 * placed.length) return false;
  return !isAlphabet(placed.map((each) => each.glyph.text));
}

/** A, B, C, D …: labels side by side rather than a word. */
function isAlphabet(letters: string[]): boolean {
  let steps = 0;
  for (let index = 1; index < letters.length; index++) {
    if ((letters[index]?.codePointAt(0) ?? 0) - (letters[index - 1]?.codePointAt(0) ?? 0) === 1) steps++;
  }
  return steps >= 0.6 * (letters.length - 1);
}

/** A heading with spaces between its letters: at least five evenly spaced single capitals form one word. */
function joinSpelled(placed: PlacedGlyph[], spacing: Spacing): void {
  let start = 0;
  for (let index = 1; index <= placed.length; index++) {
    if (index < placed.length && isSpelled(placed, spacing, index)) continue;
    if (index - start >= 5) {
      const letters = placed.slice(start, index).map((each) => each.glyph.text);
      const endsWord = index === placed.length || spacing.starts[index] === true;
      if (endsWord && /^\p{Lu}+$/u.test(letters.join('')) && !isAlphabet(letters)) spacing.starts.fill(false, start + 1, index);
    }
    start = index;
  }
}

/** The fewest letters of a spaced line, and of its longest word. */
const LEAST_SPELLED = { line: 6, word: 3 };
/** The most letters of such a line: no heading is longer. */
const MOST_SPELLED = 200;
/** White space between the words of such a line, in letter spaces: more than the first value, at least the second. */
const SPELLED_GAPS = { letter: 1.3, word: 1.5 };
/** In ems: white space that separates such a line from other text at its height. */
const APART = 2;

/** Several spaced words, with wider gaps between them: only single letters from one end of the line to the other. */
function joinSpelledWords(placed: PlacedGlyph[], spacing: Spacing): void {
  let start = 0;
  let spelt = true;
  for (let index = 1; index <= placed.length; index++) {
    spelt &&= index - start <= MOST_SPELLED && mayBeSpelt(placed, spacing, start, index - 1);
    const here = placed[index]?.glyph;
    const beyond = here === undefined ? Infinity : (spacing.gaps[index] ?? 0) - APART * here.run.size;
    // Computes the usual gap only for possible spaced text: a sort at every letter of a page would take longer than reading it.
    if (beyond <= 0 || spelt && beyond <= 2 * letterGapOf(spacing, start, index)) continue;
    if (spelt && index - start >= LEAST_SPELLED.line) joinLine(placed, spacing, start, index);
    [start, spelt] = [index, true];
  }
}

/** A single letter in the run's font, with white space before it. */
function mayBeSpelt(placed: PlacedGlyph[], spacing: Spacing, start: number, index: number): boolean {
  const { glyph } = placed[index]!;
  return /^\p{L}$/u.test(glyph.text) && sameFace(placed[start]!.glyph, glyph) && (index === start || spacing.starts[index] === true);
}

/** The usual gap between the glyphs of a run. */
function letterGapOf({ gaps }: Spacing, start: number, end: number): number {
  return lowerMedian(gaps.slice(start + 1, end));
}

function joinLine(placed: PlacedGlyph[], spacing: Spacing, start: number, end: number): void {
  const letterGap = letterGapOf(spacing, start, end);
  const words: number[] = [start];
  for (let index = start + 1; index < end; index++) {
    const gap = spacing.gaps[index] ?? 0;
    if (gap >= SPELLED_GAPS.word * letterGap) words.push(index);
    else if (gap > SPELLED_GAPS.letter * letterGap) return;
  }
  const texts = words.map((from, at) => placed.slice(from, words[at + 1] ?? end).map((each) => each.glyph.text));
  const isSpelt = texts.every((letters) => /^(?:\p{Lu}+|\p{Lu}\p{Ll}+)$/u.test(letters.join('')) && !(letters.length > 2 && isAlphabet(letters)));
  if (!isSpelt || !texts.some((letters) => letters.length >= LEAST_SPELLED.word)) return;
  for (let index = start + 1; index < end; index++) {
    spacing.starts[index] = words.includes(index);
    spacing.tracking[index] = letterGap;
  }
}

function isSpelled(placed: PlacedGlyph[], spacing: Spacing, index: number): boolean {
  const [before, here] = [placed[index - 1]?.glyph, placed[index]?.glyph];
  if (before === undefined || here === undefined || spacing.starts[index] !== true || !sameFace(before, here)) return false;
  const gap = spacing.gaps[index] ?? 0;
  if (gap > 0.7 * here.run.size || here.text.length !== 1 || before.text.length !== 1) return false;
  const earlier = index >= 2 && spacing.starts[index - 1] === true ? (spacing.gaps[index - 1] ?? gap) : gap;
  return gap < 1.4 * earlier || gap < 0.35 * here.run.size;
}
