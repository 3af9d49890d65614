/** Finds listings in which only some lines are numbered, such as every fifth one. The numbers are not part of the program. */
import { fromTop, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import { isRuled, mostNumbers, nearest, programSign } from './numbered-code.js';
import type { NumberedListing } from './numbered-code.js';

const fewestLines = 4;
const mostStep = 20;
/** Words of programs; a page with more is not text. */
const mostWords = 5000;
/** The distance of a number from the expected place of its line, as a share of the line distance. */
const uneven = 0.06;
/** The share of lines with symbols of program text. */
const leastSigns = 0.2;
/** The largest distance between lines of one program, in line distances. */
const emptyLines = 2.3;

/** The page's listings with at least two numbers, each at the height that follows from its value. */
export function steppedListings(page: PageContent): NumberedListing[] {
  const words = page.words.filter(({ angle }) => angle === 0);
  const program = words.filter(({ font }) => font.monospace);
  const numbers = words.filter(({ text, glued }) => /^\d{1,4}$/.test(text) && !glued);
  if (program.length < fewestLines || program.length > mostWords || numbers.length < 2 || numbers.length > mostNumbers) return [];
  const byEdge = new Map<string, Word[]>();
  for (const number of numbers) {
    const key = `${Math.round(number.box.right)} ${number.font.name} ${number.size.toFixed(1)}`;
    byEdge.set(key, [...byEdge.get(key) ?? [], number]);
  }
  return [...byEdge.values()].filter(({ length }) => length > 1).flatMap((column) => listingsBeside(fromTop(column), program, page));
}

function listingsBeside(column: Word[], program: Word[], page: PageContent): NumberedListing[] {
  const [{ box: { right } }] = column as [Word];
  const beside = program.filter(({ box, size }) => box.left > right && box.left < right + nearest * size);
  const edge = Math.min(...beside.map(({ box }) => box.left));
  const code = fromTop(program.filter(({ box }) => box.left > edge - 1 && box.left > right));
  const listings: NumberedListing[] = [];
  for (let at = 0; at < column.length;) {
    const { numbers, leading } = countFrom(at, column, code);
    at += numbers.length;
    const lines = numbers.length < 2 ? [] : around(numbers, code, leading);
    if (isProgram(lines, numbers[0]!) && !isRuled(numbers, edge, page.rulings)) listings.push({ numbers, code: lines.flat() });
  }
  return listings;
}

/** The numbers from `at` on that agree with the lines beside them: the number of lines between two equals the difference of their values. */
function countFrom(at: number, column: Word[], code: Word[]): { numbers: Word[]; leading: number } {
  const numbers = [column[at]!];
  let leading = NaN;
  for (const number of column.slice(at + 1)) {
    const last = numbers.at(-1)!;
    const step = Number(number.text) - Number(last.text);
    if (step < 2 || step > mostStep) break;
    const between = (number.baseline - last.baseline) / step;
    const rows = rowsByBaseline(code.filter(({ baseline }) => baseline > last.baseline - 1 && baseline < number.baseline + 1), baselineTolerances.line);
    const distances = rows.slice(1).map(([word], index) => word!.baseline - rows[index]![0]!.baseline);
    const own = Math.min(...distances);
    if (rows.length < 0.5 * step || Math.abs(between - own) > uneven * own) break;
    leading = own;
    numbers.push(number);
  }
  return { numbers, leading };
}

/** The program's rows between the numbers, and those that continue above and below them. */
function around(numbers: Word[], code: Word[], leading: number): Word[][] {
  const rows = rowsByBaseline(code, baselineTolerances.line);
  const baselineOf = (row: Word[] | undefined, fallback: number): number => row?.[0]!.baseline ?? fallback;
  let first = rows.findIndex((row) => baselineOf(row, 0) > numbers[0]!.baseline - 1);
  let last = rows.findLastIndex((row) => baselineOf(row, 0) < numbers.at(-1)!.baseline + 1);
  while (first > 0 && baselineOf(rows[first], 0) - baselineOf(rows[first - 1], 0) < emptyLines * leading) first--;
  while (last + 1 < rows.length && baselineOf(rows[last + 1], 0) - baselineOf(rows[last], 0) < emptyLines * leading) last++;
  return rows.slice(first, last + 1);
}

/** Whether enough of the lines resemble program text, and the numbers are no larger than the program. */
function isProgram(lines: Word[][], number: Word): boolean {
  const signs = lines.filter((line) => programSign.test(line.map(({ text }) => text).join(' '))).length;
  return lines.length >= fewestLines && signs >= leastSigns * lines.length && number.size <= 1.1 * lines[0]![0]!.size;
}
