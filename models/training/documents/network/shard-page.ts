/** A page of a shard as the program's reader gave it, and the truth of its words. */
import type { Font, Line, PageContent, Word } from '../../../../src/pdf/pdf-page.js';
import { unionBox } from '../../../../src/geometry/box.js';
import { nodeClasses } from '../../../../src/convert/relations/classes.js';
import type { NodeClass } from '../../../../src/convert/relations/classes.js';
import { headerKinds, nodeKinds } from '../builder/kinds.js';
import type { NodeKind } from '../builder/kinds.js';
import { boxesOf, rangeOf } from './shard-reader.js';
import type { ShardReader } from './shard-reader.js';

/** A node of the document's structure, with rows of the page's structure nodes. */
export interface StructureTruth {
  kind: NodeKind;
  /** The same on each page of the document. */
  id: number;
  parent: number;
  target: number;
  level: number;
  cell: { row: number; column: number; rowSpan: number; columnSpan: number; columnHeader: boolean; rowHeader: boolean };
}

export interface WordTruth {
  cls: NodeClass;
  /** Innermost structure node and cell of the word, -1 for none. */
  node: number;
  cell: number;
  /** Rank on the page. */
  order: number;
  /** A repetition of a table's head or foot. */
  repeated: boolean;
}

export interface ShardPage {
  content: PageContent;
  /** Of each word of the content. */
  words: WordTruth[];
  structure: StructureTruth[];
  /** The picture node of each picture of nodePageOf(), -1 for none. */
  pictures: number[];
  document: number;
}

/** What is the same for all pages of a shard. */
export interface ShardTables {
  texts: readonly string[];
  flags: Record<string, number>;
  faces: readonly string[];
}

export function shardTables(shard: ShardReader): ShardTables {
  const [vocabulary, faces] = [shard.texts('vocabulary')[0]!, shard.texts('faces')[0]!];
  return { texts: shard.texts('word_text'), flags: (JSON.parse(vocabulary) as { flag: Record<string, number> }).flag, faces: JSON.parse(faces) as string[] };
}

/** Bit of `word_label_flags`. */
const REPEATED = 2;

export function shardPage(shard: ShardReader, tables: ShardTables, page: number): ShardPage {
  const words = rangeOf(shard, 'word', page);
  const made = Array.from({ length: words.to - words.from }, (_, at) => wordOf(shard, tables, words.from + at, at));
  const size = shard.get('page_size');
  const structure = structureOf(shard, page);
  const content: PageContent = {
    pageIndex: shard.get('page_index')[page]!, width: size[2 * page]!, height: size[2 * page + 1]!, rotation: 0, words: made, lines: linesOf(made, [...shard.get('word_line').subarray(words.from, words.to)]),
    rulings: rulingsOf(shard, page), boxes: boxesOf(shard, 'fill_box', rangeOf(shard, 'fill', page)).map((box, at) => {
      const row = rangeOf(shard, 'fill', page).from + at;
      return { box, fill: shard.get('fill_color')[2 * row]!, stroke: shard.get('fill_color')[2 * row + 1]! };
    }),
    images: boxesOf(shard, 'image_box', rangeOf(shard, 'image', page)).map((box) => ({ box, width: 1, height: 1, object: 0 })), drawings: boxesOf(shard, 'drawing_box', rangeOf(shard, 'drawing', page)),
    links: [], structure: [], hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 }, unmappedCharacters: 0, characters: made.reduce((sum, { text }) => sum + text.length, 0),
  };
  const truth = made.map((_, at): WordTruth => {
    const row = words.from + at;
    return {
      cls: nodeClasses[shard.get('word_class')[row]!]!, node: shard.get('word_node')[row]!, cell: shard.get('word_cell')[row]!, order: shard.get('word_order')[row]!,
      repeated: (shard.get('word_label_flags')[row]! & REPEATED) !== 0,
    };
  });
  const pictures = (['image', 'drawing'] as const).flatMap((name) => {
    const { from, to } = rangeOf(shard, name, page);
    return [...shard.get(`${name}_node`).subarray(from, to)];
  });
  return { content, words: truth, structure, pictures, document: shard.get('page_document')[page]! };
}

function wordOf(shard: ShardReader, { texts, flags, faces }: ShardTables, row: number, order: number): Word {
  const bits = shard.get('word_flags')[row]!;
  const has = (name: string): boolean => (bits & flags[name]!) !== 0;
  const [left, top, right, bottom] = shard.get('word_box').subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
  const font: Font = { name: faces[shard.get('word_face')[row]!] ?? '', weight: shard.get('word_weight')[row]!, bold: has('bold'), italic: has('italic'), monospace: has('monospace'), symbolic: has('symbolic') };
  return {
    text: texts[row]!, box: { left, top, right, bottom }, baseline: shard.get('word_baseline')[row]!, font, size: shard.get('word_size')[row]!, color: shard.get('word_color')[row]!, angle: shard.get('word_angle')[row]!,
    glued: has('glued'), softHyphen: has('softHyphen'), invisible: has('invisible'), order, link: -1, underline: has('underline'), strike: has('strike'), mcid: -1,
  };
}

function linesOf(words: readonly Word[], numbers: readonly number[]): Line[] {
  const lines: Word[][] = [];
  for (const [at, word] of words.entries()) if (numbers[at]! >= 0) (lines[numbers[at]!] ??= []).push(word);
  return Array.from(lines, (own): Line => {
    const line = own ?? [];
    return { words: line, box: unionBox(line.map(({ box }) => box)), baseline: line[0]?.baseline ?? 0, size: line[0]?.size ?? 0, angle: line[0]?.angle ?? 0 };
  });
}

function rulingsOf(shard: ShardReader, page: number): PageContent['rulings'] {
  const { from, to } = rangeOf(shard, 'ruling', page);
  return Array.from({ length: to - from }, (_, at) => {
    const [x0, y0, x1, y1, thickness] = shard.get('ruling').subarray(5 * (from + at), 5 * (from + at) + 5) as unknown as [number, number, number, number, number];
    const color = shard.get('ruling_color')[from + at]!;
    return y0 === y1 ? { orientation: 'horizontal' as const, position: y0, start: x0, end: x1, thickness, color } : { orientation: 'vertical' as const, position: x0, start: y0, end: y1, thickness, color };
  });
}

function structureOf(shard: ShardReader, page: number): StructureTruth[] {
  const { from, to } = rangeOf(shard, 'node', page);
  return Array.from({ length: to - from }, (_, at): StructureTruth => {
    const row = from + at;
    const [cellRow, column, rowSpan, columnSpan] = shard.get('node_cell').subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
    const header = headerKinds[shard.get('node_header')[row]!]!;
    return {
      kind: nodeKinds[shard.get('node_kind')[row]!]!, id: shard.get('node_id')[row]!, parent: shard.get('node_parent')[row]!, target: shard.get('node_target')[row]!, level: shard.get('node_level')[row]!,
      cell: { row: cellRow, column, rowSpan, columnSpan, columnHeader: header === 'column' || header === 'both', rowHeader: header === 'row' || header === 'both' },
    };
  });
}

/** The node of the given kind around a structure node, or itself; -1 for none. */
export function enclosing(structure: readonly StructureTruth[], node: number, kind: NodeKind): number {
  let at = node;
  while (at >= 0 && structure[at]!.kind !== kind) at = structure[at]!.parent;
  return at;
}
