/** One document: source and style by a seed, two prints, and its labelled pages. */
import { openPdf } from '../../../../src/pdf/index.js';
import type { PdfDocument } from '../../../../src/pdf/index.js';
import { Labeller } from './label-page.js';
import { damagePage } from './damage.js';
import type { Damage } from './damage.js';
import type { Drop, LabelledPage } from './label-page.js';
import type { Origin, Programs, Split } from './programs.js';
import { hash, pick, randomNumbers } from './random.js';
import type { Prints, Renderer, SourceDocument, StyleSheet } from './renderers/renderer.js';
import type { DocumentInfo } from './shard.js';
import type { Truth } from './truth.js';

export interface MadeDocument {
  info: DocumentInfo;
  truth: Truth;
  plain: Uint8Array;
  pages: { index: number; page: LabelledPage }[];
  drops: { index: number; reason: Drop | 'unreadable' }[];
  times: Record<string, number>;
}

/** A document that could not be made: what failed, and with which source and style. */
export class DocumentFailure extends Error {
  constructor(readonly stage: 'source' | 'style' | 'print' | 'page-count' | 'read', readonly origin: string, readonly style: string, message: string) {
    super(message);
  }
}

/** Longer documents are cut here: a mistaken style must not print a thousand pages. */
export const MOST_PAGES = 40;

export interface Choice {
  source: Origin;
  style: Origin;
  sourceSeed: number;
  styleSeed: number;
}

/** The k-th choice of source and style for a seed; undefined if the split has none. */
export function choose(sources: readonly Origin[], styles: readonly Origin[], split: Split, key: string): Choice | undefined {
  const random = randomNumbers(hash(key));
  // Programs first, so that one with many origins does not crowd out the others.
  const source = pickOrigin(sources.filter((each) => each.split === split), random);
  if (source === undefined) return undefined;
  const fitting = styles.filter((each) => each.split === split && (each.for.length === 0 || each.for.includes(source.origin) || each.for.includes(source.program)));
  const style = pickOrigin(fitting, random);
  return style === undefined ? undefined : { source, style, sourceSeed: Math.floor(random() * 2 ** 31), styleSeed: Math.floor(random() * 2 ** 31) };
}

function pickOrigin(origins: readonly Origin[], random: () => number): Origin | undefined {
  const weights = new Map<string, number>();
  for (const { program, weight } of origins) weights.set(program, Math.max(weights.get(program) ?? 0, weight));
  const program = pick([...weights], ([, weight]) => weight, random)?.[0];
  return pick(origins.filter((each) => each.program === program), ({ weight }) => weight, random);
}

export async function makeDocument({ source, style, sourceSeed, styleSeed }: Choice, programs: { sources: Programs; styles: Programs }, renderer: Renderer, damage: Damage = 'none'): Promise<MadeDocument> {
  const failed = (stage: DocumentFailure['stage']) => (thrown: unknown): never => {
    throw new DocumentFailure(stage, source.origin, style.origin, thrown instanceof Error ? thrown.message : String(thrown));
  };
  const begin = performance.now();
  const document = await programs.sources.serve<SourceDocument>(source, { origin: source.origin, seed: sourceSeed }).catch(failed('source'));
  const sheet = renderer.styles !== undefined ? { origin: style.origin, family: style.family, css: '' } : await programs.styles.serve<StyleSheet>(style, { origin: style.origin, seed: styleSeed, source: source.program, language: document.language }).catch(failed('style'));
  const served = performance.now();
  const prints = await renderer.print(document, sheet, styleSeed).catch(failed('print'));
  const read = await readPrints(prints, damage, randomNumbers(styleSeed)).catch(failed('read'));
  if (read === null) throw new DocumentFailure('page-count', source.origin, style.origin, 'The prints have different numbers of pages.');
  const info: DocumentInfo = {
    id: document.id, source: source.program, origin: source.origin, style: style.origin, family: sheet.family, styleSeed, sourceSeed, language: document.language, renderer: renderer.name, damage, licence: source.licence,
  };
  return { info, truth: prints.truth, plain: prints.plain, ...read, times: { serve: served - begin, ...prints.times, ...read.times } };
}

/** Null if the prints differ in their number of pages. */
async function readPrints({ plain, colored, truth }: Prints, damage: Damage, random: () => number): Promise<Pick<MadeDocument, 'pages' | 'drops' | 'times'> | null> {
  const begin = performance.now();
  const documents: PdfDocument[] = [];
  try {
    documents.push(await openPdf(plain), await openPdf(colored));
    const [first, second] = documents as [PdfDocument, PdfDocument];
    if (first.pageCount !== second.pageCount) return null;
    const labeller = new Labeller(first, second, truth);
    const made: Pick<MadeDocument, 'pages' | 'drops'> = { pages: [], drops: [] };
    for (let index = 0; index < Math.min(MOST_PAGES, first.pageCount); index++) {
      const labelled = await labeller.label(index);
      const page = typeof labelled === 'string' ? labelled : await damagePage(labelled, damage, random, (box, dpi) => first.renderRegion(index, box, dpi, labelled.turn));
      if (typeof page === 'string') made.drops.push({ index, reason: page });
      else made.pages.push({ index, page });
    }
    return { ...made, times: { read: performance.now() - begin } };
  } finally {
    for (const document of documents) document.close();
  }
}
