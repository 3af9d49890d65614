/** Drawn lines and fills of a page, laid out so that the search for those at a node costs about the same however many there are. */
import type { Box } from '../../geometry/box.js';
import { areaOf } from '../../geometry/box.js';

export interface DrawnLine {
  orientation: 'horizontal' | 'vertical';
  position: number;
  start: number;
  end: number;
  thickness: number;
}

/** Lines that are tried in a direction: a table of 200 cells a row has as many, and hatchings of drawings more. */
const MOST_TRIED = 400;
/** Bands of a page, and fills that one keeps, the smallest first. */
const BANDS = 64;
const MOST_FILLS = 500;
/** Points by which a line may miss the gap between two words. */
const GAP_TOLERANCE = 0.5;

export class DrawnIndex {
  readonly #lines: Record<DrawnLine['orientation'], DrawnLine[]> = { horizontal: [], vertical: [] };
  readonly #bands: number[][] = Array.from({ length: BANDS }, () => []);
  readonly #fills: readonly { box: Box; fill: number }[];
  readonly #height: number;

  constructor(lines: readonly DrawnLine[], fills: readonly { box: Box; fill: number }[], page: { height: number }) {
    for (const line of lines) this.#lines[line.orientation].push(line);
    for (const of of Object.values(this.#lines)) of.sort((a, b) => a.position - b.position);
    this.#fills = fills;
    this.#height = page.height;
    const bySize = fills.map((_, index) => index).filter((index) => fills[index]!.fill >= 0).sort((a, b) => areaOf(fills[a]!.box) - areaOf(fills[b]!.box) || a - b);
    for (const index of bySize) {
      const { top, bottom } = fills[index]!.box;
      for (let band = this.#bandOf(top); band <= this.#bandOf(bottom); band++) if (this.#bands[band]!.length < MOST_FILLS) this.#bands[band]!.push(index);
    }
  }

  #bandOf(y: number): number {
    const band = Math.floor((y / this.#height) * BANDS);
    return band >= 0 ? Math.min(BANDS - 1, band) : 0;
  }

  /** Index of the smallest fill around a point whose area is below `most`, -1 for none. */
  fillAt(x: number, y: number, most: number): number {
    for (const index of this.#bands[this.#bandOf(y)]!) {
      const { box } = this.#fills[index]!;
      if (areaOf(box) >= most) return -1;
      if (box.left <= x && box.right >= x && box.top <= y && box.bottom >= y) return index;
    }
    return -1;
  }

  /** The nearest line at or before `from` (`step` -1) or behind it (1) that crosses `at`. */
  nearest(orientation: DrawnLine['orientation'], from: number, at: number, step: 1 | -1): DrawnLine | null {
    const lines = this.#lines[orientation];
    const behind = firstBehind(lines, from);
    for (let tried = 0, index = step > 0 ? behind : behind - 1; tried < MOST_TRIED && index >= 0 && index < lines.length; tried++, index += step) {
      const line = lines[index]!;
      if (line.start <= at && line.end >= at) return line;
    }
    return null;
  }

  /** Whether a vertical line stands between two places along x and crosses `at`. */
  cuts(left: number, right: number, at: number): boolean {
    if (right < left) return false;
    const line = this.nearest('vertical', right + GAP_TOLERANCE, at, -1);
    return line !== null && line.position >= left - GAP_TOLERANCE;
  }
}

/** Index of the first line whose position is greater. */
function firstBehind(lines: readonly DrawnLine[], position: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.position > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
