/** Rulings put together: segments, dashes and repeats of one drawn line become one. */
import type { Ruling } from './page.js';

/** In points. */
const SAME_POSITION = 0.7;
const JOIN_GAP = 0.8;
/** Dashes are at most this long, and their gaps at most twice their length. */
const DASH_LENGTH = 14;
const LEAST_LENGTH = 2;
/** Pieces that meet this exactly were painted end to end. */
const MEETING = 0.6;

export function mergeRulings(rulings: Ruling[]): Ruling[] {
  const sorted = [...rulings].sort((a, b) => (a.orientation < b.orientation ? -1 : a.orientation > b.orientation ? 1 : a.position - b.position));
  const merged: Ruling[] = [];
  let start = 0;
  for (let index = 1; index <= sorted.length; index++) {
    const [first, here] = [sorted[start], sorted[index]];
    if (first !== undefined && here !== undefined && here.orientation === first.orientation && here.position - first.position <= SAME_POSITION) continue;
    merged.push(...joinAlong(sorted.slice(start, index)));
    start = index;
  }
  return merged.filter((ruling) => ruling.end - ruling.start >= LEAST_LENGTH);
}

/** All at one position. */
function joinAlong(rulings: Ruling[]): Ruling[] {
  if (rulings.length === 1) return rulings;
  const joined: Ruling[] = [];
  for (const ruling of rulings.sort((a, b) => a.start - b.start)) {
    const last = joined.findLast((candidate) => candidate.color === ruling.color);
    if (last === undefined || ruling.start - last.end > allowedGap(last, ruling)) {
      joined.push({ ...ruling });
      continue;
    }
    if (Math.abs(ruling.start - last.end) <= MEETING && ruling.end - last.end > LEAST_LENGTH) (last.joints ??= []).push(ruling.start);
    const [before, added] = [last.end - last.start, ruling.end - ruling.start];
    last.position = (last.position * before + ruling.position * added) / Math.max(before + added, 1e-6);
    last.thickness = Math.max(last.thickness, ruling.thickness);
    last.end = Math.max(last.end, ruling.end);
  }
  return joined;
}

function allowedGap(line: Ruling, next: Ruling): number {
  const dash = next.end - next.start;
  const isDash = dash <= DASH_LENGTH && (line.end - line.start <= DASH_LENGTH || line.end - line.start > 3 * dash);
  return isDash ? Math.max(JOIN_GAP, 2 * dash) : JOIN_GAP;
}
