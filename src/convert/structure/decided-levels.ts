/**
 * Levels of headings over a whole document: headings of one style have one level, and it costs something if a lighter style stands above a heavier one.
 * Of all assignments the one with the largest probability is taken. The file's outline and numbers (`2.1`) take part as evidence.
 */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import { numberingOf } from '../wording/numbering.js';
import { linesOf, plainText } from './block.js';
import type { LevelledBlock } from './decided-blocks.js';
import { indexOutline, outlineDepth } from './outline.js';

/** Logits by which a heading's outline entry, or its number, speaks for a level. */
const evidence = { outline: 3, numbering: 2 } as const;
/** Logits that it costs if a style of smaller, or only of lighter type stands above another one. */
const rise = { smaller: 4, lighter: 1 } as const;
/** Sizes that differ by less than this share are one size. */
const sameSize = 0.04;

interface Style {
  size: number;
  bold: boolean;
  caps: boolean;
  italic: boolean;
  /** Sum of logarithms of probabilities, by level. */
  odds: Float64Array;
  members: LevelledBlock[];
}

/** Sets `level` of every heading, 0 for the highest: that of `<h1>`. */
export function setDecidedLevels(headings: readonly LevelledBlock[], outline: OutlineEntry[], flat: boolean): void {
  if (flat) {
    for (const { block } of headings) block.level = 1;
    return;
  }
  const styles = stylesOf(headings);
  addNumbers(headings, styles);
  addOutline(headings, styles, outline);
  const levels = heaviestLevels(styles);
  for (const [index, { members }] of styles.entries()) for (const { block } of members) block.level = Math.max(0, levels[index]! - 1);
}

/** The styles of the headings, the heaviest first. */
function stylesOf(headings: readonly LevelledBlock[]): Style[] {
  const styles: Style[] = [];
  for (const heading of headings) {
    const [line] = linesOf(heading.block);
    const letters = plainText(heading.block).replace(/[^\p{L}]/gu, '');
    const caps = letters.length > 1 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
    const { size, bold, italic } = line!;
    let style = styles.find((each) => each.bold === bold && each.italic === italic && each.caps === caps && Math.abs(each.size - size) <= sameSize * size);
    if (style === undefined) styles.push((style = { size, bold, italic, caps, odds: new Float64Array(heading.levels.length), members: [] }));
    style.members.push(heading);
    for (const [level, value] of heading.levels.entries()) style.odds[level]! += value === -Infinity ? 0 : value;
  }
  return styles.sort((a, b) => b.size - a.size || Number(b.bold) - Number(a.bold) || Number(b.caps) - Number(a.caps) || Number(a.italic) - Number(b.italic));
}

function styleOfHeading(styles: readonly Style[], heading: LevelledBlock): Style {
  return styles.find(({ members }) => members.includes(heading))!;
}

/** `2.1` stands one level below `2`: the depth of numbers is held against that of the first numbered heading. */
function addNumbers(headings: readonly LevelledBlock[], styles: readonly Style[]): void {
  const numbered = headings.flatMap((heading) => {
    const depth = numberingOf(plainText(heading.block))?.depth;
    return depth === undefined ? [] : [{ heading, depth }];
  });
  speak(numbered, styles, evidence.numbering);
}

function addOutline(headings: readonly LevelledBlock[], styles: readonly Style[], outline: OutlineEntry[]): void {
  const index = indexOutline(outline);
  const listed = headings.flatMap((heading) => {
    const depth = outlineDepth(heading.block, index);
    return depth < 0 ? [] : [{ heading, depth }];
  });
  speak(listed, styles, evidence.outline);
}

/** Raises the levels that the depths suggest. The shift between depths and levels is the one for which the network's own odds are best. */
function speak(known: { heading: LevelledBlock; depth: number }[], styles: readonly Style[], weight: number): void {
  if (known.length === 0) return;
  const levels = known[0]!.heading.levels.length;
  const shifts = Array.from({ length: levels }, (_, shift) => shift);
  const fit = (shift: number): number => known.reduce((sum, { heading, depth }) => sum + (heading.levels[depth + shift] ?? -Infinity), 0);
  const best = shifts.reduce((one, other) => (fit(other) > fit(one) ? other : one));
  for (const { heading, depth } of known) {
    const { odds } = styleOfHeading(styles, heading);
    if (depth + best < levels) odds[depth + best]! += weight;
  }
}

/** What it costs that the lighter of two styles stands above the heavier one. */
function costOfRise(heavy: Style, light: Style): number {
  return light.size < heavy.size * (1 - sameSize) ? rise.smaller : rise.lighter;
}

/** For each style, heaviest first, its level: the assignment with the largest sum of odds. */
function heaviestLevels(styles: readonly Style[]): number[] {
  const levels = styles[0]?.odds.length ?? 0;
  const best: { sum: number; from: number }[][] = [];
  for (const [index, { odds }] of styles.entries()) {
    const row: { sum: number; from: number }[] = [];
    for (let level = 0; level < levels; level++) {
      let [sum, from] = index === 0 ? [0, -1] : [-Infinity, -1];
      for (let above = 0; index > 0 && above < levels; above++) {
        const reached = best[index - 1]![above]!.sum - (level < above ? costOfRise(styles[index - 1]!, styles[index]!) : 0);
        if (reached > sum) [sum, from] = [reached, above];
      }
      row.push({ sum: level === 0 ? -Infinity : sum + odds[level]!, from });
    }
    best.push(row);
  }
  const chosen: number[] = [];
  let level = best.length === 0 ? 0 : best.at(-1)!.reduce((one, { sum }, at, row) => (sum > row[one]!.sum ? at : one), 1);
  for (let index = best.length - 1; index >= 0; index--) {
    chosen.unshift(level);
    level = best[index]![level]!.from;
  }
  return chosen;
}
