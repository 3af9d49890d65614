/** The thickness of the strokes of a word in its picture: it distinguishes bold from regular type where no font is known. */
import type { Bitmap } from '../../bitmap.js';

/** In pixels of the bitmap; right and bottom excluded. */
export interface PixelBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Grey levels, of 255: with less between ink and paper the text cannot be measured. */
const leastContrast = 60;
/** Fewer runs of ink are too few to measure. */
const fewestRuns = 8;
/** Pixels: a box that is narrower or lower holds no letter. */
const smallestSide = 3;
/** The mean of the pixels lies below the middle of paper and ink by this share of their distance: the word stands on dark paper. */
const darkPaper = 0.08;
/** Share of the darkest ink: what is paler is paper, which is never quite white. */
const palestInk = 0.2;
/** Share of the darkest ink: a run of ink begins and ends here. */
const runEdge = 0.5;
/** Bytes of a pixel: red, green, blue, alpha. */
const pixelBytes = 4;

/** Weights of red, green and blue in ITU-R BT.601 luma, per thousand. */
const luma = { red: 299, green: 587, blue: 114, all: 1000 };
/** Grey level of white paper, also of pixels that the bitmap lacks. */
const paper = 255;

function luminance(data: Uint8Array, at: number): number {
  return (luma.red * (data[at] ?? paper) + luma.green * (data[at + 1] ?? paper) + luma.blue * (data[at + 2] ?? paper)) / luma.all;
}

export interface Stroke {
  /** Mean width in pixels. A pixel at an edge counts by its darkness as a share of the word's darkest pixel. */
  width: number;
  /** Mean width times the contrast, in pixels times grey levels. Blur makes thin strokes wider and paler and does not change this product. */
  ink: number;
}

/** The pixels of `box` as ink, row by row: 0 for paper, 1 for the darkest pixel (the lightest one on dark paper). `range` is the number of grey levels between the two. Null where there is no contrast. */
function inkOf(bitmap: Bitmap, box: PixelBox): { ink: Float32Array; width: number; height: number; range: number } | null {
  const [left, top] = [Math.max(0, Math.floor(box.left)), Math.max(0, Math.floor(box.top))];
  const [right, bottom] = [Math.min(bitmap.width, Math.ceil(box.right)), Math.min(bitmap.height, Math.ceil(box.bottom))];
  const [width, height] = [right - left, bottom - top];
  if (width < smallestSide || height < smallestSide) return null;
  const ink = new Float32Array(width * height);
  let [darkest, lightest, sum] = [paper, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = (top + y) * bitmap.stride + left * pixelBytes; x < width; x++, at += pixelBytes) {
      const value = luminance(bitmap.data, at);
      ink[y * width + x] = value;
      sum += value;
      if (value < darkest) darkest = value;
      if (value > lightest) lightest = value;
    }
  }
  const range = lightest - darkest;
  if (range < leastContrast) return null;
  // Letters cover less than half of their box, so that the mean is nearer to the paper.
  const onDark = sum / ink.length < (darkest + lightest) / 2 - darkPaper * range;
  for (let index = 0; index < ink.length; index++) ink[index] = onDark ? (ink[index]! - darkest) / range : (lightest - ink[index]!) / range;
  return { ink, width, height, range };
}

/** The mean horizontal run of ink in `box`: all ink divided by the number of runs. Null where there is too little to measure. */
export function strokeOf(bitmap: Bitmap, box: PixelBox): Stroke | null {
  const found = inkOf(bitmap, box);
  if (found === null) return null;
  const { ink, width, height, range } = found;
  let [all, runs] = [0, 0];
  for (let y = 0; y < height; y++) {
    let inside = false;
    for (let x = 0; x < width; x++) {
      const value = ink[y * width + x]!;
      if (value > palestInk) all += value;
      if (!inside && value > runEdge) runs++;
      inside = value > runEdge;
    }
  }
  return runs < fewestRuns ? null : { width: all / runs, ink: (all / runs) * range };
}
