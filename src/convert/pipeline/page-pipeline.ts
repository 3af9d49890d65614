/** Page after page becomes a sketch: a page that fails costs itself, a document out of time keeps what it has. */
import { setImmediate } from 'node:timers/promises';
import { LecternError } from '../../errors.js';
import { conversionError, errorOf } from '../failures.js';
import { findAlgorithms } from '../layout/algorithms.js';
import { findContents, withoutWords } from '../layout/contents.js';
import { marginWords } from '../layout/margins.js';
import { numberedListings } from '../layout/numbered-code.js';
import { printedListings } from '../layout/printed-listings.js';
import { predictLayout } from '../layout-network/prediction.js';
import type { LayoutPrediction } from '../layout-network/prediction.js';
import { turnOf } from '../layout/sideways.js';
import { readableText } from './text-layer.js';
import type { TextLayer } from './text-layer.js';
import { structurePage } from './structure-page.js';
import type { PageStructure } from './structure-page.js';
import { steppedListings } from '../layout/stepped-listings.js';
import type { PageSource } from '../input/pages.js';
import type { ConvertPorts, ConvertRequest } from '../request.js';
import type { ConversionError } from '../result.js';
import { isRecogniser } from '../ocr/recogniser.js';
import { readPicture } from '../ocr/read-picture.js';
import { agrees } from '../ocr/agreement.js';
import { mayHoldText, readPagePictures } from '../ocr/page-pictures.js';
import { boxAround, linesOnPage, partOf } from '../ocr/page-part.js';
import { unreadableLines, withReadLines } from '../ocr/unreadable.js';
import { unreadPage, whyPicture } from '../decide/recognition-reason.js';
import { WithoutRoom } from './pages-without-networks.js';
import type { PictureReason } from '../decide/recognition-reason.js';
import type { PageContent } from '../../pdf/pdf-page.js';
import { findSureAndDoubtful, tablesByNetwork, withCentredLabels, withoutCharts, withoutFractions, withoutUnseen } from '../tables/index.js';
import type { FoundTable } from '../page/found-table.js';
import type { Geometry } from '../tables/network/find-cells.js';
import type { Timings } from '../timings.js';

export interface ReadPages {
  sketches: PageStructure[];
  /** False when a page failed or time ran out. */
  complete: boolean;
  /** What is to be known of the document though nothing is missing. */
  remarks: ConversionError[];
}

/** So sure must a reading be to be believed rather than a text layer that makes no words. */
const sureOfWords = 0.85;
/** What is drawn around lines that are read alone, in their sizes, and behind them, in their lengths: signs without a name may be thought too narrow. */
const roomAround = 3;
const roomBehind = 0.5;

/** The numbers of the pages asked for, from 1. */
function wanted(pages: PageSource, [first, last]: [number, number]): number[] {
  const numbers: number[] = [];
  for (let number = Math.max(1, first); number <= Math.min(last, pages.pageCount); number++) numbers.push(number);
  return numbers;
}

/** Everything that one page's reading needs. */
interface Reading {
  pages: Pick<PageSource, 'readPage' | 'render' | 'damage' | 'turned'>;
  request: ConvertRequest;
  ports: ConvertPorts;
  timings: Timings;
  errors: ConversionError[];
  withoutRoom: WithoutRoom;
}

/** A page as the file tells it, what its sketch says beside that, and what the look at it will make of it; null where nothing must be seen. */
interface BegunPage extends ReadPage {
  looks: Promise<ReadPage> | null;
}

/** What is to be boiled down of a page, and what its sketch says beside that. */
interface ReadPage {
  layer: TextLayer;
  more: Pick<PageStructure, 'recognised' | 'nothingRecognised' | 'turn'>;
}

/** Reads the text of one page from the file, and begins to look at what must be seen of it. */
async function beginPage(pageIndex: number, reading: Reading): Promise<BegunPage> {
  const layer = await readLayer(pageIndex, reading);
  const why = whyPicture(layer.content, reading.request.options);
  const turn = why === null ? turnOf(layer.content) : 0;
  const pages = turn === 0 ? undefined : reading.pages.turned?.(turn);
  if (pages === undefined) return beginLook({ layer, more: {} }, why, reading);
  const upright = { ...reading, pages };
  return beginLook({ layer: await readLayer(pageIndex, upright), more: { turn } }, why, upright);
}

async function readLayer(pageIndex: number, { pages, timings }: Reading): Promise<TextLayer> {
  return readableText(await timings.measure('read_page', 'page', () => pages.readPage(pageIndex)));
}

function beginLook(page: ReadPage, why: PictureReason | null, reading: Reading): BegunPage {
  if (why === null && !mayNeedLook(page.layer.content, reading)) return { ...page, looks: null };
  const looks = lookAt(page.layer, why, reading).then(({ layer, more }): ReadPage => ({ layer, more: { ...page.more, ...more } }));
  // It may fail before anybody waits for it.
  looks.catch(() => undefined);
  return { ...page, looks };
}

function mayNeedLook(content: PageContent, { request }: Reading): boolean {
  return request.options.doOcr && (mayHoldText(content) || unreadableLines(content).length > 0);
}

/** Looks at a page that must be seen as a whole, or in parts where there is no reason `why`. */
async function lookAt(layer: TextLayer, why: PictureReason | null, reading: Reading): Promise<ReadPage> {
  const seen = why === null ? await readParts(layer.content, reading) : await readSeen(layer.content, why, reading);
  if (seen === null) return { layer, more: {} };
  if (seen === 'nothing') return { layer, more: { nothingRecognised: true } };
  return { layer: { content: seen.content, keptInvisible: seen.inParts === true ? layer.keptInvisible : 0 }, more: { recognised: seen.recognised } };
}

/** What must be seen on a page whose text is good as a whole: lines whose letters the file does not tell, else text in its pictures; null where there is neither. */
async function readParts(content: PageContent, reading: Reading): Promise<Seen | null> {
  return await readUnreadable(content, reading) ?? await readPictures(content, reading);
}

/** What makes a page better that is good without it: where that fails, `without`, and the failure is said. */
async function orWithout<T>(without: T, pageIndex: number, { ports, errors }: Reading, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    if (ports.signal.aborted) throw thrown;
    errors.push(errorOf(thrown, 'page', pageIndex + 1));
    return without;
  });
}

/** As orWithout() for a network's opinion on a page that geometry can read: where there is only no memory for it, no part of the document is missing, and it is remarked on once. */
async function orByGeometry<T>(without: T, pageIndex: number, reading: Reading, work: Promise<T>): Promise<T> {
  return orWithout(without, pageIndex, reading, work.catch((thrown: unknown) => {
    if (reading.ports.signal.aborted || !(thrown instanceof LecternError) || thrown.code !== 'out_of_memory') throw thrown;
    reading.withoutRoom.add(pageIndex, thrown.message);
    return without;
  }));
}

/** The page with the text in its pictures; null where there is none, or nobody reads. */
async function readPictures(content: PageContent, reading: Reading): Promise<Seen | null> {
  const { pages, request, ports, timings } = reading;
  if (!request.options.doOcr || !mayHoldText(content)) return null;
  const recogniser = await ports.recognisers.find(request.options.ocrPreset, request.options.ocrLanguages);
  if (!isRecogniser(recogniser)) return null;
  const reader = { recogniser, engine: ports.engine, signal: ports.signal, lineVotes: ports.lineVotes ?? null };
  const read = await orWithout(null, content.pageIndex, reading, timings.measure('read_picture', 'page', () => readPagePictures(pages, content, reader)));
  return read === null ? null : { content: read.content, inParts: true, recognised: { by: recogniser.name, confidence: read.confidence, turn: 0, lean: 0 } };
}

/** The page as its picture shows it; null where that is no better than what the file says, `nothing` where no text is to be seen. */
async function readSeen(content: PageContent, why: PictureReason, { pages, request, ports, timings, errors }: Reading): Promise<Seen | 'nothing' | null> {
  const { ocrPreset, ocrLanguages } = request.options;
  const recogniser = await ports.recognisers.find(ocrPreset, ocrLanguages);
  if (!isRecogniser(recogniser)) {
    // Letters that make no words may be what the page shows.
    if (why !== 'suspect') errors.push(unreadPage(content.pageIndex, why, recogniser.reason));
    return null;
  }
  const reader = { recogniser, engine: ports.engine, signal: ports.signal, lineVotes: ports.lineVotes ?? null };
  const read = await timings.measure('read_picture', 'page', () => readPicture(pages, content, reader));
  const { confidence, turn, lean } = read;
  const damage = pages.damage?.(content.pageIndex) ?? null;
  if (damage !== null) errors.push(conversionError('document_backend', 'image', 'backend_failure', damage, content.pageIndex + 1));
  if (why === 'suspect' && (confidence ?? 0) < sureOfWords) return null;
  if (read.content.words.length === 0 && why !== 'forced') return 'nothing';
  // Letters that the file gets wrong differ from those to be seen; where both say the same, the file's are exact.
  if ((why === 'garbled' || why === 'suspect') && agrees(content.words, read.content.words)) return null;
  return { content: read.content, recognised: { by: recogniser.name, confidence, turn, lean } };
}

/** The page with those of its lines read from its picture whose letters the file does not tell; null where there are none, or nobody reads. */
async function readUnreadable(content: PageContent, { pages, request, ports, timings }: Reading): Promise<Seen | null> {
  const lines = request.options.doOcr ? unreadableLines(content) : [];
  if (lines.length === 0) return null;
  const recogniser = await ports.recognisers.find(request.options.ocrPreset, request.options.ocrLanguages);
  if (!isRecogniser(recogniser)) return null;
  const reader = { recogniser, engine: ports.engine, signal: ports.signal, lineVotes: ports.lineVotes ?? null };
  const box = boxAround(lines, { around: roomAround, behind: roomBehind }, content);
  const part = partOf(pages, content, box);
  const { content: read, confidence, lean } = await timings.measure('read_picture', 'page', () => readPicture(part.pages, part.content, { ...reader, onlyUpright: true }));
  const mended = withReadLines(content, lines, linesOnPage(read.lines, box));
  return mended === null ? null : { content: mended, inParts: true, recognised: { by: recogniser.name, confidence, turn: 0, lean } };
}

interface Seen {
  content: PageContent;
  /** The file's own text is there, too. */
  inParts?: true;
  recognised: NonNullable<PageStructure['recognised']>;
}

/**
 * Boils a page down as far as it can be done while networks are at work on it; the rest is done by what this resolves to, which must be called at most once. Only the sketch outlives that call.
 * With `isPending` false no network was asked.
 */
async function boilDown({ layer, more }: ReadPage, reading: Reading): Promise<{ isPending: boolean; finish: () => Promise<PageStructure> }> {
  const { request, ports, timings } = reading;
  const { content } = layer;
  const { pageIndex } = content;
  const { options } = request;
  const contents = options.doTableStructure ? findContents(content) : null;
  const algorithms = findAlgorithms(content);
  const listings = [...numberedListings(content), ...steppedListings(content)];
  const rest = withoutWords(content, new Set([...contents?.words ?? [], ...listings.flatMap(({ numbers }) => numbers)]));
  const lineByLine = [...algorithms, ...printedListings(rest, new Set([...algorithms.flat(2), ...listings.flatMap(({ code }) => code)]))];
  const { tableCells = null, layout = null, signal } = ports;
  const asks = layout !== null && options.tableMode !== 'fast';
  // Asked for once for both, or neither could begin while this thread is busy. Where it is not to be had each is refused by itself, and says so.
  const free = asks ? await ports.holdNetworks?.(signal).catch(() => undefined) : undefined;
  const opinion = asks ? predictLayout(content, layout, signal) : null;
  // It may fail before anybody waits for it.
  opinion?.catch(() => undefined);
  const asked = options.tableMode === 'fast' ? null : tableCells;
  let found: Geometry;
  let cells: Promise<FoundTable[]> | null = null;
  try {
    // Its network is at work before this thread looks for tables.
    if (asks) await setImmediate();
    const body = withoutWords(rest, new Set([...marginWords(rest), ...listings.flatMap(({ code }) => code), ...lineByLine.flat(2)]));
    found = timings.measure('find_tables', 'page', () => findSureAndDoubtful(body, options, asked !== null));
    if (asked !== null && found.tables.length + found.doubtful.length > 0) cells = tablesByNetwork(found, body, asked, signal);
  } finally {
    void Promise.allSettled([opinion, cells]).then(free);
  }
  const finish = async (): Promise<PageStructure> => {
    // What is measured is the wait.
    const seen = opinion === null ? null : await orByGeometry(null, pageIndex, reading, timings.measure('predict_layout', 'page', () => opinion));
    const read = cells === null ? found.tables : await orByGeometry(found.tables, pageIndex, reading, timings.measure('find_table_cells', 'page', () => cells));
    const tables = withCentredLabels(withoutFractions(withoutCharts(seen === null ? read : seenTables(read, seen), rest), rest));
    return { ...timings.measure('structure_page', 'page', () => structurePage({ ...layer, content: rest }, contents, tables, seen, lineByLine)), ...more };
  };
  return { isPending: opinion !== null || cells !== null, finish };
}

/** So sure geometry is of rows with rules or grounds: such a table is one, also where the layout network sees none. */
const sureOfTable = 0.99;

/** The tables that the layout network sees, too; of ruled ones, and of words that it was not shown, it is not asked. */
function seenTables(tables: FoundTable[], { regions, lines }: LayoutPrediction): FoundTable[] {
  const seen = new Set(withoutUnseen(tables, regions.filter(({ label }) => label === 'table')));
  return tables.filter((table) => seen.has(table) || table.evidence === 'ruled' || table.evidence === 'partly-ruled' && table.confidence >= sureOfTable || table.cells.some(({ words }) => words.some((word) => !lines.has(word))));
}

/** A page that networks are at work on. */
interface PendingPage {
  pageNumber: number;
  /** Its own: said in the pages' order. */
  errors: ConversionError[];
  /** It may draw from the document. */
  looks: Promise<unknown> | null;
  finish: () => Promise<PageStructure>;
}

/** The sketches so far, and the page whose sketch is to come. */
class Sketches {
  readonly done: PageStructure[] = [];
  complete = true;
  #pending: PendingPage | null = null;
  #told = '';

  constructor(private readonly errors: ConversionError[], private readonly total: number, private readonly progress: ConvertPorts['progress']) {}

  /** Whatever this process does last, the page that it did it for is known outside, or both where networks are at work on another. */
  tell(pageNumber: number, pagesDone: number, pendingPage = this.#pending?.pageNumber): void {
    const news = `${pageNumber} ${pagesDone} ${pendingPage}`;
    if (this.#told !== news) this.progress({ stage: 'pages', pagesDone, pagesTotal: this.total, pageNumber, ...(pendingPage !== undefined && { pendingPage }) });
    this.#told = news;
  }

  fail(said: ConversionError[]): void {
    this.errors.push(...said);
    this.complete = false;
  }

  /** Only when none is pending. */
  add(page: PendingPage): void {
    this.#pending = page;
  }

  /** Gives the pending page up, but not before nothing draws from the document any more. */
  async leave(): Promise<void> {
    const looks = this.#pending?.looks;
    this.#pending = null;
    await looks?.catch(() => undefined);
  }

  /** Waits for the sketch of the pending page, while `begun` may be looked at, too. */
  async settle(pagesDone: number, begun?: number): Promise<void> {
    const page = this.#pending;
    this.#pending = null;
    if (page === null) return;
    this.tell(page.pageNumber, pagesDone, begun);
    try {
      this.done.push(await page.finish());
      this.errors.push(...page.errors);
    } catch (thrown) {
      this.fail([...page.errors, errorOf(thrown, 'page', page.pageNumber)]);
    }
  }
}

/** Sketches of the pages asked for, in order; what went wrong is added to `errors`. While networks are at work on a page the next one is read. */
export async function readPages(
  pages: PageSource, request: ConvertRequest, ports: ConvertPorts, timings: Timings, errors: ConversionError[],
): Promise<ReadPages> {
  const { options } = request;
  const begin = performance.now();
  const numbers = wanted(pages, options.pageRange);
  const failed = new Map(request.failedPages.map(({ pageNumber, error }) => [pageNumber, error]));
  const withoutRoom = new WithoutRoom();
  const sketches = new Sketches(errors, numbers.length, (news) => ports.progress(news));
  const ends = (): boolean => !sketches.complete && options.abortOnError;
  try {
    for (const [done, pageNumber] of numbers.entries()) {
      sketches.tell(pageNumber, done);
      await setImmediate();
      if (ports.signal.aborted) throw new LecternError('cancelled');
      const known = failed.get(pageNumber);
      const isLate = options.documentTimeoutS !== null && performance.now() - begin > options.documentTimeoutS * 1000;
      if (isLate || known !== undefined) await sketches.settle(done);
      if (ends()) break;
      if (isLate) {
        sketches.fail([conversionError('pipeline', 'document_timeout', 'timeout',
          `The document timeout of ${options.documentTimeoutS} s ended the conversion after ${done} of ${numbers.length} pages.`)]);
        break;
      }
      if (known !== undefined) sketches.fail([known]);
      else await readInto(sketches, pageNumber, done, { pages, request, ports, timings, errors: [], withoutRoom }, ends);
      if (ends()) break;
    }
    if (!ends()) await sketches.settle(numbers.length - 1);
  } finally {
    await sketches.leave();
  }
  return { sketches: sketches.done, complete: sketches.complete, remarks: withoutRoom.remarks() };
}

/** Reads a page while networks are at work on the one before, then has them work on this one. */
async function readInto(sketches: Sketches, pageNumber: number, done: number, reading: Reading, ends: () => boolean): Promise<void> {
  try {
    let begun: BegunPage | null = null;
    try {
      begun = await beginPage(pageNumber - 1, reading);
    } finally {
      await sketches.settle(done, begun === null || begun.looks === null ? undefined : pageNumber);
    }
    const { layer, more, looks } = begun;
    if (ends()) return void await looks?.catch(() => undefined);
    sketches.tell(pageNumber, done);
    const { isPending, finish } = looks === null ? await boilDown({ layer, more }, reading) : boilDownLater(looks, reading);
    sketches.add({ pageNumber, errors: reading.errors, looks, finish });
    if (!isPending || reading.request.pageByPage === true) await sketches.settle(done);
  } catch (thrown) {
    if (!ends()) sketches.fail([...reading.errors, errorOf(thrown, 'page', pageNumber)]);
  }
}

/** As boilDown(), when the look at the page has ended: in one worker looks were a tenth of the time of a document with pictures, and meanwhile the next page can be read. */
function boilDownLater(looks: Promise<ReadPage>, reading: Reading): { isPending: boolean; finish: () => Promise<PageStructure> } {
  const sketch = looks.then((read) => boilDown(read, reading)).then(({ finish }) => finish());
  sketch.catch(() => undefined);
  return { isPending: true, finish: () => sketch };
}
