/** Documents made by code from a seed: every kind of node, nested and odd, and every word of them its own. */
import { DocumentBuilder } from '../../src/document/builder.js';
import type { TextOptions } from '../../src/document/builder.js';
import type { DoclingDocument, DocumentNode, GroupItem } from '../../src/document/model.js';

export interface MadeDocument {
  document: DoclingDocument;
  /** Every word once, in no particular order. */
  words: string[];
}

/** Numbers in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const ornaments = ['', '', '', '_a_b', '&', '<i>', '|', '#', '`', '**', '"', '\\', '😀', '漢', '1.', '![x](', '](y_z)', '\u00e9'];

class Maker {
  readonly words: string[] = [];
  readonly builder = new DocumentBuilder({
    name: 'made', origin: { mimetype: 'application/pdf', filename: 'made "1".pdf', sha256: 'f'.repeat(64) },
  });
  readonly #random: () => number;
  #page = 1;

  constructor(seed: number) {
    this.#random = seeded(seed);
    for (let page = 1; page <= 6; page++) this.builder.addPage(page, { width: 595.276, height: 841.89 });
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.#below(values.length)] ?? values[0];
  }

  word(): string {
    const word = `w${this.words.length}${this.#pick(ornaments as [string, ...string[]])}x`;
    this.words.push(word);
    return word;
  }

  text(): string {
    const count = this.#below(5);
    let text = this.word();
    for (let i = 0; i < count; i++) text += this.#pick([' ', ' ', ' ', '\n', '  ']) + this.word();
    return text;
  }

  options(parent?: DocumentNode): TextOptions {
    if (this.#random() < 0.1 && this.#page < 6) this.#page++;
    const left = this.#random() * 300;
    const top = this.#random() * 400;
    const box = { left, top, right: left + this.#random() * 200, bottom: top + this.#random() * 300 };
    return { parent, at: this.#random() < 0.8 ? [{ pageNumber: this.#page, box }] : [] };
  }

  formatting() {
    return { bold: this.#random() < 0.3, italic: this.#random() < 0.3, strikethrough: this.#random() < 0.1, underline: this.#random() < 0.1,
      script: this.#pick(['baseline', 'baseline', 'sub', 'super'] as const) };
  }

  runs(parent?: DocumentNode): GroupItem {
    const group = this.builder.addInlineGroup({ parent });
    for (let i = 0; i <= this.#below(4); i++) {
      const options = this.options(group);
      if (this.#random() < 0.2) this.builder.addCode(this.word(), options);
      else this.builder.addText('text', this.word(), { ...options, formatting: this.formatting(), hyperlink: this.#random() < 0.2 ? 'https://a.b/c_d' : undefined });
    }
    return group;
  }

  list(depth: number, parent?: DocumentNode): void {
    const list = this.builder.addListGroup({ parent });
    const enumerated = this.#random() < 0.5;
    for (let i = 0; i <= this.#below(4); i++) {
      const marker = this.#pick(['', '-', '*']);
      if (marker !== '') this.words.push(marker);
      const inRuns = this.#random() < 0.2;
      const item = this.builder.addListItem(list, inRuns ? '' : this.text(), { ...this.options(), enumerated, marker });
      if (inRuns) this.runs(item);
      else if (depth < 4 && this.#random() < 0.4) this.list(depth + 1, item);
      else if (this.#random() < 0.1) this.builder.addText('text', this.text(), this.options(item));
    }
    if (depth < 4 && this.#random() < 0.1) this.list(depth + 1, list);
  }

  table(depth: number, parent?: DocumentNode): void {
    const rows = this.#below(5);
    const columns = this.#below(5);
    const cells = [];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        if (this.#random() < 0.2) continue;
        cells.push({
          row, column, rowSpan: 1 + this.#below(2), columnSpan: 1 + this.#below(2), text: this.#random() < 0.8 ? this.text() : '',
          columnHeader: row === 0, rowHeader: column === 0, box: { left: 1, top: 2, right: 3, bottom: 4 },
        });
      }
    }
    const table = this.builder.addTable(rows, columns, cells, this.options(parent));
    if (this.#random() < 0.5) this.builder.addCaption(table, this.text(), this.options());
    if (this.#random() < 0.2) this.builder.addFootnote(table, this.text(), this.options());
    for (const cell of table.data.table_cells) {
      if (cell.text !== '' || depth > 2 || this.#random() < 0.5) continue;
      const content = this.builder.addGroup('unspecified', 'cell', { parent: table });
      cell.ref = { $ref: content.self_ref };
      this.block(depth + 1, content);
    }
  }

  picture(parent?: DocumentNode): void {
    const picture = this.builder.addPicture({ ...this.options(parent), chart: this.#random() < 0.2 });
    if (this.#random() < 0.5) this.builder.addCaption(picture, this.text(), this.options());
    if (this.#random() < 0.2) this.builder.addText('text', this.text(), this.options(picture));
  }

  block(depth: number, parent?: DocumentNode): void {
    switch (this.#below(13)) {
      case 0: this.builder.addTitle(this.text(), this.options(parent)); break;
      case 1: this.builder.addHeading(1 + this.#below(7), this.text(), this.options(parent)); break;
      case 2: this.builder.addCode(this.text(), { ...this.options(parent), language: 'Python' }); break;
      case 3: this.builder.addFormula(this.text(), this.options(parent)); break;
      case 4: this.builder.addFurniture(this.#pick(['page_header', 'page_footer'] as const), this.text(), this.options(parent)); break;
      case 5: this.builder.addCheckbox(this.#random() < 0.5, this.text(), this.options(parent)); break;
      case 6: this.builder.addText('footnote', this.text(), this.options(parent)); break;
      case 7: this.picture(parent); break;
      case 8: this.runs(parent); break;
      case 9: this.list(depth, parent); break;
      case 10: this.table(depth, parent); break;
      default: this.builder.addText('text', this.text(), { ...this.options(parent), formatting: this.#random() < 0.2 ? this.formatting() : undefined });
    }
  }
}

/** `blocks` nodes of the first level. */
export function makeDocument(seed: number, blocks: number): MadeDocument {
  const maker = new Maker(seed);
  for (let i = 0; i < blocks; i++) maker.block(0);
  return { document: maker.builder.document, words: maker.words };
}
