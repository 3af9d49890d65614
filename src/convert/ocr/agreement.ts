/** Compares two readings of one page. */
import type { Word } from '../../pdf/pdf-page.js';

function counts(words: Word[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { text } of words) {
    const key = text.toLowerCase().replace(/[^\p{L}\d]/gu, '');
    if (key.length > 1) found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

/** Whether more than half of the words of the shorter reading are also in the other one, at any place. A reading without words agrees with none. */
export function agrees(a: Word[], b: Word[]): boolean {
  const [one, other] = [counts(a), counts(b)];
  let [shared, all] = [0, 0];
  for (const count of other.values()) all += count;
  let own = 0;
  for (const [word, count] of one) {
    own += count;
    shared += Math.min(count, other.get(word) ?? 0);
  }
  return shared > 0.5 * Math.min(own, all);
}
