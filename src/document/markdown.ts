/** The document as markdown, by the contract's conventions (section 8): whole, page by page, or as plain text. */
import { decorate, escapeLineStarts, escapeText, fenced, joinedAlike, listMarker, neighbourCharacters, plainScript, ticked } from './markdown-text.js';
import type { Neighbours } from './markdown-text.js';
import { nestedTable } from './nested-table.js';
import { pipeTable } from './pipe-table.js';
import {
  blocksBelow, captionRefs, childrenOf, isEnumerated, isFloating, isGroup, isInlineGroup, isListGroup, isListItem, isPicture, isPictureText, isQuote, isTable, isText,
  joinRuns, pageOf, resolve, runsOf, shownLayers,
} from './document-tree.js';
import { pictureNotes } from './picture-notes.js';
import { formulaWithoutTags, isImageAddress, withoutScripts, withoutTags } from './safe-addresses.js';
import type { AnyTextItem, DoclingDocument, DocumentNode, GroupItem, PictureItem, TableCell, TableItem } from './model.js';

export type ImageMode = 'placeholder' | 'embedded' | 'referenced';

export interface MarkdownOptions {
  /** Stands between items of different pages; `{page}` in it is the number of the page that begins. Empty for none. */
  pageBreakPlaceholder?: string | undefined;
  imageMode?: ImageMode | undefined;
  /** Gives the address to write for an image's `uri`: the place to turn a stored file into a `data:` address. */
  imageUri?: ((uri: string) => string) | undefined;
  /** Running headers, footers and page numbers stay, where they stand on their page. */
  keepFurniture?: boolean | undefined;
  /** Columns without padding. */
  compactTables?: boolean | undefined;
  /** HTML, and words that would be a link to a script, stay as they are in texts, cells and formulas. */
  rawHtml?: boolean | undefined;
  /** Characters that markdown would take for its own stay as they are: for readers that are no markdown renderers. */
  unescaped?: boolean | undefined;
}

/** A block, a line of a list or of a picture's text. Lines of one list or picture follow each other directly; everything else is set off by a blank line. */
interface MarkdownPiece {
  node: DocumentNode;
  text: string;
  page: number | null;
  list: GroupItem | null;
  tight: boolean;
}

// Spans repeat their text in every place; a table that would grow past this shows it in the first place only.
const maximumRepeatedLength = 64 * 1024 * 1024;

const missingImage = '<!-- 🖼️❌ Image not available. Please use `PdfPipelineOptions(generate_picture_images=True)` -->';

class MarkdownRenderer {
  readonly #document: DoclingDocument;
  readonly #options: MarkdownOptions;
  readonly #layers: ReadonlySet<string>;
  readonly #captions: Set<string>;

  constructor(document: DoclingDocument, options: MarkdownOptions) {
    this.#document = document;
    this.#options = options;
    this.#layers = shownLayers(options.keepFurniture ?? false);
    this.#captions = captionRefs(document);
  }

  *pieces(): Generator<MarkdownPiece> {
    for (const child of childrenOf(this.#document, this.#document.body)) yield* this.#block(child, '', null, false);
  }

  /** One node with what hangs below it, as if it stood alone. */
  below(node: DocumentNode): Generator<MarkdownPiece> {
    return this.#block(node, '', null, false);
  }

  #shown(node: DocumentNode): boolean {
    return this.#layers.has(node.content_layer);
  }

  /** A node and what hangs below it. `indent` stands before each line; `list` is the outermost list around it. */
  *#block(node: DocumentNode, indent: string, list: GroupItem | null, inCell: boolean): Generator<MarkdownPiece> {
    if (this.#captions.has(node.self_ref)) return;
    const picture = isPictureText(node) ? node : null;
    if (isListGroup(node) && isGroup(node)) {
      yield* this.#list(node, indent, list ?? node, inCell);
      return;
    }
    if (isQuote(node) && !inCell && this.#options.unescaped !== true) {
      yield* this.#quote(node, indent, list);
      return;
    }
    const text = this.#harmless(node, this.#own(node, inCell));
    if (text !== '') {
      const lines = indent === '' ? text : text.replace(/^(?=.)/gm, indent);
      yield { node, text: lines, page: pageOf(this.#document, node), list, tight: false };
    }
    for (const child of blocksBelow(this.#document, node)) {
      for (const piece of this.#block(child, indent, list, inCell)) yield picture === null ? piece : { ...piece, list: picture, tight: true };
    }
  }

  *#quote(node: GroupItem, indent: string, list: GroupItem | null): Generator<MarkdownPiece> {
    const pieces = childrenOf(this.#document, node).flatMap((child) => [...this.#block(child, '', null, false)]);
    if (pieces.length === 0) return;
    yield { node, text: joinPieces(pieces).replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>').replace(/^/gm, indent), page: pageOf(this.#document, node), list, tight: false };
  }

  /** What a node's text says of links that browsers would run; code is shown and not rendered. */
  #harmless(node: DocumentNode, markdown: string): string {
    return this.#keepsHtml || node.label === 'code' ? markdown : withoutScripts(markdown);
  }

  /** As it was written for readers that are no markdown renderers, or where raw HTML is wished. */
  get #keepsHtml(): boolean {
    return this.#options.unescaped === true || this.#options.rawHtml === true;
  }

  #formula(tex: string): string {
    return this.#keepsHtml ? tex : formulaWithoutTags(tex);
  }

  /** The text of the node itself, without children that are blocks of their own. */
  #own(node: DocumentNode, inCell: boolean): string {
    if (isInlineGroup(node)) return this.#lineStarts(this.#inline(node));
    if (isGroup(node) || !this.#shown(node)) return '';
    if (isText(node)) return this.#text(node);
    if (isTable(node)) return inCell ? this.#nested(node) : this.#withCaption(node, this.#table(node));
    if (isPicture(node)) return this.#withCaption(node, [this.#image(node), ...pictureNotes(node).map((note) => this.#withoutTags(note))].join('\n\n'));
    if (node.label === 'key_value_region') return '<!-- missing-key-value-item -->';
    return node.label === 'form' ? '<!-- missing-form-item -->' : '';
  }

  *#list(group: GroupItem, indent: string, list: GroupItem, inCell: boolean): Generator<MarkdownPiece> {
    const counted = isEnumerated(this.#document, group);
    const deeper = `${indent}    `;
    for (const [index, child] of childrenOf(this.#document, group).entries()) {
      if (isListGroup(child) && isGroup(child)) {
        yield* this.#list(child, deeper, list, inCell);
      } else if (isListItem(child)) {
        if (this.#shown(child)) {
          const line = this.#harmless(child, `${listMarker(child.marker, counted, index + 1)} ${this.#words(child)}`.trimEnd());
          yield { node: child, text: indent + line, page: pageOf(this.#document, child), list, tight: true };
        }
        for (const below of blocksBelow(this.#document, child)) yield* this.#block(below, deeper, list, inCell);
      } else {
        for (const piece of this.#block(child, indent, list, inCell)) yield { ...piece, tight: isText(child) || isInlineGroup(child) };
      }
    }
  }

  #text(item: AnyTextItem): string {
    const words = this.#words(item);
    switch (item.label) {
      case 'title': return heading(1, words);
      case 'section_header': return heading(item.level + 1, words);
      case 'list_item': return `${listMarker(item.marker, false, 1)} ${words}`.trimEnd();
      case 'checkbox_selected': return `- [x] ${words}`.trimEnd();
      case 'checkbox_unselected': return `- [ ] ${words}`.trimEnd();
      case 'code': return this.#withCaptionAfter(item, item.hyperlink === null ? fenced(item.text, this.#options.unescaped === true ? undefined : item.code_language) : this.#run(item));
      case 'formula': return item.text !== '' ? `$$${this.#formula(item.text)}$$` : item.orig === '' ? '' : '<!-- formula-not-decoded -->';
      default: return this.#lineStarts(words);
    }
  }

  /** An item's text, escaped and decorated: its own, or its runs put together. */
  #words(item: AnyTextItem, around?: Neighbours): string {
    const runs = runsOf(this.#document, item);
    if (runs !== null) return this.#inline(runs);
    if (this.#options.unescaped !== true) return decorate(escapeText(item.text, around !== undefined || item.formatting !== null, this.#options.rawHtml), item.formatting, item.hyperlink, around);
    return decorate(plainScript(item.text, item.formatting?.script), item.formatting === null ? null : { ...item.formatting, script: 'baseline' }, item.hyperlink, around);
  }

  #lineStarts(markdown: string): string {
    return this.#options.unescaped === true ? markdown : escapeLineStarts(markdown);
  }

  #inline(group: GroupItem): string {
    const nodes = joinedAlike(childrenOf(this.#document, group));
    return joinRuns(nodes.map((node, at) => ({ node, text: this.#run(node, neighbourCharacters(nodes, at)) })));
  }

  #run(node: DocumentNode, around?: Neighbours): string {
    if (isGroup(node)) return this.#inline(node);
    if (!this.#shown(node) || this.#captions.has(node.self_ref)) return '';
    if (node.label === 'code') return decorate(ticked(node.text), node.formatting, node.hyperlink);
    if (node.label === 'formula') return node.text !== '' ? `$${this.#formula(node.text)}$` : node.orig === '' ? '' : '<!-- formula-not-decoded -->';
    return isText(node) ? this.#words(node, around) : this.#own(node, true);
  }

  #caption(node: DocumentNode): string {
    if (!isFloating(node)) return '';
    const captions = node.captions.map((ref) => resolve(this.#document, ref)).filter((caption) => this.#shown(caption));
    return captions.map((caption) => (isText(caption) ? this.#words(caption) : '')).filter((text) => text !== '').join(' ');
  }

  #withCaption(node: DocumentNode, body: string): string {
    return [this.#caption(node), body].filter((text) => text !== '').join('\n\n');
  }

  #withCaptionAfter(node: DocumentNode, body: string): string {
    return [body, this.#caption(node)].filter((text) => text !== '').join('\n\n');
  }

  #table(table: TableItem): string {
    const { table_cells: cells, num_rows: rowCount, num_cols: columnCount } = table.data;
    const wide = new Map<TableCell, string>();
    let repeated = 0;
    for (const cell of cells) {
      if (isOnePlace(cell)) continue;
      const text = oneLine(this.#cell(cell));
      wide.set(cell, text);
      repeated += text.length * (cell.row_span * cell.col_span - 1);
    }
    const once = repeated > maximumRepeatedLength;
    const rows = Array.from({ length: rowCount }, () => new Array<string>(columnCount).fill(''));
    for (const cell of cells) {
      const { start_row_offset_idx: top, start_col_offset_idx: left } = cell;
      const text = (wide.size > 0 ? wide.get(cell) : undefined) ?? oneLine(this.#cell(cell));
      if (isOnePlace(cell)) {
        const row = rows[top];
        if (row !== undefined && left < columnCount) row[left] = text;
        continue;
      }
      const bottom = once ? top + 1 : Math.min(cell.end_row_offset_idx, rowCount);
      const right = once ? left + 1 : Math.min(cell.end_col_offset_idx, columnCount);
      for (let row = top; row < bottom; row++) rows[row]?.fill(text, left, right);
    }
    return pipeTable(rows, this.#options.compactTables ?? false);
  }

  #withoutTags(text: string): string {
    return this.#keepsHtml ? text : withoutTags(text);
  }

  /** A cell's text is not escaped but for tags; what a rich cell points to is, as anywhere. */
  #cell(cell: TableCell): string {
    if (cell.ref === undefined) return this.#withoutTags(cell.text);
    return joinPieces(this.#block(resolve(this.#document, cell.ref), '', null, true));
  }

  /** A table inside a cell: as HTML, which GFM's cells may hold; for readers that render none its texts in a row. */
  #nested(table: TableItem): string {
    const caption = this.#caption(table);
    if (this.#options.unescaped !== true) return nestedTable(table.data, caption, (cell) => oneLine(this.#cell(cell)));
    return [caption, ...table.data.table_cells.map((cell) => this.#cell(cell))].filter((text) => text !== '').join(' ');
  }

  #image(picture: PictureItem): string {
    const mode = this.#options.imageMode ?? 'placeholder';
    if (mode === 'placeholder') return '<!-- image -->';
    const uri = picture.image === null ? '' : (this.#options.imageUri?.(picture.image.uri) ?? picture.image.uri);
    if (!isImageAddress(uri)) return '<!-- image -->';
    const embedded = uri.startsWith('data:');
    if (mode === 'embedded') return embedded ? `![Image](${uri})` : missingImage;
    return uri === '' || embedded ? '<!-- image -->' : `![Image](${uri})`;
  }
}

function isOnePlace(cell: TableCell): boolean {
  return cell.end_row_offset_idx === cell.start_row_offset_idx + 1 && cell.end_col_offset_idx === cell.start_col_offset_idx + 1;
}

function oneLine(text: string): string {
  const line = text.includes('\n') ? text.replace(/\n/g, ' ') : text;
  return line.includes('|') ? line.replace(/\|/g, '&#124;') : line;
}

// A heading ends at its line, and markdown knows six levels.
function heading(level: number, words: string): string {
  const line = words.replace(/\s*\n\s*/g, ' ').trim();
  return line === '' ? '' : `${'#'.repeat(Math.min(level, 6))} ${line}`;
}

function gap(before: MarkdownPiece, piece: MarkdownPiece): string {
  return piece.tight && before.list === piece.list ? '\n' : '\n\n';
}

function joinPieces(pieces: Iterable<MarkdownPiece>): string {
  let joined = '';
  let before: MarkdownPiece | null = null;
  for (const piece of pieces) {
    joined += before === null ? piece.text : gap(before, piece) + piece.text;
    before = piece;
  }
  return joined;
}

/** Markdown in chunks that follow each other directly; one chunk is at most one block of the document. */
export function* writeMarkdown(document: DoclingDocument, options: MarkdownOptions = {}): Generator<string> {
  const placeholder = options.pageBreakPlaceholder ?? '';
  let before: MarkdownPiece | null = null;
  let page: number | null = null;
  for (const piece of new MarkdownRenderer(document, options).pieces()) {
    const between = before === null ? '' : gap(before, piece);
    const turned = piece.page !== null && page !== null && piece.page > page;
    if (turned && placeholder !== '') yield between + placeholder.replaceAll('{page}', String(piece.page));
    yield between + piece.text;
    if (page === null || turned) page = piece.page;
    before = piece;
  }
}

/** The contract's text output: the markdown without page breaks. */
export function writeText(document: DoclingDocument, options: Omit<MarkdownOptions, 'pageBreakPlaceholder'> = {}): Generator<string> {
  return writeMarkdown(document, { ...options, pageBreakPlaceholder: '' });
}

/** One block or line of a list, with the node that it is of. */
export interface MarkdownBlock {
  node: DocumentNode;
  text: string;
}

/** Writes single nodes of a document, each with what hangs below it: block by block, a list line by line. */
export function markdownBlocks(document: DoclingDocument, options: MarkdownOptions = {}): (node: DocumentNode) => MarkdownBlock[] {
  const renderer = new MarkdownRenderer(document, options);
  return (node) => [...renderer.below(node)];
}

export interface MarkdownPage {
  /** From 1. */
  pageNumber: number;
  markdown: string;
}

/** Every page of the document in order; an item that goes on over pages is on the one it begins on. Together they are the whole. */
export function* writeMarkdownPages(document: DoclingDocument, options: MarkdownOptions = {}): Generator<MarkdownPage> {
  const numbers = [...document.pages.keys()].sort((a, b) => a - b);
  let index = 0;
  let waiting: MarkdownPiece[] = [];
  for (const piece of new MarkdownRenderer(document, options).pieces()) {
    while (piece.page !== null && index + 1 < numbers.length && piece.page > (numbers[index] ?? 0)) {
      yield { pageNumber: numbers[index] ?? 0, markdown: joinPieces(waiting) };
      waiting = [];
      index++;
    }
    waiting.push(piece);
  }
  for (; index < numbers.length; index++) {
    yield { pageNumber: numbers[index] ?? 0, markdown: joinPieces(waiting) };
    waiting = [];
  }
}
