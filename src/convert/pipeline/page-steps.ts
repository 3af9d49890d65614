/** The steps of one page: text, recognition, regions, structure. */
import type { PageStructure, RecognisedPage } from '../page/values.js';
import { decidePage } from '../relations/decide-page.js';
import type { RelationFinder } from '../relations/network.js';
import { findRegions } from './find-regions.js';
import type { Pending } from './find-regions.js';
import { readText } from './read-text.js';
import { asRecognised, mayRecognise, recognise } from './recognise.js';
import { orByGeometry } from './step-context.js';
import type { StepContext } from './step-context.js';
import { structurePage } from './structure-page.js';

/** A page whose text is read, and whose recognition has begun if it is needed. */
export interface BegunPage {
  /** Settles after the last access to the document; null without recognition. */
  recognition: Promise<unknown> | null;
  /** Starts the networks on the page, after recognition if that runs. May be called once. */
  proceed: () => Promise<Pending<PageStructure>>;
}

/** Reads the text of a page (`pageIndex` from 0) and begins its recognition. Rejects as reading does. */
export async function beginPage(pageIndex: number, context: StepContext): Promise<BegunPage> {
  const { text, pages } = await readText(context.pages, context.options, (from) => context.timings.measure('read_page', 'page', async () => from.readPage(pageIndex)));
  const own = { ...context, pages };
  if (!mayRecognise(text, own)) return { recognition: null, proceed: () => toStructure(asRecognised(text), own) };
  const recognition = recognise(text, own);
  // It may fail before any caller waits for it.
  recognition.catch(() => undefined);
  return { recognition, proceed: async () => toStructureLater(recognition, own) };
}

async function toStructure(page: RecognisedPage, context: StepContext): Promise<Pending<PageStructure>> {
  const { relations = null } = context.ports;
  if (relations !== null) return decideByRelations(page, relations, context);
  const { isPending, finish } = await findRegions(page, context);
  return {
    isPending,
    finish: async () => {
      const regions = await finish();
      return context.timings.measure('structure_page', 'page', () => structurePage(regions));
    },
  };
}

/** The page as the relation network decides it; the rules decide it where the network fails. */
function decideByRelations(page: RecognisedPage, relations: RelationFinder, context: StepContext): Pending<PageStructure> {
  const deciding = decidePage(page.content, relations, context.ports.signal);
  // It may fail before finish() waits for it.
  deciding.catch(() => undefined);
  const finish = async (): Promise<PageStructure> => {
    const decision = await orByGeometry(null, page.content.pageIndex, context, context.timings.measure('decide_page', 'page', () => deciding));
    if (decision === null) return (await toStructure(page, { ...context, ports: { ...context.ports, relations: null } })).finish();
    const structure = context.timings.measure('structure_page', 'page', () => structurePage({ ...page, contents: null, listings: [], tables: [], prediction: null }));
    return { ...structure, decision, links: page.content.links };
  };
  return { isPending: true, finish };
}

/** Like toStructure(), after recognition has ended: recognition was a tenth of one worker's time for documents with pictures, and the next page can be read meanwhile. */
function toStructureLater(recognition: Promise<RecognisedPage>, context: StepContext): Pending<PageStructure> {
  const structure = recognition.then((page) => toStructure(page, context)).then(({ finish }) => finish());
  structure.catch(() => undefined);
  return { isPending: true, finish: () => structure };
}
