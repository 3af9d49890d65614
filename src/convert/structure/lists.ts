/** Decides which paragraphs are list items, and their nesting. */
import { beginsRightToLeft } from '../wording/scripts.js';
import type { Block, TextBlock } from './block.js';
import { linesOf } from './block.js';
import type { Marker } from '../wording/markers.js';
import { amountOf, asEmptyBox, markerOf, romanValue } from '../wording/markers.js';

interface Candidate {
  block: TextBlock;
  index: number;
  marker: Marker;
  left: number;
  size: number;
}

/** A letter that is also a roman numeral gets the reading that continues the previous item. */
function valueAfter(previous: Marker | null, marker: Marker): number {
  if (marker.kind !== 'roman' || !/^\(?[ivxIVX][.)\]]/.test(marker.text)) return marker.value;
  const letter = marker.text.replace(/[^a-z]/gi, '').toLowerCase();
  const asLetter = letter.charCodeAt(0) - 96;
  if (previous !== null && previous.kind === 'letter' && previous.value + 1 === asLetter) return asLetter;
  return romanValue(letter);
}

function continues(previous: Candidate, next: Candidate): boolean {
  if (previous.marker.shape !== next.marker.shape) return false;
  const value = valueAfter(previous.marker, next.marker);
  return value === previous.marker.value + 1;
}

/** Items whose count continues that of a neighbour are certainly a list; a single `1.` may be anything. */
function isItem(candidate: Candidate, all: Candidate[], position: number): boolean {
  const { marker, block } = candidate;
  if (marker.kind === 'check') return true;
  const lines = linesOf(block);
  if (marker.kind === 'bullet') {
    if (!/^[-–—*]$/.test(marker.text)) return true;
    return hangs(lines) || all.some((other, index) => Math.abs(index - position) === 1 && other.marker.shape === marker.shape && Math.abs(other.index - candidate.index) <= 2);
  }
  for (const step of [-1, 1]) {
    for (let other = position + step; other >= 0 && other < all.length && Math.abs(other - position) <= 12; other += step) {
      const neighbour = all[other]!;
      if (step < 0 ? continues(neighbour, candidate) : continues(candidate, neighbour)) return true;
    }
  }
  return hangs(lines);
}

/** Whether lines after the first are indented, so that the marker hangs out. */
function hangs(lines: { box: { left: number }; size: number }[]): boolean {
  const first = lines[0]!;
  return lines.length > 1 && lines.slice(1).every((line) => line.box.left > first.box.left + 0.5 * first.size);
}

/** Whether two items belong to one list, by the blocks between them. */
function isNear(a: Candidate, b: Candidate): boolean {
  return Math.abs(a.index - b.index) <= 8 && Math.abs(a.left - b.left) < a.size;
}

/** Marks list items among the blocks without a role; `mayBeItem` excludes headings. */
export function markListItems(blocks: Block[], mayBeItem: (block: TextBlock) => boolean): void {
  const candidates: Candidate[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind !== 'text' || block.role !== 'text' || !mayBeItem(block)) continue;
    const line = linesOf(block)[0]!;
    const marker = markerOf(line.text);
    // In text that is read from the right, an indented line ends further left.
    const left = beginsRightToLeft(line.text) ? -line.box.right : line.box.left;
    if (marker !== null) candidates.push({ block, index, marker, left, size: line.size });
  }
  const ticked = candidates.filter(({ marker }) => marker.checked === true);
  for (const candidate of candidates) if (ticked.some((other) => isNear(other, candidate))) candidate.marker = asEmptyBox(candidate.marker) ?? candidate.marker;
  for (const [position, candidate] of candidates.entries()) {
    candidate.marker.value = valueAfter(candidates[position - 1]?.marker ?? null, candidate.marker);
    if (!isItem(candidate, candidates, position)) continue;
    const { block, marker } = candidate;
    block.role = 'list_item';
    block.marker = marker.text;
    block.textStart = marker.length;
    block.enumerated = marker.kind !== 'bullet' && marker.kind !== 'check';
    block.checked = marker.checked;
  }
  nest(candidates.filter((candidate) => candidate.block.role === 'list_item'));
}

/** The fewest amounts below one another that form a list, such as ingredients: fewer may be lines of a label or a date. */
const fewestAmounts = 3;
/** The largest share of rising steps from one amount to the next. */
const mostRising = 0.7;
/** The least share of items with a single line: text that begins with a number continues over several lines. */
const leastSingle = 2 / 3;

/** Marks items without a marker: successive blocks that each begin with an amount, if the amounts do not rise as counts, notes and dates do. */
export function markAmounts(blocks: Block[], mayBeItem: (block: TextBlock) => boolean): void {
  let run: { block: TextBlock; amount: string }[] = [];
  const close = (): void => {
    const rising = run.filter(({ amount }, index) => index > 0 && parseFloat(amount) > parseFloat(run[index - 1]!.amount)).length;
    const single = run.filter(({ block }) => linesOf(block).length === 1).length;
    if (run.length >= fewestAmounts && single >= leastSingle * run.length && rising <= mostRising * (run.length - 1)) for (const { block } of run) block.role = 'list_item';
    run = [];
  };
  for (const block of blocks) {
    const amount = block.kind === 'text' && block.role === 'text' ? amountOf(linesOf(block)[0]!.text) : null;
    if (amount === null || !mayBeItem(block as TextBlock)) {
      close();
      continue;
    }
    const last = run.at(-1)?.block.columnParts[0];
    const { lines: [line], pageIndex, box } = (block as TextBlock).columnParts[0]!;
    if (last !== undefined && (last.pageIndex !== pageIndex || Math.abs(last.box.left - box.left) > 0.5 * line!.size || box.top < last.box.bottom - line!.size || Math.abs(last.lines[0]!.size - line!.size) > 0.1)) close();
    run.push({ block: block as TextBlock, amount });
  }
  close();
}

/** Determines the depth by indentation, and by markers that begin a count inside another. */
function nest(items: Candidate[]): void {
  let open: { left: number; shape: string }[] = [];
  let lastIndex = -10;
  let lastPage = -1;
  for (const item of items) {
    const columnPart = item.block.columnParts[0]!;
    // Text between two items ends the list, unless the count continues behind it.
    const interrupted = item.index - lastIndex > 1;
    if (interrupted && !open.some((level) => level.shape === item.marker.shape && item.marker.value > 1)) open = [];
    const otherColumn = columnPart.pageIndex !== lastPage || open.length > 0 && Math.abs(open[0]!.left - item.left) > 100;
    const depth = depthOf(item, open, otherColumn);
    open = open.slice(0, depth);
    open.push({ left: item.left, shape: item.marker.shape });
    item.block.depth = depth;
    lastIndex = item.index;
    lastPage = columnPart.pageIndex;
  }
}

function depthOf(item: Candidate, open: { left: number; shape: string }[], otherColumn: boolean): number {
  const tolerance = 0.6 * item.size;
  if (!otherColumn) {
    for (const [depth, level] of open.entries()) if (item.left <= level.left + tolerance) return level.shape === item.marker.shape || depth === 0 || item.left < level.left - tolerance ? depth : sameLeft(open, item, depth);
    return open.length;
  }
  const known = open.findIndex((level) => level.shape === item.marker.shape);
  return known >= 0 ? known : Math.min(open.length, item.marker.value <= 1 && item.marker.kind !== 'bullet' ? open.length : 0);
}

/** Another kind of marker at the same indent opens a level only if it begins its own count. */
function sameLeft(open: { shape: string }[], item: Candidate, depth: number): number {
  const known = open.findIndex((level) => level.shape === item.marker.shape);
  if (known >= 0) return known;
  return item.marker.kind !== 'bullet' && item.marker.value === 1 ? depth + 1 : depth;
}
