/** Takes the pages of a document through the steps: reads the next page while networks work on the previous one. A page that fails is left out, and a document out of time keeps its finished pages. */
import { setImmediate } from 'node:timers/promises';
import { LecternError } from '../../errors.js';
import { conversionError, errorOf } from '../failures.js';
import type { PageSource } from '../input/page-source.js';
import type { PageStructure } from '../page/values.js';
import type { ConvertPorts, ConvertRequest } from '../request.js';
import type { ConversionError } from '../result.js';
import type { Timings } from '../timings.js';
import { beginPage } from './page-steps.js';
import type { BegunPage } from './page-steps.js';
import { PagesInOrder } from './pages-in-order.js';
import { PagesWithoutNetworks } from './pages-without-networks.js';
import type { StepContext } from './step-context.js';

export interface StructuredPages {
  /** In the document's order, without failed pages. */
  pages: PageStructure[];
  /** False if a page failed or time ran out. */
  complete: boolean;
  /** Remarks on a complete document. */
  remarks: ConversionError[];
}

/** The numbers of the requested pages, from 1. */
function requestedPages(pageCount: number, [first, last]: [number, number]): number[] {
  const numbers: number[] = [];
  for (let number = Math.max(1, first); number <= Math.min(last, pageCount); number++) numbers.push(number);
  return numbers;
}

/** The structures of the requested pages, in order; failures are added to `errors`. Rejects with `cancelled`. */
export async function structurePages(
  source: PageSource, request: ConvertRequest, ports: ConvertPorts, timings: Timings, errors: ConversionError[],
): Promise<StructuredPages> {
  const { options } = request;
  const begin = performance.now();
  const numbers = requestedPages(source.pageCount, options.pageRange);
  const failed = new Map(request.failedPages.map(({ pageNumber, error }) => [pageNumber, error]));
  const withoutNetworks = new PagesWithoutNetworks();
  const pages = new PagesInOrder(errors, numbers.length, (progress) => ports.progress(progress));
  const ends = (): boolean => !pages.complete && options.abortOnError;
  try {
    for (const [done, pageNumber] of numbers.entries()) {
      pages.report(pageNumber, done);
      await setImmediate();
      if (ports.signal.aborted) throw new LecternError('cancelled');
      const known = failed.get(pageNumber);
      const isLate = options.documentTimeoutS !== null && performance.now() - begin > options.documentTimeoutS * 1000;
      if (isLate || known !== undefined) await pages.settle(done);
      if (ends()) break;
      if (isLate) {
        pages.fail([conversionError('pipeline', 'document_timeout', 'timeout',
          `The document timeout of ${options.documentTimeoutS} s ended the conversion after ${done} of ${numbers.length} pages.`)]);
        break;
      }
      if (known !== undefined) pages.fail([known]);
      else await addPage(pages, pageNumber, done, { pages: source, options, ports, timings, errors: [], withoutNetworks }, request.pageByPage === true, ends);
      if (ends()) break;
    }
    if (!ends()) await pages.settle(numbers.length - 1);
  } finally {
    await pages.abandon();
  }
  return { pages: pages.done, complete: pages.complete, remarks: withoutNetworks.remarks() };
}

/** Reads a page while networks work on the previous one, then starts them on this one. */
async function addPage(pages: PagesInOrder, pageNumber: number, done: number, context: StepContext, alone: boolean, ends: () => boolean): Promise<void> {
  try {
    let begun: BegunPage | null = null;
    try {
      begun = await beginPage(pageNumber - 1, context);
    } finally {
      await pages.settle(done, begun === null || begun.recognition === null ? undefined : pageNumber);
    }
    const { recognition, proceed } = begun;
    if (ends()) return void await recognition?.catch(() => undefined);
    pages.report(pageNumber, done);
    const { isPending, finish } = await proceed();
    pages.add({ pageNumber, errors: context.errors, recognition, finish });
    if (!isPending || alone) await pages.settle(done);
  } catch (thrown) {
    if (!ends()) pages.fail([...context.errors, errorOf(thrown, 'page', pageNumber)]);
  }
}
