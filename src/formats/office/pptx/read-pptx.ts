/** PPTX to document: every slide a page, in the order in which they are shown. */
import { basename, extname } from 'node:path';
import { LecternError } from '../../../errors.js';
import { DocumentBuilder } from '../../../document/builder.js';
import type { FoundPicture, ReadDocument, FormatReader } from '../../format-reader.js';
import { numberOf } from '../docx/docx-styles.js';
import { addRemarks } from '../comment-section.js';
import type { Remark } from '../comment-section.js';
import type { XmlElement } from '../../xml.js';
import { emuPerPoint } from '../office-units.js';
import { OfficePackage } from '../office-package.js';
import { Layout, placeholderOf } from './placeholders.js';
import { SlideReader } from './slide.js';
import { addTextBody } from './shape-text.js';
import type { TextContext } from './shape-text.js';

/** Of a presentation that states no size: 10 by 7.5 inches, in English metric units (EMU). */
const defaultSlide = { width: 9_144_000, height: 6_858_000 };

/** Parts of the slides, in their order. */
function slidesOf(office: OfficePackage, main: string): string[] {
  const relationships = office.relationships(main);
  const slides: string[] = [];
  for (const slide of office.tree(main)?.child('p:sldIdLst')?.elements('p:sldId') ?? []) {
    const relationship = relationships.get(slide.get('r:id') ?? '');
    if (relationship?.type === 'slide' && !relationship.external) slides.push(relationship.target);
  }
  return slides;
}

/** Comments and the replies within them: they go by one name in every version of the format, in different namespaces. */
function* commentsBelow(element: XmlElement | null): Generator<XmlElement> {
  for (const child of element?.elements() ?? []) {
    if (/(?:^|:)(?:cm|reply)$/.test(child.name)) yield child;
    yield* commentsBelow(child);
  }
}

class PresentationReader {
  readonly pictures: FoundPicture[] = [];
  readonly losses: string[] = [];
  readonly #layouts = new Map<string | null, Layout>();

  constructor(private readonly office: OfficePackage, private readonly main: string, private readonly builder: DocumentBuilder, private readonly keepNotes: boolean) {}

  read(part: string, pageNumber: number): void {
    const { builder, office } = this;
    const tree = office.tree(part)?.at('p:cSld', 'p:spTree');
    if (tree === undefined) {
      this.losses.push(`Slide ${pageNumber} is missing from the file.`);
      return;
    }
    const parent = builder.addGroup('slide', `slide-${pageNumber}`);
    const layout = this.#layout(office.related(part, 'slideLayout'));
    const context = { builder, layout, relationships: office.relationships(part), office, part, pageNumber, parent, pictures: this.pictures };
    new SlideReader(context).read(tree);
    this.#notes(part, context);
    addRemarks(builder, this.#remarks(part), { parent });
  }

  /** Of both kinds: those with their authors in a list of the presentation, and the newer threads. */
  *#remarks(slide: string): Generator<Remark> {
    const { office, main } = this;
    const authors = new Map<string, string>();
    for (const { type, target, external } of office.relationships(main).values()) {
      if (external || type !== 'commentAuthors' && type !== 'authors') continue;
      for (const author of office.tree(target)?.elements() ?? []) authors.set(author.get('id') ?? '', author.get('name') ?? '');
    }
    for (const { type, target, external } of office.relationships(slide).values()) {
      if (external || type !== 'comments') continue;
      for (const comment of commentsBelow(office.tree(target))) {
        const body = [...comment.elements()].find((child) => /(?:^|:)(?:text|txBody)$/.test(child.name));
        const text = body === undefined ? '' : [...body.descendants('a:p')].map((paragraph) => [...paragraph.descendants('a:t')].map((run) => run.text).join('')).join('\n') || body.text;
        yield { author: authors.get(comment.get('authorId') ?? '') ?? '', time: comment.get('dt') ?? comment.get('created'), text };
      }
    }
  }

  #layout(part: string | null): Layout {
    let layout = this.#layouts.get(part);
    if (layout === undefined) this.#layouts.set(part, (layout = new Layout(this.office, part)));
    return layout;
  }

  /** The words of the speaker: in a layer of their own, which is shown when it is asked for. */
  #notes(slide: string, context: TextContext & { parent: ReturnType<DocumentBuilder['addGroup']> }): void {
    const part = this.office.related(slide, 'notesSlide');
    if (part === null) return;
    const relationships = this.office.relationships(part);
    for (const shape of this.office.tree(part)?.at('p:cSld', 'p:spTree')?.descendants('p:sp') ?? []) {
      const body = shape.child('p:txBody');
      if (body === undefined || placeholderOf(shape)?.type !== 'body') continue;
      addTextBody({ ...context, relationships, layout: new Layout(this.office, null) }, body, null, { parent: context.parent, layer: this.keepNotes ? undefined : 'notes' });
    }
  }
}

/** Reads a PPTX, its macros and external parts left alone. Throws LecternError as every FormatReader. */
export const readPptx: FormatReader = (bytes, options): ReadDocument => {
  const office = new OfficePackage(bytes, 'PPTX');
  const main = office.mainPart('PPTX');
  const root = office.tree(main);
  if (root?.name !== 'p:presentation') throw new LecternError('invalid_document', 'The file is not a PPTX document.');
  const size = root.child('p:sldSz');
  const page = { width: (numberOf(size?.get('cx')) ?? defaultSlide.width) / emuPerPoint, height: (numberOf(size?.get('cy')) ?? defaultSlide.height) / emuPerPoint };
  const builder = new DocumentBuilder({ name: basename(options.filename, extname(options.filename)), origin: options });
  const reader = new PresentationReader(office, main, builder, options.keepNotes);
  const slides = slidesOf(office, main);
  const [first, last] = options.pageRange;
  for (const [index, part] of slides.entries()) {
    if (index + 1 < first || index + 1 > last) continue;
    if (options.signal.aborted) throw new LecternError('cancelled');
    builder.addPage(index + 1, page);
    reader.read(part, index + 1);
  }
  return { document: builder.document, pictures: reader.pictures, losses: reader.losses, pageCount: slides.length === 0 ? null : slides.length };
};
