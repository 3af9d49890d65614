/** The thickness of the strokes of a word in its picture: it distinguishes bold from regular type where no font is known. */
import type { Bitmap } from '../../bitmap.js';

/** In pixels of the bitmap; right and bottom excluded. */
export interface PixelBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Ink and paper closer than this (of 255) are no text that can be measured. */
const leastContrast = 60;
/** Fewer runs of ink are too few to measure. */
const fewestRuns = 8;

/** Weights of red, green and blue in ITU-R BT.601 luma, per thousand; and paper, where a pixel is missing. */
const luma = { red: 299, green: 587, blue: 114, all: 1000 };
const paper = 255;

function luminance(data: Uint8Array, at: number): number {
  return (luma.red * (data[at] ?? paper) + luma.green * (data[at + 1] ?? paper) + luma.blue * (data[at + 2] ?? paper)) / luma.all;
}

export interface Stroke {
  /** Its mean width, pixels, edges counted by how dark they are beside its own darkest pixel. */
  width: number;
  /** What it takes of the paper's light, pixels times grey levels: blur, which makes thin strokes wider and paler, leaves it as it is. */
  ink: number;
}

/** The rows of `box` as ink, 0 for paper to 1 for the darkest pixel (or the lightest, on dark paper), and the grey levels between the two; null without contrast. */
function inkOf(bitmap: Bitmap, box: PixelBox): { ink: Float32Array; width: number; height: number; range: number } | null {
  const [left, top] = [Math.max(0, Math.floor(box.left)), Math.max(0, Math.floor(box.top))];
  const [right, bottom] = [Math.min(bitmap.width, Math.ceil(box.right)), Math.min(bitmap.height, Math.ceil(box.bottom))];
  const [width, height] = [right - left, bottom - top];
  if (width < 3 || height < 3) return null;
  const ink = new Float32Array(width * height);
  let [darkest, lightest, sum] = [255, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = (top + y) * bitmap.stride + left * 4; x < width; x++, at += 4) {
      const value = luminance(bitmap.data, at);
      ink[y * width + x] = value;
      sum += value;
      if (value < darkest) darkest = value;
      if (value > lightest) lightest = value;
    }
  }
  const range = lightest - darkest;
  if (range < leastContrast) return null;
  // Letters cover the lesser part of their box.
  const onDark = sum / ink.length < (darkest + lightest) / 2 - 0.08 * range;
  for (let index = 0; index < ink.length; index++) ink[index] = onDark ? (ink[index]! - darkest) / range : (lightest - ink[index]!) / range;
  return { ink, width, height, range };
}

/** The mean horizontal run of ink in `box`: all ink over the number of its runs. Null where there is too little to measure. */
export function strokeOf(bitmap: Bitmap, box: PixelBox): Stroke | null {
  const found = inkOf(bitmap, box);
  if (found === null) return null;
  const { ink, width, height, range } = found;
  let [all, runs] = [0, 0];
  for (let y = 0; y < height; y++) {
    let inside = false;
    for (let x = 0; x < width; x++) {
      const value = ink[y * width + x]!;
      // Paper is never quite white: what is lighter than a fifth is none of the ink.
      if (value > 0.2) all += value;
      if (!inside && value > 0.5) runs++;
      inside = value > 0.5;
    }
  }
  return runs < fewestRuns ? null : { width: all / runs, ink: (all / runs) * range };
}
