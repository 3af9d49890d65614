/** Conversion by the relation network's decision, with networks of the test: no word is lost, and a network that fails leaves the page to the rules. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { openPages } from '../../src/convert/input/pages.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { nodeClasses, type NodeClass } from '../../src/convert/relations/classes.js';
import type { RelationFinder } from '../../src/convert/relations/network.js';
import { NetworkScores, outputWidth } from '../../src/convert/relations/scores.js';
import { viewPages } from '../../src/convert/relations/view-pages.js';
import { LecternError } from '../../src/errors.js';
import { quietPorts, readFixtures } from '../support/fixtures.js';

/** All nodes with words are of one class, and no pair is related. */
const finderOf = (cls: NodeClass): RelationFinder => async ({ nodes, neighbours }) => {
  const output = new Float32Array(nodes.length * outputWidth);
  for (const node of nodes.keys()) {
    output[node * outputWidth + nodeClasses.indexOf(cls)] = 9;
    output.fill(-3, node * outputWidth + nodeClasses.length, node * outputWidth + 190);
  }
  return new NetworkScores(output, neighbours);
};

const [fixture] = readFixtures().filter(({ facts }) => facts.password === null);
const pdf = fixture!.pdf;

async function markdownBy(relations: RelationFinder | null): Promise<{ markdown: string; status: string }> {
  const outputDirectory = mkdtempSync(join(tmpdir(), 'lectern-relations-'));
  try {
    const { files, status } = await convertDocument({ inputPath: pdf, filename: 'a.pdf', outputDirectory, failedPages: [], options: { ...defaultConvertOptions, keepFurniture: true } }, { ...quietPorts, relations });
    return { markdown: readFileSync(join(outputDirectory, files.md!), 'utf8'), status };
  } finally {
    rmSync(outputDirectory, { recursive: true, force: true });
  }
}

/** Letters of the text, each with how often it occurs. */
function lettersOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const letter of text.replace(/[^\p{L}\p{N}]/gu, '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}

async function wordsOf(): Promise<string> {
  const source = await openPages('pdf', readFileSync(pdf), null);
  const texts = await Promise.all(Array.from({ length: source.pageCount }, async (_, page) => (await source.readPage(page)).words.map(({ text }) => text).join(' ')));
  source.close();
  return texts.join(' ');
}

t.test('every letter of the file is in the markdown, whatever the network says', async (t) => {
  const all = lettersOf(await wordsOf());
  for (const cls of ['cell', 'heading', 'page-header'] as const) {
    const { markdown, status } = await markdownBy(finderOf(cls));
    t.equal(status, 'success', cls);
    const shown = lettersOf(markdown);
    t.same([...all].filter(([letter, count]) => (shown.get(letter) ?? 0) < count), [], `${cls}: no letter is missing`);
  }
  t.match((await markdownBy(finderOf('heading'))).markdown, /^#/u, 'the decision is what is written');
});

t.test('without memory for the network the rules decide', async (t) => {
  const failing: RelationFinder = async () => { throw new LecternError('out_of_memory', 'The test has none.'); };
  t.equal((await markdownBy(failing)).markdown, (await markdownBy(null)).markdown);
});

t.test('the view has a box for each block, and no markup of the document', async (t) => {
  const source = await openPages('pdf', readFileSync(pdf), null);
  let html = '';
  for await (const piece of viewPages('<a>.pdf', source, [0], finderOf('text'), new AbortController().signal)) html += piece;
  source.close();
  t.match(html, /<h1>&lt;a>.pdf<\/h1>/u);
  t.ok((html.match(/class="block"/gu) ?? []).length > 1);
  t.match(html, /src="data:image\/png;base64,/u);
});
