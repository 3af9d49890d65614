/** Moves symbols that hang from above their line, as TeX sets roots and large brackets, back into their line, and puts the content of roots in brackets. */
import { fromLeft } from '../page/group-by-baseline.js';
import { middleX } from '../../geometry/box.js';
import type { Line, Ruling, Word } from '../../pdf/pdf-page.js';
import { isLargeBracket, partedAtRoots, startsAt } from './tree.js';
import type { Bar } from './tree.js';

/** Under a root a number or a letter needs no brackets. */
const needsNone = /^(?:\d+|\p{L}|\(.*\))$/u;
/** A page with more of them is not text. */
const mostSigns = 300;

function isHanging(line: Line): boolean {
  const [word] = line.words;
  return line.words.length === 1 && word !== undefined && line.angle === 0 && (word.text === '√' || isLargeBracket(word));
}

/** The line around or beside the symbol whose letters stand at the symbol's height. A line that continues where the symbol ends precedes one that ends where it begins. */
function hostOf(sign: Word, lines: Line[]): Line | undefined {
  const away = ({ box }: Line): number => Math.max(0, box.left - sign.box.right, sign.box.right - box.right);
  const hosts = lines.filter((line) => line.angle === 0 && line.words.length > 1 && sign.box.right > line.box.left - 0.8 * line.size && sign.box.left < line.box.right + 0.8 * line.size
    && sign.box.top < line.baseline - 0.1 * line.size && sign.box.bottom > line.baseline - 0.6 * line.size && sign.box.top > line.baseline - 2.2 * line.size);
  return hosts.length === 0 ? undefined : hosts.reduce((best, line) => (away(line) < away(best) ? line : best));
}

/** Inserts the symbol into the words. */
function insert(words: Word[], sign: Word, host: Line): Word[] {
  const at = words.findIndex((word) => word.box.left > sign.box.left - 0.1 * host.size);
  const index = at < 0 ? words.length : at;
  const before = words[index - 1];
  const placed = { ...sign, baseline: host.baseline, size: host.size, glued: before !== undefined && sign.box.left - before.box.right < 0.12 * host.size };
  const result = words.map((word, place) => (place === index ? { ...word, glued: word.box.left - sign.box.right < 0.12 * host.size } : word));
  result.splice(index, 0, placed);
  return result;
}

/** Puts brackets around the content of a root that is more than a number or a letter. */
function withRootBrackets(line: Line, rulings: Ruling[]): Line {
  if (!line.words.some(({ text }) => text.endsWith('√'))) return line;
  const bars = rulings.filter(({ orientation, position }) => orientation === 'horizontal' && position < line.baseline - 0.4 * line.size && position > line.baseline - 2.5 * line.size)
    .map(({ position, start, end }): Bar => ({ y: position, left: start, right: end }));
  const words = partedAtRoots(line.words, bars);
  for (const sign of words.filter(({ text }) => text.endsWith('√'))) {
    const bar = bars.find((one) => startsAt(sign, one));
    const covered = bar === undefined ? [] : words.filter(({ box }) => middleX(box) > bar.left && middleX(box) < bar.right);
    const [first, last] = [covered[0], covered.at(-1)];
    if (first === undefined || last === undefined) continue;
    const brackets = first !== last || !needsNone.test(first.text);
    words[words.indexOf(first)] = { ...first, glued: true, ...(brackets && { text: `(${first.text}` }) };
    if (!brackets) continue;
    const at = first === last ? words.findIndex(({ order, box }) => order === first.order && box.left === first.box.left) : words.indexOf(last);
    words[at] = { ...words[at]!, text: `${words[at]!.text})` };
  }
  return { ...line, words };
}

/** Inserts hanging symbols into their lines and adds brackets under roots; symbols without a line stay. */
export function withHangingSigns(lines: Line[], rulings: Ruling[]): Line[] {
  const signs = lines.filter(isHanging);
  if (signs.length > mostSigns) return lines;
  const others = lines.filter((line) => !signs.includes(line));
  const taken = new Map<Line, Word[]>();
  const left: Line[] = [];
  for (const line of fromLeft(signs)) {
    const sign = line.words[0]!;
    const host = hostOf(sign, others);
    if (host === undefined) {
      left.push(line);
      continue;
    }
    taken.set(host, insert(taken.get(host) ?? host.words, sign, host));
  }
  return [...others.map((line) => withRootBrackets(taken.has(line) ? { ...line, words: taken.get(line)! } : line, rulings)), ...left];
}
