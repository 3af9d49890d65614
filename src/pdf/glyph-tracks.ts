/** Chains glyphs into tracks: glyphs that the file paints one behind the other, then chains that stand on one baseline. glyphs-to-lines.ts cuts the tracks into lines. */
import { partitionPoint } from '../geometry/search.js';
import type { Glyph } from './glyph.js';

/** A glyph in its line. */
export interface PlacedGlyph {
  glyph: Glyph;
  /** A space of the file precedes it. */
  spaced: boolean;
}

/** Chains side by side on one baseline, in reading direction, with their scripts. */
export interface Track {
  placed: PlacedGlyph[];
  u0: number;
  u1: number;
  v: number;
  /** The largest size of its glyphs. */
  size: number;
}

/** Glyphs without a gap between them, in painting order. */
interface Chain {
  placed: PlacedGlyph[];
  u0: number;
  u1: number;
  v: number;
  size: number;
  spaceAfter: boolean;
  /** Union-find over chains. */
  parent: number;
}

/** In ems: the largest difference on one baseline; a gap that ends a chain; how far a line is continued to the right. */
const SAME_BASELINE = 0.12;
const CHAIN_GAP = 0.12;
const REACH = 2.2;
const ROW_HEIGHT = 2;
const MAX_NEIGHBOURS = 48;
/** Points by which baselines may differ in addition. */
const BASELINE_SLACK = 0.05;
/** Within one chain: tolerance in points, the largest ratio of sizes, and how far a glyph may reach back. */
const WITHIN_CHAIN = { slack: 0.01, sizes: 1.5, overlap: 0.4 };
/** On one baseline: the largest ratio of sizes, and the largest overlap of chains. */
const ON_BASELINE = { sizes: 2.5, overlap: 0.6 };
/** Slightly above or below it: the largest distance, ratio of sizes, gap and overlap. */
const NEAR_BASELINE = { drop: 0.25, sizes: 1.3, gap: 1.2, overlap: 0.3 };
/** For a script: its size relative to the larger one, its distance from the letter, and how far it is raised or lowered. */
const SCRIPT = { least: 0.3, most: 0.88, gap: 0.3, overlap: 0.35, raised: 0.6, lowered: 0.4 };
/** The overlap from which chains of one row are printed over each other, and the distance in height at which they are two scripts instead. */
const OVERPRINTED = 0.45;
const STACKED_SCRIPTS = 0.3;
/** The number of chains at the end of a row that are compared with the next one. */
const LAST_OF_ROW = 3;

/** The glyphs must have one direction. */
export function buildTracks(glyphs: Glyph[]): Track[] {
  const chains = chainsOf(glyphs);
  link(chains);
  const clusters = new Map<number, Chain[]>();
  chains.forEach((chain, index) => {
    const root = find(chains, index);
    const known = clusters.get(root);
    if (known === undefined) clusters.set(root, [chain]);
    else known.push(chain);
  });
  return [...clusters.values()].flatMap(layOut);
}

function chainsOf(glyphs: Glyph[]): Chain[] {
  const chains: Chain[] = [];
  let current: Chain | undefined;
  let spaced = false;
  for (const glyph of glyphs) {
    if (glyph.space) {
      if (current !== undefined && isNear(current, glyph)) current.spaceAfter = true;
      spaced = true;
      continue;
    }
    if (current !== undefined && !spaced && continues(current, glyph)) extend(current, glyph);
    else {
      const { u0, u1, v } = glyph;
      const follows = spaced && current !== undefined && isNear(current, glyph);
      current = { placed: [{ glyph, spaced: follows }], u0, u1, v, size: glyph.run.size, spaceAfter: false, parent: chains.length };
      chains.push(current);
    }
    spaced = false;
  }
  return chains;
}

function isNear(chain: Chain, glyph: Glyph): boolean {
  const size = Math.max(chain.size, glyph.run.size);
  return Math.abs(glyph.v - chain.v) < 0.7 * size && glyph.u0 < chain.u1 + 3 * size && glyph.u1 > chain.u0 - 3 * size;
}

function continues(chain: Chain, glyph: Glyph): boolean {
  const { size } = chain;
  const other = glyph.run.size;
  if (Math.abs(glyph.v - chain.v) > SAME_BASELINE * Math.min(size, other) + WITHIN_CHAIN.slack) return false;
  if (other > size * WITHIN_CHAIN.sizes || other < size / WITHIN_CHAIN.sizes) return false;
  const gap = glyph.u0 >= chain.u0 ? glyph.u0 - chain.u1 : chain.u0 - glyph.u1;
  return gap > -WITHIN_CHAIN.overlap * size && gap < CHAIN_GAP * size;
}

function extend(chain: Chain, glyph: Glyph): void {
  chain.placed.push({ glyph, spaced: false });
  chain.u0 = Math.min(chain.u0, glyph.u0);
  chain.u1 = Math.max(chain.u1, glyph.u1);
  chain.size = Math.max(chain.size, glyph.run.size);
}

function find(chains: Chain[], index: number): number {
  let root = index;
  for (let next = chains[root]?.parent ?? root; next !== root; next = chains[root]?.parent ?? root) root = next;
  for (let at = index; at !== root; ) {
    const chain = chains[at];
    if (chain === undefined) break;
    at = chain.parent;
    chain.parent = root;
  }
  return root;
}

/** Joins each chain with the chain that follows it closely on its baseline, and with the scripts that touch it. */
function link(chains: Chain[]): void {
  const rows = new Map<number, number[]>();
  const byStart = chains.map((_, index) => index).sort((a, b) => (chains[a]?.u0 ?? 0) - (chains[b]?.u0 ?? 0));
  for (const index of byStart) {
    const row = Math.floor((chains[index]?.v ?? 0) / ROW_HEIGHT);
    const known = rows.get(row);
    if (known === undefined) rows.set(row, [index]);
    else known.push(index);
  }
  chains.forEach((chain, index) => {
    // Scripts are at most 0.6 of the larger size away, and the other chain may be the larger one.
    const reach = Math.min(60, Math.max(1.3 * chain.size, 2));
    const last = Math.floor((chain.v + reach) / ROW_HEIGHT);
    for (let row = Math.floor((chain.v - reach) / ROW_HEIGHT); row <= last; row++) {
      const candidates = rows.get(row);
      if (candidates !== undefined) linkWithin(chains, chain, index, candidates);
    }
  });
}

function linkWithin(chains: Chain[], chain: Chain, index: number, candidates: number[]): void {
  const from = chain.u0 - 0.6 * chain.size;
  const to = chain.u1 + REACH * chain.size * 1.5;
  let seen = 0;
  for (let at = lowerBound(chains, candidates, from); at < candidates.length && seen < MAX_NEIGHBOURS; at++, seen++) {
    const other = candidates[at] ?? 0;
    const neighbour = chains[other];
    if (neighbour === undefined || neighbour.u0 > to) return;
    if (other === index || !belongTogether(chain, neighbour)) continue;
    const root = find(chains, other);
    const target = chains[root];
    if (target !== undefined) target.parent = find(chains, index);
  }
}

function lowerBound(chains: Chain[], sorted: number[], u: number): number {
  return partitionPoint(sorted, (index) => (chains[index]?.u0 ?? 0) < u);
}

function belongTogether(a: Chain, b: Chain): boolean {
  const gap = Math.max(a.u0, b.u0) - Math.min(a.u1, b.u1);
  const large = Math.max(a.size, b.size);
  const small = Math.min(a.size, b.size);
  const drop = Math.abs(b.v - a.v);
  if (drop <= SAME_BASELINE * small + BASELINE_SLACK) return large <= small * ON_BASELINE.sizes && gap < REACH * large && gap > -ON_BASELINE.overlap * small;
  if (drop <= NEAR_BASELINE.drop * small && large <= small * NEAR_BASELINE.sizes) return gap < NEAR_BASELINE.gap * small && gap > -NEAR_BASELINE.overlap * small;
  if (small > large * SCRIPT.most || small < large * SCRIPT.least || gap > SCRIPT.gap * large || gap < -SCRIPT.overlap * large) return false;
  const raised = a.size < b.size ? a.v < b.v : b.v < a.v;
  return drop <= (raised ? SCRIPT.raised : SCRIPT.lowered) * large;
}

/** In ems of the text: the least size of a drop capital, and the distance of the lines beside it. Then the least letters of such a line, which a script does not have. */
const DROP_CAPITAL = 1.7;
const LINES_APART = 0.8;
const LETTERS_OF_LINE = 12;

/** A chapter's first letter, and each of the lines beside it, which touch it as scripts would; null if there is no such letter. */
function aroundDropCapital([capital, ...rest]: Chain[]): Chain[][] | null {
  if (capital === undefined || capital.placed.length !== 1 || !/^\p{Lu}$/u.test(capital.placed[0]!.glyph.text) || rest.length === 0) return null;
  const size = rest.reduce((most, chain) => Math.max(most, chain.size), 0);
  if (capital.size < DROP_CAPITAL * size) return null;
  const lines: { v: number; letters: number; chains: Chain[] }[] = [];
  for (const chain of [...rest].sort((a, b) => b.size - a.size)) {
    const line = lines.find(({ v }) => Math.abs(v - chain.v) < 0.5 * LINES_APART * size);
    if (line === undefined) lines.push({ v: chain.v, letters: chain.placed.length, chains: [chain] });
    else {
      line.letters += chain.placed.length;
      line.chains.push(chain);
    }
  }
  // A word on one baseline with its large first letter is not a drop capital, unless another line is beside both.
  const isRaised = lines.length > 1 || Math.abs(lines[0]!.v - capital.v) > 0.5 * LINES_APART * size;
  return !isRaised || lines.some(({ letters }) => letters < LETTERS_OF_LINE) ? null : [[capital], ...lines.map(({ chains }) => chains)];
}

/** One track, or several if chains overlap: text printed over text stays separate. */
function layOut(cluster: Chain[]): Track[] {
  const sorted = [...cluster].sort((a, b) => a.u0 - b.u0 || b.size - a.size);
  const parts = aroundDropCapital(sorted);
  if (parts !== null) return parts.flatMap(layOut);
  const main = sorted.reduce((size, chain) => Math.max(size, chain.size), 0);
  const rows: Chain[][] = [];
  for (const chain of sorted) {
    const row = rows.find((candidate) => fits(candidate, chain, main));
    if (row === undefined) rows.push([chain]);
    else row.push(chain);
  }
  return rows.map(trackOf);
}

function fits(row: Chain[], chain: Chain, main: number): boolean {
  for (let at = row.length - 1; at >= Math.max(0, row.length - LAST_OF_ROW); at--) {
    const before = row[at];
    if (before === undefined || chain.u0 > before.u1 - OVERPRINTED * Math.min(before.size, chain.size)) continue;
    // Two scripts of one letter stand over each other and both belong to the line.
    const stacked = chain.size < SCRIPT.most * main && before.size < SCRIPT.most * main && Math.abs(chain.v - before.v) > STACKED_SCRIPTS * main;
    if (!stacked) return false;
  }
  return true;
}

function trackOf(row: Chain[]): Track {
  const placed: PlacedGlyph[] = [];
  let [u0, u1, size] = [Infinity, -Infinity, 0];
  let spaceBefore = false;
  for (const chain of row) {
    const inOrder = chain.placed.length < 2 ? chain.placed : [...chain.placed].sort((a, b) => a.glyph.u0 - b.glyph.u0 || a.glyph.index - b.glyph.index);
    const spaced = chain.placed.some((each) => each.spaced);
    inOrder.forEach((each, index) => placed.push({ glyph: each.glyph, spaced: index === 0 && (spaced || spaceBefore) }));
    spaceBefore = chain.spaceAfter;
    u0 = Math.min(u0, chain.u0);
    u1 = Math.max(u1, chain.u1);
    size = Math.max(size, chain.size);
  }
  return { placed, u0, u1, size, v: baselineOf(row, size) };
}

/** For its largest text. */
function baselineOf(row: Chain[], size: number): number {
  return (row.find((chain) => chain.size > SCRIPT.most * size) ?? row[0])?.v ?? 0;
}
