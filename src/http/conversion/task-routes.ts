/** What a client does with a task it has the id of: ask how it goes, fetch its result, cancel it; and clear what has ended. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseStrangePage } from '../browser-origins.js';
import { ClientGone } from '../client-gone.js';
import { requireAdministrator } from '../access-gate.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { invalid, type Issue, sendJson } from '../error-reply.js';
import { decimal } from './kinds.js';
import { orTaskNotFound, sendResult } from './result.js';
import { isOwnTask, requireVisible } from './task-access.js';
import { taskStatus, tenantOf } from './task-status.js';
import type { WaitingCounts } from './waiting-counts.js';

/** A poll waits no longer, whatever it asks for: proxies cut connections that say nothing for a minute. */
const longestWaitS = 55;

interface TaskRoute {
  Params: { task_id: string };
}

export function addTaskRoutes(app: FastifyInstance, { tasks, log, settings }: HttpDependencies, waiting: WaitingCounts): void {
  /** The task as it is now. Throws 404 where there is none that the caller may see. */
  const visible = async (request: FastifyRequest<TaskRoute>): Promise<ConversionTaskView> =>
    requireVisible(request, await tasks.wait(request.params.task_id, tenantOf(request), 0).catch(orTaskNotFound), settings);

  app.get<TaskRoute>('/v1/status/poll/:task_id', async (request, reply) => {
    const seconds = queryNumber(request, 'wait', 0);
    const { task_id: id } = request.params;
    const waitMs = Math.min(Math.max(seconds, 0), longestWaitS) * 1000;
    await visible(request);
    const task = await tasks.wait(id, tenantOf(request), waitMs, new ClientGone(reply).signal).catch(orTaskNotFound);
    return sendJson(reply, 200, taskStatus(task, waiting.of(id)));
  });

  app.get<TaskRoute>('/v1/result/:task_id', async (request, reply) => {
    return sendResult(tasks, await visible(request), reply);
  });

  // An unfinished task is cancelled and stays visible as failed; one that has ended is forgotten with its result.
  app.delete<TaskRoute>('/v1/tasks/:task_id', async (request, reply) => {
    const { task_id: id } = request.params;
    const tenant = tenantOf(request);
    const before = await visible(request);
    if (!isOwnTask(request, before)) requireAdministrator(request, 'Tasks of others are deleted');
    if (before.endedAt !== null) {
      await tasks.remove(id, tenant).catch(orTaskNotFound);
      return sendJson(reply, 200, taskStatus(before));
    }
    const after = await tasks.cancel(id, tenant).catch(orTaskNotFound);
    log.info({ requestId: request.id, taskId: id }, 'a conversion was cancelled on request');
    return sendJson(reply, 200, taskStatus(after));
  });

  app.get('/v1/clear/results', async (request, reply) => {
    refuseStrangePage(request, settings.corsOrigins);
    const seconds = queryNumber(request, 'older_then', 3600);
    // A caller that is no administrator clears only its own tasks.
    const { identity, isAdministrator } = request.caller;
    const cleared = await tasks.clear(tenantOf(request), Math.max(seconds, 0), isAdministrator ? undefined : identity);
    log.info({ requestId: request.id, cleared }, 'results were cleared on request');
    // The contract's body has no place for it.
    void reply.header('x-lectern-cleared', cleared);
    return sendJson(reply, 200, { status: 'ok' });
  });

  // The converters of the original hold models; here nothing is held that a client could free.
  app.get('/v1/clear/converters', async (_request, reply) => sendJson(reply, 200, { status: 'ok' }));
}

function queryNumber(request: FastifyRequest, name: string, fallback: number): number {
  const given = (request.query as Record<string, string | string[] | undefined>)[name];
  const text = Array.isArray(given) ? given.at(-1) : given;
  if (text === undefined) return fallback;
  const issues: Issue[] = [];
  const value = decimal().read(text, ['query', name], issues);
  if (value === undefined) throw invalid(issues);
  return value;
}
