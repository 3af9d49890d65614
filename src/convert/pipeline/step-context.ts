/** What the steps of one page share beside the page: options, ports, timings, and where they report failures. */
import { LecternError } from '../../errors.js';
import { errorOf } from '../failures.js';
import type { PageSource } from '../input/page-source.js';
import type { ConvertOptions } from '../options.js';
import type { ConvertPorts } from '../request.js';
import type { ConversionError } from '../result.js';
import type { Timings } from '../timings.js';
import type { PagesWithoutNetworks } from './pages-without-networks.js';

/** The document's pages as steps use them. */
export type StepPages = Pick<PageSource, 'readPage' | 'render' | 'damage' | 'turned'>;

export interface StepContext {
  pages: StepPages;
  options: ConvertOptions;
  ports: ConvertPorts;
  timings: Timings;
  /** Of this page alone. */
  errors: ConversionError[];
  withoutNetworks: PagesWithoutNetworks;
}

/** The result of `work`, or `fallback` where it fails: for work without which the page is complete. The failure is reported. Rejects once the conversion is cancelled. */
export async function orFallback<T>(fallback: T, pageIndex: number, { ports, errors }: StepContext, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    if (ports.signal.aborted) throw thrown;
    errors.push(errorOf(thrown, 'page', pageIndex + 1));
    return fallback;
  });
}

/** As orFallback() for networks: where only memory for them is missing, geometry reads the page alone, no part of the document is missing, and one remark says so for all pages. */
export async function orByGeometry<T>(fallback: T, pageIndex: number, context: StepContext, work: Promise<T>): Promise<T> {
  return orFallback(fallback, pageIndex, context, work.catch((thrown: unknown) => {
    if (context.ports.signal.aborted || !(thrown instanceof LecternError) || thrown.code !== 'out_of_memory') throw thrown;
    context.withoutNetworks.add(pageIndex, thrown.message);
    return fallback;
  }));
}
