/** The response of a synchronous conversion. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { HttpFailure } from '../error-reply.js';
import { orTaskNotFound, sendResult } from './result.js';

/** Waits for the task and sends its result; 504 when that takes too long, and then the work goes on; 503 when the service stops, and then at its next start. */
export async function answer({ tasks, settings, log }: HttpDependencies, task: ConversionTaskView, gone: AbortSignal, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { id, tenant } = task;
  const view = await tasks.wait(id, tenant, settings.syncWait * 1000, gone).catch(orTaskNotFound);
  if (gone.aborted) {
    log.info({ requestId: request.id, taskId: id }, 'a client went away, its conversion is cancelled');
    await tasks.cancel(id, tenant).catch(orTaskNotFound);
    throw gone.reason;
  }
  // A document that needs too much memory is an outcome; a task ends so only where the disk had no room for its result.
  if (view.failure?.code === 'out_of_memory') throw new HttpFailure(507, view.failure.message, { 'retry-after': '5' });
  // `gone` is not read from here on: the close that follows a 504 is no disconnect, and the work outlives its socket.
  if (view.status === 'success' || view.status === 'failure') return sendResult(tasks, view, reply);
  if (tasks.closed) throw new HttpFailure(503, 'The service is stopping; it goes on with this conversion at its next start.', { 'retry-after': '5' }, { task_id: id });
  const detail = `Conversion is taking too long. The maximum wait time is configured as --sync-wait ${settings.syncWait}s (LECTERN_SYNC_WAIT). The task goes on: /v1/status/poll/${id} reports when /v1/result/${id} has its result.`;
  throw new HttpFailure(504, detail, {}, { task_id: id });
}
