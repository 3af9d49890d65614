/** Slides of an OpenDocument presentation: the title first, then what stands on the slide in the order of the file. */
import type { ItemOptions, PageBox } from '../../../document/builder.js';
import type { DocumentNode } from '../../../document/model.js';
import type { ReadOptions } from '../../format-reader.js';
import type { XmlElement } from '../../xml.js';
import { OdfBlockReader } from './odf-blocks.js';
import type { OdfContext } from './odf-context.js';
import { addOdfRemarks } from './odf-remarks.js';

const pointsPer: Record<string, number> = { cm: 72 / 2.54, mm: 72 / 25.4, in: 72, pt: 1, pc: 12, px: 0.75 };
/** 28 by 21 cm, the size of slides where the file names none. */
const usualPage = { width: 793.7, height: 595.3 };

/** A length with its unit in points; null where it is none. */
export function lengthOf(text: string | undefined): number | null {
  const match = /^(-?\d*\.?\d+)(cm|mm|in|pt|pc|px)$/.exec(text ?? '');
  return match === null ? null : Number(match[1]) * (pointsPer[match[2] ?? ''] ?? 1);
}

function boxOf(shape: XmlElement): PageBox | null {
  const [x, y, width, height] = ['svg:x', 'svg:y', 'svg:width', 'svg:height'].map((name) => lengthOf(shape.get(name)));
  if (x === null || y === null || x === undefined || y === undefined) return null;
  return { left: x, top: y, right: x + (width ?? 0), bottom: y + (height ?? 0) };
}

export class SlidePages {
  /** Slides seen so far, delivered or not. */
  count = 0;
  readonly #page: { width: number; height: number };

  constructor(private readonly context: OdfContext, private readonly options: ReadOptions) {
    const layouts = [...(context.file.tree('styles.xml')?.child('office:automatic-styles')?.elements('style:page-layout') ?? [])];
    const sizes = layouts.map((layout) => layout.child('style:page-layout-properties'))
      .map((properties) => ({ width: lengthOf(properties?.get('fo:page-width')), height: lengthOf(properties?.get('fo:page-height')) }));
    // Handouts have a layout of their own; slides lie on their side.
    const found = sizes.find(({ width, height }) => width !== null && height !== null && width > height) ?? sizes[0];
    this.#page = found?.width && found.height ? { width: found.width, height: found.height } : usualPage;
  }

  read(slide: XmlElement): void {
    const pageNumber = ++this.count;
    const [first, last] = this.options.pageRange;
    if (pageNumber < first || pageNumber > last) return;
    const { builder } = this.context;
    builder.addPage(pageNumber, this.#page);
    const parent = builder.addGroup('slide', `slide-${pageNumber}`);
    const shapes = [...slide.elements()];
    const title = shapes.find((shape) => shape.get('presentation:class') === 'title');
    const hasTitle = title !== undefined && this.#title(title, this.#place(title, parent, pageNumber));
    // A slide without a title goes by the name that lists of slides show.
    const name = slide.get('draw:name')?.replace(/\s+/g, ' ').trim() ?? '';
    if (!hasTitle && name !== '') builder.addTitle(name, { parent });
    for (const shape of shapes) {
      if (shape === title) continue;
      if (shape.name === 'presentation:notes') this.#notes(shape, parent);
      else if (['footer', 'date-time', 'page-number', 'header'].includes(shape.get('presentation:class') ?? '')) this.#furniture(shape, this.#place(shape, parent, pageNumber));
      else if (shape.name === 'office:annotation') this.context.inline.annotations.add(shape);
      else if (shape.name.startsWith('draw:')) readOne(this.context, shape, this.#place(shape, parent, pageNumber));
    }
    addOdfRemarks(this.context, { parent });
  }

  #place(shape: XmlElement, parent: DocumentNode, pageNumber: number): ItemOptions & { parent: DocumentNode } {
    const box = boxOf(shape);
    return { parent, at: box === null ? undefined : [{ pageNumber, box }] };
  }

  /** Whether there is one. */
  #title(shape: XmlElement, place: ItemOptions): boolean {
    const words = wordsOf(shape);
    if (words !== '') this.context.builder.addTitle(words, place);
    return words !== '';
  }

  #furniture(shape: XmlElement, place: ItemOptions): void {
    const words = wordsOf(shape);
    if (words !== '') this.context.builder.addFurniture(shape.get('presentation:class') === 'header' ? 'page_header' : 'page_footer', words, place);
  }

  /** In a layer of their own, which is shown when it is asked for. */
  #notes(notes: XmlElement, parent: DocumentNode): void {
    const layer = this.options.keepNotes ? undefined : 'notes' as const;
    for (const frame of notes.elements('draw:frame')) {
      if (frame.get('presentation:class') !== 'notes') continue;
      readOne(this.context, frame, { parent, layer });
    }
  }
}

function readOne(context: OdfContext, shape: XmlElement, place: ItemOptions & { parent: DocumentNode }): void {
  const reader = new OdfBlockReader(context, place);
  reader.read(shape);
  reader.end();
}

function wordsOf(shape: XmlElement): string {
  return [...shape.descendants('text:p')].map((paragraph) => paragraph.text).join(' ').replace(/\s+/g, ' ').trim();
}
