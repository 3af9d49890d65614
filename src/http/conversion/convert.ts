/** The routes that convert, and those that cut into chunks: take the documents in, make a task of them, and answer with it or with its result. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConvertOptions } from '../../convert/options.js';
import { namedTokenizer } from '../../models/tokenizer.js';
import { ClientGone } from '../client-gone.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { HttpFailure, sendJson } from '../error-reply.js';
import type { HttpSettings } from '../settings.js';
import { followWithCallbacks } from './callbacks.js';
import { chunkers, chunkFormReader, chunkSourceReader } from './chunk-request.js';
import { type ConvertRequest, readFormRequest, readSourceRequest } from './convert-request.js';
import { namesHeader } from './names-header.js';
import { findIgnored, toConvertOptions } from './options.js';
import { orTaskNotFound, sendResult } from './result.js';
import { taskStatus, tenantOf } from './task-status.js';
import type { CreateInput } from './upload.js';
import type { WaitingCounts } from './waiting-counts.js';

type ReadRequest = (request: FastifyRequest, create: CreateInput, settings: HttpSettings) => Promise<ConvertRequest>;

export function addConvertRoutes(app: FastifyInstance, dependencies: HttpDependencies, waiting: WaitingCounts): void {
  const route = (path: string, kind: 'convert' | 'chunk', read: ReadRequest): void => {
    app.post(path, async (request, reply) => {
      const gone = new ClientGone(reply).signal;
      const task = await begin(dependencies, waiting, request, reply, kind, read, gone);
      return answer(dependencies, task, gone, request, reply);
    });
    app.post(`${path}/async`, async (request, reply) => {
      const gone = new ClientGone(reply).signal;
      const task = await begin(dependencies, waiting, request, reply, kind, read, gone);
      return sendJson(reply, 200, taskStatus(task, waiting.of(task.id)));
    });
  };
  route('/v1/convert/file', 'convert', readFormRequest);
  route('/v1/convert/source', 'convert', readSourceRequest);
  for (const chunker of chunkers) {
    route(`/v1/chunk/${chunker}/file`, 'chunk', chunkFormReader(chunker));
    route(`/v1/chunk/${chunker}/source`, 'chunk', chunkSourceReader(chunker));
  }
}

/** From the first byte of the request to a task in the queue. Whatever goes wrong, no upload is left behind. */
async function begin(
  dependencies: HttpDependencies, waiting: WaitingCounts, request: FastifyRequest, reply: FastifyReply, kind: 'convert' | 'chunk', read: ReadRequest,
  gone: AbortSignal,
): Promise<ConversionTaskView> {
  const { tasks, settings, log, abilities, language } = dependencies;
  const slot = await tasks.admit(kind, tenantOf(request), request.caller.identity);
  try {
    const textModels = (await dependencies.textModels?.() ?? []).map(({ name }) => name);
    // While the place was made and the models were looked at the client may have left; its body would be waited for without end then.
    gone.throwIfAborted();
    const asked = await read(request, slot.createInput, { ...settings, textModels });
    await noteTokenizer(asked, language);
    const ignored = findIgnored(asked.options, { ...abilities, textModels }, settings.strictOptions);
    if (ignored.length > 0) {
      void reply.header('x-lectern-ignored-options', namesHeader(ignored));
      // How many, not which: an unknown name is whatever a client wrote there.
      log.info({ requestId: request.id, taskId: slot.id, ignored: ignored.length }, 'options of a conversion are ignored');
    }
    gone.throwIfAborted();
    const { documents } = asked;
    const target = documents.length > 1 && kind === 'convert' ? 'zip' : asked.target;
    const { callbacks } = asked;
    const task = await slot.submit({ documents, options: optionsOf(asked, settings), target, ...(callbacks.length > 0 ? { callbacks } : {}) });
    void reply.header('x-lectern-task-id', task.id);
    waiting.add(task, documents.length);
    followWithCallbacks(dependencies, task, documents.map(({ filename }) => filename), callbacks);
    return task;
  } catch (thrown) {
    await slot.discard();
    throw thrown;
  }
}

/** A tokenizer that is no model here is an option that cannot be honoured: another counts, and the chunks name it. */
async function noteTokenizer({ options, chunks }: ConvertRequest, language: HttpDependencies['language']): Promise<void> {
  const name = chunks?.options.tokenizer ?? null;
  if (chunks === undefined || name === null) return;
  if (language === undefined || await namedTokenizer(language.catalogue, name) === null) options.unknown.push(chunks.tokenizerAt);
}

/** Chunks go without the document's outputs, but for its JSON where the client wants it. */
function optionsOf({ options, chunks }: ConvertRequest, settings: HttpSettings): ConvertOptions {
  const made = toConvertOptions(options, settings);
  return chunks === undefined ? made : { ...made, chunking: chunks.options, outputs: chunks.withDocument ? ['json'] : [] };
}

/** Waits for the task and sends its result; 504 when that takes too long, and then the work goes on; 503 when the service stops, and then at its next start. */
async function answer({ tasks, settings, log }: HttpDependencies, task: ConversionTaskView, gone: AbortSignal, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { id, tenant } = task;
  const view = await tasks.wait(id, tenant, settings.syncWait * 1000, gone).catch(orTaskNotFound);
  if (gone.aborted) {
    log.info({ requestId: request.id, taskId: id }, 'a client went away, its conversion is cancelled');
    await tasks.cancel(id, tenant).catch(orTaskNotFound);
    throw gone.reason;
  }
  // A document that needs too much memory is an outcome; a task ends so only where the disk had no room for its result.
  if (view.failure?.code === 'out_of_memory') throw new HttpFailure(507, view.failure.message, { 'retry-after': '5' });
  // Nobody looks at `gone` any more: the close that follows a 504 is no disconnect, and the work outlives its socket.
  if (view.status === 'success' || view.status === 'failure') return sendResult(tasks, view, reply);
  if (tasks.closed) throw new HttpFailure(503, 'The service is stopping; it goes on with this conversion at its next start.', { 'retry-after': '5' }, { task_id: id });
  const detail = `Conversion is taking too long. The maximum wait time is configure as DOCLING_SERVE_MAX_SYNC_WAIT=${settings.syncWait}.`;
  throw new HttpFailure(504, detail, {}, { task_id: id });
}
