/** What reads the text of a bitmap, whichever engine it is, and what the converter may ask for one. */
import type { Bitmap } from '../../bitmap.js';
import type { ReadPage } from '../../engine/port.js';

export interface TextRecogniser {
  /** For the answer: engine, version and languages, `tesseract 5.3.0 (eng)`. */
  readonly name: string;
  /**
   * Text and ruled lines of an upright page. Where only that is wanted, a recogniser that tells one from others may read nothing of them (`turned`).
   */
  read(bitmap: Bitmap, dpi: number, signal: AbortSignal, onlyUpright?: boolean): Promise<ReadPage>;
}

/** Why there is none: one sentence for the client. */
export interface NoRecogniser {
  reason: string;
}

export interface TextRecognisers {
  /** `preset` and `languages` as the request has them; languages are ISO 639 codes or the engine's own names. */
  find(preset: string, languages: readonly string[]): Promise<TextRecogniser | NoRecogniser>;
}

export function isRecogniser(found: TextRecogniser | NoRecogniser): found is TextRecogniser {
  return 'read' in found;
}

/** For a converter that is given none. */
export const noRecognisers: TextRecognisers = {
  find: async () => ({ reason: 'no text recogniser is installed' }),
};
