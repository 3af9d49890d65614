/** Superscripts and subscripts of a line: words that are smaller than their neighbour, and stand higher or lower than it. The font plays no part. */
import type { Word } from '../../pdf/pdf-page.js';
import { scriptTolerances } from './tolerances.js';

export type ScriptPlace = 'baseline' | 'sub' | 'super';

/** A mark of a note: numbers, one letter, or a sign; with commas or a dash between several. */
const noteMark = /^(?:\d{1,3}|\p{Ll}|[*∗⁎†‡§¶#]{1,4})(?:[,–-](?:\d{1,3}|\p{Ll}|[*∗†‡§¶#]))*,?$/u;
/** Characters that are raised by themselves: primes, quotation marks, marks of trade. The stops and dashes are on the list because a script has more. */
const raisedByThemselves = /^[′″‴'"’”‘“°®™℠.,;:·…_-]+$/u;
const fractionSlash = /^[/⁄∕]/u;
/** Whole numbers, alone or as a range or list. */
const numbers = /^[-−+]?\d{1,4}(?:[,–-]\d{1,4})*$/;

/** Words from `from` to `to`, the latter excluded, that touch each other. */
interface Chain {
  from: number;
  to: number;
}

/** Words that touch each other and are read on each side of one: a script stands near its base. */
const mostGlued = 24;

function chainAt(words: Word[], index: number): Chain {
  let [from, to] = [index, index + 1];
  while (from > 0 && words[from]!.glued && index - from < mostGlued) from--;
  while (to < words.length && words[to]!.glued && to - index < mostGlued) to++;
  return { from, to };
}

const isLarger = (base: Word, word: Word): boolean => word.size < scriptTolerances.size * base.size && word.size > scriptTolerances.least * base.size;

/** Whether both are of one size and on one baseline. */
function areAlike(one: Word, other: Word): boolean {
  return Math.abs(one.size - other.size) < scriptTolerances.alike * one.size && Math.abs(one.baseline - other.baseline) < scriptTolerances.alike * one.size;
}

/** The neighbour with which a word is compared: the nearest larger one that it touches, before it or else behind it. A note mark may stand apart from it. */
function baseOf(words: Word[], index: number): Word | null {
  const word = words[index]!;
  const { from, to } = chainAt(words, index);
  for (let at = index - 1; at >= from; at--) if (isLarger(words[at]!, word)) return words[at]!;
  for (let at = index + 1; at < to; at++) if (isLarger(words[at]!, word)) return words[at]!;
  if (!noteMark.test(words.slice(from, to).map(({ text }) => text).join(''))) return null;
  const [before, behind] = [words[from - 1], words[to]];
  const near = (base: Word | undefined, gap: number): base is Word => base !== undefined && isLarger(base, word) && gap < scriptTolerances.apart * base.size;
  if (near(before, words[from]!.box.left - (before?.box.right ?? 0)) && !areAlike(word, behind ?? before)) return before;
  return near(behind, (behind?.box.left ?? 0) - words[to - 1]!.box.right) ? behind : null;
}

/** Text of its own beside a larger letter goes on at its height: the line beside a drop capital, the words behind a large label. */
function goesOn(words: Word[], index: number): boolean {
  const { to } = chainAt(words, index);
  const [word, next] = [words[index]!, words[to]];
  return next !== undefined && areAlike(word, next) && /\p{L}{2}/u.test(word.text);
}

function placeOf(words: Word[], index: number): ScriptPlace {
  const word = words[index]!;
  const base = baseOf(words, index);
  if (base === null || goesOn(words, index)) return 'baseline';
  const raise = (base.baseline - word.baseline) / base.size;
  if (raise > scriptTolerances.raised && raise < scriptTolerances.highest) return 'super';
  return raise < -scriptTolerances.lowered && raise > -scriptTolerances.lowest ? 'sub' : 'baseline';
}

/** A number of full size that is raised from the word that it touches. */
function isRaisedInFullSize(words: Word[], index: number): boolean {
  const [word, before, behind] = [words[index]!, words[index - 1], words[index + 1]];
  if (!word.glued || before === undefined || !numbers.test(word.text) || Math.abs(word.size - before.size) > scriptTolerances.alike * word.size) return false;
  const raise = (before.baseline - word.baseline) / word.size;
  return raise > scriptTolerances.raisedInFullSize && raise < scriptTolerances.highest && (behind === undefined || !areAlike(word, behind));
}

/** Superior figures, which some fonts have for note marks: of the text's size and on its baseline, with their ink above it. */
function isSuperiorFigure({ text, letters, baseline, size, invisible }: Word): boolean {
  return letters !== undefined && !invisible && /^\d+$/.test(text) && letters.every(({ bottom }) => baseline - bottom > scriptTolerances.superiorFigure * size);
}

/** Two numbers of a fraction in one line, `½` made of two scripts and a slash, are on the baseline: the slash says what they are. */
function withoutFractions(words: Word[], places: ScriptPlace[]): void {
  for (let at = 1; at + 1 < words.length; at++) {
    if (!fractionSlash.test(words[at]!.text) || !words[at]!.glued) continue;
    // The denominator is numbers behind the slash, and the numerator no exponent of what it touches: m²/g is none.
    const isWhole = /^[/⁄∕]\d+$/.test(words[at]!.text) || (words[at]!.text.length === 1 && words[at + 1]!.glued && /^\d+/.test(words[at + 1]!.text));
    if (!isWhole || (at > 1 && words[at - 1]!.glued && /[\p{L}\p{N}]$/u.test(words[at - 2]!.text))) continue;
    const isFraction = places[at - 1] === 'super' && /^\d+$/.test(words[at - 1]!.text) && (places[at + 1] === 'sub' || areAlike(words[at]!, words[at + 1]!) || words[at + 1]!.size < words[at - 1]!.size * 1.1);
    if (isFraction) places.fill('baseline', at - 1, at + 2);
  }
}

/** The place of each word of a line in reading order. Words of other directions than to the right are on their baseline. */
export function scriptsOf(words: Word[]): ScriptPlace[] {
  const [first] = words;
  const places = new Array<ScriptPlace>(words.length).fill('baseline');
  if (first === undefined || first.angle !== 0 || words.every((word) => word.baseline === first.baseline && !isSuperiorFigure(word))) return places;
  for (const [index, word] of words.entries()) {
    if (raisedByThemselves.test(word.text)) continue;
    const place = placeOf(words, index);
    places[index] = place === 'baseline' && (isRaisedInFullSize(words, index) || isSuperiorFigure(word)) ? 'super' : place;
  }
  // Stops between the numbers of a list of marks.
  for (const [index, word] of words.entries()) {
    if (places[index] !== 'baseline' || !/^[,–.:·-]+$/u.test(word.text) || index === 0 || index + 1 === words.length) continue;
    if (places[index - 1] !== 'baseline' && places[index - 1] === places[index + 1] && words[index + 1]!.glued && word.size < scriptTolerances.size * (baseOf(words, index)?.size ?? 0)) places[index] = places[index - 1]!;
  }
  withoutFractions(words, places);
  return places;
}
