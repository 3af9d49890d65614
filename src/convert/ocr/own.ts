/** The recogniser that ships with the program, those that were installed, and which reader a request gets where there is more than one. */
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
  /** As Tesseract names them. */
  languages: string[];
}

/** The network in `directory`, or null where there is none with its card. */
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

/** What the lines of a bitmap vote for that lean by at most a degree. */
export type LineVoting = (bitmap: Bitmap, dpi: number, signal: AbortSignal) => Promise<LineVotes>;

/** By the network that ships with the program; null where it is not in `directory`. */
export function shippedLineVoting(reader: () => Pick<NetworkReader, 'lineVotes'>, directory: string): LineVoting | null {
  const network = networkIn(directory, orientationNetwork.file);
  return network === null ? null : (bitmap, dpi, signal) => reader().lineVotes(bitmap, { network, dpi, signal });
}

/** `reader` is started when the first page needs it. One network reads all its languages, so they need not be distinguished. */
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

/** Text models of the model directories, which the main process holds: any of them by its name, otherwise the first one whose card names all requested languages. */
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

/** A failed search counts as a recogniser that does not exist. */
async function lookFor(recognisers: TextRecognisers, preset: string, asked: readonly string[]): Promise<TextRecogniser | NoRecogniser> {
  return recognisers.find(preset, asked).catch((thrown: unknown) => ({ reason: asLecternError(thrown).message }));
}

/**
 * What reads pictures of text here: an installed model by its name, the system's reader for `tesseract` and its like; for everything else ours where it knows the languages,
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
      // The usual value: it needs no list of models from the main process.
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
