/** Sends the result of a task from its file on disk, as often as it is asked for. */
import type { FastifyReply } from 'fastify';
import { LecternError } from '../../errors.js';
import { DamagedTask } from '../../tasks/record-format.js';
import type { ConversionTasks, ConversionTaskView } from '../dependencies.js';
import { HttpFailure } from '../error-reply.js';
import { namesHeader } from './names-header.js';
import { taskNotFound } from './task-access.js';

const resultNotFound = 'Task result not found. Please wait for a completion status.';

/** The contract's 404 for a task that is unknown, expired or another tenant's. */
export function orTaskNotFound(thrown: unknown): never {
  if (thrown instanceof DamagedTask) throw new HttpFailure(500, thrown.message);
  if (thrown instanceof LecternError && thrown.code === 'not_found') throw new HttpFailure(404, taskNotFound);
  throw thrown;
}

/** JSON or zip. 404 for a task that has not ended, or that failed: clients know both by how the sentence begins, and people read why. */
export async function sendResult(tasks: ConversionTasks, task: ConversionTaskView, reply: FastifyReply): Promise<FastifyReply> {
  const file = task.status === 'success' ? task.summary?.file : undefined;
  if (file === undefined) throw task.failure === null ? new HttpFailure(404, resultNotFound) : new HttpFailure(404, `Task result not found. The task failed: ${task.failure.message}`, {}, { task_id: task.id });
  const { handle, sizeBytes } = await tasks.openOutput(task.id, task.tenant, file).catch(orTaskNotFound);
  const isZip = file === 'converted_docs.zip';
  if (isZip) {
    void reply.header('content-disposition', `attachment; filename="${file}"`);
    // They are missing in it without a word.
    const failed = (task.summary?.documents ?? []).filter(({ status }) => status === 'failure' || status === 'skipped');
    if (failed.length > 0) void reply.header('x-lectern-failed-documents', `${failed.length}: ${namesHeader(failed.map(({ filename }) => filename))}`);
  }
  return reply.code(200)
    .headers({ 'content-type': isZip ? 'application/zip' : 'application/json', 'content-length': String(sizeBytes) })
    // Closes the file whether it is sent or the client goes.
    .send(handle.createReadStream());
}
