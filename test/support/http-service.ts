/** The HTTP room over a real task table and a converter of the test's own: the name of the file says what it "converts". */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../../src/convert/task/payload.js';
import type { ConversionTasks, HttpDependencies } from '../../src/http/dependencies.js';
import { createServer } from '../../src/http/server.js';
import type { HttpSettings } from '../../src/http/settings.js';
import { LecternError } from '../../src/errors.js';
import { createTaskTable } from '../../src/tasks/table.js';
import type { RunTask } from '../../src/tasks/types.js';

export interface TestService {
  app: FastifyInstance;
  tasks: ConversionTasks;
  /** What was handed to the converter, in order. */
  payloads: ConversionPayload[];
  /** SHA-free copies of the documents that each task had, by the names on disk. */
  inputs: Record<string, Buffer>[];
  /** Lets every document called `slow…` end. */
  release(): void;
  log: { level: string; fields: Record<string, unknown>; message: string }[];
  /** All that are declared in a scope (/metrics stands outside); complete once the service is ready. */
  routes(): { method: string; url: string }[];
  /** Directories of tasks on disk. */
  directories(): Promise<string[]>;
  listen(): Promise<string>;
  close(): Promise<void>;
}

export const testSettings: HttpSettings = {
  listen: [{ host: '127.0.0.1', port: 0 }],
  syncWait: 120,
  documentTimeout: 604800,
  maxFileSize: 1000,
  maxFiles: 3,
  maxPages: 10_000,
  maxImagesScale: 2,
  strictOptions: false,
  httpSources: [],
  callbackHosts: [],
  corsOrigins: ['*'],
  showVersion: true,
  accessList: null,
  allowAll: false,
  allowedRoles: ['administrator', 'researcher'],
  sharedTasks: false,
  trustedProxies: [],
};

type Run = RunTask<ConversionPayload, ConversionMeta, ConversionSummary>;

export async function startTestService(settings: Partial<HttpSettings> = {}, more: Partial<HttpDependencies> = {}, queueSize = 20, disk: Pick<Parameters<typeof createTaskTable>[0], 'openFile' | 'maxBytes'> = {}): Promise<TestService> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-http-'));
  const log: TestService['log'] = [];
  const write = (level: string) => (fields: object, message: string): void => { log.push({ level, fields: fields as Record<string, unknown>, message }); };
  const payloads: ConversionPayload[] = [];
  const inputs: TestService['inputs'] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => { release = resolve; });
  const tasks = await createTaskTable<ConversionPayload, ConversionMeta, ConversionSummary>({
    directory, concurrency: 2, maxQueued: queueSize, keepMs: 3_600_000, maxEnded: 1000, run: makeRun(payloads, inputs, released), ...disk,
  });
  const app = createServer({
    settings: { ...testSettings, ...settings },
    tasks,
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    version: '0.0.0-test',
    abilities: { textRecognition: false, formulas: true, code: false },
    ...more,
  });
  const routes: { method: string; url: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => { routes.push(...[method].flat().map((one) => ({ method: one, url }))); });
  // Injected requests hold no socket, and the timers of the table do not keep a process alive.
  const alive = setInterval(() => undefined, 1000);
  return {
    app, tasks, payloads, inputs, release, log,
    routes: () => routes,
    directories: async () => (await readdir(directory)).filter((name) => name !== 'lock'),
    listen: async () => {
      await app.listen({ host: '127.0.0.1', port: 0 });
      return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    },
    close: async () => {
      release();
      clearInterval(alive);
      // fetch opens a connection ahead of its next request when one was aborted; it never gets one here.
      app.server.closeAllConnections();
      await app.close();
      await tasks.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function makeRun(payloads: ConversionPayload[], inputs: TestService['inputs'], released: Promise<void>): Run {
  return async ({ payload }, context) => {
    payloads.push(payload);
    const local = payload.documents.filter(({ remote }) => remote === undefined);
    inputs.push(Object.fromEntries(await Promise.all(local.map(async ({ input }) => [input, await readFile(join(context.inputsDirectory, input))]))));
    const [first] = payload.documents;
    const name = first?.filename ?? '';
    context.setMeta({
      num_docs: payload.documents.length, num_processed: 0, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 0,
      pages_done: 1, pages_total: 4, stage: 'converting',
    });
    if (name.startsWith('slow')) await untilReleased(released, context.signal);
    if (name.startsWith('broken')) throw new LecternError('worker_crashed');
    if (name.startsWith('full')) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    if (name.startsWith('defect')) throw new TypeError('a secret of the inside');
    const failed = name.startsWith('bad');
    const file = payload.target === 'zip' ? 'converted_docs.zip' : 'result.json';
    await writeFile(join(context.outputsDirectory, file), payload.target === 'zip' ? 'PK-test' : answerFor(name, failed));
    const status = failed ? 'failure' : 'success';
    return {
      file, status, processingTimeS: 0.1,
      documents: payload.documents.map(({ filename }) => ({ filename, status, pageCount: 4, errors: [], errorCount: 0 })),
    };
  };
}

async function untilReleased(released: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    void released.then(resolve);
  });
}

/** An answer as the converter writes it. */
function answerFor(filename: string, failed: boolean): string {
  const document = {
    filename, md_content: failed ? null : `# ${filename}`, json_content: null, html_content: null, text_content: null, doctags_content: null, doclang_content: null,
  };
  const error = {
    component_type: 'document_backend', module_name: '', error_message: 'The document backend could not parse the input.', category: 'backend_failure', page_no: null,
  };
  return JSON.stringify({
    document, status: failed ? 'failure' : 'success', errors: failed ? [error] : [], processing_time: 0.1, timings: {}, confidence: null,
  });
}

/** A multipart body from its parts, as bytes and the header that goes with them. */
export function multipart(parts: { name: string; value: string | Buffer; filename?: string; type?: string }[]): { payload: Buffer; headers: Record<string, string> } {
  const boundary = 'lectern-test-boundary';
  const pieces = parts.flatMap(({ name, value, filename, type }) => [
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '\r\n' : `content-type: ${type}\r\n\r\n`,
    value, '\r\n',
  ]);
  const payload = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** One document and fields; a field whose value is a list is sent repeatedly. */
export function form(filename: string, fields: Record<string, string | string[]> = {}, content: string | Buffer = '%PDF-1.7'): ReturnType<typeof multipart> {
  const texts = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })));
  return multipart([...texts, { name: 'files', filename, value: content, type: 'application/pdf' }]);
}
