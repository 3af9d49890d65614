/** Numbers that depend on a seed alone. */

/** A hash of 32 bits (FNV-1a with a final mix). */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value ^= value >>> 16;
  value = Math.imul(value, 0x85ebca6b);
  value ^= value >>> 13;
  return value >>> 0;
}

/** Mulberry32: numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 0x100000000;
  };
}

/** One of the entries by weight; undefined if there are none. */
export function pick<Entry>(entries: readonly Entry[], weight: (entry: Entry) => number, random: () => number): Entry | undefined {
  let left = random() * entries.reduce((sum, entry) => sum + weight(entry), 0);
  for (const entry of entries) {
    left -= weight(entry);
    if (left < 0) return entry;
  }
  return entries.at(-1);
}
