/** Page after page becomes a sketch: a page that fails costs itself, a document out of time keeps what it has. */
import { setImmediate } from 'node:timers/promises';
import { LecternError } from '../errors.js';
import { conversionError, errorOf } from './failures.js';
import { findContents, withoutWords } from './layout/contents.js';
import { marginWords } from './layout/margins.js';
import { readableText } from './layout/text-layer.js';
import type { TextLayer } from './layout/text-layer.js';
import { sketchPage } from './layout/sketch.js';
import type { PageSketch } from './layout/sketch.js';
import type { PageSource } from './pages.js';
import type { ConvertPorts, ConvertRequest } from './request.js';
import type { ConversionError } from './result.js';
import { deskewDpi, isScan, reportScan } from './scans.js';
import { findTables } from './tables/index.js';
import type { Timings } from './timings.js';

export interface ReadPages {
  sketches: PageSketch[];
  /** False when a page failed or time ran out. */
  complete: boolean;
}

/** The numbers of the pages asked for, from 1. */
function wanted(pages: PageSource, [first, last]: [number, number]): number[] {
  const numbers: number[] = [];
  for (let number = Math.max(1, first); number <= Math.min(last, pages.pageCount); number++) numbers.push(number);
  return numbers;
}

/** Reads one page and boils it down; only the sketch outlives this call. */
async function readOne(pages: PageSource, pageIndex: number, request: ConvertRequest, timings: Timings): Promise<PageSketch> {
  const content = await timings.measure('read_page', 'page', () => pages.readPage(pageIndex));
  return boilDown(readableText(content), request, timings);
}

function boilDown(layer: TextLayer, request: ConvertRequest, timings: Timings): PageSketch {
  const { content } = layer;
  const contents = request.options.doTableStructure ? findContents(content) : null;
  const rest = contents === null ? content : withoutWords(content, contents.words);
  const tables = timings.measure('find_tables', 'page', () => findTables(withoutWords(rest, marginWords(rest)), request.options));
  return timings.measure('sketch_page', 'page', () => sketchPage({ ...layer, content: rest }, contents, tables));
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
  let complete = true;
  for (const [done, pageNumber] of numbers.entries()) {
    ports.progress({ stage: 'pages', pagesDone: done, pagesTotal: numbers.length, pageNumber });
    await setImmediate();
    if (ports.signal.aborted) throw new LecternError('cancelled');
    if (options.documentTimeoutS !== null && performance.now() - begin > options.documentTimeoutS * 1000) {
      errors.push(conversionError('pipeline', 'document_timeout', 'timeout',
        `The document timeout of ${options.documentTimeoutS} s ended the conversion after ${done} of ${numbers.length} pages.`));
      return { sketches, complete: false };
    }
    const known = failed.get(pageNumber);
    if (known !== undefined) errors.push(known);
    else {
      try {
        const sketch = await readOne(pages, pageNumber - 1, request, timings);
        sketches.push(sketch);
        await lookForScan(sketch, pages, request, ports, errors);
        continue;
      } catch (thrown) {
        errors.push(errorOf(thrown, 'page', pageNumber));
      }
    }
    complete = false;
    if (options.abortOnError) return { sketches, complete };
  }
  return { sketches, complete };
}

async function lookForScan(sketch: PageSketch, pages: PageSource, request: ConvertRequest, ports: ConvertPorts, errors: ConversionError[]): Promise<void> {
  if (!request.options.doOcr || !isScan(sketch)) return;
  const box = { left: 0, top: 0, right: sketch.width, bottom: sketch.height };
  errors.push(await reportScan(sketch, () => pages.render(sketch.pageIndex, box, deskewDpi), ports.engine, ports.signal));
}
