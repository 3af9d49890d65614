/** Finds algorithms in words and symbols whose lines are numbered. They are read line by line and contain neither tables nor display formulas. */
import { sortedNumbers } from '../../geometry/statistics.js';
import { fromLeft, fromTop, lastOf, splitWhere } from '../page/group-by-baseline.js';
import type { PageContent, Ruling, Word } from '../../pdf/pdf-page.js';

/** The words of each line of one algorithm, from the left. */
export type Algorithm = Word[][];

const fewestLines = 4;
/** A page with more numbers is not text. */
const mostNumbers = 1000;
/** Numbers times words: a page with more is not text. */
const mostLooks = 4_000_000;
/** A page with more columns of numbers contains a table or a drawing. */
const mostCounts = 24;
/** Distance from one number to the next, in ems. */
const nearest = 0.8;
const farthest = 4;
/** In ems: how far a line's raised and lowered characters stand from its baseline, and the least white space that no line contains, if no ruling gives the width. */
const onLine = 0.42;
const mostWhite = 4;
/** In ems: white space that all lines share; the next column stands behind it. */
const columnWhite = 0.8;
/** The place of the next line without a number, in line distances, and the most header lines above the first line. */
const nextLine = 1.6;
const mostHeads = 4;

/** Patterns of algorithms: one that their lines contain, one that hardly any other text contains; the share of lines that must match the first, and the number that must match the second. */
const sign = /\b(?:for|while|if|then|else|elseif|end|do|return|repeat|until|function|procedure|loop|foreach|break|continue)\b|[←=∈∅≤≥<>]|:=/;
const sureSign = /←|:=|\bend (?:if|for|while|function|procedure|loop)\b/;
/** Such an end is only reliable with such a beginning: sentences also end in `then` and `do`. */
const openingLine = /^(?:\d{1,3}:? )?(?:for|foreach|while|if|else if|elseif)\b.*\b(?:then|do)\W*$/;
const leastSigns = 0.6;
const leastSure = 3;
const head = /^(?:Require|Ensure|Inputs?|Outputs?|Data|Results?|Parameters?|Initiali[sz]ation|Eingabe|Ausgabe):?$/;

/** The page's algorithms, without programs in a monospace font. */
export function findAlgorithms(page: PageContent): Algorithm[] {
  const words = page.words.filter(({ angle }) => angle === 0);
  const numbers = fromTop(words.filter(({ text, glued }) => /^\d{1,3}:?$/.test(text) && !glued));
  if (numbers.length < fewestLines || numbers.length > mostNumbers || numbers.length * words.length > mostLooks) return [];
  const counts = countsIn(numbers);
  if (counts.length > mostCounts) return [];
  const counted = new Set(counts.flat());
  const taken = new Set<Word>();
  // A count from one on precedes numbers in the margin that count the lines of a draft.
  const begins = ([first]: Word[]): number => (parseInt(first!.text, 10) <= 1 ? 0 : 1);
  return counts.sort((a, b) => begins(a) - begins(b)).flatMap((count) => {
    const lines = linesOf(count, words, page.rulings, counted);
    if (!isAlgorithm(lines) || lines.some((line) => line.some((word) => taken.has(word)))) return [];
    for (const word of lines.flat()) taken.add(word);
    return [lines];
  });
}

/** Columns of numbers, each greater by one than the one above. */
function countsIn(numbers: Word[]): Word[][] {
  const counts: Word[][] = [];
  const awaiting = new Map<number, Word[][]>();
  for (const number of numbers) {
    const value = parseInt(number.text, 10);
    const count = awaiting.get(value)?.find((open) => parseInt(open.at(-1)!.text, 10) === value - 1 && goesOn(open.at(-1)!, number)) ?? [];
    if (count.length === 0) counts.push(count);
    count.push(number);
    awaiting.set(value + 1, [...awaiting.get(value + 1) ?? [], count]);
  }
  return counts.filter(({ length }) => length >= fewestLines);
}

function goesOn(above: Word, below: Word): boolean {
  const distance = below.baseline - above.baseline;
  const isAligned = Math.abs(below.box.right - above.box.right) < 1.5 || Math.abs(below.box.left - above.box.left) < 1;
  return isAligned && below.font.name === above.font.name && above.text.endsWith(':') === below.text.endsWith(':') && distance > nearest * above.size && distance < farthest * Math.max(above.size, 8);
}

/** The lines from the first header line to that of the last number. No line continues beyond a number of another column of numbers. */
function linesOf(numbers: Word[], words: Word[], rulings: Ruling[], others: Set<Word>): Algorithm {
  const [first, last] = [numbers[0]!, numbers.at(-1)!];
  const left = Math.min(...numbers.map(({ box }) => box.left));
  const distances = numbers.slice(1).map(({ baseline }, index) => baseline - numbers[index]!.baseline);
  const leading = Math.min(...distances);
  const rule = rulings.find(({ orientation, position, start, end }) => orientation === 'horizontal' && start < left + 2 && end > left + 100 && position < first.baseline && position > first.baseline - (mostHeads + 3) * leading);
  const near = words.filter(({ baseline, box }) => baseline > first.baseline - (mostHeads + 1) * nextLine * leading && baseline < last.baseline + leading && box.right > (rule?.start ?? left) - 1 && box.left < (rule?.end ?? Infinity));
  const counted = new Set(numbers);
  const size = Math.max(...sortedNumbers(near.filter((word) => !counted.has(word)).map((word) => word.size)).slice(0, Math.ceil(near.length / 2)), 1);
  const end = columnEnd(near.filter(({ baseline }) => baseline > first.baseline - onLine * size && baseline < last.baseline + onLine * size), numbers, others, rule === undefined ? columnWhite * size : Infinity);
  const rowAt = (baseline: number, from: number): Word[] => untilWhite(near.filter((word) => Math.abs(word.baseline - baseline) < onLine * size && word.box.left >= from - 1 && word.box.left < end), rule === undefined ? mostWhite * size : Infinity);
  const lines = numbers.flatMap((number, index) => {
    const until = numbers[index + 1]?.baseline ?? number.baseline + 1;
    const own = [rowAt(number.baseline, number.box.left)];
    for (let at = number.baseline; ;) {
      const next = near.filter((word) => word.baseline > at + 0.7 * leading && word.baseline < Math.min(until - 0.7 * leading, at + nextLine * leading) && word.box.left > number.box.right && word.box.left < end && word.size > 0.85 * size)[0];
      if (next === undefined) return own;
      own.push(rowAt(next.baseline, number.box.right));
      at = next.baseline;
    }
  });
  return [...headsAbove(first, near, leading, rowAt), ...lines];
}

/** The end of the column with the numbers: white space wider than `white` in all lines, or the numbers of another column. */
function columnEnd(words: Word[], numbers: Word[], others: Set<Word>, white: number): number {
  const from = Math.max(...numbers.map(({ box }) => box.right));
  const own = new Set(numbers);
  let reached: number | null = null;
  for (const word of fromLeft(words.filter(({ box }) => box.left > from))) {
    if (others.has(word) && !own.has(word) && reached !== null && word.box.left > reached - 1 && words.filter((other) => others.has(other) && Math.abs(other.box.right - word.box.right) < 1.5).length >= fewestLines) return word.box.left - 0.5;
    if (reached !== null && word.box.left - reached > white) return word.box.left - 0.5;
    reached = Math.max(reached ?? 0, word.box.right);
  }
  return Infinity;
}

function untilWhite(row: Word[], white: number): Word[] {
  return splitWhere(fromLeft(row), (open, word) => word.box.left - lastOf(open).box.right > white)[0] ?? [];
}

/** The header lines of an algorithm, its input and output, right above the first line. */
function headsAbove(first: Word, near: Word[], leading: number, rowAt: (baseline: number, from: number) => Word[]): Word[][] {
  const heads: Word[][] = [];
  for (let at = first.baseline; heads.length < mostHeads;) {
    const row = fromLeft(near.filter(({ baseline, size }) => baseline < at - 0.7 * leading && baseline > at - nextLine * leading && size > 0.85 * first.size));
    const [begin] = row;
    if (begin === undefined || !head.test(begin.text)) break;
    heads.unshift(rowAt(begin.baseline, begin.box.left));
    at = begin.baseline;
  }
  return heads;
}

function isAlgorithm(lines: Algorithm): boolean {
  const words = lines.flat();
  if (words.filter(({ font }) => font.monospace).length > 0.5 * words.length) return false;
  const texts = lines.map((words) => words.map(({ text }) => text).join(' '));
  return texts.filter((text) => sign.test(text)).length >= leastSigns * lines.length && texts.some((text) => sureSign.test(text)) && texts.filter((text) => sureSign.test(text) || openingLine.test(text)).length >= leastSure;
}
