/** Converts blocks to the document: items with their text, places, lists and captions. Pictures are returned for drawing. */
import type { DocumentBuilder, ItemPlace, TextOptions } from '../../document/builder.js';
import { refTo } from '../../document/builder.js';
import type { DocumentNode, GroupItem, ListItem, PictureItem, TableItem, TextItem } from '../../document/model.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';
import { linesOf } from './block.js';
import type { Block, FigureBlock, TableBlock, TextBlock } from './block.js';
import { codeText } from './code.js';
import { joinLines } from './hyphenation.js';
import type { RunningText } from './hyphenation.js';
import { NoteLinks, withoutOwnMark } from './note-links.js';
import { runsOf, withScriptCharacters } from './text-runs.js';
import type { TextRun } from './text-runs.js';

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
  readonly #noteLinks = new NoteLinks();
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
    const running = this.#running(block);
    const options: TextOptions = { at: placesOf(block, running), orig: running.orig, ...confidencesOf(linesOf(block)) };
    switch (block.role) {
      case 'formula':
        if (this.#latex || options.lineConfidences === undefined) this.#builder.addFormula(linesOf(block)[0]!.latex!, options);
        else this.#builder.addText('text', running.text, options);
        return;
      case 'heading':
        this.#addRunning<DocumentNode>(block, running, options, (text, more) => (block.level === 0 ? this.#builder.addTitle(text, more) : this.#builder.addHeading(block.level, text, more)));
        return;
      case 'page_header':
      case 'page_footer':
        this.#builder.addFurniture(block.role, running.text, options);
        return;
      case 'text':
        this.#addParagraph(block, running, options);
        return;
      default: {
        const label = block.role;
        const text = label === 'footnote' ? withoutOwnMark(running) : running;
        const note = this.#addRunning(block, text, options, (words, more) => this.#builder.addText(label, words, more));
        if (block.about !== null) this.#notes.push({ note, about: block.about });
        if (label === 'footnote') this.#noteLinks.addNote(note, block, running.text);
      }
    }
  }

  /** Lines that were recognised from a picture have no exact sizes and baselines: none of their words is a script. */
  #running(block: TextBlock): RunningText {
    const lines = linesOf(block);
    const exact = lines.map((line) => (line.confidence === undefined ? line : { ...line, spans: line.spans.filter(({ uri }) => uri !== null).map((span) => ({ ...span, script: 'baseline' as const })) }));
    return joinLines(exact, this.#vocabulary);
  }

  /** `add` writes the text itself, with no text where runs follow it. */
  #addRunning<Item extends DocumentNode>(block: TextBlock, running: RunningText, options: TextOptions, add: (text: string, options: TextOptions) => Item, from = 0): Item {
    const { runs } = runsOf(running, { from, withLinks: false });
    if (!runs.some(({ script }) => script !== 'baseline')) return add(running.text.slice(from), options);
    const item = add('', options);
    this.#addRuns(block, runs, options, this.#builder.addInlineGroup({ parent: item }));
    return item;
  }

  #addParagraph(block: TextBlock, running: RunningText, options: TextOptions): void {
    const { runs, whole } = runsOf(running);
    const [only] = runs;
    if (runs.length > 1) this.#addRuns(block, runs, options, this.#builder.addInlineGroup());
    else this.#builder.addText('text', running.text, { ...options, hyperlink: whole ?? only?.uri ?? undefined, ...(only !== undefined && only.script !== 'baseline' && { formatting: { script: only.script } }) });
  }

  #addRuns(block: TextBlock, runs: TextRun[], options: TextOptions, group: GroupItem): void {
    for (const { text, script, uri, mayBeMark, glued } of runs) {
      const at = options.at?.map(({ pageNumber, box }) => ({ pageNumber, box }));
      const item = this.#builder.addText('text', text, { at, parent: group, hyperlink: uri ?? undefined, glued, ...(script !== 'baseline' && { formatting: { script } }) });
      if (mayBeMark) this.#noteLinks.addMark(item, block);
    }
  }

  #addListItem(block: TextBlock): void {
    const running = this.#running(block);
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
    const marked = { marker: block.marker, enumerated: block.enumerated };
    list.last = this.#addRunning(block, running, options, (words, more) => this.#builder.addListItem(list.group, words, { ...more, ...marked }), block.textStart);
  }

  #addTable(block: TableBlock): void {
    this.#lists = [];
    const { table } = block;
    const cells = table.cells.map(({ lines, ...cell }) => ({
      ...cell, text: withScriptCharacters(joinLines(lines.map((line) => ({ ...line, spans: line.scripts ?? [] })), this.#vocabulary)),
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
      const running = this.#running(caption);
      this.#addRunning(caption, running, { at: placesOf(caption, running), orig: running.orig, ...confidencesOf(linesOf(caption)) }, (text, options) => this.#builder.addCaption(item, text, options));
    }
  }

  /** Links captions and sources to their table or figure, and note marks to their notes, once both are in the document. */
  tieNotes(): void {
    this.#noteLinks.tie();
    for (const { note, about } of this.#notes) this.#objects.get(about)?.references.push(refTo(note));
  }
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
