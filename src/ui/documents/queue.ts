/** The documents of this browser: uploads, the tasks that they became, and how those stand. Task ids are kept, so that a reload and a restart of the service lose nothing. */
import { computed } from '@preact/signals';
import { ask, askJson, key, sentence, ServiceError } from '../lib/api.js';
import { kept } from '../lib/store.js';
import { texts } from '../texts.js';
import { embedsPictures, formFields, type OptionValues } from './options.js';
import type { TaskStatus } from './types.js';
import { uploadForm } from './upload.js';

export type State = 'waiting' | 'uploading' | 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

export interface Entry {
  id: string;
  name: string;
  size: number | null;
  url: string | null;
  options: OptionValues;
  state: State;
  taskId: string | null;
  /** Share of the upload that is sent, 0 to 1. */
  sent: number;
  position: number | null;
  pagesDone: number;
  pagesTotal: number;
  stage: string;
  error: string;
  /** Options that the service names as ignored. */
  ignored: string;
  addedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Tasks that read single pages again, by page. */
  again: Record<string, string>;
}

export const entries = kept<Entry[]>('documents', [], Array.isArray);
export const finished = computed(() => entries.value.filter(({ state }) => state === 'done'));

/** Files of uploads, while the page is open. */
const files = new Map<string, File>();
const stops = new Map<string, AbortController>();

/** Uploads at a time: the service bounds them for each caller. */
const uploadsAtATime = 2;
const pollMs = 700;
const pollsAtATime = 4;

export function entryOf(id: string): Entry | undefined {
  return entries.value.find((one) => one.id === id);
}

export function change(id: string, changes: Partial<Entry>): void {
  entries.value = entries.value.map((one) => (one.id === id ? { ...one, ...changes } : one));
}

function fresh(name: string, size: number | null, url: string | null, options: OptionValues): Entry {
  return {
    id: newId(), name, size, url, options, state: 'waiting', taskId: null, sent: 0, position: null, pagesDone: 0, pagesTotal: 0, stage: '', error: '', ignored: '', addedAt: Date.now(), startedAt: null, endedAt: null, again: {},
  };
}

/** crypto.randomUUID is there in secure contexts alone. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The id of the first one; undefined for an empty list. */
export function addFiles(list: Iterable<File>, options: OptionValues): string | undefined {
  const made = [...list].map((file) => {
    const entry = fresh(file.name, file.size, null, options);
    files.set(entry.id, file);
    return entry;
  });
  entries.value = [...made, ...entries.value];
  next();
  return made[0]?.id;
}

export function addUrl(url: string, options: OptionValues): void {
  const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') || url;
  entries.value = [fresh(name, null, url, options), ...entries.value];
  next();
}

/** Begins uploads as far as there are places for them, the oldest first. */
function next(): void {
  const under = entries.value.filter(({ state }) => state === 'uploading').length;
  const waiting = entries.value.filter(({ state }) => state === 'waiting').sort((a, b) => a.addedAt - b.addedAt);
  for (const entry of waiting.slice(0, Math.max(0, uploadsAtATime - under))) void submit(entry);
}

async function submit(entry: Entry): Promise<void> {
  const stop = new AbortController();
  stops.set(entry.id, stop);
  change(entry.id, { state: 'uploading', error: '', sent: 0 });
  try {
    const { status, ignored } = entry.url === null ? await submitFile(entry, stop.signal) : await submitUrl(entry, entry.url, stop.signal);
    change(entry.id, { state: 'pending', taskId: status.task_id, sent: 1, ignored });
  } catch (thrown) {
    if (stop.signal.aborted) change(entry.id, { state: 'cancelled' });
    else change(entry.id, { state: 'failed', error: sentence(thrown) });
  } finally {
    stops.delete(entry.id);
    next();
  }
}

interface Submitted { status: TaskStatus; ignored: string }

async function submitFile(entry: Entry, signal: AbortSignal): Promise<Submitted> {
  const file = files.get(entry.id);
  if (file === undefined) throw new Error(texts.documents.fileGone);
  const form = formFields(entry.options, embedsPictures(entry.name));
  form.append('files', file, entry.name);
  return uploadForm('v1/convert/file/async', form, { key: key.value, signal, onSent: (sent) => change(entry.id, { sent }) });
}

async function submitUrl(entry: Entry, url: string, signal: AbortSignal): Promise<Submitted> {
  const options: Record<string, unknown> = {};
  for (const [name, value] of formFields(entry.options, embedsPictures(entry.name))) {
    const before = options[name];
    const isList = name === 'to_formats' || name === 'page_range' || name === 'ocr_lang';
    options[name] = isList ? [...(before as string[] | undefined ?? []), value] : value;
  }
  const response = await ask('v1/convert/source/async', { json: { sources: [{ kind: 'http', url }], options }, signal });
  return { status: await response.json() as TaskStatus, ignored: response.headers.get('x-lectern-ignored-options') ?? '' };
}

export async function cancel(id: string): Promise<void> {
  stops.get(id)?.abort();
  const entry = entryOf(id);
  if (entry === undefined) return;
  if (entry.state === 'waiting') change(id, { state: 'cancelled' });
  if (entry.taskId === null || (entry.state !== 'pending' && entry.state !== 'running')) return;
  try {
    await ask(`v1/tasks/${entry.taskId}`, { method: 'DELETE' });
    change(id, { state: 'cancelled', endedAt: Date.now() });
  } catch (thrown) {
    change(id, { error: sentence(thrown) });
  }
}

/** The same document again: from the file while the page is open, else from the service, which kept it. */
export async function retry(id: string, options?: OptionValues): Promise<void> {
  const entry = entryOf(id);
  if (entry === undefined) return;
  try {
    if (entry.url === null && !files.has(id)) files.set(id, await sourceOf(entry));
    change(id, { state: 'waiting', taskId: null, error: '', ignored: '', position: null, pagesDone: 0, pagesTotal: 0, stage: '', startedAt: null, endedAt: null, again: {}, ...(options === undefined ? {} : { options }) });
    next();
  } catch (thrown) {
    change(id, { error: thrown instanceof ServiceError && thrown.status === 404 ? texts.documents.fileGone : sentence(thrown) });
  }
}

/** The document as it was uploaded. Throws ServiceError. */
export async function sourceOf({ id, taskId, name }: Pick<Entry, 'id' | 'taskId' | 'name'>): Promise<File> {
  const known = files.get(id);
  if (known !== undefined) return known;
  if (taskId === null) throw new Error(texts.documents.fileGone);
  return new File([await (await ask(`v1/tasks/${taskId}/source`)).blob()], name);
}

/** Takes documents off the list, and their results off the service. */
export function remove(ids: readonly string[]): void {
  for (const { id, taskId, again } of entries.value.filter((one) => ids.includes(one.id))) {
    stops.get(id)?.abort();
    files.delete(id);
    for (const task of [taskId, ...Object.values(again)]) if (task !== null) void ask(`v1/tasks/${task}`, { method: 'DELETE' }).catch(() => undefined);
  }
  entries.value = entries.value.filter(({ id }) => !ids.includes(id));
}

function apply(entry: Entry, status: TaskStatus): void {
  const meta = status.task_meta;
  const seen = { position: status.task_position, pagesDone: meta?.pages_done ?? 0, pagesTotal: meta?.pages_total ?? 0, stage: meta?.stage ?? '' };
  const now = Date.now();
  if (status.task_status === 'pending') change(entry.id, { ...seen, state: 'pending' });
  else if (status.task_status === 'started') change(entry.id, { ...seen, state: 'running', startedAt: entry.startedAt ?? now });
  else if (status.task_status === 'success') change(entry.id, { ...seen, state: 'done', position: null, endedAt: now });
  else if (status.failure?.details?.code === 'cancelled') change(entry.id, { ...seen, state: 'cancelled', endedAt: now });
  else change(entry.id, { ...seen, state: 'failed', error: status.error_message ?? texts.errors.unknown, endedAt: now });
}

async function poll(entry: Entry): Promise<void> {
  try {
    const status = await askJson<TaskStatus>(`v1/status/poll/${entry.taskId}`);
    const present = entryOf(entry.id);
    if (present !== undefined && present.taskId === entry.taskId && present.state !== 'cancelled') apply(present, status);
  } catch (thrown) {
    if (thrown instanceof ServiceError && thrown.status === 404) change(entry.id, { state: 'failed', error: texts.documents.expired });
    // Anything else, as a restart of the service, passes.
  }
}

let turn = 0;

/** Asks for the tasks that have not ended, in rotation, those at work each time. */
async function look(): Promise<void> {
  const open = entries.value.filter(({ taskId, state }) => taskId !== null && (state === 'pending' || state === 'running'));
  const running = open.filter(({ state }) => state === 'running');
  const pending = open.filter(({ state }) => state === 'pending');
  const some = pending.length === 0 ? [] : Array.from({ length: Math.min(pending.length, pollsAtATime) }, () => pending[turn++ % pending.length] as Entry);
  await Promise.all([...running.slice(0, pollsAtATime), ...some].map(poll));
}

/** Called once, when the page opens. */
export function follow(): void {
  entries.value = entries.value.map((one) => (one.state === 'uploading' || one.state === 'waiting' ? { ...one, state: 'failed' as const, error: texts.documents.cutOff } : one));
  const again = (): void => { void look().finally(() => setTimeout(again, pollMs)); };
  again();
}
