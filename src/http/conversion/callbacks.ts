/** Posts the progress of a task to the callback URLs that its request named, in docling-serve's format: three tries for each post, and no effect on the task. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallbackTarget, DocumentSummary } from '../../convert/task/payload.js';
import { LecternError } from '../../errors.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { publicFailure } from './task-status.js';
import { outbound, type OutboundRules } from '../outbound/request.js';

const timeoutMs = 30_000;
/** Pauses in ms before the second and the third try. */
const pausesMs = [1000, 4000];

interface FollowDependencies extends Pick<HttpDependencies, 'tasks' | 'resolveHost'> {
  settings: Pick<HttpDependencies['settings'], 'callbackHosts'>;
  log: Pick<HttpDependencies['log'], 'warn'>;
}

/** Follows the tasks that were accepted before a restart. Their first post is sent again. */
export function followRecovered(dependencies: FollowDependencies): void {
  for (const { task, payload } of dependencies.tasks.recovered()) {
    followWithCallbacks(dependencies, task, payload.documents.map(({ filename }) => filename), payload.callbacks ?? []);
  }
}

/** Follows a task until it ends. A post that cannot be delivered is logged and does not affect the task. */
export function followWithCallbacks(dependencies: FollowDependencies, task: ConversionTaskView, documentNames: string[], callbacks: CallbackTarget[]): void {
  if (callbacks.length === 0) return;
  const { tasks, settings, log, resolveHost } = dependencies;
  const rules = { hosts: settings.callbackHosts, timeoutMs, maxRedirects: 0, ...(resolveHost === undefined ? {} : { resolveHost }) };
  const lines = callbacks.map((callback) => new CallbackLine(callback, rules, (error, host) =>
    log.warn({ err: error, taskId: task.id, host }, 'a callback could not be delivered')));
  const tell = (progress: object): void => lines.forEach((line) => line.post({ task_id: task.id, progress }));
  tell({ kind: 'set_num_docs', num_docs: documentNames.length });
  let isOver = false;
  const look = (view: ConversionTaskView): void => {
    if (isOver || (view.status !== 'success' && view.status !== 'failure')) return;
    isOver = true;
    endOf(view, documentNames).forEach(tell);
  };
  tasks.subscribe(task.id, task.tenant, look);
  // The task may have ended before the listener was added.
  look(tasks.get(task.id, task.tenant));
}

function endOf(view: ConversionTaskView, names: string[]): object[] {
  const error = view.failure?.message ?? null;
  const documents: Pick<DocumentSummary, 'filename' | 'status' | 'pageCount' | 'errors'>[] = view.summary?.documents
    ?? names.map((filename) => ({ filename, status: 'failure', pageCount: 0, errors: [] }));
  const errorOf = (document: (typeof documents)[number]): string | null => document.errors[0]?.error_message ?? error;
  const count = (status: DocumentSummary['status']): number => documents.filter((document) => document.status === status).length;
  const completed = documents.map((document, index) => ({
    kind: 'document_completed',
    document: {
      source: document.filename, status: document.status, document_type: null, num_pages: document.pageCount, num_characters: null,
      num_tables: null, num_pictures: null, processing_time: null, doc_hash: null, error: errorOf(document),
    },
    total_processed: index + 1,
    total_docs: documents.length,
  }));
  return [...completed, {
    kind: 'update_processed', num_processed: documents.length, num_succeeded: count('success'),
    num_partially_succeeded: count('partial_success'), num_failed: count('failure') + count('skipped'),
    docs: documents.map((document) => ({ source: document.filename, status: document.status, error: errorOf(document) })),
  }, { kind: 'task_completed', task_status: view.status, failure: publicFailure(view) }];
}

/** The posts to one callback URL, sent one after the other, so that they arrive in order. */
class CallbackLine {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly callback: CallbackTarget,
    private readonly rules: OutboundRules,
    private readonly onFailure: (error: unknown, host: string) => void,
  ) {}

  post(body: object): void {
    this.last = this.last.then(() => this.deliver(JSON.stringify(body)));
  }

  private async deliver(body: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.send(body);
      } catch (thrown) {
        const pauseMs = pausesMs[attempt];
        const isFinal = thrown instanceof LecternError && thrown.code === 'forbidden';
        if (pauseMs === undefined || isFinal) return this.onFailure(thrown, new URL(this.callback.url).host);
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  private send(body: string): Promise<void> {
    const { url, headers, ca_cert: ca } = this.callback;
    const message = {
      method: 'POST' as const, body,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(ca === '' ? {} : { certificateAuthority: ca }),
    };
    return outbound(url, message, this.rules, new AbortController().signal, async (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      if (status >= 400 && status < 500) throw new LecternError('forbidden', `The host answered ${status}.`);
      if (status >= 300) throw new LecternError('not_found', `The host answered ${status}.`);
    });
  }
}
