/** Finds repeated pages: copies for the customer and for the file, a form for each person who signs it. */
import type { PageLines } from './style.js';

/** Shorter pages, such as slides, may share several lines and still differ. */
const leastLines = 8;
/** The share of a page's letters that an earlier page has at the same places. */
const leastShare = 0.8;

/** Indices of pages that repeat an earlier page. */
export function findCopies(pages: PageLines[]): Set<number> {
  const copies = new Set<number>();
  /** Line and height -> the first pages with it. A running header is on more pages and is not evidence. */
  const known = new Map<string, number[]>();
  for (const [index, { outside }] of pages.entries()) {
    const letters = new Map<number, number>();
    let all = 0;
    for (const line of outside) {
      const key = `${Math.round(line.baseline / 3)} ${line.text}`;
      const owners = known.get(key) ?? [];
      all += line.text.length;
      for (const owner of owners) letters.set(owner, (letters.get(owner) ?? 0) + line.text.length);
      if (owners.length < 4) known.set(key, [...owners, index]);
    }
    if (outside.length >= leastLines && Math.max(0, ...letters.values()) >= leastShare * all) copies.add(index);
  }
  return copies;
}
