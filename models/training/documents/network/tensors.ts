/**
 * Makes the network's training tensors of shards: `node --import tsx tensors.ts OUT SHARD...` writes OUT/NAME.npz for each. The columns, a row a node unless
 * said otherwise: `features`, `geometry`, `text` (nodes.ts), `neighbours` (neighbours.ts), `class` (index in `vocabulary.classes`), `block` (its innermost structure node, by index on the page,
 * or -1), `table` (of a cell, by index, or -1), `cell` (row, column, row span, column span, header kind), `order` (rank on the page), `level`, `target` (the structure
 * node that a caption belongs to), `anchor` (the innermost node around it that a caption of the page belongs to), `purity` (share of its characters that belong to its block), and `page_end` (rows up to
 * the end of each page), `page_document`. A file that is there is not made again. With `--repaint SHARE`, that share of the pages has its words in another painting order (paint-order.ts).
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Columns } from '../builder/columns.js';
import { nodeKinds } from '../builder/kinds.js';
import { hash } from '../builder/random.js';
import { nodeClasses as classes } from '../../../../src/convert/relations/classes.js';
import { NEIGHBOURS } from '../../../../src/convert/relations/neighbours.js';
import { FEATURES, GEOMETRY, pageNodes, TEXT } from '../../../../src/convert/relations/nodes.js';
import { paintOrder } from './paint-order.js';
import { rangeOf, readPage, ShardReader } from './shard-reader.js';

/** Pages with more nodes are left out: the longest would fix the memory of a batch. */
const MOST_NODES = 1200;

/** What most characters of a node say. */
function majority(words: readonly number[], weight: (word: number) => number, value: (word: number) => number): { value: number; share: number } {
  const votes = new Map<number, number>();
  let total = 0;
  for (const word of words) {
    votes.set(value(word), (votes.get(value(word)) ?? 0) + weight(word));
    total += weight(word);
  }
  const [best, most] = [...votes].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { value: best, share: most / Math.max(1, total) };
}

function addPage(shard: ShardReader, texts: readonly string[], flags: Record<string, number>, index: number, repaint: string | null, out: Columns): boolean {
  const { page: read, words, pictures } = readPage(shard, texts, flags, index);
  const painted = repaint === null ? [...read.words.keys()] : paintOrder(read, repaint);
  const page = { ...read, words: painted.map((word) => read.words[word]!) };
  const made = pageNodes(page);
  if (made.nodes.length === 0 || made.nodes.length > MOST_NODES) return false;
  const structure = rangeOf(shard, 'node', index);
  const kinds = shard.get('node_kind');
  const parents = shard.get('node_parent');
  const cells = shard.get('node_cell');
  const tableOf = (node: number): number => {
    let at = node;
    while (at >= 0 && nodeKinds[kinds[structure.from + at]!] !== 'table') at = parents[structure.from + at]!;
    return at;
  };
  const targets = new Set(shard.get('node_target').subarray(structure.from, structure.to));
  const anchorOf = (node: number): number => {
    let at = node;
    while (at >= 0 && !targets.has(at)) at = parents[structure.from + at]!;
    return at;
  };
  for (const [at, node] of made.nodes.entries()) {
    const own = node.words.map((word) => painted[word]! + words.from);
    out.add('features', 'f4', ...made.features.subarray(at * FEATURES, (at + 1) * FEATURES));
    out.add('geometry', 'f4', ...made.geometry.subarray(at * GEOMETRY, (at + 1) * GEOMETRY));
    out.add('text', 'i2', ...made.text.subarray(at * TEXT, (at + 1) * TEXT));
    out.add('neighbours', 'i2', ...made.neighbours.subarray(at * NEIGHBOURS, (at + 1) * NEIGHBOURS));
    const weight = (word: number): number => Math.max(1, texts[word]!.length);
    const block = own.length === 0 ? { value: pictures[page.pictures.findIndex(({ left, top, right, bottom }) => left === node.box.left && top === node.box.top && right === node.box.right && bottom === node.box.bottom)]?.node ?? -1, share: 1 }
      : majority(own, weight, (word) => shard.get('word_node')[word]!);
    const cls = own.length === 0 ? classes.indexOf(block.value >= 0 ? 'picture' : 'decoration') : majority(own, weight, (word) => shard.get('word_class')[word]!).value;
    const inCell = own.length === 0 ? { value: -1, share: 1 } : majority(own, weight, (word) => shard.get('word_cell')[word]!);
    const cell = inCell.value;
    const row = structure.from + cell;
    out.add('class', 'u1', cls);
    out.add('block', 'i4', cell >= 0 ? cell : block.value);
    out.add('table', 'i4', cell >= 0 ? tableOf(cell) : -1);
    if (cell >= 0) out.add('cell', 'i4', cells[4 * row]!, cells[4 * row + 1]!, cells[4 * row + 2]!, cells[4 * row + 3]!, shard.get('node_header')[row]!);
    else out.add('cell', 'i4', -1, -1, 0, 0, 0);
    out.add('order', 'i4', own.length === 0 ? -1 : Math.min(...own.map((word) => shard.get('word_order')[word]!)));
    out.add('level', 'u1', block.value < 0 ? 0 : shard.get('node_level')[structure.from + block.value]!);
    const target = block.value < 0 ? -1 : shard.get('node_target')[structure.from + block.value]!;
    out.add('target', 'i4', target);
    out.add('anchor', 'i4', target >= 0 ? -1 : anchorOf(cell >= 0 ? cell : block.value));
    out.add('purity', 'f4', cell >= 0 ? inCell.share : block.share);
    out.add('label_flags', 'u1', own.reduce((bits, word) => bits | shard.get('word_label_flags')[word]!, 0));
  }
  out.add('page_end', 'u4', out.rows('class'));
  out.add('page_document', 'i4', shard.get('page_document')[index]!);
  return true;
}

function convert(path: string, directory: string, repainted: number): void {
  const target = join(directory, basename(path));
  if (existsSync(target)) return;
  const shard = new ShardReader(path);
  const texts = shard.texts('word_text');
  const [vocabulary] = shard.texts('vocabulary').map((text) => JSON.parse(text) as { flag: Record<string, number> });
  const out = new Columns();
  const pages = shard.get('page_document').length;
  let dropped = 0;
  for (let page = 0; page < pages; page++) {
    const name = `${basename(path)} ${page}`;
    if (!addPage(shard, texts, vocabulary!.flag, page, hash(name) / 2 ** 32 < repainted ? name : null, out)) dropped++;
  }
  out.addText('documents', shard.texts('documents')[0]!);
  out.addText('vocabulary', JSON.stringify({ classes }));
  writeFileSync(`${target}.part`, out.npz());
  renameSync(`${target}.part`, target);
  console.log(`${target}: ${pages - dropped} pages, ${out.rows('class')} nodes, ${dropped} pages without nodes or with more than ${MOST_NODES}`);
}

const { values, positionals: [directory, ...shards] } = parseArgs({ allowPositionals: true, options: { repaint: { type: 'string', default: '0' } } });
if (directory === undefined || shards.length === 0) throw new Error('usage: tensors.ts OUT [--repaint SHARE] SHARD...');
mkdirSync(directory, { recursive: true });
for (const shard of shards) convert(shard, directory, Number(values.repaint));
