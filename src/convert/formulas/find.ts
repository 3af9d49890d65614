/** Finds display formulas: groups of lines of mathematical symbols with white space around them, and their numbers in the margin. */
import { fromLeft, fromTopEdge } from '../page/group-by-baseline.js';
import { heightOf, horizontalOverlap, middleX, middleY, unionBox, verticalGap, verticalOverlap } from '../../geometry/box.js';
import { median } from '../../geometry/statistics.js';
import { fractionsOf } from '../../pdf/index.js';
import type { Box, Line, PageContent, Ruling, Word } from '../../pdf/pdf-page.js';
import { isMathWord } from '../page/script-characters.js';
import { isSure } from './sure.js';
import { formulaTree } from './tree.js';
import type { Bar } from './tree.js';
import { formulaLatex, formulaText } from './write.js';

export interface FoundFormula {
  words: Word[];
  box: Box;
  baseline: number;
  size: number;
  /** The formula as a readable line, with the number of the equation. */
  text: string;
  latex: string;
  /** Whether the LaTeX may stand for the formula; otherwise its signs in their order do. */
  sure: boolean;
}

/** Limits of the work for one page. */
const mostLines = 2000;
const mostFormulas = 200;
/** In ems: the largest white space between two lines of one formula, down and across. */
const reach = { down: 0.22, across: 2.6 };
/** In ems: white space down between lines of mathematics; formulas that stand apart have a line's height. */
const mathReach = 0.5;
/** In ems: white space wider than any in a line of text. Then the number of lines with one left edge that form a column. */
const gutter = 1.2;
const leastColumn = 4;
const equationNumber = /^\(\s*(?:[A-Z]\.?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?\s*\)$/;
const relation = /[=≠≡≈≃≅∼∝<>≤≥≪≫⊂⊆⊃∈→⇒⇔↦:≔]/u;
const functionName = /^(?:sin|cos|tan|cot|exp|log|lim|max|min|sup|inf|det|sinh|cosh|tanh|grad|rot|div|Var|Cov|mod)$/;
const largeSign = /[∑∏∫√∂∇⋃⋂]/u;

interface Group {
  lines: Line[];
  box: Box;
}

/** Words of a language in a text font. Names of functions and a `where` or `if` do not make a line prose. */
function isProse(line: Line): boolean {
  const words = line.words.filter((word) => !isMathWord(word) && /^[\p{L}’'-]{3,}[.,;:]?$/u.test(word.text));
  const letters = words.reduce((sum, word) => sum + word.text.length, 0);
  const all = line.words.reduce((sum, word) => sum + word.text.length, 0);
  return words.length >= 4 || words.length === 3 && letters > 0.33 * all || words.length === 2 && letters > 0.5 * all || words.length === 1 && letters > 0.75 * all && letters > 6;
}

/** Smaller symbols directly below or above a large operator: its limits, possibly words. */
function isLimit(line: Line, lines: Line[]): boolean {
  return line.words.some(isMathWord) && lines.some((other) => isLimitOf(line, other));
}

function isLimitOf(line: Line, other: Line): boolean {
  const middle = middleX(line.box);
  return other !== line && other.words.some(({ text, size, box }) => largeSign.test(text) && line.size < 0.86 * size
    && middle > box.left - size && middle < box.right + size && verticalGap(line.box, box) < 0.5 * size && (line.baseline > box.bottom || line.baseline < box.top));
}

const isMathLine = (line: Line): boolean => !isProse(line) && line.words.some(isMathWord);

/** Groups lines that touch, or nearly so, and those of one fraction, however far its parts are from its bar. */
function groupsOf(lines: Line[], rulings: Ruling[]): Group[] {
  const groups: Group[] = [];
  const owners = new Map(lines.flatMap((line) => line.words.map((word) => [word, line] as const)));
  const tied = new Map<Line, Set<Line>>();
  for (const { over, under, beside } of fractionsOf(lines, rulings)) {
    const own = new Set([...over, ...under, beside].map((word) => owners.get(word)!));
    for (const line of own) tied.set(line, new Set([...(tied.get(line) ?? []), ...own]));
  }
  for (const line of fromTopEdge(lines)) {
    const touching = groups.filter((group) => group.lines.some((other) => tied.get(line)?.has(other) || isLimitOf(line, other) || isLimitOf(other, line) || -verticalOverlap(other.box, line.box) < (isMathLine(line) && isMathLine(other) ? mathReach : reach.down) * Math.max(other.size, line.size)
      && -horizontalOverlap(other.box, line.box) < reach.across * Math.max(other.size, line.size)));
    const joined: Group = { lines: [line, ...touching.flatMap((group) => group.lines)], box: unionBox([line.box, ...touching.map((group) => group.box)]) };
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(joined);
  }
  return groups;
}

/** In ems: white space between the rows of a system of equations; separate formulas have more. */
const rowGap = 0.8;

/** Where its first relation stands; NaN without one. */
function relationAt({ lines }: Group): number {
  const words = fromLeft(lines.flatMap((line) => line.words.filter((word) => word.size > 0.88 * line.size)));
  const found = words.find((word) => /^[=≠≡≈≃≅∼<>≤≥⊂⊆∈→⇒⇔]/u.test(word.text));
  return found === undefined ? NaN : found.box.left;
}

/** Joins groups that are rows of one system, their relations one below the other, and the rows beside a tall brace. Rows with numbers of their own (`numbers`) are formulas of their own. */
function joinedRows(groups: Group[], lines: Line[], numbers: Line[]): Group[] {
  const result: Group[] = [];
  for (const group of [...groups].sort((a, b) => a.box.top - b.box.top)) {
    const size = Math.max(...group.lines.map((line) => line.size));
    const above = result.find((other) => {
      const gap = group.box.top - other.box.bottom;
      const aligned = Math.abs(relationAt(other) - relationAt(group)) < 0.12 * size && group.lines.some((line) => line.words.some(isMathWord));
      const counted = numbers.filter(({ baseline }) => baseline > other.box.top && baseline < group.box.bottom + 0.3 * size).length;
      return aligned && counted < 2 && gap > -0.4 * size && gap < rowGap * size && horizontalOverlap(other.box, group.box) > 0;
    });
    if (above === undefined) result.push({ ...group });
    else Object.assign(above, { lines: [...above.lines, ...group.lines], box: unionBox([above.box, group.box]) });
  }
  return joinedAtBraces(result, lines);
}

/** A brace, of one piece or several, that is as tall as two lines. */
function bracesOf(lines: Line[]): Box[] {
  const pieces = lines.flatMap((line) => line.words.filter((word) => /^[{⎧⎨⎩⎪]$/u.test(word.text))).sort((a, b) => a.box.top - b.box.top);
  const braces: { box: Box; size: number }[] = [];
  for (const { box, size } of pieces) {
    const last = braces.find((one) => Math.abs(one.box.left - box.left) < 0.4 * size && box.top - one.box.bottom < 0.2 * size);
    if (last === undefined) braces.push({ box, size });
    else last.box = unionBox([last.box, box]);
  }
  return braces.filter(({ box, size }) => heightOf(box) > 1.9 * size).map(({ box }) => box);
}

/** What stands behind a tall brace, or touches it, is one formula, words among it, too. */
function joinedAtBraces(groups: Group[], lines: Line[]): Group[] {
  let result = groups;
  for (const brace of bracesOf(lines)) {
    const beside = (box: Box): boolean => middleY(box) > brace.top && middleY(box) < brace.bottom;
    const [first, ...others] = result.filter((group) => group.lines.some((line) => beside(line.box) || line.words.some((word) => beside(word.box) && word.box.left >= brace.left)));
    const behind = lines.filter((line) => beside(line.box) && line.box.left > brace.left - 1 && !result.some((group) => group.lines.includes(line)) && !equationNumber.test(line.words.map((word) => word.text).join('')));
    if (first === undefined) continue;
    const all = [...first.lines, ...others.flatMap((group) => group.lines), ...behind];
    const joined: Group = { lines: all, box: unionBox(all.map((line) => line.box)) };
    result = result.flatMap((group) => (group === first ? [joined] : others.includes(group) ? [] : [group]));
  }
  return result;
}

/** Bars among the group's lines: short strokes outside tables. */
function barsOf(group: Group, rulings: Ruling[]): Bar[] {
  const { box } = group;
  const past = Math.max(6, 0.9 * Math.max(...group.lines.map((line) => line.size)));
  return rulings.filter(({ orientation, position, start, end }) => orientation === 'horizontal' && start > box.left - past && end < box.right + past && position > box.top - 6 && position < box.bottom + 6)
    .map(({ position, start, end }) => ({ y: position, left: start, right: end }));
}

/** Whether other text stands beside the group at its height. Beyond white space as wide as a gutter there may be a column of text. */
function hasNeighbour(group: Group, lines: Line[]): boolean {
  const size = Math.max(...group.lines.map((line) => line.size));
  const { box } = group;
  const isInColumn = (line: Line): boolean => lines.filter((other) => Math.abs(other.box.left - line.box.left) < 1.5 && isProse(other)).length >= leastColumn;
  return lines.some((line) => {
    if (group.lines.includes(line) || line.box.bottom <= box.top + 0.3 * size || line.box.top >= box.bottom - 0.3 * size) return false;
    const gap = -horizontalOverlap(line.box, box);
    return gap < gutter * size || gap < 3.5 * size && !isInColumn(line);
  });
}

/** Whether it is mostly mathematics: symbols in mathematical fonts, and a relation, a bar or a large operator. */
function isFormula(group: Group, bars: Bar[]): boolean {
  const words = group.lines.flatMap((line) => line.words);
  const text = words.map((word) => word.text).join('');
  const mathematical = words.filter(isMathWord).reduce((sum, word) => sum + word.text.length, 0);
  const size = Math.max(...group.lines.map((line) => line.size));
  if (words.length < 3 || text.length > 600 || heightOf(group.box) > 14 * size) return false;
  if (!(relation.test(text) || largeSign.test(text) || bars.length > 0)) return false;
  // Numbers and words in text fonts among the symbols (`Var`) do not count.
  const foreign = words.filter((word) => !isMathWord(word) && /\p{L}{3}/u.test(word.text)).reduce((sum, word) => sum + word.text.length, 0);
  const [first] = fromLeft(words);
  if (first !== undefined && !isMathWord(first) && /^\p{Ll}{5,}$/u.test(first.text)) return false;
  return mathematical >= 2 && mathematical >= 0.12 * text.length && foreign <= Math.max(12, 0.5 * text.length);
}

/** A formula in text fonts: short names around a relation, with a script, a bar of a fraction or a number in the margin, indented from the text. */
function isFormulaInTextFaces(group: Group, bars: Bar[], number: Line | null, edge: number): boolean {
  const words = group.lines.flatMap((line) => line.words);
  const text = words.map((word) => word.text).join('');
  const size = Math.max(...group.lines.map((line) => line.size));
  if (words.length < 3 || text.length > 200 || heightOf(group.box) > 6 * size || group.box.left < edge + 1.2 * size) return false;
  if (!/[=≠≡≈≃≅∼∝<>≤≥≪≫∈→⇒⇔]/u.test(text)) return false;
  if (words.some((word) => word.font.monospace || word.link >= 0 || /\p{L}{4}|["“”„!?;:%$€£@#]/u.test(word.text) && !functionName.test(word.text))) return false;
  if (!words.some((word) => /\p{L}/u.test(word.text)) || words.filter((word) => /^\p{L}{3}$/u.test(word.text) && !functionName.test(word.text)).length > 1) return false;
  const main = words.filter((word) => word.size > 0.88 * size);
  const scripts = words.filter((word) => word.size < 0.85 * size && main.some((other) => Math.abs(word.box.left - other.box.right) < 0.25 * size
    && Math.abs(word.baseline - other.baseline) > 0.06 * size && Math.abs(word.baseline - other.baseline) < 0.7 * size));
  const within = (bar: Bar, above: boolean): boolean => words.some(({ box }) => {
    const [x, y] = [middleX(box), middleY(box)];
    return x > bar.left && x < bar.right && (above ? y < bar.y && y > bar.y - 1.5 * size : y > bar.y && y < bar.y + 1.5 * size);
  });
  const fractions = bars.filter((bar) => within(bar, true) && within(bar, false));
  return (scripts.length > 0 ? 1 : 0) + (fractions.length > 0 ? 1 : 0) + (number !== null ? 1 : 0) >= 1;
}

/** The x at which most lines of the page's text in the group's column begin. */
function textEdge(group: Group, lines: Line[]): number {
  const lefts = lines.filter((line) => isProse(line) && line.box.left < group.box.right && line.box.right > group.box.left).map((line) => line.box.left);
  return median(lefts, Infinity);
}

/** The number of the equation: alone at the right or at the left, at the group's height. */
function numberOf(group: Group, lines: Line[], width: number): Line | null {
  const size = Math.max(...group.lines.map((line) => line.size));
  const beside = lines.filter((line) => equationNumber.test(line.words.map((word) => word.text).join('')) && line.baseline > group.box.top - 0.2 * size && line.baseline < group.box.bottom + 0.6 * size
    && -horizontalOverlap(line.box, group.box) > 1.2 * size && -horizontalOverlap(line.box, group.box) < 0.6 * width);
  return beside.length === 1 ? beside[0]! : null;
}

/** The display formulas of a page among the words outside tables. */
export function findFormulas(content: PageContent, isTaken: (word: Word) => boolean): FoundFormula[] {
  const lines = content.lines.filter((line) => line.angle === 0 && !line.words.some(isTaken));
  if (lines.length > mostLines) return [];
  const isMathematical = lines.some((line) => line.words.some(isMathWord));
  if (!isMathematical && !lines.some((line) => line.words.some((word) => relation.test(word.text)))) return [];
  const numbers = lines.filter((line) => equationNumber.test(line.words.map((word) => word.text).join('')));
  const free = lines.filter((line) => !numbers.includes(line) && (!isProse(line) || isLimit(line, lines)));
  const found: FoundFormula[] = [];
  for (const group of joinedRows(groupsOf(free, content.rulings), lines, numbers)) {
    if (found.length >= mostFormulas) break;
    const bars = barsOf(group, content.rulings);
    const number = numberOf(group, numbers, content.width);
    if (!isFormula(group, bars) && !isFormulaInTextFaces(group, bars, number, textEdge(group, lines))) continue;
    if (hasNeighbour(group, lines.filter((line) => !numbers.includes(line)))) continue;
    found.push(readFormula(group, bars, number));
  }
  return found;
}

/** In ems: an equation's number in the line of its formula stands apart from it by at least this much. */
const numberGap = 0.9;

/** The number at the end of the formula's own words. */
function numberWithin(words: Word[]): Word | null {
  const last = words.filter((word) => equationNumber.test(word.text)).sort((a, b) => b.box.right - a.box.right)[0];
  return last !== undefined && words.length > 3 && words.every((word) => word === last || word.box.right < last.box.left - numberGap * last.size) ? last : null;
}

function readFormula(group: Group, bars: Bar[], number: Line | null): FoundFormula {
  const all = group.lines.flatMap((line) => line.words);
  const within = number === null ? numberWithin(all) : null;
  const words = all.filter((word) => word !== within);
  const tree = formulaTree(words, bars);
  const label = number === null ? within?.text ?? '' : number.words.map((word) => word.text).join('');
  const size = Math.max(...group.lines.map((line) => line.size));
  const main = group.lines.filter((line) => line.size === size).sort((a, b) => b.words.length - a.words.length)[0]!;
  return {
    words: [...all, ...(number?.words ?? [])], box: unionBox([group.box, ...(number === null ? [] : [number.box])]), baseline: main.baseline, size,
    text: [formulaText(tree), label].filter((part) => part !== '').join(' '),
    sure: isSure(tree),
    latex: `${formulaLatex(tree)}${label === '' ? '' : ` \\tag{${label.slice(1, -1).trim()}}`}`,
  };
}
