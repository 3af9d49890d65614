/** Reads shards of the page builder (builder/shard.ts): columns by name, and a page as the relation network's nodes are made of it. */
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import type { NodePage, NodeWord } from '../../../../src/convert/relations/nodes.js';

type Numbers = Float32Array | Int32Array | Int16Array | Uint16Array | Uint8Array | Uint32Array;
const readers: Record<string, (bytes: ArrayBuffer) => Numbers> = {
  f4: (bytes) => new Float32Array(bytes), i4: (bytes) => new Int32Array(bytes), i2: (bytes) => new Int16Array(bytes), u2: (bytes) => new Uint16Array(bytes), u1: (bytes) => new Uint8Array(bytes), u4: (bytes) => new Uint32Array(bytes),
};

export class ShardReader {
  readonly #arrays = new Map<string, Numbers>();

  constructor(path: string) {
    for (const [file, bytes] of Object.entries(unzipSync(readFileSync(path)))) {
      const header = Buffer.from(bytes.buffer, bytes.byteOffset + 10, new DataView(bytes.buffer, bytes.byteOffset).getUint16(8, true)).toString('latin1');
      const type = /'descr': '[<|](\w\d)'/.exec(header)?.[1] ?? '';
      const read = readers[type];
      if (read === undefined) throw new Error(`${file} has the type ${type}.`);
      const start = bytes.byteOffset + 10 + header.length;
      this.#arrays.set(file.replace('.npy', ''), read(bytes.buffer.slice(start, bytes.byteOffset + bytes.length) as ArrayBuffer));
    }
  }

  /** A column. */
  get(name: string): Numbers {
    const found = this.#arrays.get(name);
    if (found === undefined) throw new Error(`The shard has no column ${name}.`);
    return found;
  }

  texts(name: string): string[] {
    const bytes = Buffer.from(this.get(`${name}_bytes`) as Uint8Array);
    let from = 0;
    return [...this.get(`${name}_end`)].map((end) => bytes.toString('utf8', from, (from = end)));
  }
}

export interface Range { from: number; to: number }

/** The rows of a page in the columns of `name`. */
export function rangeOf(shard: ShardReader, name: string, page: number): Range {
  const ends = shard.get(`page_${name}_end`);
  return { from: page === 0 ? 0 : ends[page - 1]!, to: ends[page]! };
}

export function boxesOf(shard: ShardReader, column: string, { from, to }: Range): { left: number; top: number; right: number; bottom: number }[] {
  const all = shard.get(column);
  return Array.from({ length: to - from }, (_, at) => {
    const [left, top, right, bottom] = all.slice(4 * (from + at), 4 * (from + at) + 4) as unknown as [number, number, number, number];
    return { left, top, right, bottom };
  });
}

/** The picture node of the page's rows of nodes, -1 for none. */
export interface PictureLabel { node: number }

/** A page of the shard; `texts` and `flags` are its `word_text` and `vocabulary.flag`. */
export function readPage(shard: ShardReader, texts: readonly string[], flags: Record<string, number>, page: number): { page: NodePage; words: Range; pictures: PictureLabel[] } {
  const words = rangeOf(shard, 'word', page);
  const [boxes, rulings, fillColors] = [shard.get('word_box'), shard.get('ruling'), shard.get('fill_color')];
  const made: NodeWord[] = [];
  for (let at = words.from; at < words.to; at++) {
    const bits = shard.get('word_flags')[at]!;
    const has = (name: string): boolean => (bits & flags[name]!) !== 0;
    made.push({
      text: texts[at]!, box: { left: boxes[4 * at]!, top: boxes[4 * at + 1]!, right: boxes[4 * at + 2]!, bottom: boxes[4 * at + 3]! }, baseline: shard.get('word_baseline')[at]!,
      size: shard.get('word_size')[at]!, weight: shard.get('word_weight')[at]!, bold: has('bold'), italic: has('italic'), monospace: has('monospace'), symbolic: has('symbolic'), underline: has('underline'),
      strike: has('strike'), link: has('link'), glued: has('glued'), invisible: has('invisible'), color: shard.get('word_color')[at]!, angle: shard.get('word_angle')[at]!, line: shard.get('word_line')[at]!,
    });
  }
  const lines = rangeOf(shard, 'ruling', page);
  const fills = rangeOf(shard, 'fill', page);
  const pictures = (['image', 'drawing'] as const).flatMap((name) => {
    const range = rangeOf(shard, name, page);
    return boxesOf(shard, `${name}_box`, range).map((box, at) => ({ box, node: shard.get(`${name}_node`)[range.from + at]! }));
  });
  const size = shard.get('page_size');
  return {
    page: {
      width: size[2 * page]!, height: size[2 * page + 1]!, words: made,
      rulings: Array.from({ length: lines.to - lines.from }, (_, at) => {
        const [x0, y0, x1, y1, thickness] = rulings.slice(5 * (lines.from + at), 5 * (lines.from + at) + 5) as unknown as [number, number, number, number, number];
        return y0 === y1 ? { orientation: 'horizontal' as const, position: y0, start: x0, end: x1, thickness } : { orientation: 'vertical' as const, position: x0, start: y0, end: y1, thickness };
      }),
      fills: boxesOf(shard, 'fill_box', fills).map((box, at) => ({ box, fill: fillColors[2 * (fills.from + at)]! })),
      pictures: pictures.map(({ box }) => box),
    },
    words,
    pictures: pictures.map(({ node }) => ({ node })),
  };
}
