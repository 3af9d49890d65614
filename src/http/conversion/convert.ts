/** The routes that convert, and those that cut into chunks: take the documents in, make a task of them, and answer with it or with its result. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientGone } from '../client-gone.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { sendJson } from '../error-reply.js';
import { answer } from './answer.js';
import { noteTokenizer, optionsOf } from './asked-options.js';
import { followWithCallbacks } from './callbacks.js';
import { chunkers, chunkFormReader, chunkSourceReader } from './chunk-request.js';
import { askedDocumentVersion } from './document-version.js';
import { type ReadRequest, readFormRequest, readSourceRequest } from './convert-request.js';
import { namesHeader } from './names-header.js';
import { findIgnored } from './options.js';
import { taskStatus, tenantOf } from './task-status.js';
import type { WaitingCounts } from './waiting-counts.js';

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
  const documentVersion = kind === 'convert' ? askedDocumentVersion(request) : null;
  const slot = await tasks.admit(kind, tenantOf(request), request.caller.identity);
  try {
    const textModels = (await dependencies.textModels?.() ?? []).map(({ name }) => name);
    // The client may have disconnected while the directory was made and the models were checked; the service would wait for its body for ever.
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
    const task = await slot.submit({ documents, options: { ...optionsOf(asked, settings), documentVersion }, target, ...(callbacks.length > 0 ? { callbacks } : {}) });
    void reply.header('x-lectern-task-id', task.id);
    waiting.add(task, documents.length);
    followWithCallbacks(dependencies, task, documents.map(({ filename }) => filename), callbacks);
    return task;
  } catch (thrown) {
    await slot.discard();
    throw thrown;
  }
}
