/** The recogniser that ships with the program, and which reader a request gets where there is more than one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkReader, TextReader } from '../../engine/port.js';
import { asLecternError } from '../../errors.js';
import { dataFileOf } from './languages.js';
import { isRecogniser } from './recogniser.js';
import type { NoRecogniser, TextRecogniser, TextRecognisers } from './recogniser.js';
import { tesseractRecognisers } from './tesseract.js';

const fileName = 'lectern-recogniser';

export interface OwnNetwork {
  path: string;
  /** As Tesseract names them. */
  languages: string[];
}

/** The network in `directory`, or null where there is none with its card. */
export function findOwnNetwork(directory: string): OwnNetwork | null {
  const path = join(directory, `${fileName}.onnx`);
  const card = join(directory, `${fileName}.json`);
  if (!existsSync(path) || !existsSync(card)) return null;
  const { languages } = JSON.parse(readFileSync(card, 'utf8')) as { languages: string[] };
  return { path, languages };
}

/** `reader` is started when a page first asks for it. One network reads all its languages: they need not be told apart. */
export function ownRecognisers(reader: () => NetworkReader, directory: string): TextRecognisers {
  return {
    async find(_, asked): Promise<TextRecogniser | NoRecogniser> {
      const network = findOwnNetwork(directory);
      if (network === null) return { reason: 'no text recogniser is installed' };
      const strange = asked.filter((code) => !network.languages.includes(dataFileOf(code) ?? code));
      if (strange.length > 0) return { reason: `${fileName} does not read ${strange.join(', ')}, only ${network.languages.join(', ')}` };
      return { name: fileName, read: (bitmap, dpi, signal) => reader().recogniseText(bitmap, { network: network.path, dpi, signal }) };
    },
  };
}

/** What reads pictures of text here: `tesseract` and its like ask for the system's, everything else takes ours where it knows the languages, then the system's. */
export function installedRecognisers(reader: () => NetworkReader & TextReader, environment: Record<string, string | undefined>, directory: string): TextRecognisers {
  const own = ownRecognisers(reader, directory);
  const system = tesseractRecognisers(reader, environment);
  return {
    async find(preset, asked): Promise<TextRecogniser | NoRecogniser> {
      if (preset.startsWith('tess')) return system.find(preset, asked);
      let found: TextRecogniser | NoRecogniser;
      try {
        found = await own.find(preset, asked);
      } catch (thrown) {
        found = { reason: asLecternError(thrown).message };
      }
      if (isRecogniser(found)) return found;
      const other = await system.find(preset, asked);
      return isRecogniser(other) || findOwnNetwork(directory) === null ? other : found;
    },
  };
}
