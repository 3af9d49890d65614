/** A task as the contract shows it: the body of status answers and of WebSocket frames. */
import type { ConversionMeta } from '../../convert/task/payload.js';
import { errorTable, type ErrorCode } from '../../errors.js';
import type { FastifyRequest } from 'fastify';
import type { ConversionTaskView } from '../dependencies.js';

interface TaskMeta extends ConversionMeta {
  /** From 1 while the task waits. */
  queue_position: number | null;
}

interface PublicFailure {
  category: string;
  message: string;
  retryable: boolean;
  phase: 'execution';
  details: Record<string, string>;
}

export interface TaskStatusResponse {
  task_id: string;
  task_type: string;
  task_status: ConversionTaskView['status'];
  task_position: number | null;
  task_meta: TaskMeta | null;
  error_message: string | null;
  failure: PublicFailure | null;
}

const categories: Partial<Record<ErrorCode, string>> = {
  queue_full: 'capacity', out_of_memory: 'capacity', too_large: 'policy', forbidden: 'policy', cancelled: 'policy', timeout: 'timeout',
  invalid_document: 'backend_failure', password_required: 'backend_failure', unsupported_format: 'policy', device_lost: 'inference_failure',
};

/** `documentCount` fills in for a task that has not said anything yet. */
export function taskStatus(view: ConversionTaskView, documentCount?: number): TaskStatusResponse {
  return {
    task_id: view.id,
    task_type: view.kind,
    task_status: view.status,
    task_position: view.position,
    task_meta: taskMeta(view, documentCount),
    error_message: view.failure?.message ?? null,
    failure: publicFailure(view),
  };
}

/** Why the task failed, in the contract's form; null for one that did not. */
export function publicFailure({ failure }: ConversionTaskView): PublicFailure | null {
  if (failure === null) return null;
  const { code, message } = failure;
  return { category: categories[code] ?? 'internal', message, retryable: errorTable[code].retryable, phase: 'execution', details: { code } };
}

function taskMeta(view: ConversionTaskView, documentCount: number | undefined): TaskMeta | null {
  if (view.meta !== null) return { ...view.meta, queue_position: view.position };
  if (documentCount === undefined) return null;
  return {
    num_docs: documentCount, num_processed: 0, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 0,
    pages_done: 0, pages_total: 0, stage: view.status === 'pending' ? 'queued' : '', queue_position: view.position,
  };
}

/** Whose task it is: what the header says, or everyone's default. */
export function tenantOf(request: FastifyRequest): string {
  const header = request.headers['x-tenant-id'];
  const name = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  return name === '' ? 'default' : name;
}
