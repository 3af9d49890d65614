/** `lectern worker`: the process that opens what strangers sent. Started by the program itself, it serves until its parent closes the channel. */
import { convertDocument } from '../convert/convert.js';
import type { ConvertRequest } from '../convert/request.js';
import type { ConversionProgress } from '../convert/result.js';
import { writeZip, type ZipRequest } from '../convert/write-zip.js';
import { isRecogniser } from '../convert/ocr/recogniser.js';
import { installedRecognisers, shippedLineVoting } from '../convert/ocr/own.js';
import type { TextRecognisers } from '../convert/ocr/recogniser.js';
import { shippedCellFinder } from '../convert/tables/index.js';
import { openEngine } from '../engine/engine.js';
import type { Engine } from '../engine/port.js';
import { createRemoteEngine } from '../engine/remote.js';
import { shippedModelsDirectory } from '../package-files.js';
import { serveJobs, type JobContext } from '../workers/serve.js';

/** A process of its own for each document: here Tesseract may do what it likes, and our network's memory goes with the process. Started by the first page, or the first chunk, that needs it. */
let engine: Engine | null = null;
const ownEngine = (): Engine => (engine ??= openEngine());

function recognisersOf({ call, scratchDirectory }: Pick<JobContext, 'call' | 'scratchDirectory'>): TextRecognisers {
  return installedRecognisers(ownEngine, process.env, shippedModelsDirectory(), createRemoteEngine(call, scratchDirectory));
}

/** The networks are opened once in a process. */
const tableCells = shippedCellFinder(ownEngine, shippedModelsDirectory());
const lineVotes = shippedLineVoting(ownEngine, shippedModelsDirectory());

function convert(request: ConvertRequest, context: JobContext): Promise<unknown> {
  const { call, progress, scratchDirectory, signal } = context;
  let page: number | null = null;
  return convertDocument(request, {
    engine: createRemoteEngine(call, scratchDirectory),
    counting: { countTokens: (path, texts, options) => ownEngine().countTokens(path, texts, options) },
    recognisers: recognisersOf(context),
    lineVotes,
    tableCells,
    signal,
    progress: (news: ConversionProgress) => {
      // Should this page be the last thing that the process does, the parent must know which one it was.
      progress(news, news.pageNumber !== page);
      page = news.pageNumber;
    },
  });
}

async function describeRecogniser(context: JobContext): Promise<{ name: string } | { reason: string }> {
  const found = await recognisersOf(context).find('auto', []);
  return isRecogniser(found) ? { name: found.name } : found;
}

/** Ends with the process. Throws `invalid_state` when no pool has started it. */
export function worker(): Promise<number> {
  return serveJobs({
    convert: (request, context) => convert(request as ConvertRequest, context),
    recogniser: (_, context) => describeRecogniser(context),
    zip: (request, { signal, progress }) => writeZip(request as ZipRequest, { signal, progress }),
  });
}
