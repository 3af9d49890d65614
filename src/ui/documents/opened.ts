/** The results that are open: loaded once each, with the pages that were read again in place of the first ones. */
import { signal } from '@preact/signals';
import { ask, askJson, sentence } from '../lib/api.js';
import { texts } from '../texts.js';
import { pagesOf, type Page } from './model.js';
import { change, entryOf, type Entry } from './queue.js';
import type { Result, TaskStatus } from './types.js';

export interface Opened {
  result: Result;
  pages: Page[];
}

export type Loading = { state: 'loading' } | { state: 'failed'; why: string } | { state: 'archive' } | ({ state: 'ready' } & Opened);

/** Results that are held in memory; one of 1,000 pages takes some 20 MB. */
const mostOpen = 6;
export const results = signal<ReadonlyMap<string, Loading>>(new Map());

function set(id: string, loading: Loading): void {
  const next = new Map(results.value);
  next.delete(id);
  next.set(id, loading);
  for (const old of next.keys()) if (next.size > mostOpen) next.delete(old);
  results.value = next;
}

/** Loads the result of a document that is done, unless it is there. */
export async function open(entry: Entry): Promise<void> {
  if (results.peek().has(entry.id) || entry.taskId === null) return;
  set(entry.id, { state: 'loading' });
  set(entry.id, await load(entry));
}

export function close(id: string): void {
  const next = new Map(results.value);
  next.delete(id);
  results.value = next;
}

async function load({ taskId, again }: Entry): Promise<Loading> {
  try {
    const response = await ask(`v1/result/${taskId}`);
    if (response.headers.get('content-type')?.includes('zip')) return { state: 'archive' };
    const result = await response.json() as Result;
    let pages = pagesOf(result);
    for (const [page, task] of Object.entries(again)) pages = withPage(pages, Number(page), await askJson<Result>(`v1/result/${task}`).catch(() => null));
    return { state: 'ready', result, pages };
  } catch (thrown) {
    return { state: 'failed', why: sentence(thrown) };
  }
}

/** With one page as another task read it. */
function withPage(pages: Page[], number: number, reading: Result | null): Page[] {
  const page = reading === null ? undefined : pagesOf(reading).find((one) => one.number === number);
  if (page === undefined) return pages;
  // Items of two documents may have the same reference.
  const blocks = page.blocks.map((block) => ({ ...block, ref: `${block.ref}@${number}` }));
  return pages.map((one) => (one.number === number ? { ...page, blocks } : one));
}

/** The pages of a finished document, loading them first. Throws a sentence. */
export async function pagesFor(entry: Entry): Promise<Opened> {
  const known = results.peek().get(entry.id);
  if (known?.state === 'ready') return known;
  const loading = await load(entry);
  set(entry.id, loading);
  if (loading.state === 'ready') return loading;
  throw new Error(loading.state === 'failed' ? loading.why : texts.viewer.archive);
}

const waitS = 20;

/** Reads one page again with other options, and puts it in the place of the first reading. Throws a sentence. */
export async function readAgain(id: string, page: number, form: FormData, signal: AbortSignal): Promise<void> {
  const submitted = await askJson<TaskStatus>('v1/convert/file/async', { body: form, signal });
  for (;;) {
    const status = await askJson<TaskStatus>(`v1/status/poll/${submitted.task_id}?wait=${waitS}`, { signal });
    if (status.task_status === 'failure') throw new Error(status.error_message ?? texts.errors.unknown);
    if (status.task_status === 'success') break;
  }
  const reading = await askJson<Result>(`v1/result/${submitted.task_id}`, { signal });
  if (reading.status === 'failure' || reading.status === 'skipped') throw new Error(reading.errors[0]?.error_message ?? texts.errors.unknown);
  const before = entryOf(id)?.again ?? {};
  change(id, { again: { ...before, [String(page)]: submitted.task_id } });
  const known = results.peek().get(id);
  if (known?.state === 'ready') set(id, { ...known, pages: withPage(known.pages, page, reading) });
}
