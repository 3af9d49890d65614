/** Pages that are there again: the copy for the customer and the one for the file, a form for each who signs it. */
import type { PageLines } from './style.js';

/** Shorter pages, as slides, may say the same in several lines and yet be different ones. */
const leastLines = 8;
/** Of a page's letters, how many an earlier page has at the same places. */
const leastShare = 0.8;

/** Indices of pages that say again what an earlier one says. */
export function findCopies(pages: PageLines[]): Set<number> {
  const copies = new Set<number>();
  /** Line and height -> the first pages that have it; a running header is on more, and is no evidence. */
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
