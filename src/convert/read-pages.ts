/** Page after page becomes a sketch: a page that fails costs itself, a document out of time keeps what it has. */
import { setImmediate } from 'node:timers/promises';
import { LecternError } from '../errors.js';
import { conversionError, errorOf } from './failures.js';
import { findContents, withoutWords } from './layout/contents.js';
import { marginWords } from './layout/margins.js';
import { opinionOn } from './layout-network/opinion.js';
import type { PageOpinion } from './layout-network/opinion.js';
import { readableText } from './layout/text-layer.js';
import type { TextLayer } from './layout/text-layer.js';
import { sketchPage } from './layout/sketch.js';
import type { PageSketch } from './layout/sketch.js';
import type { PageSource } from './pages.js';
import type { ConvertPorts, ConvertRequest } from './request.js';
import type { ConversionError } from './result.js';
import { isRecogniser } from './ocr/recogniser.js';
import { readPicture } from './ocr/read-picture.js';
import { agrees } from './ocr/agreement.js';
import { mayHoldText, readPagePictures } from './ocr/page-pictures.js';
import { boxAround, linesOnPage, partOf } from './ocr/page-part.js';
import { unreadableLines, withReadLines } from './ocr/unreadable.js';
import { unreadPage, whyPicture } from './scans.js';
import { WithoutRoom } from './without-room.js';
import type { PictureReason } from './scans.js';
import type { PageContent } from '../pdf/page.js';
import { findSureAndDoubtful, tablesByNetwork, withoutUnseen } from './tables/index.js';
import type { FoundTable } from './table.js';
import type { Timings } from './timings.js';

export interface ReadPages {
  sketches: PageSketch[];
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
  pages: PageSource;
  request: ConvertRequest;
  ports: ConvertPorts;
  timings: Timings;
  errors: ConversionError[];
  withoutRoom: WithoutRoom;
}

/** Reads one page and boils it down; only the sketch outlives this call. */
async function readOne(pageIndex: number, reading: Reading): Promise<PageSketch> {
  const { pages, request, timings } = reading;
  const content = await timings.measure('read_page', 'page', () => pages.readPage(pageIndex));
  const layer = readableText(content);
  const why = whyPicture(layer.content, request.options);
  const seen = why === null ? await readParts(layer.content, reading) : await readSeen(layer.content, why, reading);
  if (seen === null) return boilDown(layer, reading);
  if (seen === 'nothing') return { ...(await boilDown(layer, reading)), nothingRecognised: true };
  return { ...(await boilDown({ content: seen.content, keptInvisible: seen.inParts === true ? layer.keptInvisible : 0 }, reading)), recognised: seen.recognised };
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
  recognised: NonNullable<PageSketch['recognised']>;
}

async function boilDown(layer: TextLayer, reading: Reading): Promise<PageSketch> {
  const { request, ports, timings } = reading;
  const { content } = layer;
  const { options } = request;
  const contents = options.doTableStructure ? findContents(content) : null;
  const rest = contents === null ? content : withoutWords(content, contents.words);
  const { tableCells = null, layout = null, signal } = ports;
  const asks = options.tableMode !== 'fast' && content.words.every(({ confidence }) => confidence === undefined);
  const opinion = layout === null || !asks ? null : await orByGeometry(null, content.pageIndex, reading, timings.measure('see_layout', 'page', () => opinionOn(content, layout, signal)));
  const asked = options.tableMode === 'fast' ? null : tableCells;
  const body = withoutWords(rest, marginWords(rest));
  const found = timings.measure('find_tables', 'page', () => findSureAndDoubtful(body, options, asked !== null));
  const read = asked === null || found.tables.length + found.doubtful.length === 0 ? found.tables
    : await orByGeometry(found.tables, content.pageIndex, reading, timings.measure('find_table_cells', 'page', () => tablesByNetwork(found, body, asked, signal)));
  const tables = opinion === null ? read : seenTables(read, opinion);
  return timings.measure('sketch_page', 'page', () => sketchPage({ ...layer, content: rest }, contents, tables, opinion));
}

/** The tables that the layout network sees, too; of ruled ones, and of words that it was not shown, it is not asked. */
function seenTables(tables: FoundTable[], { regions, lines }: PageOpinion): FoundTable[] {
  const seen = new Set(withoutUnseen(tables, regions.filter(({ label }) => label === 'table')));
  return tables.filter((table) => seen.has(table) || table.evidence === 'ruled' || table.cells.some(({ words }) => words.some((word) => !lines.has(word))));
}

/** Sketches of the pages asked for, in order; what went wrong is added to `errors`. */
export async function readPages(
  pages: PageSource, request: ConvertRequest, ports: ConvertPorts, timings: Timings, errors: ConversionError[],
): Promise<ReadPages> {
  const { options } = request;
  const begin = performance.now();
  const numbers = wanted(pages, options.pageRange);
  const failed = new Map(request.failedPages.map(({ pageNumber, error }) => [pageNumber, error]));
  const sketches: PageSketch[] = [];
  const withoutRoom = new WithoutRoom();
  let complete = true;
  for (const [done, pageNumber] of numbers.entries()) {
    ports.progress({ stage: 'pages', pagesDone: done, pagesTotal: numbers.length, pageNumber });
    await setImmediate();
    if (ports.signal.aborted) throw new LecternError('cancelled');
    if (options.documentTimeoutS !== null && performance.now() - begin > options.documentTimeoutS * 1000) {
      errors.push(conversionError('pipeline', 'document_timeout', 'timeout',
        `The document timeout of ${options.documentTimeoutS} s ended the conversion after ${done} of ${numbers.length} pages.`));
      return { sketches, complete: false, remarks: withoutRoom.remarks() };
    }
    const known = failed.get(pageNumber);
    if (known !== undefined) errors.push(known);
    else {
      try {
        sketches.push(await readOne(pageNumber - 1, { pages, request, ports, timings, errors, withoutRoom }));
        continue;
      } catch (thrown) {
        errors.push(errorOf(thrown, 'page', pageNumber));
      }
    }
    complete = false;
    if (options.abortOnError) break;
  }
  return { sketches, complete, remarks: withoutRoom.remarks() };
}
