/** The process that opens what strangers sent. Started by the program itself, it serves until its parent closes the channel. */
import { convertDocument } from '../convert/convert.js';
import type { ConvertRequest } from '../convert/request.js';
import type { ConversionProgress } from '../convert/result.js';
import type { ZipRequest } from '../convert/output/write-zip.js';
import { shippedLayoutFinder } from '../convert/layout-network/shipped.js';
import { isRecogniser } from '../convert/ocr/recogniser.js';
import { installedRecognisers, shippedLineVoting } from '../convert/ocr/own.js';
import type { TextRecognisers } from '../convert/ocr/recogniser.js';
import { shippedCellFinder } from '../convert/tables/index.js';
import { endWithParent } from '../engine/end-with-parent.js';
import { openEngine } from '../engine/engine.js';
import type { Engine, NetworkReader, TextReader } from '../engine/port.js';
import type { PageReaders } from '../engine/vision-port.js';
import { createRemoteEngine, type NetworkMemory } from '../engine/remote.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { LecternError } from '../errors.js';
import { serveJobs, type JobContext, type JobHandler } from '../workers/serve.js';

/** A process of its own for each document: here Tesseract may do what it likes. Started by the first page, or the first chunk, that needs it. */
let engine: Engine | null = null;
const ownEngine = (): Engine => (engine ??= openEngine());

/** Where our networks are, kept from one document to the next until the main process wants their memory back: there it is counted. */
let networks: Engine | null = null;
const networkEngine = (): Engine => (networks ??= openEngine());

/** The main process asks for it while none of them is at work. */
async function closeNetworks(): Promise<void> {
  const open = networks;
  networks = null;
  await open?.close();
}

const openTables = shippedCellFinder(networkEngine, shippedModelsDirectory());
const openLayout = shippedLayoutFinder(networkEngine, shippedModelsDirectory());

/** Reads with the memory of its networks held for as long as it takes. */
function readerWithin(remote: NetworkMemory): NetworkReader & TextReader {
  return {
    recogniseText: (bitmap, options) => remote.withNetworks(() => networkEngine().recogniseText(bitmap, options), options.signal),
    lineVotes: (bitmap, options) => remote.withNetworks(() => networkEngine().lineVotes(bitmap, options), options.signal),
    tesseractVersion: () => ownEngine().tesseractVersion(),
    readText: (bitmap, options) => ownEngine().readText(bitmap, options),
  };
}

function recognisersOf(remote: NetworkMemory & PageReaders): TextRecognisers {
  return installedRecognisers(() => readerWithin(remote), process.env, shippedModelsDirectory(), remote);
}

function convert(request: ConvertRequest, context: JobContext): Promise<unknown> {
  const { call, progress, scratchDirectory, signal } = context;
  const remote = createRemoteEngine(call, scratchDirectory);
  let page: number | null = null;
  return convertDocument(request, {
    engine: remote,
    counting: { countTokens: (path, texts, options) => ownEngine().countTokens(path, texts, options) },
    recognisers: recognisersOf(remote),
    lineVotes: shippedLineVoting(() => readerWithin(remote), shippedModelsDirectory()),
    tableCells: openTables === null ? null : (picture, within) => remote.withNetworks(() => openTables(picture, within), within),
    layout: openLayout === null ? null : (page, within) => remote.withNetworks(() => openLayout(page, within), within),
    holdNetworks: remote.holdNetworks,
    signal,
    progress: (news: ConversionProgress) => {
      // Should this page be the last thing that the process does, the parent must know which one it was.
      progress(news, news.pageNumber !== page);
      page = news.pageNumber;
    },
  });
}

async function describeRecogniser({ call, scratchDirectory }: JobContext): Promise<{ name: string } | { reason: string }> {
  const found = await recognisersOf(createRemoteEngine(call, scratchDirectory)).find('auto', []);
  return isRecogniser(found) ? { name: found.name } : found;
}

/** Ends with the process; answers an exit code at once when no pool has started it. `more`: further verbs. */
export async function worker(more: Record<string, JobHandler> = {}): Promise<number> {
  try {
    return await serveJobs({
      ...more,
      convert: (request, context) => convert(request as ConvertRequest, context),
      recogniser: (_, context) => describeRecogniser(context),
      zip: async (request, { signal, progress }) => (await import('../convert/output/write-zip.js')).writeZip(request as ZipRequest, { signal, progress }),
    }, { endWithParent, release: closeNetworks });
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) throw thrown;
    process.stderr.write(`lectern: ${thrown.message}\n`);
    return 1;
  }
}
