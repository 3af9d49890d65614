/** Converts blocks to the document: items with their text, places, lists and captions. Pictures are returned for drawing. */
import type { DocumentBuilder, ItemPlace, TextOptions } from '../../document/builder.js';
import { refTo } from '../../document/builder.js';
import type { GroupItem, ListItem, PictureItem, TableItem, TextItem } from '../../document/model.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { Span, TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';
import { linesOf } from './block.js';
import type { Block, FigureBlock, TableBlock, TextBlock } from './block.js';
import { codeText } from './code.js';
import { joinLines } from './hyphenation.js';
import type { RunningText } from './hyphenation.js';

/** A picture with its place in the document that still needs its pixels. */
export interface PlacedPicture {
  item: PictureItem;
  pageIndex: number;
  box: Box;
}

/** Maps `box` of an upright page to its place in the file. */
type DrawnBox = (pageIndex: number, box: Box) => Box;

interface OpenList {
  group: GroupItem;
  last: ListItem | null;
}

/** Writes blocks in order to a builder that already has its pages. */
class Assembler {
  readonly pictures: PlacedPicture[] = [];
  readonly #builder: DocumentBuilder;
  readonly #vocabulary: Vocabulary;
  readonly #latex: boolean;
  readonly #drawnBox: DrawnBox;
  #lists: OpenList[] = [];
  readonly #objects = new Map<Block, TableItem | PictureItem>();
  readonly #notes: { note: TextItem; about: Block }[] = [];

  constructor(builder: DocumentBuilder, vocabulary: Vocabulary, latex: boolean, drawnBox: DrawnBox) {
    this.#builder = builder;
    this.#vocabulary = vocabulary;
    this.#latex = latex;
    this.#drawnBox = drawnBox;
  }

  add(block: Block): void {
    if (block.kind === 'table') this.#addTable(block);
    else if (block.kind === 'figure') this.#addFigure(block);
    else this.#addText(block);
  }

  #addText(block: TextBlock): void {
    if (block.role === 'list_item') {
      this.#addListItem(block);
      return;
    }
    // Furniture and notes at the end of a page do not end a list that continues behind them.
    if (block.role !== 'page_header' && block.role !== 'page_footer' && block.role !== 'footnote') this.#lists = [];
    if (block.role === 'code') {
      this.#builder.addCode(codeText(block.columnParts), { at: placesOf(block, null), ...confidencesOf(linesOf(block)) });
      return;
    }
    const running = joinLines(linesOf(block), this.#vocabulary);
    const options: TextOptions = { at: placesOf(block, running), orig: running.orig, ...confidencesOf(linesOf(block)) };
    switch (block.role) {
      case 'formula':
        if (this.#latex || options.lineConfidences === undefined) this.#builder.addFormula(linesOf(block)[0]!.latex!, options);
        else this.#builder.addText('text', running.text, options);
        return;
      case 'heading':
        if (block.level === 0) this.#builder.addTitle(running.text, options);
        else this.#builder.addHeading(block.level, running.text, options);
        return;
      case 'page_header':
      case 'page_footer':
        this.#builder.addFurniture(block.role, running.text, options);
        return;
      case 'text':
        this.#addParagraph(running, options);
        return;
      default: {
        const note = this.#builder.addText(block.role, running.text, options);
        if (block.about !== null) this.#notes.push({ note, about: block.about });
      }
    }
  }

  #addParagraph(running: RunningText, options: TextOptions): void {
    const links = linkedSpans(running);
    const whole = links.length === 1 && links[0]!.end - links[0]!.start >= 0.9 * running.text.length;
    if (links.length === 0 || whole) {
      this.#builder.addText('text', running.text, whole ? { ...options, hyperlink: links[0]!.uri! } : options);
      return;
    }
    const group = this.#builder.addInlineGroup();
    let at = 0;
    const run = (end: number, uri: string | null): void => {
      const part = running.text.slice(at, end);
      const glued = at > 0 && !/^\s/.test(part) && !/\s$/.test(running.text.slice(0, at));
      if (part.trim() !== '') {
        this.#builder.addText('text', part.trim(), { at: options.at?.map(({ pageNumber, box }) => ({ pageNumber, box })), parent: group, hyperlink: uri ?? undefined, glued });
      }
      at = end;
    };
    for (const link of links) {
      run(link.start, null);
      run(link.end, link.uri);
    }
    run(running.text.length, null);
  }

  #addListItem(block: TextBlock): void {
    const running = joinLines(linesOf(block), this.#vocabulary);
    const text = running.text.slice(block.textStart);
    const options = { at: placesOf(block, running), orig: running.orig, ...confidencesOf(linesOf(block)) };
    if (block.checked !== null) {
      this.#lists = [];
      this.#builder.addCheckbox(block.checked, text, options);
      return;
    }
    const depth = Math.min(block.depth, this.#lists.length);
    this.#lists = this.#lists.slice(0, depth + 1);
    if (this.#lists.length === depth) {
      const parent = this.#lists[depth - 1]?.last ?? undefined;
      this.#lists.push({ group: this.#builder.addListGroup({ parent }), last: null });
    }
    const list = this.#lists[depth]!;
    list.last = this.#builder.addListItem(list.group, text, { ...options, marker: block.marker, enumerated: block.enumerated });
  }

  #addTable(block: TableBlock): void {
    this.#lists = [];
    const { table } = block;
    const cells = table.cells.map(({ lines, ...cell }) => ({
      ...cell, text: joinLines(lines.map((line) => ({ ...line, spans: [] })), this.#vocabulary).text,
    }));
    const at = block.places.map(({ pageIndex, box }): ItemPlace => ({ pageNumber: pageIndex + 1, box }));
    const item = this.#builder.addTable(table.rowCount, table.columnCount, cells, { at, index: table.index });
    this.#addCaptions(item, block);
    for (const { pageIndex, box, text } of block.repeatedHeads) this.#builder.addFurniture('page_header', text, { at: [{ pageNumber: pageIndex + 1, box }] });
  }

  #addFigure(block: FigureBlock): void {
    this.#lists = [];
    const { figure, pageIndex } = block;
    const drawn = this.#drawnBox(pageIndex, figure.box);
    const place = { pageNumber: pageIndex + 1, box: drawn, asDrawn: true };
    // A caption is written before its picture. If it stands below, so does the picture's text, which is then read before the caption.
    const { top, bottom } = figure.box;
    const isBelow = block.captions.some(({ columnParts: [first] }) => first !== undefined && first.box.top > (top + bottom) / 2);
    if (isBelow) this.#addPictureText(block);
    const item = this.#builder.addPicture({ at: [place], chart: figure.chart });
    this.pictures.push({ item, pageIndex, box: drawn });
    this.#addCaptions(item, block);
    if (!isBelow) this.#addPictureText(block);
  }

  /** The text of a picture follows the picture: no writer shows children of a picture. */
  #addPictureText({ lines, pageIndex }: FigureBlock): void {
    if (lines.length === 0) return;
    const parent = this.#builder.addGroup('picture_area', 'text of the picture');
    for (const line of lines) {
      this.#builder.addText('text', line.text, { parent, at: [{ pageNumber: pageIndex + 1, box: line.box }], ...confidencesOf([line]) });
    }
  }

  #addCaptions(item: TableItem | PictureItem, block: TableBlock | FigureBlock): void {
    this.#objects.set(block, item);
    for (const caption of block.captions) {
      const running = joinLines(linesOf(caption), this.#vocabulary);
      this.#builder.addCaption(item, running.text, { at: placesOf(caption, running), orig: running.orig, ...confidencesOf(linesOf(caption)) });
    }
  }

  /** Links captions and sources to their table or figure, once both are in the document. */
  tieNotes(): void {
    for (const { note, about } of this.#notes) this.#objects.get(about)?.references.push(refTo(note));
  }
}

/** Links whose text differs from their address; others are readable as they are. */
function linkedSpans(running: RunningText): Span[] {
  const bare = (text: string): string => text.replace(/^(https?:\/\/|mailto:)/, '').replace(/[\s/.,;)]+$/, '');
  return running.spans.filter((span) => span.uri !== null && span.script === 'baseline'
    && bare(running.text.slice(span.start, span.end)) !== bare(span.uri)
    && !bare(span.uri).includes(bare(running.text.slice(span.start, span.end)).replace(/-$/, '')));
}

function placesOf(block: TextBlock, running: RunningText | null): ItemPlace[] {
  let line = 0;
  return block.columnParts.map((columnPart): ItemPlace => {
    const from = running?.starts[line];
    line += columnPart.lines.length;
    const next = running?.starts[line];
    return { pageNumber: columnPart.pageIndex + 1, box: columnPart.box, from, to: next === undefined ? running?.orig.length : next - 1 };
  });
}

/** The confidence of the lines, if any was recognised from a picture. */
function confidencesOf(lines: TextLine[]): Pick<TextOptions, 'lineConfidences'> {
  if (lines.every(({ confidence }) => confidence === undefined)) return {};
  return { lineConfidences: lines.map(({ confidence }) => (confidence === undefined ? null : Math.round(confidence * 1000) / 1000)) };
}

/** Adds `blocks` to the document in `builder`. Formulas are LaTeX; those whose structure is not sure are lines of text with a low confidence, unless `latex` asks for LaTeX. Returns the pictures to draw, at their places by `drawnBox`. */
export function assemble(builder: DocumentBuilder, { blocks, vocabulary }: { blocks: Block[]; vocabulary: Vocabulary }, latex: boolean, drawnBox: DrawnBox = (_, box) => box): PlacedPicture[] {
  const assembler = new Assembler(builder, vocabulary, latex, drawnBox);
  for (const block of blocks) assembler.add(block);
  assembler.tieNotes();
  return assembler.pictures;
}
