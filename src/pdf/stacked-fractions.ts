/** Finds fractions by the places of their parts, in any font: a bar on the axis of a line with short text directly above and below it. */
import type { HorizontalExtent } from '../geometry/box.js';
import { horizontalExtent, horizontalOverlap } from '../geometry/box.js';
import type { Line, Ruling, Word } from './pdf-page.js';

export interface Fraction {
  bar: Ruling;
  /** With those of nested fractions, whose bars are `inner`. */
  over: Word[];
  under: Word[];
  inner: Ruling[];
  /** The word on the line's baseline beside the bar, or beside a fraction beside it. */
  beside: Word;
}

/** Limits of the work for one page; a page with more has charts or tables. */
const mostBars = 400;
const mostWords = 20_000;
const mostNear = 200;
/** The deepest nesting of fractions. */
const mostStoreys = 3;

// All in ems of the text beside the bar. Down is positive.
/** Distance of the line's baseline below the bar: TeX's axis is at 0.25. */
const axis = { from: 0.1, to: 0.45 };
/** White space between a bar and its neighbour, including the space around an operator. */
const reach = 1.2;
/** Baselines of the text above and below a bar, and the additional distance for a fraction there. */
const overBaseline = { from: -0.95, to: -0.02 };
const underBaseline = { from: 0.4, to: 1.4 };
const farthest = 3.5;
/** How far parts may extend beyond the bar, and the least distance of their rows from other text. */
const overhang = 0.3;
const rowGap = 0.6;
/** The wider part is about as wide as the bar; rulings of tables are wider. */
const leastCover = 0.6;
const mostThickness = 0.15;
/** The largest distance between the bars of nested fractions. */
const mostStacked = 1.8;
/** Relative to the larger size: smaller text is a script; then the largest distance from the text to which it belongs. */
const scriptSize = 0.86;
const touching = 0.3;
/** The largest difference of baselines in one row, on the line itself, in rows of one part, and in a part that begins with a root sign. */
const sameRow = 0.15;
const sameLine = 0.1;
const partRows = 0.2;
const rootRows = 0.6;
/** Longer bars are rulings. */
const longestBar = 30;
/** How far a bar extends into a word that it strikes out, and how much less of the bar a part may cover. */
const struckOut = 0.15;
const coverSlack = 0.2;
/** Points between rulings that meet. */
const touchingRules = 1;

const isBetween = (value: number, { from, to }: { from: number; to: number }): boolean => value >= from && value <= to;
/** Negative if they overlap, by the shared width. */
const gapBetween = (a: HorizontalExtent, b: HorizontalExtent): number => -horizontalOverlap(a, b);
const spanOf = (words: Word[]): HorizontalExtent => horizontalExtent(words.map(({ box }) => box));
const barSpan = ({ start, end }: Ruling): HorizontalExtent => ({ left: start, right: end });
/** The sign of a root may hang from above its line: its foot shows the line. */
const baselineOf = (word: Word): number => (word.text === '√' ? word.box.bottom : word.baseline);

/** White space between the word and a bar beside it, if the bar lies on the word's axis; otherwise Infinity. `span` is the bar with a root sign before it. */
function gapBeside(bar: Ruling, word: Word, span = barSpan(bar)): number {
  const gap = gapBetween(span, word.box);
  return isBetween((word.baseline - bar.position) / word.size, axis) && gap > -0.15 * word.size && gap < reach * word.size ? gap : Infinity;
}

/** Whether the bar lies on the axis of the word's line, directly before or behind the word. */
export function standsBeside(bar: Ruling, word: Word): boolean {
  return gapBeside(bar, word) < Infinity;
}

function besideOf(bar: Ruling, words: Word[]): Word | undefined {
  const sign = words.find((word) => word.text === '√' && Math.abs(bar.start - word.box.right) < 0.3 * word.size && word.box.top < bar.position && word.box.bottom > bar.position);
  const span = { left: sign?.box.left ?? bar.start, right: bar.end };
  let best: Word | undefined;
  for (const word of words) if (word !== sign && gapBeside(bar, word, span) < (best === undefined ? Infinity : gapBeside(bar, best, span))) best = word;
  return best;
}

/** White space between a word and a bar above or below it. */
function distance({ box }: Word, { position }: Ruling): number {
  return Math.max(box.top - position, position - box.bottom);
}

/** The search space for the parts of one bar. */
interface FractionSurroundings {
  bar: Ruling;
  beside: Word;
  /** Words around the bar, without those on its own line. */
  near: Word[];
  /** Words on its line. */
  line: Word[];
  /** Other bars at its height. */
  others: Ruling[];
  /** Fractions that are already known. */
  known: Fraction[];
}

/** Whether it is a small word that touches the bar, or a word of its line, rather than part of another row. */
function isScriptOfLine(word: Word, { bar, beside: { size }, line }: FractionSurroundings): boolean {
  return word.size < scriptSize * size && (Math.abs(gapBetween(barSpan(bar), word.box)) < touching * size || line.some((base) => Math.abs(gapBetween(base.box, word.box)) < touching * size));
}

function isScriptOf(word: Word, base: Word): boolean {
  return word.size < scriptSize * base.size && Math.abs(gapBetween(base.box, word.box)) < touching * base.size && Math.abs(word.baseline - base.baseline) < 0.6 * base.size;
}

/** The words of one side: within the bar's ends, in rows without other text; with fractions, all words of their row. */
function partOf(around: FractionSurroundings, baselines: { from: number; to: number }): Word[] {
  const { bar, beside: { size }, near, others, known } = around;
  const slack = overhang * size;
  const isInside = ({ box }: Word): boolean => box.left > bar.start - slack && box.right < bar.end + slack;
  const isAlone = (word: Word): boolean => !near.some((other) => Math.abs(other.baseline - word.baseline) < sameRow * size && !isInside(other) && gapBetween(other.box, word.box) < rowGap * size
    && !others.some((one) => gapBetween(barSpan(one), other.box) < 0) && !isScriptOfLine(other, around));
  const isOnSide = (word: Word): boolean => isInside(word) && (baselineOf(word) - bar.position) * baselines.to > 0;
  const isNested = (other: Fraction): boolean => isOnSide(other.beside) && isAlone(other.beside) && other.bar.start > bar.start - 1 && other.bar.end < bar.end + 1;
  // A word between the bars of two lines belongs to the nearer one.
  const foreign = new Set(known.filter((other) => !isNested(other)).flatMap((other) => [...other.over, ...other.under].filter((word) => distance(word, other.bar) < distance(word, bar))));
  const inside = near.filter((word) => isOnSide(word) && !foreign.has(word));
  const candidates = inside.filter((word) => isBetween((baselineOf(word) - bar.position) / size, baselines) && isAlone(word));
  // Only the nearest of several rows belongs to it; the others belong to lines above or below.
  const nearest = Math.min(...candidates.filter((word) => !candidates.some((base) => isScriptOf(word, base))).map((word) => Math.abs(baselineOf(word) - bar.position)));
  const part = new Set(candidates.filter((word) => Math.abs(baselineOf(word) - bar.position) - nearest < (word.text === '√' ? rootRows : partRows) * size));
  for (const { over, under, beside } of known.filter(isNested)) {
    if (![...over, ...under].some((word) => part.has(word)) || ![...over, ...under].every((word) => inside.includes(word))) continue;
    for (const word of inside) if (over.includes(word) || under.includes(word) || Math.abs(word.baseline - beside.baseline) < sameRow * size) part.add(word);
  }
  // Scripts that touch the found words.
  for (const word of inside) {
    if ([...part].some((base) => isScriptOf(word, base))) part.add(word);
  }
  return [...part];
}

function fractionAt(bar: Ruling, words: Word[], beside: Word, bars: Ruling[], known: Fraction[]): Fraction | null {
  const { size } = beside;
  const length = bar.end - bar.start;
  if (bar.thickness > mostThickness * size || length > longestBar * size) return null;
  const around = words.filter((word) => Math.abs(word.baseline - bar.position) < farthest * size && gapBetween(barSpan(bar), word.box) < size);
  if (around.length > mostNear) return null;
  const isOnLine = (word: Word): boolean => Math.abs(word.baseline - beside.baseline) <= sameLine * size;
  // A bar through text strikes it out.
  if (around.some((word) => isOnLine(word) && gapBetween(barSpan(bar), word.box) < -struckOut * size)) return null;
  const surroundings: FractionSurroundings = {
    bar, beside, near: around.filter((word) => !isOnLine(word)), line: around.filter(isOnLine), others: bars.filter((other) => other !== bar && Math.abs(other.position - bar.position) < sameLine * size),
    known: known.filter((other) => other.bar !== bar && Math.abs(other.bar.position - bar.position) < farthest * size && gapBetween(barSpan(other.bar), barSpan(bar)) < size),
  };
  const [over, under] = [partOf(surroundings, overBaseline), partOf(surroundings, underBaseline)];
  if (over.length === 0 || under.length === 0) return null;
  const width = Math.max(...[over, under].map((part) => spanOf(part).right - spanOf(part).left));
  return width < leastCover * length - coverSlack * size ? null : { bar, over, under, inner: [], beside };
}

/** Fractions that fill a part of another one: nothing stands beside them, but their bar lies in the other's strip. */
function stacked({ bar, over, under, beside }: Fraction, bars: Ruling[], words: Word[]): Fraction[] {
  return bars.flatMap((inner) => {
    const down = (inner.position - bar.position) / beside.size;
    if (inner === bar || besideOf(inner, words) !== undefined || inner.start < bar.start - 1 || inner.end > bar.end + 1 || Math.abs(down) > mostStacked) return [];
    const part = down < 0 ? over : under;
    const made = fractionAt(inner, words, beside, bars, []);
    // Its parts belong to the other's part: the nearer half is already known.
    return made === null || ![...made.over, ...made.under].some((word) => part.includes(word)) ? [] : [{ ...made, beside: part[0]! }];
  });
}

/** Makes a fraction inside a part of another one words of it. A fraction that shares words with an earlier one is dropped, because every word has one place. */
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

/** All fractions by their bars, from left to right, also nested ones; `known` are those of an earlier pass. */
function fractionsAt(bars: Ruling[], words: Word[], known: Fraction[]): Fraction[] {
  const found: Fraction[] = [];
  for (const bar of bars) {
    const near = words.filter(({ baseline, size, box }) => Math.abs(baseline - bar.position) < (farthest + 0.5) * size && gapBetween(barSpan(bar), box) < 2 * size);
    const last = found.at(-1);
    const chained = last !== undefined && Math.abs(last.bar.position - bar.position) < 0.1 * last.beside.size && bar.start - last.bar.end < reach * last.beside.size ? last.beside : undefined;
    const beside = besideOf(bar, near) ?? chained;
    const fraction = beside === undefined ? null : fractionAt(bar, near, beside, bars, known);
    if (fraction !== null) found.push(fraction);
  }
  return found;
}

/** The bar of a root begins at the upper end of its sign. */
function isBarOf({ box: { right, top, bottom }, size }: Word, { start, position }: Ruling): boolean {
  return Math.abs(right - start) < 0.3 * size + 1 && position > top - 0.3 * size && position < top + 0.35 * (bottom - top);
}

/** Whether a vertical ruling meets it, or crosses it: a side of a table's cells. */
function isOfGrid(bar: Ruling, walls: Ruling[]): boolean {
  return walls.some(({ position, start, end }) => position > bar.start - touchingRules && position < bar.end + touchingRules && start < bar.position + touchingRules && end > bar.position - touchingRules);
}

/** The fractions of a page's upright text, from left to right. */
export function fractionsOf(lines: Line[], rulings: Ruling[]): Fraction[] {
  const across = rulings.filter(({ orientation }) => orientation === 'horizontal');
  if (across.length === 0 || across.length > mostBars) return [];
  const words = lines.filter(({ angle }) => angle === 0).flatMap((line) => line.words);
  if (words.length > mostWords) return [];
  const signs = words.filter(({ text }) => text === '√');
  const walls = rulings.filter(({ orientation }) => orientation === 'vertical');
  const bars = across.filter((bar) => !signs.some((sign) => isBarOf(sign, bar)) && !isOfGrid(bar, walls)).sort((a, b) => a.start - b.start);
  let found: Fraction[] = [];
  // A part may be as high as a fraction in it: outer fractions are found once the inner ones are known.
  for (let storey = 0; storey < mostStoreys; storey++) {
    const next = fractionsAt(bars, words, found);
    const isSettled = storey > 0 && next.length === found.length;
    found = next;
    if (isSettled || found.length === 0) break;
  }
  const alone = bars.filter((bar) => !found.some((fraction) => fraction.bar === bar));
  return nested([...found, ...found.flatMap((fraction) => stacked(fraction, alone, words))]);
}
