/** The document of a task and images of its pages, where the request asked to keep it (`keep_source`). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sourceFile } from '../../convert/task/payload.js';
import { ClientGone } from '../client-gone.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { HttpFailure, invalid, type Issue } from '../error-reply.js';
import { integer } from './kinds.js';
import { orTaskNotFound } from './result.js';
import { requireVisible } from './task-access.js';
import { tenantOf } from './task-status.js';

interface TaskRoute {
  Params: { task_id: string; page?: string };
  Querystring: { width?: string };
}

/** Pixels. */
const usualWidth = 1000;
const widths = { least: 50, most: 3000 };
const pages = { least: 1, most: 1_000_000 };

const noSource = 'The document of this task was not kept: a request with keep_source=true and one document keeps it.';

export function addPageRoutes(app: FastifyInstance, { tasks, settings, pageImages }: HttpDependencies): void {
  const openSource = async (request: FastifyRequest<TaskRoute>): Promise<{ task: ConversionTaskView; filename: string; output: Awaited<ReturnType<typeof tasks.openOutput>> }> => {
    const tenant = tenantOf(request);
    const task = requireVisible(request, await tasks.wait(request.params.task_id, tenant, 0).catch(orTaskNotFound), settings);
    if (task.endedAt === null) throw new HttpFailure(404, 'Task result not found. Please wait for a completion status.');
    const output = await tasks.openOutput(task.id, tenant, sourceFile).catch((thrown: unknown) => {
      if ((thrown as { code?: unknown }).code === 'not_found') throw new HttpFailure(404, noSource);
      return orTaskNotFound(thrown);
    });
    return { task, filename: task.summary?.documents[0]?.filename ?? 'document', output };
  };

  app.get<TaskRoute>('/v1/tasks/:task_id/source', async (request, reply) => {
    const { filename, output } = await openSource(request);
    return reply.headers({ ...guarded, 'content-type': 'application/octet-stream', 'content-length': String(output.sizeBytes), 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(Buffer.from(filename).toString())}` })
      .send(output.handle.createReadStream());
  });

  app.get<TaskRoute>('/v1/tasks/:task_id/pages/:page', async (request, reply) => {
    const { pageNumber, width } = readPlace(request);
    if (pageImages === undefined) throw new HttpFailure(404, 'This service draws no pages.');
    pageImages.requireRoom();
    const { filename, output } = await openSource(request);
    // Only the check of its bytes was wanted: the worker gets the file itself.
    await output.handle.close();
    const image = await pageImages.draw({ inputPath: output.path, filename, pageNumber, width }, new ClientGone(reply).signal).catch((thrown: unknown) => {
      // The task was removed while its page waited.
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') throw new HttpFailure(404, noSource);
      throw thrown;
    });
    return sendImage(reply, image);
  });
}

/** No browser takes what a stranger uploaded for a page of this service. */
const guarded = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" };

function sendImage(reply: FastifyReply, image: Buffer): FastifyReply {
  return reply.headers({ ...guarded, 'content-type': 'image/webp', 'cache-control': 'private, max-age=3600, immutable' }).send(image);
}

/** Throws 422. */
function readPlace({ params, query }: FastifyRequest<TaskRoute>): { pageNumber: number; width: number } {
  const issues: Issue[] = [];
  const pageNumber = integer(pages).read(params.page ?? '', ['path', 'page'], issues);
  const width = query.width === undefined ? usualWidth : integer(widths).read([query.width].flat()[0] ?? '', ['query', 'width'], issues);
  if (pageNumber === undefined || width === undefined) throw invalid(issues);
  return { pageNumber, width };
}
