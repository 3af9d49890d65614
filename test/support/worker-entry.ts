/** A worker whose verbs misbehave in every way a test can ask for. */
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from '../../src/engine/end-with-parent.js';
import { LecternError } from '../../src/errors.js';
import { serveJobs, type JobHandler } from '../../src/workers/serve.js';

const never = (): Promise<never> => new Promise(() => { setInterval(() => undefined, 1000); });
const held: unknown[] = [];
let jobs = 0;

const handlers: Record<string, JobHandler> = {
  echo: async (request) => ({ request, pid: process.pid, jobs: ++jobs }),
  environment: async () => ({ env: process.env, umask: process.umask(), flags: process.execArgv }),
  fail: async () => { throw new LecternError('invalid_document', 'Page 3 is missing.'); },
  defect: async () => { throw new Error('a secret'); },
  segfault: async (_request, { progress }) => {
    progress({ page: 7 }, true);
    process.kill(process.pid, 'SIGSEGV');
    return never();
  },
  exit: async () => process.exit(3),
  loop: async (_request, { progress }) => {
    progress({ page: 2, pid: process.pid }, true);
    for (;;) if (held.length > 0) return null;
  },
  allocate: async (_request, { progress }) => {
    for (let i = 0; ; i++) {
      progress({ page: i }, true);
      // Touched, so that it is resident, and outside V8's heap.
      held.push(Buffer.alloc(8 * 2 ** 20, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  fillHeap: async () => {
    for (;;) held.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
  },
  hold: async (request) => {
    held.push(Buffer.alloc((request as { bytes: number }).bytes, 1));
    return process.pid;
  },
  kept: async () => held.length,
  wait: async (_request, { signal, progress }) => {
    progress({ page: 1 }, true);
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    return null;
  },
  waitDeaf: async (_request, { progress }) => {
    progress({ page: 1 }, true);
    return never();
  },
  pages: async (request, { progress }) => {
    for (let page = 1; page <= (request as { pages: number }).pages; page++) progress({ page });
    return null;
  },
  ticks: async (request, { progress }) => {
    const { times, everyMs } = request as { times: number; everyMs: number };
    for (let i = 0; i < times; i++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      progress({ i }, true);
    }
    return 'done';
  },
  ask: async (request, { call, scratchDirectory }) => {
    writeFileSync(join(scratchDirectory, 'pixels'), Buffer.alloc(1000, 7));
    return { answer: await call('sum', { file: 'pixels', request }), scratchDirectory };
  },
  askAndWithdraw: async (_request, { call }) => {
    const abort = new AbortController();
    const asked = call('slow', null, abort.signal);
    abort.abort();
    return asked.then(() => 'answered', (error: LecternError) => error.code);
  },
  askMany: async (request, { call, progress }) => {
    const count = (request as { count: number }).count;
    let refused = 0;
    const ask = (i: number): Promise<unknown> => call('slow', i).catch((error: unknown) => {
      progress({ refused: ++refused }, true);
      throw error;
    });
    const answers = await Promise.allSettled(Array.from({ length: count }, (_, i) => ask(i)));
    return answers.filter(({ status }) => status === 'fulfilled').length;
  },
  askThenDie: async (_request, { call }) => {
    void call('slow', null).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(process.pid, 'SIGKILL');
    return never();
  },
  print: async () => {
    console.log('to stdout');
    console.error('x'.repeat(5000));
    for (let i = 0; i < 500; i++) console.error(`line ${i}`);
    return null;
  },
  garbage: async () => {
    writeSync(3, Buffer.from([5, 0, 0, 0, 1, 2, 3, 4, 5]));
    return never();
  },
  giant: async () => {
    writeSync(3, Buffer.from([255, 255, 255, 255]));
    return never();
  },
  signals: async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(process.pid, signal);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return 'alive';
  },
};

await serveJobs(handlers, { endWithParent, release: async () => { held.length = 0; } });
