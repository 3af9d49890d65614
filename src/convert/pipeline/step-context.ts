/** The context of the steps of one page: options, ports, timings, and the report of failures. */
import { LecternError } from '../../errors.js';
import { errorOf } from '../failures.js';
import type { PageSource } from '../input/page-source.js';
import type { ConvertOptions } from '../options.js';
import type { ConvertPorts } from '../request.js';
import type { ConversionError } from '../result.js';
import type { Timings } from '../timings.js';
import type { PagesWithoutNetworks } from './pages-without-networks.js';

/** The document's pages, for the steps. */
export type StepPages = Pick<PageSource, 'readPage' | 'render' | 'damage' | 'turned'>;

export interface StepContext {
  pages: StepPages;
  options: ConvertOptions;
  ports: ConvertPorts;
  timings: Timings;
  /** For this page alone. */
  errors: ConversionError[];
  withoutNetworks: PagesWithoutNetworks;
}

/** The result of `work`, or `fallback` if it fails: for work that is optional for the page. The failure is reported. Rejects after the conversion is cancelled. */
export async function orFallback<T>(fallback: T, pageIndex: number, { ports, errors }: StepContext, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    if (ports.signal.aborted) throw thrown;
    errors.push(errorOf(thrown, 'page', pageIndex + 1));
    return fallback;
  });
}

/** Like orFallback(), for networks: if only memory for them is missing, geometry alone processes the page. The document is complete, and one remark covers all such pages. */
export async function orByGeometry<T>(fallback: T, pageIndex: number, context: StepContext, work: Promise<T>): Promise<T> {
  return orFallback(fallback, pageIndex, context, work.catch((thrown: unknown) => {
    if (context.ports.signal.aborted || !(thrown instanceof LecternError) || thrown.code !== 'out_of_memory') throw thrown;
    context.withoutNetworks.add(pageIndex, thrown.message);
    return fallback;
  }));
}
