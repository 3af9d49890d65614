/** A worker whose `convert` follows a script, given as the text of the input file: what happens at which page. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConvertOutcome, ConvertRequest } from '../../src/convert/request.js';
import { writeZip, type ZipRequest } from '../../src/convert/output/write-zip.js';
import { createRemoteEngine } from '../../src/engine/remote.js';
import { LecternError } from '../../src/errors.js';
import { endWithParent } from '../../src/engine/end-with-parent.js';
import { serveJobs, type JobContext } from '../../src/workers/serve.js';

export interface Script {
  pages: number;
  /** At page n (from 1; 0 is before the first) this happens. */
  at?: Record<number, 'crash' | 'loop' | 'allocate' | 'readLines' | 'wait'>;
  /** A page with which the worker ends while it reads the next one; the last one, or where pages are taken one at a time: while it is at the page itself. */
  late?: number;
  /** What happens then, if not a crash. */
  lateWhat?: 'loop';
  /** The worker ignores the document's time. */
  deaf?: boolean;
  pageMs?: number;
  throws?: string;
  status?: 'failure' | 'skipped';
  artifacts?: string[];
  /** Characters of the markdown. */
  size?: number;
  /** Mebibytes of markdown in the answer, written piece by piece. */
  answerSize?: number;
}

const held: Buffer[] = [];

async function happen(what: string | undefined, context: JobContext): Promise<void> {
  if (what === 'crash') process.kill(process.pid, 'SIGSEGV');
  if (what === 'loop') for (;;) if (held.length > 1e6) return;
  if (what === 'wait') await new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason as Error)));
  if (what === 'crash') await new Promise(() => setInterval(() => undefined, 1000));
  while (what === 'allocate') {
    held.push(Buffer.alloc(16 * 2 ** 20, 1));
    await sleep(1);
  }
  if (what === 'readLines') {
    const readers = createRemoteEngine((verb, request, signal) => context.call(verb, request, signal), context.scratchDirectory);
    await readers.readLines({ data: new Uint8Array(64), width: 4, height: 4, stride: 16 }, { model: 'bars', dpi: 300 });
  }
}

function write(request: ConvertRequest, script: Script, pages: number[], timedOut: boolean): ConvertOutcome {
  const { outputDirectory, filename, options } = request;
  const text = script.size ? 'x'.repeat(script.size) : `pages ${pages.join(' ')} of ${filename}, timeout ${options.documentTimeoutS !== null}`;
  const files: ConvertOutcome['files'] = {};
  if (options.outputs.includes('md')) files.md = 'document.md';
  if (options.outputs.includes('json')) files.json = 'document.json';
  for (const file of Object.values(files)) writeFileSync(join(outputDirectory, file), text);
  for (const artifact of script.artifacts ?? []) {
    mkdirSync(join(outputDirectory, 'artifacts'), { recursive: true });
    writeFileSync(join(outputDirectory, artifact), `image ${artifact}`);
  }
  const contentPath = join(outputDirectory, 'content.json');
  if (script.answerSize) {
    writeFileSync(contentPath, '{"md_content":"');
    for (let i = 0; i < script.answerSize; i++) appendFileSync(contentPath, 'x'.repeat(2 ** 20));
    appendFileSync(contentPath, '"}');
  } else writeFileSync(contentPath, JSON.stringify({ filename, md_content: text, json_content: null }));
  const errors = request.failedPages.map(({ error }) => error);
  if (timedOut) errors.push({ component_type: 'document_backend', module_name: '', error_message: 'stopped', category: 'timeout', page_no: null });
  return {
    status: script.status ?? (errors.length > 0 ? 'partial_success' : 'success'), errors, confidence: null, timings: {}, processingTimeS: 0.5,
    pageCount: pages.length, recognisedPages: 0, format: 'pdf', files: script.status ? {} : files, artifacts: script.artifacts ?? [], contentFile: 'content.json',
  };
}

async function convert(request: ConvertRequest, context: JobContext): Promise<ConvertOutcome> {
  const script = JSON.parse(readFileSync(request.inputPath, 'utf8')) as Script;
  const beganAt = performance.now();
  await happen(script.at?.[0], context);
  if (script.throws === 'full') throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  if (script.throws) throw script.throws === 'defect' ? new Error('a secret') : new LecternError(script.throws as 'invalid_document', 'It is broken.');
  const failed = new Set(request.failedPages.map(({ pageNumber }) => pageNumber));
  const pages: number[] = [];
  let timedOut = false;
  for (let page = 1; page <= script.pages; page++) {
    if (failed.has(page)) continue;
    const before = pages.at(-1);
    const pendingPage = script.late !== undefined && request.pageByPage !== true ? before : undefined;
    context.progress({ stage: 'pages', pagesDone: pages.length, pagesTotal: script.pages, pageNumber: page, ...(pendingPage !== undefined && { pendingPage }) }, true);
    if (script.late !== undefined && script.late === (request.pageByPage === true ? page : before)) await happen(script.lateWhat ?? 'crash', context);
    await happen(script.at?.[page], context);
    await sleep(script.pageMs ?? 0);
    pages.push(page);
    const limitMs = (request.options.documentTimeoutS ?? Infinity) * 1000;
    timedOut = !script.deaf && performance.now() - beganAt > limitMs;
    if (timedOut) break;
  }
  return write(request, script, pages, timedOut);
}

await serveJobs({
  convert: (request, context) => convert(request as ConvertRequest, context),
  zip: (request, { signal, progress }) => writeZip(request as ZipRequest, { signal, progress }),
}, { endWithParent });
