/** The truth of training pages: structure and grids from the source, and the leaf of each word by the colours of two prints. */
import { existsSync } from 'node:fs';
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import { Columns } from '../../models/training/documents/builder/columns.js';
import { damagePage } from '../../models/training/documents/builder/damage.js';
import { Labeller } from '../../models/training/documents/builder/label-page.js';
import type { LabelledPage } from '../../models/training/documents/builder/label-page.js';
import { choose } from '../../models/training/documents/builder/make-document.js';
import type { Origin } from '../../models/training/documents/builder/programs.js';
import { ChromiumRenderer } from '../../models/training/documents/builder/renderers/chromium.js';
import { randomNumbers } from '../../models/training/documents/builder/random.js';
import { chainOf, leafClass } from '../../models/training/documents/builder/shard.js';
import { parseBody, textOf } from '../../models/training/documents/builder/source-tree.js';
import { colorOf, readTruth } from '../../models/training/documents/builder/truth.js';
import type { Truth } from '../../models/training/documents/builder/truth.js';

const table = `<table><caption>Sales</caption><thead><tr><th rowspan="2">Region</th><th colspan="2">Year</th></tr><tr><th>2023</th><th>2024</th></tr></thead>
<tbody><tr><th scope="row" rowspan="2">North</th><td>11</td><td></td></tr><tr><td>13</td><td>14</td></tr></tbody></table>`;

function truthOf(html: string): { truth: Truth; described: string[] } {
  const body = parseBody(html);
  const truth = readTruth(body);
  const described = [...truth.leafOf].map(([text, leaf]) => `${leafClass(truth.leaves[leaf]!, chainOf(truth, truth.leaves[leaf]!.node))}: ${textOf(text).trim()}`);
  return { truth, described };
}

t.test('cells have the rows, columns, spans and headers of HTML\'s algorithm', async (t) => {
  const { truth } = truthOf(table);
  const cells = truth.nodes.filter(({ kind }) => kind === 'cell').map(({ row, column, rowSpan, columnSpan, header }) => `${row},${column} ${rowSpan}x${columnSpan} ${header}`);
  t.strictSame(cells, ['0,0 2x1 column', '0,1 1x2 column', '1,1 1x1 column', '1,2 1x1 column', '2,0 2x1 row', '2,1 1x1 none', '2,2 1x1 none', '3,1 1x1 none', '3,2 1x1 none']);
  const node = truth.nodes.findIndex(({ kind }) => kind === 'table');
  t.match(truth.nodes[node], { rows: 4, columns: 3 });
  t.equal(truth.nodes.find(({ kind }) => kind === 'caption')!.target, node);
  t.ok(truth.nodes.filter(({ kind, row }) => kind === 'cell' && row < 2).every(({ repeats }) => repeats === 'head'));
});

t.test('a span never leaves its row group', async (t) => {
  const { truth } = truthOf('<table><tbody><tr><td rowspan="9">a</td><td>b</td></tr></tbody><tbody><tr><td>c</td><td>d</td></tr></tbody></table>');
  t.strictSame(truth.nodes.filter(({ kind }) => kind === 'cell').map(({ row, column, rowSpan }) => [row, column, rowSpan]), [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]);
});

t.test('leaves have classes, and the order of the source', async (t) => {
  const { described, truth } = truthOf('<h2>Head</h2><p>One <b>two</b> three</p><ul><li>item<ul><li>inner</li></ul>after</li></ul><div data-kind="key-value"><span data-part="key">Key</span> <span data-part="value">Value</span></div><p data-kind="page-footer">Foot <i>er</i></p>');
  t.strictSame(described, ['heading: Head', 'text: One', 'text: two', 'text: three', 'list-item: item', 'list-item: inner', 'list-item: after', 'key: Key', 'value: Value', 'page-footer: Foot', 'page-footer: er']);
  t.strictSame(truth.nodes.filter(({ kind }) => kind === 'list').map(({ level }) => level), [1, 2]);
});

t.test('colours are distinct', async (t) => {
  const colors = new Set(Array.from({ length: 100_000 }, (_, k) => colorOf(k)));
  t.equal(colors.size, 100_000);
  t.notOk(colors.has(0xffffff) || colors.has(0));
});

t.test('a choice depends on its key alone and keeps to its split', async (t) => {
  const origin = (name: string, split: Origin['split'], more: Partial<Origin> = {}): Origin => ({ program: name, origin: name, licence: '', weight: 1, family: name, for: [], languages: [], split, ...more });
  const sources = [origin('a', 'train'), origin('b', 'test')];
  const styles = [origin('s', 'train', { for: ['z'] }), origin('u', 'train'), origin('v', 'test')];
  for (let k = 0; k < 20; k++) {
    const chosen = choose(sources, styles, 'train', `key ${k}`);
    t.match(chosen, { source: { origin: 'a' }, style: { origin: 'u' } });
    t.strictSame(choose(sources, styles, 'train', `key ${k}`), chosen);
  }
  t.equal(choose(sources, styles, 'dev', 'key'), undefined);
});

t.test('columns are written as NumPy reads them', async (t) => {
  const columns = new Columns();
  columns.add('pair', 'f4', 1, 2);
  columns.addText('text', 'ä');
  t.throws(() => columns.add('pair', 'f4', 1));
  const archive = Buffer.from(columns.npz());
  t.equal(archive.subarray(0, 2).toString(), 'PK');
  for (const name of ['pair.npy', 'text_bytes.npy', 'text_end.npy']) t.ok(archive.includes(name), name);
  t.strictSame(Buffer.from(columns.npz()), archive);
});

const chromium = process.env['LECTERN_CHROMIUM'] ?? '/usr/bin/chromium';

t.test('each word of a print has the leaf of its text', { skip: !existsSync(chromium) && 'Chromium is not installed' }, async (t) => {
  const renderer = new ChromiumRenderer(1);
  t.teardown(() => renderer.close());
  const css = '@page{size:A5;margin:2cm;@top-center{content:"Running " counter(page)}} td,th{border:1px solid} p::first-letter{color:red} thead th{color:white;background:#004} ol{color:#777}';
  const rows = Array.from({ length: 40 }, (_, at) => `<tr><td>row${at}</td><td>${at}</td><td></td></tr>`).join('');
  const body = `<h1>Title</h1><p>First <b>bold</b> end</p><ol><li>alpha</li></ol>${table.replace('<tbody>', `<tbody>${rows}</tbody><tbody>`)}<div style="position:fixed;bottom:0">Fixed</div>`;
  const { plain, colored, truth } = await renderer.print({ origin: 'o', id: 'i', title: 't', language: 'en', body }, { origin: 's', family: 'f', css });
  const documents = [await openPdf(plain), await openPdf(colored)] as const;
  t.teardown(() => documents.forEach((document) => document.close()));
  const labeller = new Labeller(...documents, truth);
  const pages: LabelledPage[] = [];
  for (let index = 0; index < documents[0].pageCount; index++) pages.push(await labeller.label(index) as LabelledPage);
  t.ok(pages.length > 1);
  const classes = (page: LabelledPage): Map<string, string> => new Map(page.words.map(({ word, leaf }) => [word.text, leaf < 0 ? 'unknown' : leafClass(truth.leaves[leaf]!, chainOf(truth, truth.leaves[leaf]!.node))]));
  const [first, last] = [classes(pages[0]!), classes(pages.at(-1)!)];
  t.match(Object.fromEntries(first), { Running: 'page-header', Title: 'heading', bold: 'text', '1.': 'list-marker', alpha: 'list-item', Sales: 'caption', Region: 'column-header', row0: 'cell', Fixed: 'page-header' });
  t.match(Object.fromEntries(last), { Running: 'page-header', Region: 'column-header', 14: 'cell', Fixed: 'page-header' });
  t.ok(pages.some((page) => classes(page).get('North') === 'row-header'));
  for (const page of pages) t.ok(page.words.every(({ leaf, mixed }) => leaf >= 0 && !mixed));
  const empty = truth.nodes.findIndex(({ kind, row, column }) => kind === 'cell' && row === 2 && column === 2);
  t.ok(pages[0]!.outlines.some(({ node }) => node === empty), 'an empty cell has its box');

  const random = randomNumbers(1);
  const noDrawing = (): never => {
    throw new Error('not drawn');
  };
  const letters = (page: LabelledPage): string => page.words.map(({ word }) => word.text).join('');
  const whole = new Set(pages[0]!.words.map(({ word }) => word.text));
  let cut = 0;
  for (let round = 0; round < 20; round++) {
    const spaced = await damagePage(pages[0]!, 'spaces', random, noDrawing) as LabelledPage;
    t.equal(letters(spaced), letters(pages[0]!));
    cut += spaced.words.filter(({ word }) => !whole.has(word.text)).length;
  }
  t.ok(cut > 20);
  const bare = await damagePage(pages[0]!, 'fonts', random, noDrawing) as LabelledPage;
  t.ok(bare.words.every(({ word }) => !word.font.bold && /^F\d+$/u.test(word.font.name)));
});
