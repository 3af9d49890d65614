/** The finished pages in the document's order, and the one page on which networks still work. */
import { errorOf } from '../failures.js';
import type { PageStructure } from '../page/values.js';
import type { ConvertPorts } from '../request.js';
import type { ConversionError } from '../result.js';

/** A page that is not finished. */
export interface PendingPage {
  /** From 1. */
  pageNumber: number;
  /** The page's own errors: reported in the order of the pages. */
  errors: ConversionError[];
  /** Recognition that may still read the document; null for none. */
  recognition: Promise<unknown> | null;
  finish: () => Promise<PageStructure>;
}

export class PagesInOrder {
  readonly done: PageStructure[] = [];
  /** False after a page failed or was abandoned. */
  complete = true;
  #pending: PendingPage | null = null;
  #reported = '';

  constructor(private readonly errors: ConversionError[], private readonly total: number, private readonly progress: ConvertPorts['progress']) {}

  /**
   * Reports the current page, and the pending one beside it: if this process dies, the supervisor knows the one or two pages that may be the cause.
   */
  report(pageNumber: number, pagesDone: number, pendingPage = this.#pending?.pageNumber): void {
    const state = `${pageNumber} ${pagesDone} ${pendingPage}`;
    if (this.#reported !== state) this.progress({ stage: 'pages', pagesDone, pagesTotal: this.total, pageNumber, ...(pendingPage !== undefined && { pendingPage }) });
    this.#reported = state;
  }

  fail(errors: ConversionError[]): void {
    this.errors.push(...errors);
    this.complete = false;
  }

  /** Only while no page is pending. */
  add(page: PendingPage): void {
    this.#pending = page;
  }

  /** Abandons the pending page, after the last access to the document. */
  async abandon(): Promise<void> {
    const recognition = this.#pending?.recognition;
    this.#pending = null;
    await recognition?.catch(() => undefined);
  }

  /** Finishes the pending page; `begun` is the number of the next page if its recognition runs, too. */
  async settle(pagesDone: number, begun?: number): Promise<void> {
    const page = this.#pending;
    this.#pending = null;
    if (page === null) return;
    this.report(page.pageNumber, pagesDone, begun);
    try {
      this.done.push(await page.finish());
      this.errors.push(...page.errors);
    } catch (thrown) {
      this.fail([...page.errors, errorOf(thrown, 'page', page.pageNumber)]);
    }
  }
}
