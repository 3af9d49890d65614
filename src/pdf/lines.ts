/** Glyphs become lines: runs in painting order, joined along baselines, split where a gutter or a table gap opens. */
import type { Glyph } from './glyphs.js';
import type { Ruling } from './page.js';

/** Glyphs on one baseline, by u, spaces left out; `wordStart[i]` tells that a space stands before glyph i. */
export interface GlyphLine {
  glyphs: Glyph[];
  wordStart: boolean[];
  rightToLeft: boolean;
}

/** Consecutive glyphs of the painting order that follow each other on one baseline. */
interface Fragment {
  glyphs: Glyph[];
  u0: number;
  u1: number;
  v: number;
  size: number;
}

interface Cluster {
  fragments: Fragment[];
}

const SAME_BASELINE = 0.12;
const REACH = 2.2;

export function buildLines(glyphs: Glyph[], rulings: Ruling[]): GlyphLine[] {
  const byAngle = new Map<number, Glyph[]>();
  for (const glyph of glyphs) {
    const known = byAngle.get(glyph.run.angle);
    if (known === undefined) byAngle.set(glyph.run.angle, [glyph]);
    else known.push(glyph);
  }
  const lines: GlyphLine[] = [];
  for (const [angle, group] of byAngle) {
    const walls = angle === 0 ? rulings.filter((ruling) => ruling.orientation === 'vertical') : [];
    for (const cluster of cluster_(fragmentsOf(group))) lines.push(...splitCluster(cluster, walls));
  }
  return lines;
}

function fragmentsOf(glyphs: Glyph[]): Fragment[] {
  const fragments: Fragment[] = [];
  let current: Fragment | undefined;
  for (const glyph of glyphs) {
    if (current !== undefined && follows(current, glyph)) extend(current, glyph);
    else {
      if (glyph.space) continue;
      fragments.push((current = { glyphs: [glyph], u0: glyph.u0, u1: glyph.u1, v: glyph.v, size: glyph.run.size }));
    }
  }
  return fragments;
}

function follows(fragment: Fragment, glyph: Glyph): boolean {
  const { size } = fragment;
  if (Math.abs(glyph.v - fragment.v) > SAME_BASELINE * Math.min(size, glyph.run.size) + 0.01) return false;
  if (glyph.run.size > size * 1.6 || glyph.run.size < size / 1.6) return false;
  const gap = glyph.u0 >= fragment.u0 ? glyph.u0 - fragment.u1 : fragment.u0 - glyph.u1;
  return gap > -0.5 * size && gap < 1.5 * size;
}

function extend(fragment: Fragment, glyph: Glyph): void {
  fragment.glyphs.push(glyph);
  if (glyph.space) return;
  fragment.u0 = Math.min(fragment.u0, glyph.u0);
  fragment.u1 = Math.max(fragment.u1, glyph.u1);
}

/** Joins fragments that stand side by side; small raised or lowered ones go with the larger text they touch. */
function cluster_(fragments: Fragment[]): Cluster[] {
  const sorted = [...fragments].sort((a, b) => a.v - b.v);
  const parent = sorted.map((_, index) => index);
  const find = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root] ?? root;
    while (parent[index] !== root) {
      const next = parent[index] ?? root;
      parent[index] = root;
      index = next;
    }
    return root;
  };
  const tallest = sorted.reduce((size, fragment) => Math.max(size, fragment.size), 0);
  for (let i = 0; i < sorted.length; i++) {
    const a = sorted[i];
    if (a === undefined) continue;
    for (let j = i + 1; j < sorted.length; j++) {
      const b = sorted[j];
      if (b === undefined || b.v - a.v > tallest * 0.7) break;
      if (belongTogether(a, b)) parent[find(j)] = find(i);
    }
  }
  const clusters = new Map<number, Cluster>();
  sorted.forEach((fragment, index) => {
    const root = find(index);
    const known = clusters.get(root);
    if (known === undefined) clusters.set(root, { fragments: [fragment] });
    else known.fragments.push(fragment);
  });
  return [...clusters.values()];
}

function belongTogether(a: Fragment, b: Fragment): boolean {
  const gap = Math.max(a.u0, b.u0) - Math.min(a.u1, b.u1);
  const large = Math.max(a.size, b.size);
  const small = Math.min(a.size, b.size);
  const drop = b.v - a.v;
  if (drop <= SAME_BASELINE * small + 0.05) return large <= small * 2.5 && gap < REACH * large && gap > -0.6 * small;
  if (drop <= 0.25 * small) return large <= small * 1.3 && gap < 1.2 * small && gap > -0.3 * small;
  // A script: clearly smaller, touching, raised by at most 0.6 or lowered by at most 0.4 of the larger size.
  if (small > large * 0.88 || gap > 0.3 * large || gap < -0.35 * large) return false;
  return a.size < b.size ? drop <= 0.6 * large : drop <= 0.4 * large;
}

function splitCluster(cluster: Cluster, walls: Ruling[]): GlyphLine[] {
  const tracks: Fragment[][] = [];
  for (const fragment of [...cluster.fragments].sort((a, b) => a.u0 - b.u0)) {
    const track = tracks.find((candidates) => {
      const last = candidates[candidates.length - 1];
      return last === undefined || fragment.u0 > last.u1 - 0.6 * Math.min(last.size, fragment.size);
    });
    if (track === undefined) tracks.push([fragment]);
    else track.push(fragment);
  }
  return tracks.flatMap((track) => splitTrack(track.flatMap((fragment) => fragment.glyphs), walls));
}

function splitTrack(all: Glyph[], walls: Ruling[]): GlyphLine[] {
  const { glyphs, spaced } = withoutSpaces(all);
  if (glyphs.length === 0) return [];
  const gaps = glyphs.map((glyph, index) => (index === 0 ? 0 : glyph.u0 - (glyphs[index - 1]?.u1 ?? glyph.u0)));
  const wordStart = glyphs.map((_, index) => index > 0 && isWordGap(glyphs, gaps, spaced, index));
  const wordGaps = gaps.filter((_, index) => wordStart[index]).sort((a, b) => a - b);
  const em = glyphs.reduce((size, glyph) => Math.max(size, glyph.run.size), 0);
  const ordinary = wordGaps.length < 3 ? 0.3 * em : Math.min(wordGaps[wordGaps.length >> 1] ?? 0, 0.8 * em);
  const lines: GlyphLine[] = [];
  let start = 0;
  for (let index = 1; index <= glyphs.length; index++) {
    if (index < glyphs.length && !isLineBreak(glyphs, gaps, index, em, ordinary, walls)) continue;
    const part = glyphs.slice(start, index);
    const starts = wordStart.slice(start, index);
    starts[0] = true;
    lines.push(orient(part, starts));
    start = index;
  }
  return lines;
}

function withoutSpaces(all: Glyph[]): { glyphs: Glyph[]; spaced: boolean[] } {
  const sorted = [...all].sort((a, b) => a.u0 - b.u0 || a.index - b.index);
  const glyphs: Glyph[] = [];
  const spaced: boolean[] = [];
  let space = false;
  for (const glyph of sorted) {
    if (glyph.space) space = true;
    else {
      glyphs.push(glyph);
      spaced.push(space);
      space = false;
    }
  }
  return { glyphs, spaced };
}

function isWordGap(glyphs: Glyph[], gaps: number[], spaced: boolean[], index: number): boolean {
  if (spaced[index] === true) return true;
  const size = Math.min(glyphs[index]?.run.size ?? 0, glyphs[index - 1]?.run.size ?? 0);
  return (gaps[index] ?? 0) > 0.17 * size;
}

function isLineBreak(glyphs: Glyph[], gaps: number[], index: number, em: number, ordinary: number, walls: Ruling[]): boolean {
  const gap = gaps[index] ?? 0;
  if (gap > 1.1 * em && gap > 1.8 * ordinary) return true;
  if (gap <= 0.15 * em || walls.length === 0) return false;
  const left = glyphs[index - 1];
  const right = glyphs[index];
  if (left === undefined || right === undefined) return false;
  const middle = right.v - 0.3 * em;
  return walls.some((wall) => wall.position > left.u1 - 0.1 * em && wall.position < right.u0 + 0.1 * em && wall.start < middle && wall.end > middle);
}

/** Right-to-left lines turn round; left-to-right stretches in them keep their order. */
function orient(glyphs: Glyph[], wordStart: boolean[]): GlyphLine {
  const strong = glyphs.filter((glyph) => glyph.rightToLeft).length;
  if (strong * 2 < glyphs.length) return { glyphs, wordStart, rightToLeft: false };
  return { glyphs, wordStart, rightToLeft: true };
}
