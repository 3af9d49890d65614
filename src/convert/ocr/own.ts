/** The recogniser that ships with the program, the installed ones, and the choice among them for a request. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bitmap } from '../../bitmap.js';
import type { LineVotes, NetworkReader, TextReader } from '../../engine/port.js';
import type { PageReaders } from '../../engine/vision-port.js';
import { asLecternError } from '../../errors.js';
import { detectorNetwork, orientationNetwork, recogniserNetwork } from '../shipped-networks.js';
import { dataFileOf } from './languages.js';
import { isRecogniser } from './recogniser.js';
import type { NoRecogniser, TextRecogniser, TextRecognisers } from './recogniser.js';
import { tesseractRecognisers } from './tesseract.js';

const { file, workBytes } = recogniserNetwork;
const fileName = file.slice(0, -'.onnx'.length);

export interface OwnNetwork {
  path: string;
  /** In Tesseract's names. */
  languages: string[];
}

/** The network in `directory`, or null if it is absent or has no card. */
export function findOwnNetwork(directory: string): OwnNetwork | null {
  const path = join(directory, file);
  const card = join(directory, `${fileName}.json`);
  if (!existsSync(path) || !existsSync(card)) return null;
  const { languages } = JSON.parse(readFileSync(card, 'utf8')) as { languages: string[] };
  return { path, languages };
}

function networkIn(directory: string, name: string): string | null {
  const path = join(directory, name);
  return existsSync(path) ? path : null;
}

/** The votes of the lines of a bitmap whose lines lean by at most a degree. */
export type LineVoting = (bitmap: Bitmap, dpi: number, signal: AbortSignal) => Promise<LineVotes>;

/** Uses the network that ships with the program; null if it is not in `directory`. */
export function shippedLineVoting(reader: () => Pick<NetworkReader, 'lineVotes'>, directory: string): LineVoting | null {
  const network = networkIn(directory, orientationNetwork.file);
  return network === null ? null : (bitmap, dpi, signal) => reader().lineVotes(bitmap, { network, dpi, signal });
}

/** The first page that needs it starts `reader`. One network recognises all its languages, so that they need not be distinguished. */
export function ownRecognisers(reader: () => Pick<NetworkReader, 'recogniseText'>, directory: string): TextRecognisers {
  return {
    async find(_, asked): Promise<TextRecogniser | NoRecogniser> {
      const network = findOwnNetwork(directory);
      if (network === null) return { reason: 'no text recogniser is installed' };
      const strange = asked.filter((code) => !network.languages.includes(dataFileOf(code) ?? code));
      if (strange.length > 0) return { reason: `${fileName} does not read ${strange.join(', ')}, only ${network.languages.join(', ')}` };
      const [orientation, detector] = [networkIn(directory, orientationNetwork.file), networkIn(directory, detectorNetwork.file)];
      return {
        name: fileName,
        read: (bitmap, dpi, signal, onlyUpright) => reader().recogniseText(bitmap, {
          network: network.path, dpi, signal, workBytes, ...(onlyUpright === true && orientation !== null && { orientation }), ...(detector !== null && { detector }),
        }),
      };
    },
  };
}

/** Text models of the model directories, which the main process manages: any of them by its name, otherwise the first one whose card names all requested languages. */
export function modelRecognisers(pages: Pick<PageReaders, 'textModels' | 'readLines'>): TextRecognisers {
  const strangeTo = (languages: string[], asked: readonly string[]): string[] => asked.filter((code) => !languages.includes(dataFileOf(code) ?? code) && !languages.includes(code));
  return {
    async find(preset, asked): Promise<TextRecogniser | NoRecogniser> {
      const models = await pages.textModels();
      const named = models.find(({ name }) => name.toLowerCase() === preset.toLowerCase());
      const model = named ?? models.find(({ languages }) => languages !== null && strangeTo(languages, asked).length === 0);
      if (model === undefined) return { reason: 'no installed text model knows the languages' };
      const { name, languages } = model;
      const strange = languages === null ? [] : strangeTo(languages, asked);
      if (strange.length > 0) return { reason: `${name} does not read ${strange.join(', ')}, only ${languages?.join(', ')}` };
      return { name, read: (bitmap, dpi, signal) => pages.readLines(bitmap, { model: name, dpi, signal }) };
    },
  };
}

/** A failed search counts as an absent recogniser. */
async function lookFor(recognisers: TextRecognisers, preset: string, asked: readonly string[]): Promise<TextRecogniser | NoRecogniser> {
  return recognisers.find(preset, asked).catch((thrown: unknown) => ({ reason: asLecternError(thrown).message }));
}

/**
 * Selects the recogniser for a request: an installed model by its name, the system's Tesseract for `tesseract` and its aliases. For all other names ours if it knows the languages,
 * then an installed model that does, then the system's.
 */
export function installedRecognisers(
  reader: () => Pick<NetworkReader, 'recogniseText'> & TextReader, environment: Record<string, string | undefined>, directory: string, pages?: Pick<PageReaders, 'textModels' | 'readLines'>,
): TextRecognisers {
  const own = ownRecognisers(reader, directory);
  const models = pages === undefined ? null : modelRecognisers(pages);
  const system = tesseractRecognisers(reader, environment);
  const isModel = async (preset: string): Promise<boolean> => ((await pages?.textModels().catch(() => [])) ?? []).some(({ name }) => name.toLowerCase() === preset.toLowerCase());
  return {
    async find(preset, asked): Promise<TextRecogniser | NoRecogniser> {
      // The usual value, which needs no list of models from the main process.
      if (models !== null && preset !== 'auto' && await isModel(preset)) return models.find(preset, asked);
      if (preset.startsWith('tess')) return system.find(preset, asked);
      const found = await lookFor(own, preset, asked);
      if (isRecogniser(found)) return found;
      const installed = models === null ? found : await lookFor(models, preset, asked);
      if (isRecogniser(installed)) return installed;
      const other = await system.find(preset, asked);
      if (isRecogniser(other) || findOwnNetwork(directory) === null) return other;
      return { reason: `${found.reason}; ${other.reason}` };
    },
  };
}
