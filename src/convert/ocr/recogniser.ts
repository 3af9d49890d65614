/** The port of recognisers: recognises the text of a bitmap with any engine. */
import type { Bitmap } from '../../bitmap.js';
import type { ReadPage } from '../../engine/port.js';

export interface TextRecogniser {
  /** The engine, version and languages for the response: `tesseract 5.3.0 (eng)`. */
  readonly name: string;
  /**
   * Text and rulings of an upright page. A recogniser that detects rotated pages may return `turned` without text if the caller wants only upright ones.
   */
  read(bitmap: Bitmap, dpi: number, signal: AbortSignal, onlyUpright?: boolean): Promise<ReadPage>;
}

/** The reason why there is none: one sentence for the client. */
export interface NoRecogniser {
  reason: string;
}

export interface TextRecognisers {
  /** `preset` and `languages` in the form of the request; languages are ISO 639 codes or the engine's own names. */
  find(preset: string, languages: readonly string[]): Promise<TextRecogniser | NoRecogniser>;
}

export function isRecogniser(found: TextRecogniser | NoRecogniser): found is TextRecogniser {
  return 'read' in found;
}

/** For a converter without recognisers. */
export const noRecognisers: TextRecognisers = {
  find: async () => ({ reason: 'no text recogniser is installed' }),
};
