/** Blocks into a document: titles, paragraphs, lists, tables and pictures, in the order they come, within bounds of depth and size. */
import { refTo } from '../../document/builder.js';
import type { DocumentBuilder, NodeOptions, TextOptions } from '../../document/builder.js';
import type { CellInput } from '../../document/table-grid.js';
import { quoteName } from '../../document/model.js';
import type { DocumentNode, GroupItem, ListItem } from '../../document/model.js';
import { wordsOfBlocks } from './flow-blocks.js';
import type { FlowBlock, FlowListEntry, FlowRun, FlowTable, FlowTableEntry } from './flow-blocks.js';
import { layTable } from './flow-table-grid.js';
import type { FoundPicture } from '../format-reader.js';
import { addRuns } from '../inline-runs.js';
import { addItem, addParagraph, settleRuns } from './flow-runs.js';

// A document takes 256 levels; a list takes two of them, its paragraphs and runs two more.
const deepestList = 60;

/** Adds the blocks to the end of the builder's document, or of `place.parent`; gives the pictures whose bytes are there. */
export function composeBlocks(builder: DocumentBuilder, blocks: FlowBlock[], place: NodeOptions = {}): FoundPicture[] {
  const composer = new Composer(builder);
  composer.blocks(blocks, place, 0);
  return composer.pictures;
}

class Composer {
  readonly pictures: FoundPicture[] = [];
  readonly #builder: DocumentBuilder;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  blocks(blocks: FlowBlock[], options: NodeOptions, depth: number): void {
    for (const block of blocks) this.#block(block, options, depth);
  }

  #block(block: FlowBlock, options: NodeOptions, depth: number): void {
    const builder = this.#builder;
    const own = (text: TextOptions): TextOptions => ({ ...text, ...options });
    switch (block.kind) {
      case 'title': addItem(builder, block.runs, (text, more) => builder.addTitle(text, own(more))); break;
      case 'heading': addItem(builder, block.runs, (text, more) => builder.addHeading(block.level, text, own(more))); break;
      case 'paragraph': addParagraph(builder, block.runs, options); break;
      case 'footnote':
      case 'reference': this.#labelled(block.kind, block.runs, options); break;
      case 'list': this.#list(block.entries, options, depth); break;
      case 'code': {
        const code = builder.addCode(block.text, { ...options, language: block.language });
        addItem(builder, block.caption ?? [], (text, more) => builder.addCaption(code, text, more));
        break;
      }
      case 'formula': builder.addFormula(block.latex, options); break;
      case 'table': this.#table(block, options, depth); break;
      case 'picture': {
        const picture = builder.addPicture({ ...options, alternative: block.alternative });
        if (block.image !== undefined) this.pictures.push({ item: picture, bytes: block.image });
        addItem(builder, block.caption, (text, more) => builder.addCaption(picture, text, more));
        break;
      }
      case 'quote': this.#quote(block.blocks, options, depth); break;
      case 'furniture': this.blocks(block.blocks, { ...options, layer: 'furniture' }, depth); break;
    }
  }

  /** Past the deepest level what is quoted stands in the quotation that is there. */
  #quote(blocks: FlowBlock[], options: NodeOptions, depth: number): void {
    if (wordsOfBlocks(blocks) === '' && !blocks.some(({ kind }) => kind === 'picture')) return;
    const parent = depth >= deepestList ? options.parent : this.#builder.addGroup('unspecified', quoteName, options);
    this.blocks(blocks, { ...options, parent }, depth + 1);
  }

  #labelled(label: 'footnote' | 'reference', runs: FlowRun[], options: NodeOptions): void {
    addItem(this.#builder, runs, (text, more) => this.#builder.addText(label, text, { ...more, ...options }));
  }

  #list(entries: FlowListEntry[], options: NodeOptions, depth: number): void {
    if (!entries.some(hasContent)) return;
    const { parent } = options;
    // Past the deepest level the entries stand in the list that is there.
    const flat = depth >= deepestList && parent?.label === 'list' && 'name' in parent;
    const group = flat ? parent : this.#builder.addListGroup(options);
    for (const entry of entries) if (hasContent(entry)) this.#entry(entry, group, { ...options, parent: group }, depth + 1);
  }

  #entry(entry: FlowListEntry, group: GroupItem, options: NodeOptions, depth: number): void {
    let { runs, blocks } = entry;
    const [first] = blocks;
    if (settleRuns(runs).length === 0 && first?.kind === 'paragraph') {
      runs = first.runs;
      blocks = blocks.slice(1);
    }
    const item = this.#line(entry, runs, group, options);
    const holder = item === null || depth >= deepestList ? group : item;
    this.blocks(blocks, { ...options, parent: holder }, depth);
  }

  /** The entry's own line. Null where what follows hangs on the list itself: below a checkbox, and where the entry has no words. */
  #line({ marker, checked }: FlowListEntry, runs: FlowListEntry['runs'], group: GroupItem, options: NodeOptions): ListItem | null {
    const builder = this.#builder;
    const { layer } = options;
    if (checked !== undefined) {
      if (addItem(builder, runs, (text, more) => builder.addCheckbox(checked, text, { ...more, ...options })) === null) builder.addCheckbox(checked, '', options);
      return null;
    }
    return addItem(builder, runs, (text, more) => builder.addListItem(group, text, { ...more, layer, marker, enumerated: marker !== undefined }));
  }

  #table(block: FlowTable, options: NodeOptions, depth: number): void {
    const builder = this.#builder;
    const { rowCount, columnCount, places } = layTable(block.rows);
    if (places.length === 0) {
      this.blocks([{ kind: 'paragraph', runs: block.caption }], options, depth);
      return;
    }
    const rich: { index: number; entry: FlowTableEntry }[] = [];
    const cells = places.map(({ row, column, entry, rowSpan, columnSpan }, index): CellInput => {
      const simple = plainText(entry.blocks);
      if (simple === null) rich.push({ index, entry });
      return {
        row, column, rowSpan, columnSpan, text: simple ?? wordsOfBlocks(entry.blocks),
        columnHeader: entry.header === 'column', rowHeader: entry.header === 'row',
      };
    });
    const table = builder.addTable(rowCount, columnCount, cells, options);
    addItem(builder, block.caption, (text, more) => builder.addCaption(table, text, more));
    for (const note of block.footnotes ?? []) addItem(builder, note, (text, more) => builder.addFootnote(table, text, more));
    for (const { index, entry } of rich) {
      const cell = table.data.table_cells[index];
      const content = this.#cellContent(entry.blocks, { ...options, parent: table }, depth + 1);
      if (cell !== undefined && content !== null) cell.ref = refTo(content);
    }
  }

  /** The node that holds a cell's content. */
  #cellContent(blocks: FlowBlock[], options: NodeOptions, depth: number): DocumentNode | null {
    const [first] = blocks;
    if (first?.kind === 'paragraph' && blocks.length === 1) {
      const pieces = settleRuns(first.runs);
      // In a table's line a piece of code is no block.
      if (pieces.length === 1 && pieces[0]?.kind === 'code') return addRuns(this.#builder, pieces, options);
      return addParagraph(this.#builder, first.runs, options);
    }
    const group = this.#builder.addGroup('unspecified', 'cell', options);
    this.blocks(blocks, { ...options, parent: group }, depth);
    return group;
  }
}

function hasContent(entry: FlowListEntry): boolean {
  return entry.checked !== undefined || entry.blocks.length > 0 || settleRuns(entry.runs).length > 0;
}

/** A cell's text where it is nothing but words; null where it has styles, links or parts. */
function plainText(blocks: FlowBlock[]): string | null {
  const lines: string[] = [];
  for (const block of blocks) {
    if (block.kind !== 'paragraph') return null;
    const pieces = settleRuns(block.runs);
    const [first] = pieces;
    if (first === undefined) continue;
    const styled = first.kind !== 'text' || first.formatting !== undefined || first.hyperlink !== undefined;
    if (pieces.length > 1 || styled) return null;
    lines.push(first.text);
  }
  return lines.join('\n');
}
