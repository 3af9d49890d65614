/** The process that opens documents from outside. Started by the program itself, it serves until its parent closes the channel. */
import { convertDocument } from '../convert/convert.js';
import type { UnpackRequest } from '../convert/input/unpack-archive.js';
import { isRecogniser } from '../convert/ocr/recogniser.js';
import type { PageImageRequest } from '../convert/output/page-image.js';
import type { ZipRequest } from '../convert/output/write-zip.js';
import type { ConvertRequest } from '../convert/request.js';
import type { ConversionProgress } from '../convert/result.js';
import { restrictSystemCalls } from '../engine/confinement.js';
import { endWithParent } from '../engine/end-with-parent.js';
import { createRemoteEngine } from '../engine/remote.js';
import { LecternError } from '../errors.js';
import { serveJobs, type JobContext, type JobHandler } from '../workers/serve.js';
import { closeNetworks, ownEngine, pageNetworks, relationsOf, recognisersOf } from './worker-engines.js';

function convert(request: ConvertRequest, context: JobContext): Promise<unknown> {
  const { call, progress, scratchDirectory, signal } = context;
  const remote = createRemoteEngine(call, scratchDirectory);
  let page: number | null = null;
  return convertDocument(request, {
    engine: { deskewAngle: (bitmap, options) => ownEngine().deskewAngle(bitmap, options) },
    counting: { countTokens: (path, texts, options) => ownEngine().countTokens(path, texts, options) },
    ...pageNetworks(remote),
    relations: request.byRelations === true ? relationsOf(remote) : null,
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

/** Ends with the process; resolves to an exit code at once when no pool has started it. `more`: further verbs. */
export async function worker(more: Record<string, JobHandler> = {}): Promise<number> {
  try {
    return await serveJobs({
      ...more,
      convert: (request, context) => convert(request as ConvertRequest, context),
      page: async (request) => (await import('../convert/output/page-image.js')).drawPageImage(request as PageImageRequest),
      recogniser: (_, context) => describeRecogniser(context),
      unpack: async (request, { signal }) => (await import('../convert/input/unpack-archive.js')).unpackArchive(request as UnpackRequest, signal),
      zip: async (request, { signal, progress }) => (await import('../convert/output/write-zip.js')).writeZip(request as ZipRequest, { signal, progress }),
    }, { endWithParent, release: closeNetworks, restrictSystemCalls });
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) throw thrown;
    process.stderr.write(`lectern: ${thrown.message}\n`);
    return 1;
  }
}
