/** The engines of a worker: one for its own work, one for the networks that ship, whose memory the main process counts. */
import type { convertDocument } from '../convert/convert.js';
import { shippedLayoutFinder } from '../convert/layout-network/shipped.js';
import { shippedRelations } from '../convert/relations/network.js';
import type { RelationFinder } from '../convert/relations/network.js';
import { installedRecognisers, shippedLineVoting } from '../convert/ocr/own.js';
import type { TextRecognisers } from '../convert/ocr/recogniser.js';
import { shippedCellFinder } from '../convert/tables/index.js';
import { openEngine } from '../engine/engine.js';
import type { NetworkReader, TextReader } from '../engine/port.js';
import type { Engine } from '../engine/engine-port.js';
import type { NetworkMemory } from '../engine/remote.js';
import type { PageReaders } from '../engine/vision-port.js';
import { shippedModelsDirectory } from '../platform/package-files.js';

/** A process of its own for each document: here Tesseract may do what it likes. Started by the first page, or the first chunk, that needs it. */
let engine: Engine | null = null;
export const ownEngine = (): Engine => (engine ??= openEngine());

/** Where our networks are, kept from one document to the next until the main process wants their memory back: there it is counted. */
let networks: Engine | null = null;
const networkEngine = (): Engine => (networks ??= openEngine());

/** The main process asks for it while none of them is at work. */
export async function closeNetworks(): Promise<void> {
  const open = networks;
  networks = null;
  await open?.close();
}

const tableCells = shippedCellFinder(networkEngine, shippedModelsDirectory());
const relations = shippedRelations(networkEngine, shippedModelsDirectory());
const layout = shippedLayoutFinder(networkEngine, shippedModelsDirectory());

/** Reads with the memory of its networks held for as long as it takes. */
function readerWithin(remote: NetworkMemory): NetworkReader & TextReader {
  return {
    recogniseText: (bitmap, options) => remote.withNetworks(() => networkEngine().recogniseText(bitmap, options), options.signal),
    lineVotes: (bitmap, options) => remote.withNetworks(() => networkEngine().lineVotes(bitmap, options), options.signal),
    tesseractVersion: () => ownEngine().tesseractVersion(),
    readText: (bitmap, options) => ownEngine().readText(bitmap, options),
  };
}

export function recognisersOf(remote: NetworkMemory & PageReaders): TextRecognisers {
  return installedRecognisers(() => readerWithin(remote), process.env, shippedModelsDirectory(), remote);
}

/** The readers of pages that a document's conversion uses, as far as their networks ship with this program. */
export function pageNetworks(remote: NetworkMemory & PageReaders): Pick<Parameters<typeof convertDocument>[1], 'recognisers' | 'lineVotes' | 'tableCells' | 'layout' | 'holdNetworks'> {
  return {
    recognisers: recognisersOf(remote),
    lineVotes: shippedLineVoting(() => readerWithin(remote), shippedModelsDirectory()),
    tableCells: tableCells === null ? null : (picture, within) => remote.withNetworks(() => tableCells(picture, within), within),
    layout: layout === null ? null : (page, within) => remote.withNetworks(() => layout(page, within), within),
    holdNetworks: remote.holdNetworks,
  };
}

/** What decides pages by the relation network; null if that is not installed. */
export function relationsOf(remote: NetworkMemory): RelationFinder | null {
  return relations === null ? null : (page, within) => remote.withNetworks(() => relations(page, within), within);
}
