/** A conversion task from payload to answer file: lost pages, time limits, several documents, zips, failures, cancel. */
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync, strFromU8 } from 'fflate';
import t, { type Test } from 'tap';
import { runConversionTask, type ConversionServices } from '../../src/convert/task/conversion-task.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../../src/convert/task/payload.js';
import type { PageReaders } from '../../src/engine/vision-port.js';
import { LecternError } from '../../src/errors.js';
import { createPool } from '../../src/workers/pool.js';
import type { Script } from '../support/converter-entry.js';
import { entry, mebibyte } from '../support/workers.js';

interface Answer { document: Record<string, unknown>; status: string; errors: { page_no: number; category: string; error_message: string }[]; processing_time: number }

const limits = { pageMs: 20_000, documentMs: 60_000, graceMs: 200, maxLostPages: 8 };

/** Shared by the tests, ended by the last one. */
const pool = createPool({ command: entry('converter-entry'), size: 2, maxResidentBytes: 300 * mebibyte, watchMs: 20 });

interface Wish extends Partial<Omit<ConversionServices, 'limits'>> {
  scripts: Record<string, Script>;
  target?: 'inbody' | 'zip';
  options?: Partial<ConversionPayload['options']>;
  limits?: Partial<ConversionServices['limits']>;
  signal?: AbortSignal;
  onMeta?: (meta: ConversionMeta) => void;
  remote?: boolean;
}

let runs = 0;
const roots = new WeakMap<Test, string>();

function prepare(t: Test, wish: Wish) {
  // One per test: every call of testdir empties it.
  const tests = roots.get(t) ?? t.testdir();
  roots.set(t, tests);
  const root = join(tests, String(++runs));
  const [inputsDirectory, outputsDirectory, scratchDirectory] = ['inputs', 'outputs', 'scratch'].map((name) => join(root, name)) as [string, string, string];
  for (const directory of [inputsDirectory, outputsDirectory, scratchDirectory]) mkdirSync(directory, { recursive: true });
  const metas: ConversionMeta[] = [];
  const documents = Object.entries(wish.scripts).map(([filename, script], index) => {
    if (!wish.remote) writeFileSync(join(inputsDirectory, String(index)), JSON.stringify(script));
    return { input: String(index), filename, ...(wish.remote ? { remote: { url: 'http://example.org/', headers: {} } } : {}) };
  });
  const payload: ConversionPayload = { documents, target: wish.target ?? 'inbody', options: { ...defaultConvertOptions, ...wish.options } };
  const context = {
    signal: wish.signal ?? new AbortController().signal, inputsDirectory, outputsDirectory, scratchDirectory,
    countBelow: () => undefined, setMeta: (meta: ConversionMeta) => { metas.push(structuredClone(meta)); wish.onMeta?.(meta); },
  };
  const services = { pool: wish.pool ?? pool, limits: { ...limits, ...wish.limits }, ...(wish.readers ? { readers: wish.readers } : {}), ...(wish.fetchRemote ? { fetchRemote: wish.fetchRemote } : {}) };
  const run = (): Promise<ConversionSummary> =>
    runConversionTask({ id: 'x', kind: 'convert', tenant: 'default', payload, attempt: 1 }, context, services);
  return { run, metas, outputsDirectory };
}

async function convert(t: Test, wish: Wish) {
  const { run, metas, outputsDirectory } = prepare(t, wish);
  const summary = await run();
  const bytes = readFileSync(join(outputsDirectory, summary.file));
  const answer = summary.file === 'result.json' ? JSON.parse(bytes.toString()) as Answer : null;
  const zip = answer ? {} : Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, data]) => [name, strFromU8(data)]));
  return { summary, metas, answer, zip, bytes, left: readdirSync(outputsDirectory) };
}

t.test('one document in the answer', async (t) => {
  const { summary, answer, metas, left, bytes } = await convert(t, { scripts: { '/app/uploads/a.pdf': { pages: 3 } } });
  t.match(answer, { document: { filename: 'a.pdf', md_content: 'pages 1 2 3 of a.pdf, timeout true' }, status: 'success', errors: [], confidence: null, timings: {} });
  t.type(answer?.processing_time, 'number');
  t.match(bytes.toString(), /^\{"document":\{.*\},"status":"success","errors":\[\],"processing_time":[0-9.e-]+,"timings":\{\},"confidence":null\}$/, 'in the contract\'s order');
  t.match(summary, { file: 'result.json', status: 'success', documents: [{ filename: 'a.pdf', status: 'success', pageCount: 3, errors: [], errorCount: 0 }] });
  t.strictSame(metas.at(-1), { num_docs: 1, num_processed: 1, num_succeeded: 1, num_partially_succeeded: 0, num_failed: 0, pages_done: 2, pages_total: 3, stage: 'pages' });
  t.strictSame(left, ['result.json']);
});

t.test('pages that cost their worker are left out, the rest is delivered', async (t) => {
  const { answer, metas, summary } = await convert(t, {
    scripts: { 'a.pdf': { pages: 6, at: { 2: 'crash', 5: 'allocate' } } },
  });
  t.equal(answer?.document['md_content'], 'pages 1 3 4 6 of a.pdf, timeout true');
  t.equal(answer?.status, 'partial_success');
  t.strictSame(answer?.errors.map(({ page_no, category, error_message }) => [page_no, category, error_message]), [
    [2, 'backend_failure', 'The process that worked on page 2 ended unexpectedly.'],
    [5, 'capacity', 'Page 5 needed more memory than a conversion may have.'],
  ]);
  t.match(summary, { status: 'partial_success', documents: [{ errorCount: 2 }] });
  const done = metas.map(({ pages_done }) => pages_done);
  t.strictSame(done, [...done].sort((a, b) => a - b), 'progress never goes back');
  t.match(metas.at(-1), { num_partially_succeeded: 1, num_failed: 0 });
  const { answer: stalled } = await convert(t, { scripts: { 'a.pdf': { pages: 3, at: { 2: 'loop' } } }, limits: { pageMs: 3000 } });
  t.equal(stalled?.document['md_content'], 'pages 1 3 of a.pdf, timeout true');
  t.match(stalled, { status: 'partial_success', errors: [{ page_no: 2, category: 'timeout', error_message: 'Page 2 made no progress within the time limit.' }] });
});

t.test('a page that ends its worker while the next one is read is found, and the next one is delivered', async (t) => {
  const { answer } = await convert(t, { scripts: { 'a.pdf': { pages: 5, late: 2, at: { 4: 'crash' } } } });
  t.equal(answer?.document['md_content'], 'pages 1 3 5 of a.pdf, timeout true');
  t.strictSame(answer?.errors.map(({ page_no }) => page_no), [2, 4]);
  const { answer: stalled } = await convert(t, { scripts: { 'a.pdf': { pages: 3, late: 2, lateWhat: 'loop' } }, limits: { pageMs: 2000 } });
  t.equal(stalled?.document['md_content'], 'pages 1 3 of a.pdf, timeout true', 'nor does one that stalls cost the next one');
});

t.test('a document is given up when too many pages are lost, or at the first with abort_on_error', async (t) => {
  const at = Object.fromEntries([1, 2, 3, 4, 5].map((page) => [page, 'crash' as const]));
  const { answer } = await convert(t, { scripts: { 'a.pdf': { pages: 6, at } }, limits: { maxLostPages: 2 } });
  t.match(answer, { status: 'failure', document: { filename: 'a.pdf', md_content: null, json_content: null, doctags_content: null } });
  t.strictSame(answer?.errors.map(({ page_no }) => page_no), [1, 2, 3]);
  const { run } = prepare(t, { scripts: { 'a.pdf': { pages: 6, at } }, options: { abortOnError: true } });
  await t.rejects(run(), {
    code: 'invalid_document', message: 'Conversion failed for: a.pdf with status: failure. The process that worked on page 1 ended unexpectedly.',
  });
});

t.test('a crash outside of pages is tried once more, a stall is not', async (t) => {
  const before = pool.counts().lost;
  const { answer } = await convert(t, { scripts: { 'a.pdf': { pages: 1, at: { 0: 'crash' } } } });
  t.match(answer, { status: 'failure', errors: [{ page_no: null, category: 'backend_failure', error_message: 'The process that worked on the document ended unexpectedly.' }] });
  // A worker counts as lost once its files are removed, which may be after its job has failed.
  const lost = async (count: number): Promise<number> => {
    for (let left = 100; left > 0 && pool.counts().lost - before < count; left--) await new Promise((resolve) => setTimeout(resolve, 20));
    return pool.counts().lost - before;
  };
  t.equal(await lost(2), 2);
  const { answer: stalled } = await convert(t, { scripts: { 'a.pdf': { pages: 1, at: { 0: 'loop' } } }, limits: { pageMs: 300 } });
  t.match(stalled, { status: 'failure', errors: [{ category: 'timeout', error_message: 'The document made no progress within the time limit.' }] });
  t.equal(await lost(3), 3);
});

t.test('document_timeout: the worker stops by itself, the deaf one is killed', async (t) => {
  const script = { pages: 1000, pageMs: 20 };
  const { answer } = await convert(t, { scripts: { 'a.pdf': script }, options: { documentTimeoutS: 2 }, limits: { graceMs: 30_000 } });
  t.match(answer, { status: 'partial_success', errors: [{ category: 'timeout', page_no: null }] });
  t.match(answer?.document['md_content'], /^pages 1 2/);
  const { answer: killed } = await convert(t, { scripts: { 'a.pdf': { ...script, deaf: true } }, options: { documentTimeoutS: 0.3 } });
  t.match(killed, { status: 'failure', errors: [{ category: 'timeout', error_message: 'The document took longer than its limit of 0.3 s.' }], document: { md_content: null } });
  const { answer: bounded } = await convert(t, { scripts: { 'a.pdf': { ...script, deaf: true } }, options: { documentTimeoutS: 900 }, limits: { documentMs: 200 } });
  t.match(bounded, { errors: [{ error_message: 'The document took longer than its limit of 0.2 s.' }] }, 'the service\'s own limit holds');
  const at = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i + 1, 'crash' as const]));
  const { answer: late } = await convert(t, { scripts: { 'a.pdf': { pages: 50, at } }, options: { documentTimeoutS: 0.5 }, limits: { maxLostPages: 50 } });
  t.match(late, { status: 'failure' });
  t.match(late?.errors.at(-1), { page_no: null, category: 'timeout' }, `${late?.errors.length} tries share the time`);
});

t.test('a disk without room is the service\'s trouble, not the document\'s', async (t) => {
  const { run } = prepare(t, { scripts: { 'a.pdf': { pages: 1, throws: 'full' } } });
  await t.rejects(run(), { name: 'DiskFull', code: 'out_of_memory', status: 507, message: /no space left/ });
});

t.test('what the converter throws is the document\'s failure', async (t) => {
  const cases = [
    ['invalid_document', 'backend_failure', 'It is broken.'], ['password_required', 'backend_failure', 'It is broken.'],
    ['too_large', 'capacity', 'It is broken.'], ['defect', 'internal', 'Internal processing error.'],
  ] as const;
  for (const [throws, category, error_message] of cases) {
    const { answer } = await convert(t, { scripts: { 'a.pdf': { pages: 1, throws } } });
    t.match(answer, { status: 'failure', errors: [{ category, error_message, page_no: null }], document: { filename: 'a.pdf', md_content: null } }, throws);
  }
});

t.test('a zip of several documents', async (t) => {
  const scripts = {
    'a.pdf': { pages: 1, artifacts: ['artifacts/image_000000_abc.png', 'artifacts/image_000001_def.png'] },
    'dir/A.docx': { pages: 2, artifacts: ['artifacts/image_000000_abc.png'] },
    'broken.pdf': { pages: 1, throws: 'invalid_document' },
    'odd.gif': { pages: 1, status: 'skipped' as const },
    '.pdf': { pages: 1 }, '..': { pages: 1 }, 'x/': { pages: 1 }, 'tab\there.tar.gz': { pages: 1 },
    [`${'ü'.repeat(5000)}.pdf`]: { pages: 1 },
  };
  const { zip, summary, metas, left, bytes } = await convert(t, { scripts, target: 'zip', options: { outputs: ['md', 'json', 'html'] } });
  const names = ['a', 'A (2)', '.pdf', 'document', 'document (2)', 'tab_here.tar', 'ü'.repeat(100)];
  t.strictSame(Object.keys(zip).sort(), [
    ...names.flatMap((name) => [`${name}.json`, `${name}.md`]), 'artifacts/image_000000_abc.png', 'artifacts/image_000001_def.png',
  ].sort());
  t.equal(zip['A (2).md'], 'pages 1 2 of A.docx, timeout true');
  t.equal(zip['artifacts/image_000001_def.png'], 'image artifacts/image_000001_def.png');
  t.match(summary, { file: 'converted_docs.zip', status: 'failure' });
  t.match(metas.at(-1), { num_docs: 9, num_processed: 9, num_succeeded: 7, num_failed: 2, pages_total: 9 });
  t.strictSame(left, ['converted_docs.zip']);
  const again = await convert(t, { scripts, target: 'zip', options: { outputs: ['md', 'json', 'html'] } });
  t.ok(bytes.equals(again.bytes), 'the same documents give the same bytes');
  t.equal(bytes.readUInt32LE(10), 0x00210000, 'whenever: the entry is of the first day that the format knows');
});

t.test('a zip of large files, and of nothing', async (t) => {
  const { zip, bytes } = await convert(t, { scripts: { 'a.pdf': { pages: 1, size: 5_000_000 } }, target: 'zip' });
  t.equal(zip['a.md'], 'x'.repeat(5_000_000));
  t.ok(bytes.length < 50_000, `${bytes.length} bytes`);
  const { run } = prepare(t, { scripts: { 'a.pdf': { pages: 1, throws: 'invalid_document' } }, target: 'zip' });
  await t.rejects(run(), { code: 'invalid_document', message: 'No document could be exported. It is broken.' });
  const several = prepare(t, { scripts: { 'a.pdf': { pages: 1, throws: 'invalid_document' }, 'dir/b.pdf': { pages: 1, throws: 'invalid_document' } }, target: 'zip' });
  await t.rejects(several.run(), { message: 'No document could be exported. a.pdf: It is broken. b.pdf: It is broken.' }, 'which failed, and why');
  const formats = prepare(t, { scripts: { 'a.pdf': { pages: 1 } }, target: 'zip', options: { outputs: [] } });
  await t.rejects(formats.run(), { message: 'No document could be exported. None of the formats asked for has a file.' });
});

t.test('a large document goes through without being held', async (t) => {
  const answerSize = 150;
  const { run, outputsDirectory } = prepare(t, { scripts: { 'a.pdf': { pages: 1, answerSize } } });
  const before = process.memoryUsage().rss;
  await run();
  const grown = (process.memoryUsage().rss - before) / mebibyte;
  t.ok(grown < answerSize / 2, `${answerSize} MiB went through, the main process grew by ${Math.round(grown)} MiB`);
  t.ok(statSync(join(outputsDirectory, 'result.json')).size > answerSize * mebibyte);
});

t.test('cancel ends the work at once, whatever it does', async (t) => {
  for (const what of ['wait', 'loop'] as const) {
    const abort = new AbortController();
    const { run, outputsDirectory } = prepare(t, {
      scripts: { 'a.pdf': { pages: 3, at: { 2: what } } }, signal: abort.signal,
      onMeta: ({ pages_done }) => { if (pages_done === 1) setImmediate(() => abort.abort(new LecternError('cancelled'))); },
    });
    await t.rejects(run(), { code: 'cancelled' }, what);
    t.strictSame(readdirSync(outputsDirectory), []);
  }
});

t.test('a worker reads lines through the main process; a lost GPU fails the document', async (t) => {
  const seen: number[] = [];
  const scripts = { 'a.pdf': { pages: 2, at: { 1: 'readLines' as const } } };
  const readers: PageReaders = { textModels: async () => [], readLines: async ({ width }) => { seen.push(width); return { lines: [], rulings: [] }; } };
  const { answer } = await convert(t, { scripts, readers });
  t.equal(answer?.status, 'success');
  t.strictSame(seen, [4]);
  const { answer: lost } = await convert(t, { scripts, readers: { ...readers, readLines: () => Promise.reject(new LecternError('device_lost')) } });
  t.match(lost, { status: 'failure', errors: [{ category: 'inference_failure', error_message: 'The GPU is not available any more.' }] });
});

t.test('documents that the task fetches', async (t) => {
  const scripts = { 'a.pdf': { pages: 1 } };
  const fetched: string[] = [];
  const { answer, metas } = await convert(t, {
    scripts, remote: true, fetchRemote: async ({ url }, toFile) => { fetched.push(url); writeFileSync(toFile, '{"pages":2}'); },
  });
  t.equal(answer?.document['md_content'], 'pages 1 2 of a.pdf, timeout true');
  t.strictSame(fetched, ['http://example.org/']);
  t.equal(metas[0]?.stage, 'fetching');
  for (const [code, category] of [['forbidden', 'policy'], ['too_large', 'policy'], ['timeout', 'source_unavailable'], ['internal', 'source_unavailable']] as const) {
    const { answer } = await convert(t, { scripts, remote: true, fetchRemote: () => Promise.reject(new LecternError(code, 'Why.')) });
    t.match(answer, { status: 'failure', errors: [{ component_type: 'user_input', category, error_message: 'Why.' }] }, code);
  }
  const { answer: off } = await convert(t, { scripts, remote: true });
  t.match(off, { status: 'failure', errors: [{ category: 'policy', error_message: 'This is switched off in the settings.' }] });
});

t.test('ten conversions at once give what ten in a row give', async (t) => {
  const wish = (i: number): Wish => ({ scripts: { [`${i}.pdf`]: { pages: 5 + i, ...(i === 3 ? { at: { 2: 'crash' as const } } : {}) } } });
  const contents = async (one: Promise<{ answer: Answer | null }>): Promise<string> => {
    const { answer } = await one;
    return JSON.stringify([answer?.document, answer?.status, answer?.errors]);
  };
  const row: string[] = [];
  for (let i = 0; i < 10; i++) row.push(await contents(convert(t, wish(i))));
  const together = await Promise.all(Array.from({ length: 10 }, (_, i) => contents(convert(t, wish(i)))));
  t.strictSame(together, row);
});

t.test('a pool that cannot start is no verdict on the document', async (t) => {
  const broken = createPool({ command: { execPath: process.execPath, args: ['-e', ''] }, size: 1, maxResidentBytes: 100 * mebibyte });
  t.teardown(() => broken.close());
  const { run } = prepare(t, { scripts: { 'a.pdf': { pages: 1 } }, pool: broken });
  await t.rejects(run(), { code: 'worker_crashed', message: 'The process that works on documents cannot be started.' });
});

t.test('every worker ends', async (t) => {
  await pool.close();
  t.strictSame(pool.counts().busy, 0);
});
