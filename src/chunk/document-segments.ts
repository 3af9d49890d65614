/** A document cut along its structure: one segment for each paragraph, list, table, picture, with the headings it stands under. */
import { markdownBlocks } from '../document/markdown.js';
import { captionRefs, childrenOf, isFloating, isGroup, isInlineGroup, isListGroup, isPicture, isTable, isText, resolve, runsOf } from '../document/document-tree.js';
import type { DoclingDocument, DocumentNode, PictureItem, TableItem } from '../document/model.js';
import { tableSentences } from './table-text.js';
import type { ChunkOptions, SegmentPart, DocumentSegment } from './chunk-types.js';

class SegmentWalk {
  readonly segments: DocumentSegment[] = [];
  readonly #document: DoclingDocument;
  readonly #options: ChunkOptions;
  readonly #captions: Set<string>;
  readonly #blocks: ReturnType<typeof markdownBlocks>;
  /** By level, 0 for the title; a new one ends those below it. */
  readonly #open: string[] = [];
  #headings: string[] = [];

  constructor(document: DoclingDocument, options: ChunkOptions) {
    this.#document = document;
    this.#options = options;
    this.#captions = captionRefs(document);
    this.#blocks = markdownBlocks(document, { unescaped: true, compactTables: true });
  }

  visit(node: DocumentNode): void {
    if (node.content_layer !== 'body' || this.#captions.has(node.self_ref)) return;
    if (node.label === 'title' || node.label === 'section_header') {
      this.#heading(node);
      // Runs are the heading's own words.
      if (isText(node) && runsOf(this.#document, node) === null) for (const child of childrenOf(this.#document, node)) this.visit(child);
    } else if (isTable(node)) this.#add([this.#table(node)], this.#captionsOf(node));
    else if (isPicture(node)) this.#add([this.#picture(node)], this.#captionsOf(node));
    else if (isListGroup(node) || isInlineGroup(node) || !isGroup(node)) this.#add(this.#lines(node), this.#captionsOf(node));
    else for (const child of childrenOf(this.#document, node)) this.visit(child);
  }

  #heading(node: DocumentNode): void {
    const [block] = this.#blocks(node);
    const text = block?.text.replace(/^#+ /, '') ?? '';
    const level = node.label === 'section_header' ? Math.min(node.level, 100) : 0;
    if (text === '') return;
    this.#open.length = Math.min(this.#open.length, level);
    this.#open[level] = text;
    this.#headings = Object.values(this.#open);
  }

  #add(parts: SegmentPart[], captions: string[]): void {
    const full = parts.filter(({ text }) => text.trim() !== '');
    if (full.length > 0) this.segments.push({ parts: full, headings: this.#headings, captions });
  }

  #captionsOf(node: DocumentNode): string[] {
    if (!isFloating(node)) return [];
    const texts = node.captions.map((ref) => this.#wordsOf(resolve(this.#document, ref)));
    return texts.filter((text) => text !== '');
  }

  #wordsOf(node: DocumentNode): string {
    if (!isText(node)) return '';
    const runs = runsOf(this.#document, node);
    return runs === null ? node.text : this.#blocks(runs).map(({ text }) => text).join(' ');
  }

  #part(node: DocumentNode, text: string, more: Partial<SegmentPart> = {}): SegmentPart {
    // A group has no place of its own, and is no item.
    const items = isGroup(node) ? childrenOf(this.#document, node) : [node];
    const pages = items.flatMap((item) => ('prov' in item ? item.prov.map(({ page_no: page }) => page) : []));
    return { text, items: items.map(({ self_ref: ref }) => ref), pages, hasImage: false, headLines: 0, ...more };
  }

  #lines(node: DocumentNode): SegmentPart[] {
    return this.#blocks(node).map((block) => this.#part(block.node, block.text));
  }

  #table(table: TableItem): SegmentPart {
    const caption = this.#captionsOf(table);
    const body = this.#options.markdownTables ? this.#blocks(table).filter(({ node }) => node === table).map(({ text }) => text)
      : [...caption, tableSentences(table.data, (cell) => (cell.ref === undefined ? cell.text : this.#cell(resolve(this.#document, cell.ref))), table.label === 'document_index')];
    const text = body.filter((part) => part !== '').join('\n\n');
    const headLines = this.#options.markdownTables ? text.split('\n').findIndex((line) => /^\|[ \-|]+\|$/.test(line)) + 1 : 0;
    return this.#part(table, text, { headLines });
  }

  #cell(content: DocumentNode): string {
    return this.#blocks(content).map(({ text }) => text).join(' ');
  }

  #picture(picture: PictureItem): SegmentPart {
    const uri = this.#options.markdownImages ? picture.image?.uri ?? '' : '';
    // The bytes of a picture are no text to embed.
    const shown = uri !== '' && !uri.startsWith('data:') ? `![Image](${uri})` : this.#options.imagePlaceholder;
    return this.#part(picture, [...this.#captionsOf(picture), shown].filter((text) => text !== '').join('\n'), { hasImage: true });
  }
}

/** All segments of the document's body, in reading order. Running headers and footers are none. */
export function segmentsOf(document: DoclingDocument, options: ChunkOptions): DocumentSegment[] {
  const walk = new SegmentWalk(document, options);
  for (const child of childrenOf(document, document.body)) walk.visit(child);
  return walk.segments;
}
