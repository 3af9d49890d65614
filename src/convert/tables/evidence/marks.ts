/** Groups lines and fills that belong together: the frame, rulings or stripes of one possible table. */
import { isFigureOrListingCaption, isTableCaption } from '../../wording/captions.js';
import { heightOf, horizontalOverlap, union, unionBox, verticalOverlap, widthOf } from '../../../geometry/box.js';
import { partitionPoint } from '../../../geometry/search.js';
import type { Box } from '../../../pdf/pdf-page.js';
import { absorb } from './absorbed.js';
import { makeBands, makeBlocks } from './blocks.js';
import type { Chunk, VisualRow } from './chunks.js';
import { columnsUnder, inferColumns } from './columns.js';
import type { Joint, LineWork, Segment, Shade } from './segments.js';
import { wordCount } from '../../wording/cell-text.js';
import type { MarkGroup } from './table-area.js';

/** The content between the marks. */
interface Text {
  rows: VisualRow[];
  running: (chunk: Chunk) => boolean;
  leading: number;
}

/** The largest distance between the ends of lines that meet. */
const MEET = 2.6;
const SAME_EXTENT = 5;
/** The most pairs that are tried; a page with more is a drawing. */
const MAX_PAIRS = 4_000_000;
/** The number of preceding rulings that are compared for the same extent. */
const MAX_BACK = 200;

/**
 * Groups marks that touch, and horizontal rulings or stripes of one extent with tabular rows between them.
 * `running` returns whether a chunk is running text; `leading` is the line distance of that text, in ems.
 */
export function groupMarks(lines: LineWork, rows: VisualRow[], running: (chunk: Chunk) => boolean, leading: number): MarkGroup[] {
  const text: Text = { rows, running, leading };
  const { horizontal, vertical, shades } = lines;
  const count = horizontal.length + vertical.length + shades.length;
  const sets = new Sets(count);
  joinCrossings(horizontal, vertical, sets);
  joinRules(lines, text, sets);
  const shadeBase = horizontal.length + vertical.length;
  joinShades(shades, shadeBase, text, sets);
  joinShadesToRules(shades, shadeBase, horizontal, sets);
  const groups = new Map<number, MarkGroup>();
  const groupAt = (index: number): MarkGroup => {
    const root = sets.find(index);
    let group = groups.get(root);
    if (group === undefined) {
      group = { box: unionBox([]), horizontals: [], verticals: [], shades: [] };
      groups.set(root, group);
    }
    return group;
  };
  for (const [index, segment] of horizontal.entries()) addHorizontal(groupAt(index), segment);
  for (const [index, segment] of vertical.entries()) addVertical(groupAt(horizontal.length + index), segment);
  for (const [index, shade] of shades.entries()) addShade(groupAt(shadeBase + index), shade);
  return absorb([...groups.values()]);
}

function addHorizontal(group: MarkGroup, segment: Segment): void {
  group.horizontals.push(segment);
  group.box = union(group.box, { left: segment.start, top: segment.at, right: segment.end, bottom: segment.at });
}

function addVertical(group: MarkGroup, segment: Segment): void {
  group.verticals.push(segment);
  group.box = union(group.box, { left: segment.at, top: segment.start, right: segment.at, bottom: segment.end });
}

function addShade(group: MarkGroup, shade: Shade): void {
  group.shades.push(shade);
  group.box = union(group.box, shade.box);
}

function joinCrossings(horizontal: Segment[], vertical: Segment[], sets: Sets): void {
  const order = vertical.map((_, index) => index).sort((a, b) => (vertical[a]?.at ?? 0) - (vertical[b]?.at ?? 0));
  const xs = order.map((index) => vertical[index]?.at ?? 0);
  let pairs = 0;
  for (const [index, line] of horizontal.entries()) {
    for (let at = lowerBound(xs, line.start - MEET); at < xs.length && (xs[at] ?? 0) <= line.end + MEET; at++) {
      if (++pairs > MAX_PAIRS) return;
      const other = order[at];
      const upright = other === undefined ? undefined : vertical[other];
      if (other === undefined || upright === undefined) continue;
      if (line.at >= upright.start - MEET && line.at <= upright.end + MEET) sets.join(index, horizontal.length + other);
    }
  }
}

function lowerBound(sorted: number[], value: number): number {
  return partitionPoint(sorted, (other) => other < value);
}

/** Joins horizontal rulings of one extent if the text between two of them stands in columns. */
function joinRules({ horizontal, vertical, joints }: LineWork, text: Text, sets: Sets): void {
  const rules = horizontal.map((_, index) => index).sort((a, b) => (horizontal[a]?.at ?? 0) - (horizontal[b]?.at ?? 0));
  const order = rules.filter((index) => !isHeadingRule(horizontal[index] as Segment, horizontal, text.rows));
  /** By the lower one of the first two rulings of a table: the text between them. */
  const headed = new Map<number, Box>();
  const joined = new Set<number>();
  for (let low = 1; low < order.length; low++) {
    const below = order[low] ?? 0;
    const line = horizontal[below];
    if (line === undefined) continue;
    for (let high = low - 1; high >= 0 && high >= low - MAX_BACK; high--) {
      const above = order[high] ?? 0;
      const upper = horizontal[above];
      if (upper === undefined || Math.abs(line.start - upper.start) > SAME_EXTENT || Math.abs(line.end - upper.end) > SAME_EXTENT) continue;
      if (closes(upper, vertical, 'end') || closes(line, vertical, 'start') || hasRival(horizontal, upper, line)) break;
      const between = { left: line.start, right: line.end, top: upper.at, bottom: line.at };
      const header = headed.get(above);
      const tabular = isTabular(between, text, shareJoints(upper, line, joints));
      if (tabular && !joined.has(above)) headed.set(below, between);
      if (tabular || (header !== undefined && keepsColumns(between, header, text))) {
        sets.join(below, above);
        joined.add(below);
      }
      break;
    }
  }
}

/** Whether a single heading stands directly above the ruling at its left end, and no other ruling above the heading. */
function isHeadingRule(rule: Segment, horizontal: Segment[], rows: VisualRow[]): boolean {
  const length = rule.end - rule.start;
  const above = rows.slice(Math.max(0, firstRowBelow(rows, rule.at - 40)), firstRowBelow(rows, rule.at + 0.5)).flatMap((row) => row.chunks);
  const inside = above.filter((chunk) => chunk.right > rule.start - 4 && chunk.left < rule.end + 4);
  const last = Math.max(...inside.map((chunk) => chunk.baseline));
  const line = inside.filter((chunk) => last - chunk.baseline < 0.4 * chunk.size);
  const [chunk] = line;
  if (chunk === undefined || line.length > 1 || rule.at - chunk.baseline > 0.95 * chunk.size) return false;
  if (Math.abs(chunk.left - rule.start) > 4 || widthOf(chunk) > 0.6 * length) return false;
  if (!chunk.bold && chunk.text !== chunk.text.toUpperCase() && chunk.size < 11.5) return false;
  return !horizontal.some((other) => other.at < rule.at - 2 && other.at > chunk.baseline - 2.4 * chunk.size && Math.abs(other.start - rule.start) < SAME_EXTENT && Math.abs(other.end - rule.end) < SAME_EXTENT);
}

/** Whether the ruling is the bottom of a frame whose sides end on it, or the top of one whose sides begin on it. */
function closes(rule: Segment, vertical: Segment[], side: 'start' | 'end'): boolean {
  const meets = (x: number): boolean => vertical.some((line) => Math.abs(line.at - x) <= MEET && Math.abs(line[side] - rule.at) <= MEET);
  return meets(rule.start) && meets(rule.end);
}

/** Whether a ruling of about the same length but another begin and end lies between the two: it belongs to another table. */
function hasRival(horizontal: Segment[], upper: Segment, line: Segment): boolean {
  const length = line.end - line.start;
  return horizontal.some((other) => {
    if (other.at < upper.at + 1 || other.at > line.at - 1) return false;
    const shared = Math.min(other.end, line.end) - Math.max(other.start, line.start);
    return shared > 0.85 * length && (Math.abs(other.start - line.start) > SAME_EXTENT || Math.abs(other.end - line.end) > SAME_EXTENT);
  });
}

/** Rulings that are painted in the same pieces belong to the same cells, whatever those contain. */
function shareJoints(upper: Segment, line: Segment, joints: Joint[]): boolean {
  const on = (segment: Segment): number[] =>
    joints.filter((joint) => joint.top === joint.bottom && Math.abs(joint.top - segment.at) < 1 && joint.x > segment.start && joint.x < segment.end).map((joint) => joint.x);
  const first = on(upper);
  if (first.length === 0) return false;
  const second = on(line);
  return second.length === first.length && first.every((x) => second.some((other) => Math.abs(other - x) < 1));
}

/**
 * Whether most rows in the box have chunks side by side, without running text. Between rulings of the same `cells`
 * there need not be text side by side.
 */
function isTabular(box: Box, { rows, running, leading }: Text, cells = false): boolean {
  let [parted, whole, prose] = [0, 0, 0];
  const found: VisualRow[] = [];
  for (let at = firstRowBelow(rows, box.top); at < rows.length; at++) {
    const row = rows[at];
    if (row === undefined || row.baseline > box.bottom + 1) break;
    const inside = row.chunks.filter((chunk) => chunk.left >= box.left - 4 && chunk.right <= box.right + 4);
    if (inside.length === 0) continue;
    found.push({ ...row, chunks: inside });
    const free = inside.filter((chunk) => !running(chunk));
    if (free.length < inside.length) prose++;
    if (free.length >= 2) parted++;
    else if (free.length === 1 && (free[0]?.right ?? 0) - (free[0]?.left ?? 0) > 0.6 * widthOf(box)) whole++;
  }
  if (found.length === 0) return heightOf(box) < 4.5;
  if (found.length === 1 && isNarrowLabel(found[0], box)) return true;
  if (!cells && endsAbove(found, box)) return false;
  if (found.some((row) => row.chunks.some((chunk) => isTableCaption(chunk.text) || isFigureOrListingCaption(chunk.text)))) return false;
  if (cells && whole + prose === 0) return true;
  if (parted >= 1 && prose <= 0.34 * (parted + prose) && whole <= Math.max(1, 0.25 * parted)) return true;
  return isLabelled(found, box) || isBanded(found, cells ? 2 : 3, leading, 0.6 * widthOf(box));
}

/** In ems: from the last line of a table to the ruling that closes it; in words: text that continues over the columns above. */
const CLOSING = 1.8;
const LONG_LINE = 8;

/** Whether text across the columns stands last, with more white space between it and the ruling below than a table has. The ruling then belongs to another object, such as notes. */
function endsAbove(rows: VisualRow[], box: Box): boolean {
  const last = rows.at(-1);
  if (last === undefined || last.chunks.length > 1 || box.bottom - last.baseline <= CLOSING * last.size) return false;
  const begin = rows.findLastIndex(({ chunks }) => chunks.length > 1) + 1;
  return begin > 0 && rows.slice(begin).some(({ chunks: [chunk] }) => chunk !== undefined && widthOf(chunk) > 0.75 * widthOf(box) && wordCount(chunk.text) >= LONG_LINE);
}

/** For a table that is an empty form: the fewest rows, and the fewest words in the first column of each. */
const FEWEST_LABELS = 3;
const LABEL_WORDS = 4;

/** Whether the text in `box` keeps to the columns of the header above it, even if it is prose. */
function keepsColumns(box: Box, header: Box, { rows }: Text): boolean {
  const inside = (area: Box): Chunk[][] =>
    rows
      .slice(firstRowBelow(rows, area.top), firstRowBelow(rows, area.bottom + 1))
      .map((row) => row.chunks.filter((chunk) => chunk.left >= area.left - 4 && chunk.right <= area.right + 4))
      .filter((chunks) => chunks.length > 0);
  const columns = inferColumns(inside(header));
  const body = inside(box).flat();
  if (body.some((chunk) => isTableCaption(chunk.text) || isFigureOrListingCaption(chunk.text))) return false;
  const spread = body.filter((chunk) => {
    const under = columnsUnder(columns, chunk.left, chunk.right);
    return under !== null && under[0] !== under[1];
  });
  const used = new Set(body.map((chunk) => columnsUnder(columns, chunk.left, chunk.right)?.[0]));
  // If only the first column has text, the others are to be filled in.
  const isForm = body.length >= FEWEST_LABELS && used.size === 1 && used.has(0) && body.every((chunk) => wordCount(chunk.text) <= LABEL_WORDS);
  return columns.length >= 2 && (used.size >= 2 || isForm) && spread.length <= 0.08 * body.length;
}

/** A section's label with its rulings close above and below. */
function isNarrowLabel(row: VisualRow | undefined, box: Box): boolean {
  const chunk = row?.chunks[0];
  if (row === undefined || chunk === undefined || row.chunks.length > 1) return false;
  return heightOf(box) <= 2.4 * row.size && widthOf(chunk) < 0.6 * widthOf(box) && !isTableCaption(chunk.text);
}

/** Whether short labels stand left of the other text, with white space between them over the whole height. */
function isLabelled(rows: VisualRow[], box: Box): boolean {
  const lines = rows.map((row) => row.chunks);
  const columns = inferColumns(lines);
  const [first, second] = columns;
  if (first === undefined || second === undefined || widthOf(first) > 0.4 * widthOf(box)) return false;
  const labels = lines.flat().filter((chunk) => chunk.right <= second.left);
  const across = lines.flat().filter((chunk) => chunk.left < first.right && chunk.right > second.left);
  const both = lines.filter((chunks) => chunks.some((chunk) => chunk.right <= second.left) && chunks.some((chunk) => chunk.left >= first.right));
  return both.length >= 3 && across.length <= 0.08 * lines.length && labels.filter((chunk) => wordCount(chunk.text) <= 3).length >= 0.85 * labels.length;
}

/** Whether blocks of text stand side by side in separate rows, as wrapped cells do. A single row needs more blocks. */
function isBanded(rows: VisualRow[], least: number, leading: number, wide: number): boolean {
  const bands = makeBands(makeBlocks(rows, leading));
  const fine = bands.filter((band) => !band.stacked && band.blocks.length >= 2).length;
  const [band] = bands;
  if (band !== undefined && bands.length === 1 && !band.stacked && band.blocks.length >= 2) {
    // A label and its text are a row; two columns of text are not.
    const label = band.blocks[0];
    if (band.blocks.length >= least || (label !== undefined && label.lines.length <= 3 && widthOf(label) < 0.7 * wide)) return true;
  }
  if (bands.some((band) => band.blocks.length === 1 && band.blocks.some((block) => widthOf(block) > wide))) return false;
  return fine >= 2 && fine >= 0.5 * bands.length && bands.filter((band) => band.stacked).length <= 0.2 * bands.length;
}

function firstRowBelow(rows: VisualRow[], top: number): number {
  return partitionPoint(rows, ({ baseline }) => baseline < top);
}

/** Joins fills that touch side by side or one above the other, and stripes of one extent with a row or two between them. */
function joinShades(shades: Shade[], base: number, text: Text, sets: Sets): void {
  const stripes = new Map<number, Box>();
  for (const [index, { box }] of shades.entries()) {
    for (let other = index - 1; other >= 0 && other >= index - 300; other--) {
      const upper = shades[other]?.box;
      if (upper !== undefined && touches(box, upper)) sets.join(base + index, base + other);
    }
  }
  for (const [index, { box }] of shades.entries()) {
    const root = sets.find(base + index);
    const stripe = stripes.get(root);
    stripes.set(root, stripe === undefined ? box : union(stripe, box));
  }
  const ordered = [...stripes].sort(([, a], [, b]) => a.top - b.top);
  for (const [index, [root, box]] of ordered.entries()) {
    for (let other = index - 1; other >= 0 && other >= index - 100; other--) {
      const [upperRoot, upper] = ordered[other] ?? [root, box];
      if (!isStripePair(upper, box)) continue;
      if (isStriped({ ...box, top: upper.bottom, bottom: box.top }, text)) sets.join(root, upperRoot);
      break;
    }
  }
}

function touches(a: Box, b: Box): boolean {
  const across = horizontalOverlap(a, b);
  const up = verticalOverlap(a, b);
  const sameRow = Math.abs(a.top - b.top) <= 2 || Math.abs(a.bottom - b.bottom) <= 2;
  const sameColumn = Math.abs(a.left - b.left) <= 2 || Math.abs(a.right - b.right) <= 2;
  return (sameRow && across >= -4 && up > 2) || (sameColumn && up >= -3 && across > 4);
}

/** Whether rows in columns stand between two stripes, without a line across them or in larger type. */
function isStriped(box: Box, text: Text): boolean {
  if (!isTabular(box, text)) return false;
  const inside = text.rows.slice(firstRowBelow(text.rows, box.top), firstRowBelow(text.rows, box.bottom)).flatMap((row) =>
    row.chunks.filter((chunk) => chunk.left >= box.left - 4 && chunk.right <= box.right + 4),
  );
  const size = Math.min(...inside.map((chunk) => chunk.size));
  return inside.every((chunk) => widthOf(chunk) < 0.7 * widthOf(box) && chunk.size < 1.25 * size);
}

function isStripePair(upper: Box, lower: Box): boolean {
  const gap = lower.top - upper.bottom;
  const [left, right] = [Math.abs(upper.left - lower.left) <= 3, Math.abs(upper.right - lower.right) <= 3];
  const widths = [widthOf(upper), widthOf(lower)];
  // A stripe ends before a cell that spans rows with another fill.
  const sameExtent = (left && right) || ((left || right) && Math.min(...widths) > 0.5 * Math.max(...widths));
  return sameExtent && gap > 0 && gap <= 3.2 * Math.max(heightOf(upper), heightOf(lower));
}

function joinShadesToRules(shades: Shade[], base: number, horizontal: Segment[], sets: Sets): void {
  for (const [index, { box }] of shades.entries()) {
    for (const [other, line] of horizontal.entries()) {
      if (line.at < box.top - 3 || line.at > box.bottom + 3) continue;
      const across = Math.min(line.end, box.right) - Math.max(line.start, box.left);
      if (across >= 0.8 * Math.min(line.end - line.start, widthOf(box))) sets.join(base + index, other);
    }
    if (index > 400) return;
  }
}

/** Disjoint sets of indices. */
class Sets {
  private readonly parent: Int32Array;

  constructor(count: number) {
    this.parent = Int32Array.from({ length: count }, (_, index) => index);
  }

  find(index: number): number {
    let root = index;
    while (this.parent[root] !== root) root = this.parent[root] ?? root;
    for (let at = index; at !== root; ) {
      const next = this.parent[at] ?? root;
      this.parent[at] = root;
      at = next;
    }
    return root;
  }

  join(a: number, b: number): void {
    const [rootA, rootB] = [this.find(a), this.find(b)];
    if (rootA !== rootB) this.parent[rootB] = rootA;
  }
}
