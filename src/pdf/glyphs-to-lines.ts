/** Groups the glyphs of a PDF page into lines (`buildLines`): tracks of glyphs on one baseline (glyph-tracks.ts), cut where a gutter, a gap between table columns or a drawn wall lies. Recognised pages have theirs from convert/ocr/recognised-lines.ts. */
import { partitionPoint } from '../geometry/search.js';
import { median } from '../geometry/statistics.js';
import { HALF_TURN, QUARTER_TURN, THREE_QUARTER_TURN } from './angles.js';
import type { Glyph } from './glyph.js';
import type { Ruling } from './pdf-page.js';
import { buildTracks } from './glyph-tracks.js';
import type { Track } from './glyph-tracks.js';
import { ChannelFinder } from './white-channels.js';
import { measureSpacing } from './spacing.js';
import type { Spacing } from './spacing.js';

/** Glyphs on one baseline by u, without spaces; `starts[i]` is true if a word begins at glyph i after a space or gap. */
export interface GlyphLine {
  glyphs: Glyph[];
  starts: boolean[];
}

/** In ems: a gap that always splits the line if it also exceeds the line's own word gaps. */
const FIRM_GAP = 1.1;
/** A gap that splits if a channel of white space continues through the lines above and below. */
const CHANNEL_GAP = 0.55;
/** A gap that splits if the page painted other objects between the two sides. */
const JUMP_GAP = 0.7;
const WIDEST_ORDINARY = 0.8;
const MARKER_GAP = 2.2;
const QUAD_GAP = 1.6;
const NUMBER_GAP = 0.8;
/** The em of two sizes is at most this many times the smaller one. */
const SIZES = 1.4;
/** A smaller gap contains no wall. */
const WALLED_GAP = 0.1;
/** Ratios to the line's ordinary gap: of a gap that splits by itself, and of one that splits beside a channel or a jump in the painting order. */
const FIRM_WIDENING = 1.8;
const WIDENING = 1.3;
/** A jump in the painting order skips at least this many glyphs. */
const JUMP = 5;
/**
 * A marker that may stand further from its text than a gap between columns. The set differs from the list markers of src/convert/wording: forms also set `1:`, `☐` and `✗`
 * apart from their text, while `»` and `▶` also stand between columns.
 */
const marker = /^(?:[•●○■□◻❑❒☐☑☒⊠⌧▪▫◦‣⁃–—*·➢✓✗❖◆-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.):]|\[\d{1,3}\])$/;
const sectionNumber = /^\d+(?:\.\d+)*\.?$/;

export function buildLines(glyphs: Glyph[], rulings: Ruling[]): GlyphLine[] {
  const byAngle = new Map<number, Glyph[]>();
  for (const glyph of glyphs) {
    const known = byAngle.get(glyph.run.angle);
    if (known === undefined) byAngle.set(glyph.run.angle, [glyph]);
    else known.push(glyph);
  }
  const lines: GlyphLine[] = [];
  for (const [angle, group] of byAngle) {
    const tracks = buildTracks(group);
    const channels = new ChannelFinder(tracks);
    const walls = wallsFor(rulings, angle);
    for (const track of tracks) lines.push(...splitTrack(track, channels, walls));
  }
  return lines;
}

/** A drawn line across the reading direction: its place along the line, and its range across it. */
interface LineWall {
  u: number;
  from: number;
  to: number;
}

function wallsFor(rulings: Ruling[], angle: number): LineWall[] {
  if (angle % QUARTER_TURN !== 0) return [];
  const across = angle % HALF_TURN === 0 ? 'vertical' : 'horizontal';
  // u and v in terms of the page's x and y, for the four quarter turns.
  const forwards = angle === 0 || angle === THREE_QUARTER_TURN ? 1 : -1;
  const down = angle === 0 || angle === QUARTER_TURN ? 1 : -1;
  return rulings
    .filter((ruling) => ruling.orientation === across)
    .map(({ position, start, end }) => ({ u: forwards * position, from: Math.min(down * start, down * end), to: Math.max(down * start, down * end) }))
    .sort((a, b) => a.u - b.u);
}

/** The lines of a track. Glyphs and `starts` are cut at the same indices, and each place is tested with the begin of its line. */
function splitTrack(track: Track, channels: ChannelFinder, walls: LineWall[]): GlyphLine[] {
  const glyphs = track.placed.map((each) => each.glyph);
  const spacing = measureSpacing(track.placed);
  const ordinary = ordinaryGap(spacing, track.size);
  const lines: GlyphLine[] = [];
  let start = 0;
  for (let index = 1; index <= glyphs.length; index++) {
    if (index < glyphs.length && !isBreak(track, glyphs, spacing, { start, index, ordinary }, channels, walls)) continue;
    const starts = spacing.starts.slice(start, index);
    starts[0] = true;
    lines.push({ glyphs: glyphs.slice(start, index), starts });
    start = index;
  }
  return lines;
}

/** The ordinary gap between the words of the track, in points. */
function ordinaryGap(spacing: Spacing, size: number): number {
  const gaps = spacing.gaps.filter((_, index) => index > 0 && spacing.starts[index] === true);
  return gaps.length < 3 ? 0.3 * size : Math.min(median(gaps), WIDEST_ORDINARY * size);
}

interface BreakPlace {
  /** First glyph of the line so far, and the glyph before which it may break. */
  start: number;
  index: number;
  ordinary: number;
}

function isBreak(track: Track, glyphs: Glyph[], spacing: Spacing, place: BreakPlace, channels: ChannelFinder, walls: LineWall[]): boolean {
  const { start, index, ordinary } = place;
  const gap = spacing.gaps[index] ?? 0;
  const [left, right] = [glyphs[index - 1], glyphs[index]];
  if (left === undefined || right === undefined || gap <= 0) return false;
  const em = Math.min(Math.max(left.run.size, right.run.size), SIZES * Math.min(left.run.size, right.run.size));
  if (gap > WALLED_GAP * em && isWalled(left, right, em, walls)) return true;
  if (gap <= CHANNEL_GAP * em) return false;
  const tracking = Math.max(0, spacing.tracking[index] ?? 0);
  const head = headText(glyphs, spacing, start, index);
  if (marker.test(head) && gap < MARKER_GAP * em) return false;
  // A quad behind a heading's number is as wide as a column gap; only columns continue above and below.
  if (sectionNumber.test(head) && gap < QUAD_GAP * em) return gap > NUMBER_GAP * em && channels.runsThrough(track, left.u1, right.u0, em);
  if (gap > FIRM_GAP * em + 2 * tracking && gap > FIRM_WIDENING * ordinary) return true;
  const jump = right.index < left.index || right.index - left.index > JUMP;
  if (jump && gap > JUMP_GAP * em + tracking && gap > WIDENING * ordinary) return true;
  return gap >= WIDENING * ordinary && channels.runsThrough(track, left.u1, right.u0, em);
}

/** The line so far if it is one short word: a list marker or a section number must stay with its text. */
function headText(glyphs: Glyph[], spacing: Spacing, start: number, index: number): string {
  if (index - start > 8 || spacing.starts.slice(start + 1, index).includes(true)) return '';
  return glyphs.slice(start, index).map((glyph) => glyph.text).join('');
}

/** Whether a wall stands between the two glyphs and crosses their line. */
function isWalled(left: Glyph, right: Glyph, em: number, walls: LineWall[]): boolean {
  const middle = right.v - 0.3 * em;
  const [first, last] = [left.u1 - 0.1 * em, right.u0 + 0.1 * em];
  for (let at = partitionPoint(walls, ({ u }) => u <= first); at < walls.length && (walls[at]?.u ?? last) < last; at++) {
    const wall = walls[at];
    if (wall !== undefined && wall.from < middle && wall.to > middle) return true;
  }
  return false;
}
