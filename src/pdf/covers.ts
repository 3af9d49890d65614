/** An index of filled boxes and images by place: finds those over and under a glyph. */
import { containsBox, middleX, middleY } from '../geometry/box.js';
import { colorDistance, WHITE } from './colors.js';
import type { Box } from './pdf-page.js';

export interface Cover {
  box: Box;
  /** Painting order of its page object. */
  order: number;
  /** 0xRRGGBB, or -1 for an image. */
  color: number;
  /** Opaque by the file's properties. */
  opaque: boolean;
  image: boolean;
}

/** The index is a grid of square buckets: their side, and the most entries of all buckets together. */
const BUCKET_POINTS = 36;
const MAX_ENTRIES = 200_000;
/** Sum of the differences of the three channels up to which two colours appear equal. */
const SAME_COLOR = 24;

/** Returns candidates that drawing must confirm: an image may be transparent, a box may be masked. */
export class CoverIndex {
  #columns: number;
  #rows: number;
  #buckets = new Map<number, Cover[]>();
  #colors: number[];

  constructor(covers: Cover[], page: Box) {
    this.#columns = Math.max(1, Math.ceil(page.right / BUCKET_POINTS));
    this.#rows = Math.max(1, Math.ceil(page.bottom / BUCKET_POINTS));
    this.#colors = [...new Set([WHITE, ...covers.filter((cover) => !cover.image).map((cover) => cover.color)])];
    let entries = 0;
    for (const cover of covers) {
      if (entries > MAX_ENTRIES) break;
      entries += this.#register(cover);
    }
  }

  #register(cover: Cover): number {
    const [left, right] = [this.#clamp(cover.box.left, this.#columns), this.#clamp(cover.box.right, this.#columns)];
    const [top, bottom] = [this.#clamp(cover.box.top, this.#rows), this.#clamp(cover.box.bottom, this.#rows)];
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const key = row * this.#columns + column;
        const known = this.#buckets.get(key);
        if (known === undefined) this.#buckets.set(key, [cover]);
        else known.push(cover);
      }
    }
    return (right - left + 1) * (bottom - top + 1);
  }

  #clamp(value: number, limit: number): number {
    return Math.min(limit - 1, Math.max(0, Math.floor(value / BUCKET_POINTS)));
  }

  #at(ink: Box): Cover[] {
    const column = this.#clamp(middleX(ink), this.#columns);
    const row = this.#clamp(middleY(ink), this.#rows);
    return this.#buckets.get(row * this.#columns + column) ?? [];
  }

  /** The first opaque object painted after `order` that covers the whole ink, or null. */
  over(ink: Box, order: number): Cover | null {
    return this.#at(ink).find((cover) => cover.order > order && cover.opaque && containsBox(cover.box, ink, 0.5)) ?? null;
  }

  /** Whether the last box painted under the ink, or the bare page, has the text's own colour. */
  hasColorOfGround(ink: Box, order: number, color: number): boolean {
    if (!this.#colors.some((other) => alike(other, color))) return false;
    let ground = WHITE;
    for (const cover of this.#at(ink)) {
      if (cover.order < order && containsBox(cover.box, ink, -0.5)) ground = cover.image ? -1 : cover.color;
    }
    // Over an image only drawing can decide; text whose colour no box has is not drawn for that.
    return ground === -1 ? alike(color, WHITE) : alike(ground, color);
  }
}

function alike(a: number, b: number): boolean {
  return colorDistance(a, b) <= SAME_COLOR;
}
