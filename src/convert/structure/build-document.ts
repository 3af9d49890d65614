/** Builds one document from the structures of all pages: runs the passes, writes items and page sizes, and notes where the text comes from. */
import type { Box } from '../../geometry/box.js';
import { DocumentBuilder } from '../../document/builder.js';
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import { placeOnPage } from '../ocr/rotation.js';
import type { PageStructure } from '../page/values.js';
import type { Timings } from '../timings.js';
import { assemble } from './assemble.js';
import type { PlacedPicture } from './assemble.js';
import type { Block } from './block.js';
import { structureDecided } from './structure-decided.js';
import { structureDocument } from './structure-document.js';

export interface BuildOptions {
  name: string;
  origin: { mimetype: string; filename: string; sha256: string };
  outline: OutlineEntry[];
  /** Give all headings one level. */
  flat: boolean;
  /** Write formulas as LaTeX. */
  latex: boolean;
}

export interface BuiltDocument {
  document: DocumentBuilder['document'];
  blocks: Block[];
  /** Pictures that must be drawn from the file's pages. */
  pictures: PlacedPicture[];
}

export function buildDocument(pages: PageStructure[], { name, origin, outline, flat, latex }: BuildOptions, timings: Timings): BuiltDocument {
  const structure = timings.measure('structure', 'document', () => (pages.some(({ decision }) => decision !== undefined) ? structureDecided : structureDocument)(pages, outline, flat));
  const builder = new DocumentBuilder({ name, origin });
  const drawn = addPages(builder, pages);
  const pictures = timings.measure('assemble', 'document', () => assemble(builder, structure, latex, (pageIndex, box) => drawn.get(pageIndex)?.(box) ?? box));
  builder.document.body.meta = textOriginNotes(pages);
  return { document: builder.document, blocks: structure.blocks, pictures };
}

/** By page index: the mapping from boxes of a page that was turned before recognition to the file. Pages that were recognised are drawn in the same way. */
function addPages(builder: DocumentBuilder, pages: PageStructure[]): Map<number, (box: Box) => Box> {
  const drawn = new Map<number, (box: Box) => Box>();
  for (const page of pages) {
    const turned = page.turn === undefined ? undefined : { turn: page.turn, lean: 0 };
    const { size, toPage } = placeOnPage(page, turned ?? page.recognised ?? { turn: 0, lean: 0 });
    builder.addPage(page.pageIndex + 1, size, null, toPage);
    if (turned !== undefined && toPage !== null) drawn.set(page.pageIndex, toPage);
  }
  return drawn;
}

/** Notes for the reader about the text: hidden characters that were left out, pages whose text comes from a scan's text layer or from recognition, and pages in whose picture no text was found. */
function textOriginNotes(pages: PageStructure[]): Record<string, unknown> | null {
  const hidden: Record<string, number> = {};
  for (const page of pages) {
    for (const [why, characters] of Object.entries(page.hidden)) if (characters > 0) hidden[why] = (hidden[why] ?? 0) + (characters as number);
    if (page.invisibleCharacters > 0) hidden.invisible = (hidden.invisible ?? 0) - page.invisibleCharacters;
  }
  const leftOut = Object.fromEntries(Object.entries(hidden).filter(([, characters]) => characters > 0));
  const recognised = pages.filter((page) => page.recognised !== undefined);
  const scanned = pages.filter((page) => page.invisibleCharacters > 0).map((page) => page.pageIndex + 1);
  const empty = pages.filter((page) => page.nothingRecognised).map((page) => page.pageIndex + 1);
  if (Object.keys(leftOut).length === 0 && scanned.length === 0 && recognised.length === 0 && empty.length === 0) return null;
  return {
    ...(Object.keys(leftOut).length > 0 && { lectern__hidden_characters: leftOut }),
    ...(scanned.length > 0 && { lectern__invisible_text_layer_pages: scanned }),
    ...(recognised.length > 0 && {
      lectern__text_recogniser: recognised[0]!.recognised!.by, lectern__recognised_pages: recognised.map((page) => page.pageIndex + 1),
    }),
    ...(empty.length > 0 && { lectern__pages_without_recognised_text: empty }),
  };
}
