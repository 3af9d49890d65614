/** A document converted by a running service: small ones in one request, others as a task that is watched. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LecternError } from '../errors.js';
import { type Service, ServiceRefusal, ServiceUnreachable } from './service.js';

export interface SentDocument {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What the contract's answer holds, as far as clients here read it. */
export interface ServedConversion {
  status: 'success' | 'partial_success' | 'failure' | 'skipped';
  document: Record<`${'md' | 'json' | 'html' | 'text' | 'doctags' | 'latex'}_content`, unknown>;
  errors: { error_message: string; page_no: number | null }[];
}

export interface ServedProgress {
  /** `queued`, or what is done at the moment. */
  stage: string;
  /** From 1 while it waits. */
  position: number | null;
  pagesDone: number;
  /** 0 while it is not known. */
  pagesTotal: number;
}

export interface ConversionCall {
  /** Fields of the contract's form beside the file. */
  fields?: Record<string, string | string[]>;
  signal?: AbortSignal;
  /** Asking for it makes a task of any document. */
  onProgress?: (progress: ServedProgress) => void;
}

/** A document that the service itself fetches; its settings name the hosts. */
export interface DistantDocument {
  url: string;
}

/** Up to here a document is sent and answered in one request: it is done before a progress bar is of use. */
export const syncBytes = 512 * 1024;
/** A service that restarts keeps its tasks: what asks for one waits that long for it to come back. */
const absenceMs = 60_000;
const retryMs = 500;
/** Between two requests for the progress. */
const pollS = 1;

interface Status {
  task_id: string;
  task_status: 'pending' | 'started' | 'success' | 'failure';
  task_position: number | null;
  task_meta: { stage: string; pages_done: number; pages_total: number } | null;
  error_message: string | null;
}

/**
 * Resolves also for a document that failed: `status` says so. Throws what the service refuses with, ServiceUnreachable, and on abort
 * what the signal was aborted with; the work of the service is cancelled then.
 */
export async function convertByService(service: Service, document: SentDocument, call: ConversionCall = {}): Promise<ServedConversion> {
  const { signal, onProgress } = call;
  const ask = { method: 'POST', form: formOf(document, call.fields ?? {}), ...(signal === undefined ? {} : { signal }) } as const;
  if (document.bytes.length > syncBytes || onProgress !== undefined) {
    const { task_id: id } = await service.json<Status>('v1/convert/file/async', ask);
    return ownTaskResult(service, id, call);
  }
  try {
    return await service.json<ServedConversion>('v1/convert/file', ask);
  } catch (thrown) {
    // The service stopped waiting and goes on working, or will at its next start.
    const id = thrown instanceof ServiceRefusal && (thrown.httpStatus === 504 || thrown.httpStatus === 503) ? (thrown.body as { task_id?: unknown } | null)?.task_id : undefined;
    if (typeof id !== 'string') throw thrown;
    return ownTaskResult(service, id, call);
  }
}

function formOf({ name, bytes }: SentDocument, fields: Record<string, string | string[]>): FormData {
  const form = new FormData();
  for (const [field, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(field, value);
  form.append('files', new Blob([bytes]), name);
  return form;
}

/** Routes that make a task of documents, and names of their fields in a form and in JSON. */
const routes = {
  convert: { path: 'v1/convert', form: '', options: 'options' },
  chunk: { path: 'v1/chunk/hybrid', form: 'convert_', options: 'convert_options' },
} as const;

export interface TaskFields {
  /** Options of the conversion. */
  options: Record<string, string | string[]>;
  /** Options of the chunker. */
  chunking?: Record<string, string>;
}

/** The id of a task that was accepted. Throws what the service refuses with. */
export async function startTask(service: Service, kind: keyof typeof routes, document: SentDocument | DistantDocument, { options, chunking = {} }: TaskFields, signal?: AbortSignal): Promise<string> {
  const { path, form, options: name } = routes[kind];
  const ask = { method: 'POST', ...(signal === undefined ? {} : { signal }) } as const;
  if ('url' in document) {
    const more = kind === 'chunk' ? { chunking_options: { chunker: 'hybrid', ...chunking } } : {};
    return (await service.json<Status>(`${path}/source/async`, { ...ask, json: { sources: [{ kind: 'http', url: document.url }], [name]: { ...options, ...listed(options) }, ...more } })).task_id;
  }
  const fields = [...Object.entries(options).map(([key, value]) => [`${form}${key}`, value] as const), ...Object.entries(chunking).map(([key, value]) => [`chunking_${key}`, value] as const)];
  return (await service.json<Status>(`${path}/file/async`, { ...ask, form: formOf(document, Object.fromEntries(fields)) })).task_id;
}

/** What is one value in a form and a list in JSON. */
function listed({ to_formats: formats }: TaskFields['options']): Record<string, string[]> {
  return formats === undefined ? {} : { to_formats: [formats].flat() };
}

/** How a task stands, as the contract says it. */
export function taskStatus(service: Service, id: string, waitS: number, signal?: AbortSignal): Promise<Record<string, unknown>> {
  return service.json(`v1/status/poll/${encodeURIComponent(id)}?wait=${waitS}`, signal === undefined ? {} : { signal });
}

/** Waits for the end of a task and returns its result. Throws `invalid_document` for one that failed. */
export async function taskResult<T = ServedConversion>(service: Service, id: string, { signal, onProgress }: Pick<ConversionCall, 'signal' | 'onProgress'>): Promise<T> {
  const path = encodeURIComponent(id);

  for (;;) {
    const status = await patiently(() => service.json<Status>(`v1/status/poll/${path}?wait=${pollS}`, signal === undefined ? {} : { signal }), signal);
    if (status.task_status === 'failure') throw new LecternError('invalid_document', status.error_message ?? 'The task failed.');
    onProgress?.(progressOf(status));
    if (status.task_status === 'success') return await patiently(() => service.json<T>(`v1/result/${path}`, signal === undefined ? {} : { signal }), signal);
  }
}

/** As taskResult(), of a task that the caller has started and no other asks for: on abort it is cancelled. */
export async function ownTaskResult<T = ServedConversion>(service: Service, id: string, call: Pick<ConversionCall, 'signal' | 'onProgress'>): Promise<T> {
  try {
    return await taskResult<T>(service, id, call);
  } catch (thrown) {
    if (call.signal?.aborted) await service.send(`v1/tasks/${encodeURIComponent(id)}`, { method: 'DELETE', signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    throw thrown;
  }
}

async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const until = performance.now() + absenceMs;
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof ServiceUnreachable) || performance.now() >= until) throw thrown;
      await sleep(retryMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
      signal?.throwIfAborted();
    }
  }
}

function progressOf({ task_status: status, task_position: position, task_meta: meta }: Status): ServedProgress {
  return {
    stage: status === 'pending' ? 'queued' : (meta?.stage ?? ''),
    position,
    pagesDone: meta?.pages_done ?? 0,
    pagesTotal: meta?.pages_total ?? 0,
  };
}
