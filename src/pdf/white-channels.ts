/** White channels: a gap in one line is a gutter if the lines above and below are white at the same place. */
import type { Track } from './glyph-tracks.js';

const MAX_ROWS_SEEN = 8;
const ROWS_NEEDED = 3;
/** In ems: the width that must stay white, and the largest distance of lines that support each other. */
const FREE_WIDTH = 0.45;
const MAX_PITCH = 2.4;

interface Interval {
  u0: number;
  u1: number;
}

/** The ink at one height, from left to right. */
interface TrackRow {
  v: number;
  size: number;
  ink: Interval[];
}

export class ChannelFinder {
  #rows: TrackRow[] = [];
  #rowOf = new Map<Track, number>();

  constructor(tracks: Track[]) {
    for (const track of [...tracks].sort((a, b) => a.v - b.v)) {
      const last = this.#rows[this.#rows.length - 1];
      if (last !== undefined && track.v - last.v < 0.3 * Math.min(last.size, track.size)) last.ink.push(...inkOf(track));
      else this.#rows.push({ v: track.v, size: track.size, ink: inkOf(track) });
      this.#rowOf.set(track, this.#rows.length - 1);
    }
    for (const row of this.#rows) row.ink.sort((a, b) => a.u0 - b.u0);
  }

  /** Whether the gap from `u0` to `u1` in a track continues through at least three neighbouring rows. `em` in points. */
  runsThrough(track: Track, u0: number, u1: number, em: number): boolean {
    const at = this.#rowOf.get(track);
    if (at === undefined) return false;
    return this.#support(at, -1, u0, u1, em) + this.#support(at, 1, u0, u1, em) >= ROWS_NEEDED;
  }

  /** Rows in one direction with text on both sides of the channel and none in it. */
  #support(at: number, step: 1 | -1, u0: number, u1: number, em: number): number {
    let support = 0;
    let [free0, free1] = [u0, u1];
    let v = this.#rows[at]?.v ?? 0;
    for (let seen = 1; seen <= MAX_ROWS_SEEN; seen++) {
      const row = this.#rows[at + seen * step];
      if (row === undefined || Math.abs(row.v - v) > MAX_PITCH * em) break;
      v = row.v;
      const around = freeAround(row, (free0 + free1) / 2, em);
      if (around === null) break;
      free0 = Math.max(free0, around.u0);
      free1 = Math.min(free1, around.u1);
      if (free1 - free0 < FREE_WIDTH * em) break;
      // Text on one side only is not evidence, nor is text far away.
      if (around.u0 > u0 - 12 * em && around.u1 < u1 + 12 * em) support++;
    }
    return support;
  }
}

/** Words suffice: chains of glyphs nearer than an ordinary word gap. */
function inkOf(track: Track): Interval[] {
  const ink: Interval[] = [];
  let current: Interval | undefined;
  for (const { glyph } of track.placed) {
    if (current !== undefined && glyph.u0 - current.u1 < 0.2 * track.size) current.u1 = Math.max(current.u1, glyph.u1);
    else ink.push((current = { u0: glyph.u0, u1: glyph.u1 }));
  }
  return ink;
}

/** The white space around a place in a row; null if there is ink. */
function freeAround(row: TrackRow, u: number, em: number): Interval | null {
  const free: Interval = { u0: -Infinity, u1: Infinity };
  for (const { u0, u1 } of row.ink) {
    if (u1 < u + 0.1 * em) free.u0 = Math.max(free.u0, u1);
    else if (u0 > u - 0.1 * em) free.u1 = Math.min(free.u1, u0);
    else return null;
  }
  return free;
}
