/** Writes labelled pages into the columns of a shard. README.md of the directory above describes every column. */
import { middleX, middleY } from '../../../../src/geometry/box.js';
import { Columns } from './columns.js';
import { classOf, headerKinds, leafParts, nodeKinds, wordClasses } from './kinds.js';
import type { WordClass } from './kinds.js';
import type { LabelledPage, LabelledWord } from './label-page.js';
import type { Leaf, Truth, TruthNode } from './truth.js';

/** Of a document in a shard. */
export interface DocumentInfo {
  id: string;
  source: string;
  origin: string;
  style: string;
  family: string;
  styleSeed: number;
  sourceSeed: number;
  language: string;
  renderer: string;
  damage: string;
  licence: string;
}

/** Bits of `word_flags`. */
const flag = { bold: 1, italic: 2, monospace: 4, symbolic: 8, glued: 16, softHyphen: 32, underline: 64, strike: 128, link: 256, invisible: 512 };
/** Bits of `word_label_flags`: several leaves, a repetition of a table's head or foot, text on an outlined picture. */
export const labelFlag = { mixed: 1, repeated: 2 };
/** Columns that exist even if a shard has no such thing. */
const mayBeEmpty: [string, 'f4' | 'i4' | 'u1' | 'u4' | 'i2', number][] = [
  ['ruling', 'f4', 5], ['ruling_color', 'u4', 1], ['fill_box', 'f4', 4], ['fill_color', 'i4', 2], ['image_box', 'f4', 4], ['drawing_box', 'f4', 4], ['link_box', 'f4', 4], ['outline_box', 'f4', 4], ['outline_node', 'i4', 1],
  ['image_node', 'i4', 1], ['drawing_node', 'i4', 1],
];

export class Shard {
  readonly columns = new Columns();
  readonly documents: DocumentInfo[] = [];
  #faces = new Map<string, number>();
  pages = 0;
  words = 0;

  constructor() {
    for (const [name, type, width] of mayBeEmpty) this.columns.declare(name, type, width);
  }

  /** Adds the pages of a document with their indices. */
  addDocument(info: DocumentInfo, truth: Truth, pages: readonly { index: number; page: LabelledPage }[]): void {
    const document = this.documents.length;
    this.documents.push(info);
    const repeated = repeatedLeaves(truth, pages);
    for (const { index, page } of pages) this.#addPage(document, index, truth, page, (word) => repeated.has(repetitionKey(word.leaf, index)));
  }

  bytes(): Uint8Array {
    this.columns.addText('documents', JSON.stringify(this.documents));
    this.columns.addText('faces', JSON.stringify([...this.#faces.keys()]));
    this.columns.addText('vocabulary', JSON.stringify({ nodeKinds, wordClasses, leafParts, headerKinds, flag, labelFlag }));
    return this.columns.npz();
  }

  #addPage(document: number, index: number, truth: Truth, page: LabelledPage, isRepeated: (word: LabelledWord) => boolean): void {
    const { columns } = this;
    const { content } = page;
    const used = new PageNodes(truth);
    const order = readingOrder(page.words);
    for (const [at, word] of page.words.entries()) this.#addWord(truth, word, order[at]!, used, isRepeated(word));
    for (const { orientation, position, start, end, thickness, color } of content.rulings) {
      columns.add('ruling', 'f4', ...(orientation === 'horizontal' ? [start, position, end, position] : [position, start, position, end]), thickness);
      columns.add('ruling_color', 'u4', color);
    }
    for (const { box, fill, stroke } of content.boxes) {
      columns.add('fill_box', 'f4', box.left, box.top, box.right, box.bottom);
      columns.add('fill_color', 'i4', fill, stroke);
    }
    for (const [name, boxes] of [['image', content.images.map(({ box }) => box)], ['drawing', content.drawings]] as const) {
      for (const box of boxes) {
        columns.add(`${name}_box`, 'f4', box.left, box.top, box.right, box.bottom);
        const picture = page.outlines.find((outline) => truth.nodes[outline.node]!.kind === 'picture' && outline.box.left - 1 <= middleX(box) && middleX(box) <= outline.box.right + 1
          && outline.box.top - 1 <= middleY(box) && middleY(box) <= outline.box.bottom + 1);
        columns.add(`${name}_node`, 'i4', picture === undefined ? -1 : used.index(picture.node));
      }
    }
    for (const { box } of content.links) columns.add('link_box', 'f4', box.left, box.top, box.right, box.bottom);
    for (const { node, box } of page.outlines) {
      columns.add('outline_box', 'f4', box.left, box.top, box.right, box.bottom);
      columns.add('outline_node', 'i4', used.index(node));
    }
    used.write(columns);
    columns.add('page_size', 'f4', content.width, content.height);
    columns.add('page_document', 'i4', document);
    columns.add('page_index', 'i4', index);
    columns.add('page_turn', 'i2', page.turn);
    // Ends of each page's rows.
    for (const name of ['word', 'ruling', 'fill', 'image', 'drawing', 'link', 'outline', 'node']) {
      const first = { word: 'word_box', ruling: 'ruling', node: 'node_kind' }[name] ?? `${name}_box`;
      columns.add(`page_${name}_end`, 'u4', columns.rows(first));
    }
    this.pages++;
    this.words += page.words.length;
  }

  #addWord(truth: Truth, labelled: LabelledWord, order: number, used: PageNodes, repeated: boolean): void {
    const { columns } = this;
    const { word, leaf: leafIndex } = labelled;
    const { font } = word;
    const leaf = truth.leaves[leafIndex];
    columns.addText('word_text', word.text);
    columns.add('word_box', 'f4', word.box.left, word.box.top, word.box.right, word.box.bottom);
    columns.add('word_baseline', 'f4', word.baseline);
    columns.add('word_size', 'f4', word.size);
    columns.add('word_spacing', 'f4', labelled.spacing);
    columns.add('word_color', 'u4', word.color);
    columns.add('word_angle', 'i2', word.angle);
    columns.add('word_face', 'u2', this.#face(font.name));
    columns.add('word_weight', 'u2', font.weight);
    columns.add('word_line', 'i4', labelled.line);
    columns.add('word_flags', 'u2', (font.bold ? flag.bold : 0) | (font.italic ? flag.italic : 0) | (font.monospace ? flag.monospace : 0) | (font.symbolic ? flag.symbolic : 0) | (word.glued ? flag.glued : 0)
      | (word.softHyphen ? flag.softHyphen : 0) | (word.underline ? flag.underline : 0) | (word.strike ? flag.strike : 0) | (word.link >= 0 ? flag.link : 0) | (word.invisible ? flag.invisible : 0));
    columns.add('word_confidence', 'f4', word.confidence ?? 1);
    const chain = leaf === undefined ? [] : chainOf(truth, leaf.node);
    columns.add('word_class', 'u1', wordClasses.indexOf(leaf === undefined ? 'unknown' : leafClass(leaf, chain)));
    columns.add('word_part', 'u1', leaf === undefined ? 0 : leafParts.indexOf(leaf.part));
    columns.add('word_inline', 'u2', leaf?.inline ?? 0);
    columns.add('word_leaf', 'i4', leafIndex);
    columns.add('word_node', 'i4', leaf === undefined ? -1 : used.index(leaf.node));
    columns.add('word_cell', 'i4', leaf === undefined ? -1 : used.innermost(leaf.node, 'cell'));
    columns.add('word_order', 'i4', order);
    columns.add('word_label_flags', 'u1', (labelled.mixed ? labelFlag.mixed : 0) | (repeated ? labelFlag.repeated : 0));
  }

  #face(name: string): number {
    let face = this.#faces.get(name);
    if (face === undefined) this.#faces.set(name, (face = this.#faces.size));
    return face;
  }
}

/** The class of the text of a leaf in the nodes of `chain`, outermost first. */
export function leafClass(leaf: Leaf, chain: readonly TruthNode[]): WordClass {
  const cls = classOf(chain);
  if (cls !== 'list-item') return cls;
  const isOwn = chain.at(-1)?.kind === 'list-item';
  return leaf.part === 'marker' || leaf.part === 'before' && isOwn ? 'list-marker' : cls;
}

export function chainOf(truth: Truth, node: number): TruthNode[] {
  const chain: TruthNode[] = [];
  for (let at = node; at >= 0; at = truth.nodes[at]!.parent) chain.push(truth.nodes[at]!);
  return chain.reverse();
}

/** The nodes that a page refers to, and those around them, numbered from 0 on the page. */
class PageNodes {
  #truth: Truth;
  #indices = new Map<number, number>();

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  index(node: number): number {
    if (node < 0) return -1;
    const known = this.#indices.get(node);
    if (known !== undefined) return known;
    const { parent, target } = this.#truth.nodes[node]!;
    this.index(parent);
    if (target >= 0) this.index(target);
    const index = this.#indices.get(node) ?? this.#indices.size;
    this.#indices.set(node, index);
    return index;
  }

  innermost(node: number, kind: TruthNode['kind']): number {
    let at = node;
    while (at >= 0 && this.#truth.nodes[at]!.kind !== kind) at = this.#truth.nodes[at]!.parent;
    return this.index(at);
  }

  write(columns: Columns): void {
    for (const node of this.#indices.keys()) {
      const { kind, parent, level, ordered, target, row, column, rowSpan, columnSpan, header, rows, columns: width } = this.#truth.nodes[node]!;
      columns.add('node_kind', 'u1', nodeKinds.indexOf(kind));
      columns.add('node_id', 'i4', node);
      columns.add('node_parent', 'i4', this.index(parent));
      columns.add('node_target', 'i4', this.index(target));
      columns.add('node_level', 'u1', level);
      columns.add('node_ordered', 'u1', ordered ? 1 : 0);
      columns.add('node_cell', 'i4', row, column, rowSpan, columnSpan);
      columns.add('node_header', 'u1', headerKinds.indexOf(header));
      columns.add('node_grid', 'i4', rows, width);
    }
  }
}

/** The rank of each word on its page: by its leaf, in a leaf by the painting order. Words without a leaf come last. */
function readingOrder(words: readonly LabelledWord[]): number[] {
  const ranked = words.map((_, at) => at).sort((a, b) => {
    const [one, other] = [words[a]!, words[b]!];
    return (one.leaf < 0 ? Infinity : one.leaf) - (other.leaf < 0 ? Infinity : other.leaf) || one.word.order - other.word.order;
  });
  const ranks: number[] = [];
  for (const [rank, at] of ranked.entries()) ranks[at] = rank;
  return ranks;
}

function repetitionKey(leaf: number, page: number): number {
  return leaf * 65536 + page;
}

/** Leaves of table heads and feet on pages where they are drawn again: a head after its first page, a foot before its last. */
function repeatedLeaves(truth: Truth, pages: readonly { index: number; page: LabelledPage }[]): Set<number> {
  const onPages = new Map<number, number[]>();
  for (const { index, page } of pages) {
    for (const { leaf } of page.words) {
      if (leaf < 0 || truth.nodes[truth.leaves[leaf]!.node]!.repeats === 'never') continue;
      const known = onPages.get(leaf) ?? [];
      if (known.at(-1) !== index) onPages.set(leaf, [...known, index]);
    }
  }
  const repeated = new Set<number>();
  for (const [leaf, indices] of onPages) {
    const again = truth.nodes[truth.leaves[leaf]!.node]!.repeats === 'head' ? indices.slice(1) : indices.slice(0, -1);
    for (const index of again) repeated.add(repetitionKey(leaf, index));
  }
  return repeated;
}
