/** Where markers stand in a text, and what of its end may yet become one. */

/** The one that is complete first; of several that end with the same character the longest. */
export function firstMarker(text: string, markers: readonly string[]): { at: number; marker: string } | null {
  let first: { at: number; marker: string } | null = null;
  for (const marker of markers) {
    const at = text.indexOf(marker);
    if (at < 0) continue;
    const end = at + marker.length;
    const best = first === null ? Infinity : first.at + first.marker.length;
    if (end < best || (end === best && at < (first?.at ?? 0))) first = { at, marker };
  }
  return first;
}

/** How many characters at the end of `text` begin a marker. */
export function heldBack(text: string, markers: readonly string[]): number {
  let most = 0;
  for (const marker of markers) {
    for (let length = Math.min(marker.length - 1, text.length); length > most; length -= 1) {
      if (marker.startsWith(text.slice(text.length - length))) most = length;
    }
  }
  return most;
}
