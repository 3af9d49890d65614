/** Pages whose text is only to be seen: what is said of them while no recogniser is installed. */
import type { Bitmap } from '../bitmap.js';
import type { VisionEngine } from '../engine/port.js';
import { conversionError } from './failures.js';
import type { PageSketch } from './layout/sketch.js';
import type { ConversionError } from './result.js';

/** Enough to see lines of text lean, and cheap to draw. */
export const deskewDpi = 150;

/** A page of pictures without a text layer. One that holds neither is blank, and nothing is missing from it. */
export function isScan(sketch: PageSketch): boolean {
  return sketch.characters < 8 && sketch.pieces.length < 3 && sketch.pictureCoverage > 0.3;
}

/** The error entry of a page that would need recognition. `draw` gives the page at `deskewDpi`. */
export async function reportScan(sketch: PageSketch, draw: () => Promise<Bitmap> | Bitmap, engine: VisionEngine, signal: AbortSignal): Promise<ConversionError> {
  let lean = '';
  try {
    const degrees = await engine.deskewAngle(await draw(), { signal });
    lean = ` Its lines lean by ${degrees.toFixed(1)} degrees.`;
  } catch {
    // The angle is a courtesy: a page that cannot be measured is reported all the same.
    lean = '';
  }
  const message = `Page ${sketch.pageIndex + 1} has no text layer, and no text recogniser is installed: it is kept as a picture.${lean}`;
  return conversionError('model', 'text_recogniser', 'inference_failure', message, sketch.pageIndex + 1);
}
