/** The steps of one page put together: text, recognition, regions, structure. */
import type { PageStructure, RecognisedPage } from '../page/values.js';
import { findRegions } from './find-regions.js';
import type { Pending } from './find-regions.js';
import { readText } from './read-text.js';
import { asRecognised, mayRecognise, recognise } from './recognise.js';
import type { StepContext } from './step-context.js';
import { structurePage } from './structure-page.js';

/** A page whose text is read, and whose recognition has begun where it needs any. */
export interface BegunPage {
  /** Settles when nothing draws from the document any more; null where nothing is recognised. */
  recognition: Promise<unknown> | null;
  /** Starts the networks on the page; with recognition at work, as soon as that has ended. To be called at most once. */
  proceed: () => Promise<Pending<PageStructure>>;
}

/** Reads the text of a page (`pageIndex` from 0) and begins its recognition. Rejects as reading does. */
export async function beginPage(pageIndex: number, context: StepContext): Promise<BegunPage> {
  const { text, pages } = await readText(context.pages, context.options, (from) => context.timings.measure('read_page', 'page', async () => from.readPage(pageIndex)));
  const own = { ...context, pages };
  if (!mayRecognise(text, own)) return { recognition: null, proceed: () => toStructure(asRecognised(text), own) };
  const recognition = recognise(text, own);
  // It may fail before anything waits for it.
  recognition.catch(() => undefined);
  return { recognition, proceed: async () => toStructureLater(recognition, own) };
}

async function toStructure(page: RecognisedPage, context: StepContext): Promise<Pending<PageStructure>> {
  const { isPending, finish } = await findRegions(page, context);
  return {
    isPending,
    finish: async () => {
      const regions = await finish();
      return context.timings.measure('structure_page', 'page', () => structurePage(regions));
    },
  };
}

/** As toStructure(), when recognition has ended: in one worker recognition was a tenth of the time of a document with pictures, and meanwhile the next page can be read. */
function toStructureLater(recognition: Promise<RecognisedPage>, context: StepContext): Pending<PageStructure> {
  const structure = recognition.then((page) => toStructure(page, context)).then(({ finish }) => finish());
  structure.catch(() => undefined);
  return { isPending: true, finish: () => structure };
}
