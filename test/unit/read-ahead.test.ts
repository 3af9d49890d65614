/** While networks are at work on a page the next one is read: in which order, what is known outside, and that failures stay with their page. */
import t from 'tap';
import type { Test } from 'tap';
import type { LayoutFinder } from '../../src/convert/layout-network/shipped.js';
import { noRecognisers } from '../../src/convert/ocr/recogniser.js';
import type { TextRecognisers } from '../../src/convert/ocr/recogniser.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import type { ConvertOptions } from '../../src/convert/options.js';
import { structurePages } from '../../src/convert/pipeline/page-pipeline.js';
import type { StructuredPages } from '../../src/convert/pipeline/page-pipeline.js';
import type { ConvertRequest } from '../../src/convert/request.js';
import type { ConversionError } from '../../src/convert/result.js';
import { Timings } from '../../src/convert/timings.js';
import { createRemoteEngine } from '../../src/engine/remote.js';
import type { ReadPage } from '../../src/engine/port.js';
import { LecternError } from '../../src/errors.js';
import { openPdf } from '../../src/pdf/index.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

const pages = [1, 2, 3].map((number) => ({ width: 612, height: 792, content: [text(72, 700, 11, `Words of the page with the number ${number}.`)] }));
const pdf = await openPdf(makePdf({ pages }));
t.teardown(() => pdf.close());

interface Seen extends StructuredPages {
  log: string[];
  errors: ConversionError[];
}

interface Wish {
  layout: LayoutFinder;
  options?: Partial<ConvertOptions>;
  failedPages?: ConvertRequest['failedPages'];
  broken?: number;
  pageByPage?: boolean;
  holdNetworks?: () => Promise<() => void>;
  recognisers?: TextRecognisers;
  signal?: AbortSignal;
}

/** Reads the three pages; `log` has what happened in its order. */
async function read({ layout, options, failedPages = [], broken, pageByPage = false, holdNetworks, recognisers = noRecognisers, signal = new AbortController().signal }: Wish, log: string[] = []): Promise<Seen> {
  const errors: ConversionError[] = [];
  const done = await structurePages({
    pageCount: 3, title: '', outline: () => [], render: () => ({ data: new Uint8Array(4 * 85 * 110).fill(255), width: 85, height: 110, stride: 4 * 85 }), close: () => undefined,
    readPage: (index) => {
      log.push(`read ${index + 1}`);
      if (broken === index + 1) throw new LecternError('invalid_document', `The page ${index + 1} is broken.`);
      return pdf.readPage(index);
    },
  }, { inputPath: '', filename: 'a.pdf', outputDirectory: '', failedPages, pageByPage, options: { ...defaultConvertOptions, ...options } }, {
    engine: { deskewAngle: async () => 0 }, recognisers, layout,
    ...(holdNetworks === undefined ? {} : { holdNetworks }),
    progress: ({ pageNumber, pendingPage }) => log.push(pendingPage === undefined ? `at ${pageNumber}` : `at ${pageNumber}, and still at ${pendingPage}`), signal,
  }, new Timings(), errors);
  return { ...done, log, errors };
}

/** A network that is at work on a page until the next one has been read, or the last one. */
function slowly(log: string[], fails: number[] = [], leftOut = false): LayoutFinder {
  let asked = 0;
  return async () => {
    const page = ++asked;
    log.push(`asked ${page}`);
    // One that is left out is not read.
    while (page < 3 && !leftOut && !log.includes(`read ${page + 1}`)) await new Promise((resolve) => { setTimeout(resolve, 1); });
    log.push(`answered ${page}`);
    if (fails.includes(page)) throw new LecternError('internal', `no opinion on ${page}`);
    return { regions: [], odds: [] };
  };
}

const numbers = ({ pages }: StructuredPages): number[] => pages.map(({ pageIndex }) => pageIndex + 1);

t.test('a page is read while the network is at work on the one before; whoever is worked on is told', async (t) => {
  const log: string[] = [];
  const seen = await read({ layout: slowly(log) }, log);
  t.strictSame([numbers(seen), seen.errors, seen.complete], [[1, 2, 3], [], true]);
  t.strictSame(log, [
    'at 1', 'read 1', 'asked 1', 'at 2, and still at 1', 'read 2', 'at 1', 'answered 1', 'at 2', 'asked 2', 'at 3, and still at 2', 'read 3', 'at 2', 'answered 2', 'at 3', 'asked 3', 'answered 3',
  ]);
});

/** What reads a page's picture until the next page has been read, or the last one. */
function slowReader(log: string[], ended: () => void = () => undefined): TextRecognisers {
  let asked = 0;
  const read = async (): Promise<ReadPage> => {
    const page = ++asked;
    log.push(`seen ${page}`);
    const [began, atMostMs] = [performance.now(), 200];
    while (page < 3 && !log.includes(`read ${page + 1}`) && performance.now() - began < atMostMs) await new Promise((resolve) => { setTimeout(resolve, 1); });
    log.push(log.includes(`read ${page + 1}`) || page === 3 ? `told ${page}` : `waited in vain for ${page + 1}`);
    ended();
    return { lines: [{ baseline: [10, 30, 60, 30], words: [{ text: `picture${page}`, left: 10, top: 20, right: 60, bottom: 30, confidence: 0.95 }] }], rulings: [] };
  };
  return { find: async () => ({ name: 'test', read }) };
}

t.test('a page is read while the one before is looked at; each gets what was seen of it', async (t) => {
  const log: string[] = [];
  const seen = await read({ layout: async () => ({ regions: [], odds: [] }), options: { forceOcr: true }, recognisers: slowReader(log) }, log);
  t.strictSame([numbers(seen), seen.errors, seen.complete], [[1, 2, 3], [], true]);
  t.strictSame(log.filter((entry) => entry.startsWith('waited')), []);
  t.ok(log.indexOf('told 1') < log.indexOf('read 3'), 'no page is read before recognition of the last but one has ended');
  t.ok(log.includes('at 1, and still at 2'), 'while a page waits for its structure, reading the next one may end the worker');
  t.strictSame(seen.pages.map(({ recognised }) => recognised?.by), ['test', 'test', 'test']);
  const single: string[] = [];
  const alone = await read({ layout: async () => ({ regions: [], odds: [] }), options: { forceOcr: true }, recognisers: slowReader(single), pageByPage: true }, single);
  t.strictSame(numbers(alone), [1, 2, 3]);
  t.equal(single.filter((entry) => /waited in vain/.test(entry)).length, 2, 'one page at a time where that is asked for');
});

t.test('who gives up waits for the look that may still draw from the document', async (t) => {
  const log: string[] = [];
  const controller = new AbortController();
  let looks = 0;
  const recognisers = slowReader(log, () => { looks++; });
  const reading = read({ layout: async () => ({ regions: [], odds: [] }), options: { forceOcr: true }, recognisers, signal: controller.signal }, log);
  const rejects = t.rejects(reading, { code: 'cancelled' });
  for (let wait = 0; wait < 2000 && !log.includes('seen 1'); wait++) await new Promise((resolve) => { setTimeout(resolve, 1); });
  controller.abort();
  await rejects;
  t.ok(looks > 0);
  t.equal(looks, log.filter((entry) => entry.startsWith('seen')).length);
});

t.test('one page at a time, where it must be seen which one ends a worker', async (t) => {
  const log: string[] = [];
  const seen = await read({ layout: slowly(log, [], true), pageByPage: true }, log);
  t.strictSame([numbers(seen), seen.complete], [[1, 2, 3], true]);
  t.strictSame(log, [1, 2, 3].flatMap((page) => [`at ${page}`, `read ${page}`, `asked ${page}`, `answered ${page}`]));
});

t.test('what goes wrong is said in the order of the pages, and costs only its own', async (t) => {
  const told = async (t: Test, wish: Omit<Wish, 'layout'>, fails: number[]): Promise<unknown[]> => {
    const log: string[] = [];
    const seen = await read({ layout: slowly(log, fails, wish.failedPages !== undefined), ...wish }, log);
    t.equal(new Set(numbers(seen)).size, seen.pages.length);
    return [numbers(seen), seen.errors.map(({ page_no }) => page_no), seen.complete];
  };
  t.strictSame(await told(t, { broken: 2 }, [1]), [[1, 3], [1, 2], false], 'a page without an opinion lacks nothing else');
  t.strictSame(await told(t, { broken: 2, options: { abortOnError: true } }, [1]), [[1], [1, 2], false]);
  const error: ConversionError = { component_type: 'document_backend', module_name: '', category: 'timeout', error_message: 'lost', page_no: 2 };
  t.strictSame(await told(t, { failedPages: [{ pageNumber: 2, error }] }, [1]), [[1, 3], [1, 2], false]);
});

t.test('the memory is held for a page at a time; without it each question is refused by itself', async (t) => {
  const log: string[] = [];
  const holdNetworks = async (): Promise<() => void> => {
    log.push('held');
    return () => { log.push('freed'); };
  };
  await read({ layout: slowly(log), holdNetworks }, log);
  t.strictSame(log.filter((entry) => /held|freed|asked/.test(entry)), ['held', 'asked 1', 'freed', 'held', 'asked 2', 'freed', 'held', 'asked 3', 'freed']);
  const none = await read({
    layout: async () => { throw new LecternError('out_of_memory', 'There is no room.'); }, holdNetworks: async () => { throw new LecternError('out_of_memory', 'There is no room.'); },
  });
  t.match([numbers(none), none.errors, none.complete, none.remarks.map(({ error_message }) => error_message)], [[1, 2, 3], [], true, [/^Pages 1, 2, 3 were .* There is no room\.$/]]);
});

t.test('a worker asks once for what it holds already, and gives back all that it was lent', async (t) => {
  const calls: string[] = [];
  const remote = createRemoteEngine(async (verb) => calls.push(verb), '');
  const free = await remote.holdNetworks();
  t.equal(await remote.withNetworks(async () => 7), 7);
  t.strictSame(calls, ['holdNetworks'], 'within a hold nothing is asked');
  free();
  t.strictSame(calls.splice(0), ['holdNetworks', 'freeNetworks']);
  const both = await Promise.all([remote.holdNetworks(), remote.holdNetworks()]);
  both[0]();
  t.strictSame(calls, ['holdNetworks', 'holdNetworks'], 'who asks at the same time asks, too');
  both[1]();
  t.strictSame(calls.slice(2), ['freeNetworks', 'freeNetworks']);
});
