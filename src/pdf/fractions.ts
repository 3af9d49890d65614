/** Fractions by where their parts stand, whatever their fonts: a bar on the axis of a line, something short right above it and right below it. */
import type { Line, Ruling, Word } from './page.js';

export interface Fraction {
  bar: Ruling;
  /** With those of fractions in it, whose bars are `inner`. */
  over: Word[];
  under: Word[];
  inner: Ruling[];
  /** The word on the line's baseline beside the bar, or beside a fraction that stands beside it. */
  beside: Word;
}

/** Bounds of the effort on one page; a page with more has charts or tables. */
const mostBars = 400;
const mostWords = 20_000;

// All in parts of the size of the text beside the bar. Down is positive.
/** How far below a bar the baseline of its line lies: TeX's axis is at 0.25. */
const axis = { from: 0.1, to: 0.45 };
/** White between a bar and what stands beside it, with the space around an operator. */
const reach = 1.2;
/** Baselines of what stands above and below a bar. */
const overBaseline = { from: -0.95, to: -0.02 };
const underBaseline = { from: 0.4, to: 1.4 };
/** Parts stand no further beyond the bar, and their rows not so near to anything else. */
const overhang = 0.3;
const rowGap = 0.6;
/** The wider part is about as wide as the bar; a rule of a table is wider. */
const leastCover = 0.6;
const mostThickness = 0.15;
/** Bars of fractions over each other are no further apart. */
const mostStacked = 1.8;
/** Of the larger size: smaller text is a script. */
const scriptSize = 0.86;

interface Span {
  left: number;
  right: number;
}

const isBetween = (value: number, { from, to }: { from: number; to: number }): boolean => value >= from && value <= to;
const gapBetween = (a: Span, b: Span): number => Math.max(a.left, b.left) - Math.min(a.right, b.right);
const spanOf = (words: Word[]): Span => ({ left: Math.min(...words.map(({ box }) => box.left)), right: Math.max(...words.map(({ box }) => box.right)) });
const barSpan = ({ start, end }: Ruling): Span => ({ left: start, right: end });

/** White between the word and a bar that it stands beside, on whose axis the bar lies; Infinity where it does not. */
function gapBeside(bar: Ruling, word: Word): number {
  const gap = gapBetween(barSpan(bar), word.box);
  return isBetween((word.baseline - bar.position) / word.size, axis) && gap > -0.15 * word.size && gap < reach * word.size ? gap : Infinity;
}

/** The bar lies on the axis of the word's line, right before the word or behind it. */
export function standsBeside(bar: Ruling, word: Word): boolean {
  return gapBeside(bar, word) < Infinity;
}

function besideOf(bar: Ruling, words: Word[]): Word | undefined {
  let best: Word | undefined;
  for (const word of words) if (gapBeside(bar, word) < (best === undefined ? Infinity : gapBeside(bar, best))) best = word;
  return best;
}

/** The words of one side: within the bar's ends, in rows with nothing else in them. */
function partOf(bar: Ruling, near: Word[], size: number, baselines: { from: number; to: number }, others: Ruling[]): Word[] {
  const slack = overhang * size;
  const isInside = ({ box }: Word): boolean => box.left > bar.start - slack && box.right < bar.end + slack;
  const main = near.filter((word) => isBetween((word.baseline - bar.position) / size, baselines) && gapBetween(barSpan(bar), word.box) < 0);
  const isAlone = (word: Word): boolean => !near.some((other) => Math.abs(other.baseline - word.baseline) < 0.15 * size && !isInside(other) && gapBetween(other.box, word.box) < rowGap * size
    && !others.some((one) => gapBetween(barSpan(one), other.box) < 0));
  const part = main.filter((word) => isInside(word) && isAlone(word));
  // Scripts of what was found touch it.
  for (const word of near) {
    if (part.includes(word) || !isInside(word) || (word.baseline - bar.position) * baselines.to < 0) continue;
    if (part.some((base) => word.size < scriptSize * base.size && Math.abs(gapBetween(base.box, word.box)) < 0.3 * base.size && Math.abs(word.baseline - base.baseline) < 0.6 * base.size)) part.push(word);
  }
  return part;
}

function fractionAt(bar: Ruling, words: Word[], beside: Word, bars: Ruling[]): Fraction | null {
  const { size } = beside;
  if (bar.thickness > mostThickness * size || bar.end - bar.start > 30 * size) return null;
  const others = bars.filter((other) => other !== bar && Math.abs(other.position - bar.position) < 0.1 * size);
  const near = words.filter((word) => Math.abs(word.baseline - bar.position) < 2 * size && Math.abs(word.baseline - beside.baseline) > 0.1 * size && gapBetween(barSpan(bar), word.box) < size);
  const over = partOf(bar, near, size, overBaseline, others);
  const under = partOf(bar, near, size, underBaseline, others);
  if (over.length === 0 || under.length === 0) return null;
  const width = Math.max(...[over, under].map((part) => spanOf(part).right - spanOf(part).left));
  return width < leastCover * (bar.end - bar.start) - 0.2 * size ? null : { bar, over, under, inner: [], beside };
}

/** Fractions that are the whole of a part of another one: nothing stands beside them, but their bar lies in the other's strip. */
function stacked({ bar, over, under, beside }: Fraction, bars: Ruling[], words: Word[]): Fraction[] {
  return bars.flatMap((inner) => {
    const down = (inner.position - bar.position) / beside.size;
    if (inner === bar || inner.start < bar.start - 1 || inner.end > bar.end + 1 || Math.abs(down) > mostStacked) return [];
    const part = down < 0 ? over : under;
    const made = fractionAt(inner, words, beside, bars);
    // What it is made of is of the other's part: its nearer half was found already.
    return made === null || ![...made.over, ...made.under].some((word) => part.includes(word)) ? [] : [{ ...made, beside: part[0]! }];
  });
}

/** A fraction that stands in a part of another one becomes words of it. What still shares words with one before it is none: every word has one place. */
function nested(found: Fraction[]): Fraction[] {
  const outermost: Fraction[] = [];
  const widest = [...found].sort((a, b) => b.bar.end - b.bar.start - (a.bar.end - a.bar.start));
  const homes = new Map<Word, Fraction>();
  for (const fraction of widest) {
    const { bar, over, under, beside } = fraction;
    const home = homes.get(beside);
    const words = [...over, ...under].filter((word) => home === undefined || homes.get(word) !== home);
    if (words.some((word) => homes.has(word))) continue;
    if (home === undefined) outermost.push(fraction);
    else {
      (beside.baseline < home.bar.position ? home.over : home.under).push(...words);
      home.inner.push(bar);
    }
    for (const word of words) homes.set(word, home ?? fraction);
  }
  return outermost.filter(({ beside }) => !homes.has(beside)).sort((a, b) => a.bar.start - b.bar.start);
}

/** The fractions of a page's upright text, from left to right. */
export function fractionsOf(lines: Line[], rulings: Ruling[]): Fraction[] {
  const bars = rulings.filter(({ orientation }) => orientation === 'horizontal').sort((a, b) => a.start - b.start);
  if (bars.length === 0 || bars.length > mostBars) return [];
  const words = lines.filter(({ angle }) => angle === 0).flatMap((line) => line.words);
  if (words.length > mostWords) return [];
  const found: Fraction[] = [];
  for (const bar of bars) {
    const near = words.filter(({ baseline, size, box }) => Math.abs(baseline - bar.position) < 2.5 * size && gapBetween(barSpan(bar), box) < 2 * size);
    const last = found.at(-1);
    const chained = last !== undefined && Math.abs(last.bar.position - bar.position) < 0.1 * last.beside.size && bar.start - last.bar.end < reach * last.beside.size ? last.beside : undefined;
    const beside = besideOf(bar, near) ?? chained;
    const fraction = beside === undefined ? null : fractionAt(bar, near, beside, bars);
    if (fraction !== null) found.push(fraction);
  }
  const alone = bars.filter((bar) => !found.some((fraction) => fraction.bar === bar));
  return nested([...found, ...found.flatMap((fraction) => stacked(fraction, alone, words))]);
}
