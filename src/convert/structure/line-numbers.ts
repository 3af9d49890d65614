/** Finds the numbers of every fifth or tenth line in the gutter between two columns of running text, as in patents. They are not part of the text. */
import { fromTop } from '../page/group-by-baseline.js';
import { middleX } from '../../geometry/box.js';
import type { TextLine } from '../page/text-line.js';
import type { PageLines } from './style.js';

/** The fewest numbers, each one step larger than the one above, and the largest unevenness of their distances, as a share of the mean distance. */
const fewest = 4;
/** A page with more numbers does not count lines. */
const most = 300;
const steps = [5, 10];
const uneven = 0.25;
/** In ems: the largest distance of their middles. */
const oneColumn = 0.6;
/** The fewest letters of a line of running text, and the fewest such lines on either side. */
const lettersOfText = 25;
const fewestBeside = 8;

/** The line numbers of all pages. */
export function findLineNumbers(pages: PageLines[]): TextLine[] {
  return pages.flatMap(({ outside }) => {
    const numbers = outside.filter(({ text, angle }) => angle === 0 && /^\d{1,3}$/.test(text));
    if (numbers.length < fewest || numbers.length > most) return [];
    return countsIn(numbers).filter((count) => areBetweenColumns(count, outside)).flat();
  });
}

const middleOf = ({ box }: TextLine): number => middleX(box);

/** Runs of numbers below one another. The first number is one step, or a multiple of it. */
function countsIn(numbers: TextLine[]): TextLine[][] {
  const counts: TextLine[][] = [];
  for (const number of fromTop(numbers)) {
    const value = Number(number.text);
    const count = counts.find((open) => {
      const last = open.at(-1)!;
      return Math.abs(middleOf(last) - middleOf(number)) < oneColumn * number.size && steps.includes(value - Number(last.text)) && (open.length < 2 || value - Number(last.text) === Number(open[1]!.text) - Number(open[0]!.text));
    });
    if (count === undefined) {
      if (value % 5 === 0) counts.push([number]);
    } else count.push(number);
  }
  return counts.filter((count) => count.length >= fewest && areEven(count));
}

function areEven(count: TextLine[]): boolean {
  const distances = count.slice(1).map(({ baseline }, index) => baseline - count[index]!.baseline);
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
  return distances.every((distance) => Math.abs(distance - mean) < uneven * mean);
}

/** Whether no other text stands in their strip over its height, and text stands on both sides of it. */
function areBetweenColumns(count: TextLine[], lines: TextLine[]): boolean {
  const [left, right] = [Math.min(...count.map(({ box }) => box.left)), Math.max(...count.map(({ box }) => box.right))];
  const [top, bottom] = [count[0]!.box.top, count.at(-1)!.box.bottom];
  const own = new Set(count);
  const level = lines.filter(({ box, angle }) => angle === 0 && box.bottom > top && box.top < bottom);
  if (level.some((line) => !own.has(line) && line.box.left < right && line.box.right > left)) return false;
  const isText = ({ text }: TextLine): boolean => text.length >= lettersOfText;
  return level.filter((line) => isText(line) && line.box.right <= left).length >= fewestBeside && level.filter((line) => isText(line) && line.box.left >= right).length >= fewestBeside;
}
