/** The file's own outline, by page and title. */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import { numberingOf } from '../wording/numbering.js';
import type { TextBlock } from './block.js';
import { plainText } from './block.js';

/** By page index: the depth of each entry, from 0, by its normalised title. */
export type OutlineIndex = Map<number, Map<string, number>>;

/** Letters without case and accents, for the comparison of a block with an outline entry. */
function foldTitle(text: string): string {
  return text.toLowerCase().normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Outline entries by page, for lookup. */
export function indexOutline(entries: OutlineEntry[]): OutlineIndex {
  const pages = new Map<number, Map<string, number>>();
  for (const entry of entries) {
    const key = foldTitle(entry.title);
    if (key === '' || entry.pageIndex < 0) continue;
    const titles = pages.get(entry.pageIndex) ?? new Map<string, number>();
    if (!titles.has(key)) titles.set(key, entry.depth);
    pages.set(entry.pageIndex, titles);
  }
  return pages;
}

/** Depth of the outline entry that names this block, or -1. Entries often lack the number. */
export function outlineDepth(block: TextBlock, outline: OutlineIndex): number {
  const titles = outline.get(block.columnParts[0]!.pageIndex);
  if (titles === undefined) return -1;
  const text = plainText(block);
  const whole = titles.get(foldTitle(text));
  if (whole !== undefined) return whole;
  const numbering = numberingOf(text);
  return numbering === null ? -1 : titles.get(foldTitle(text.slice(numbering.length))) ?? -1;
}
