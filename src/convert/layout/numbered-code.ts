/** Finds listings whose lines are numbered at their left. The numbers are not part of the program, and a program contains no table. */
import { fromLeft, fromTop } from '../page/group-by-baseline.js';
import type { PageContent, Ruling, Word } from '../../pdf/pdf-page.js';

export interface NumberedListing {
  numbers: Word[];
  /** Its words in a monospace font. */
  code: Word[];
}

/** Characters that hardly any text but a program contains. */
export const programSign = /[{}();=<>$#|[\]\\]|^(?:import|from|def|class|return|else|end|SELECT|INSERT|WHERE)\b/;

/** The least numbered lines, and the share of them with characters of programs. If the numbers are set like the program, they may be the first column of a table: then more lines are needed, with characters that prices and remarks lack. */
const aside = { lines: 3, signs: 0.2, sign: programSign };
const alike = { lines: 5, signs: 0.5, sign: /[{};<>\\]|==|:=|[-=]>|\(\)|^(?:import|from|def|class|return|else|end|SELECT|INSERT|WHERE)\b/ };
/** The largest distance between a number and the left edge of the program, in ems. */
export const nearest = 5;
/** The largest distance from one number to the next, in sizes of the larger of a number and usual text: a long line may be broken into several. */
const farthest = 5;
/** A page with more numbers is not text. */
export const mostNumbers = 2000;

interface NumberedLine {
  number: Word;
  /** The words behind it on its baseline, from the left. */
  words: Word[];
}

/** The page's numbered listings, whatever else stands beside them. */
export function numberedListings(page: PageContent): NumberedListing[] {
  const words = page.words.filter(({ angle }) => angle === 0);
  if (words.filter(({ font }) => font.monospace).length < aside.lines) return [];
  return countsIn(words).flatMap((numbers) => listingBeside(numbers, words, page.rulings));
}

/** Columns of numbers, each one greater than the number above and set alike. */
function countsIn(words: Word[]): Word[][] {
  const counts: Word[][] = [];
  const awaiting = new Map<number, Word[][]>();
  const numbers = fromTop(words.filter(({ text, glued }) => /^\d{1,5}$/.test(text) && !glued));
  for (const number of numbers.length > mostNumbers ? [] : numbers) {
    const value = Number(number.text);
    const count = awaiting.get(value)?.find((open) => goesOn(open.at(-1)!, number)) ?? [];
    if (count.length === 0) counts.push(count);
    else awaiting.set(value, awaiting.get(value)!.filter((open) => open !== count));
    count.push(number);
    awaiting.set(value + 1, [...awaiting.get(value + 1) ?? [], count]);
  }
  return counts.filter(({ length }) => length >= aside.lines);
}

function goesOn(above: Word, below: Word): boolean {
  if (below.font.name !== above.font.name || below.color !== above.color || Math.abs(below.size - above.size) > 0.1) return false;
  const distance = below.baseline - above.baseline;
  if (distance < 0.5 * above.size || distance > farthest * Math.max(10, above.size)) return false;
  return Math.abs(below.box.right - above.box.right) < 1.5 || Math.abs(below.box.left - above.box.left) < 1;
}

function listingBeside(numbers: Word[], words: Word[], rulings: Ruling[]): NumberedListing[] {
  const lines = numbers.map((number): NumberedLine => ({
    number,
    words: fromLeft(words.filter((word) => Math.abs(word.baseline - number.baseline) < 0.2 * Math.min(word.size, 2 * number.size) && word.box.left >= number.box.right)),
  }));
  const written = lines.filter((line) => line.words[0]?.font.monospace === true);
  const firsts = written.map((line) => line.words[0]!);
  const edge = Math.min(...firsts.map(({ box }) => box.left));
  const numbersEnd = Math.max(...numbers.map(({ box }) => box.right));
  const filled = lines.filter((line) => line.words.length > 0);
  if (written.length < aside.lines || written.length < 0.7 * filled.length || edge <= numbersEnd || edge > numbersEnd + nearest * firsts[0]!.size) return [];
  if (!isProgram(written, numbers.length) || isRuled(numbers, edge, rulings)) return [];
  const right = written.reduce((most, line) => programOf(line).reduce((end, { box }) => Math.max(end, box.right), most), -Infinity);
  const [top, bottom] = [numbers[0]!.baseline - 1, numbers.at(-1)!.baseline + 1];
  const code = words.filter(({ font, box, baseline }) => font.monospace && box.left > edge - 1 && box.left < right && baseline > top && baseline < bottom);
  return [{ numbers, code }];
}

/** The line's words up to the first one in another kind of font. */
function programOf({ words }: NumberedLine): Word[] {
  const end = words.findIndex(({ font }) => !font.monospace);
  return end < 0 ? words : words.slice(0, end);
}

function isProgram(written: NumberedLine[], count: number): boolean {
  const [{ number, words }] = written as [NumberedLine];
  const { size } = words[0]!;
  if (number.size > 1.1 * size) return false;
  // Cells of a table contain other text as well.
  if (written.filter((line) => programOf(line).length < line.words.length).length > 0.5 * written.length) return false;
  const isAside = number.size < 0.85 * size || written.every((line) => line.words[0]!.color !== number.color);
  const least = isAside ? aside : alike;
  const signs = written.filter((line) => least.sign.test(programOf(line).map(({ text }) => text).join(' '))).length;
  return count >= least.lines && signs >= least.signs * written.length;
}

/** Whether rulings run between the rows: they do in tables, not in programs. */
export function isRuled(numbers: Word[], edge: number, rulings: Ruling[]): boolean {
  const across = rulings.filter(({ orientation, start, end }) => orientation === 'horizontal' && start < numbers[0]!.box.right && end > edge);
  const ruled = numbers.slice(1).filter((number, index) => across.some(({ position }) => position > numbers[index]!.baseline && position < number.baseline));
  return ruled.length > 0.5 * (numbers.length - 1);
}
