/**
 * What the decoder loses by itself: `node --import tsx oracle.ts OUT [--flips SHARE] SHARD...` decodes the pages of shards from scores that are made of their truth, and
 * writes OUT/truth and OUT/answer, a markdown file a page, for a program that scores folders. With --flips that share of the pairs has the contrary score.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { decidePage } from '../../../../src/convert/relations/decide-page.js';
import { pagesAsMarkdown } from './page-markdown.js';
import { shardPage, shardTables } from './shard-page.js';
import type { ShardPage } from './shard-page.js';
import { ShardReader } from './shard-reader.js';
import { truthPage } from './truth-blocks.js';
import { nodeTruths, TruthScores } from './truth-scores.js';

const { signal } = new AbortController();

async function decoded(page: ShardPage, flips: number, seed: string): Promise<string> {
  const { content } = page;
  const { nodes, lineOf, blocks } = await decidePage(content, async (made) => new TruthScores(page, nodeTruths(page, made), Int32Array.from(made.neighbours), flips, seed), signal);
  return pagesAsMarkdown([{ pageIndex: content.pageIndex, width: content.width, height: content.height, links: content.links, nodes, lineOf, blocks }], true);
}

const { values, positionals: [out, ...shards] } = parseArgs({ allowPositionals: true, options: { flips: { type: 'string', default: '0' } } });
if (out === undefined || shards.length === 0) throw new Error('usage: oracle.ts OUT [--flips SHARE] SHARD...');
for (const folder of ['truth', 'answer']) mkdirSync(join(out, folder), { recursive: true });
let count = 0;
for (const path of shards) {
  const shard = new ShardReader(path);
  const tables = shardTables(shard);
  for (let index = 0; index < shard.get('page_document').length; index++, count++) {
    const page = shardPage(shard, tables, index);
    const name = `${basename(path, '.npz')}-${String(index).padStart(4, '0')}.md`;
    writeFileSync(join(out, 'truth', name), pagesAsMarkdown([truthPage(page)], true));
    writeFileSync(join(out, 'answer', name), await decoded(page, Number(values.flips), name));
  }
}
console.log(`${count} pages`);
