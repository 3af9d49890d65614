/** Documents from seeds: what is written reads back to the same bytes, no word is lost or doubled, the schema accepts all. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeDocTags } from '../../src/document/doctags.js';
import { writeHtml } from '../../src/document/html.js';
import { writeJson } from '../../src/document/json.js';
import { writeMarkdown, writeMarkdownPages } from '../../src/document/markdown.js';
import { readDocument } from '../../src/document/read-document.js';
import { plainWords } from '../../src/document/document-words.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { makeDocument } from '../support/made-document.js';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const text = (chunks: Iterable<string>): string => [...chunks].join('');

t.test('write, read, write gives the same bytes, in every format', (t) => {
  for (const seed of seeds) {
    const { document } = makeDocument(seed, 25);
    const json = text(writeJson(document));
    const again = readDocument(json);
    t.equal(text(writeJson(again)), json, `json of seed ${seed}`);
    t.equal(text(writeMarkdown(again, { pageBreakPlaceholder: '<p {page}>' })), text(writeMarkdown(document, { pageBreakPlaceholder: '<p {page}>' })), `markdown of seed ${seed}`);
    t.equal(text(writeHtml(again)), text(writeHtml(document)), `html of seed ${seed}`);
    t.equal(text(writeDocTags(again)), text(writeDocTags(document)), `doctags of seed ${seed}`);
  }
  t.end();
});

t.test('every word stands in the document exactly once', (t) => {
  for (const seed of seeds) {
    const { document, words } = makeDocument(seed, 25);
    t.strictSame([...plainWords(document)].sort(), [...words].sort(), `seed ${seed}`);
  }
  t.end();
});

t.test('a rich cell counts by what it points to, a spanning one once, glued runs as one word', (t) => {
  const builder = new DocumentBuilder({ name: 'words' });
  const table = builder.addTable(2, 2, [{ row: 0, column: 0, columnSpan: 2, text: 'wide cell' }, { row: 1, column: 0, text: 'rich text' }]);
  const runs = builder.addInlineGroup({ parent: table });
  builder.addText('text', 'rich', { parent: runs });
  builder.addText('text', 'te', { parent: runs });
  builder.addText('text', 'xt', { parent: runs, glued: true });
  table.data.table_cells[1]!.ref = { $ref: runs.self_ref };
  t.strictSame([...plainWords(builder.document)].sort(), ['cell', 'rich', 'text', 'wide']);
  t.end();
});

t.test('markdown shows every word of body and furniture but those inside pictures', (t) => {
  for (const seed of seeds) {
    const { document } = makeDocument(seed, 25);
    const inPictures = new Set(document.pictures.flatMap((picture) => picture.children.map((ref) => ref.$ref))
      .filter((ref) => !document.pictures.some((picture) => picture.captions.some((caption) => caption.$ref === ref))));
    const markdown = text(writeMarkdown(document, { keepFurniture: true }));
    const shown = new Set(markdown.match(/w\d+/g) ?? []);
    const missing: string[] = [];
    for (const item of document.texts) {
      if (inPictures.has(item.self_ref)) continue;
      for (const word of item.text.match(/w\d+/g) ?? []) if (!shown.has(word)) missing.push(`${word} of ${item.self_ref}`);
    }
    for (const table of document.tables) {
      for (const cell of table.data.table_cells) {
        for (const word of cell.text.match(/w\d+/g) ?? []) if (!shown.has(word)) missing.push(`${word} of ${table.self_ref}`);
      }
    }
    t.strictSame(missing, [], `seed ${seed}`);
    t.notMatch(markdown, /\n\n\n\n|\n$/, `no gap is doubled and nothing trails, seed ${seed}`);
  }
  t.end();
});

t.test('pages of markdown put together are the whole', (t) => {
  for (const seed of seeds) {
    const { document } = makeDocument(seed, 25);
    const pages = [...writeMarkdownPages(document)];
    t.strictSame(pages.map((page) => page.pageNumber), [1, 2, 3, 4, 5, 6]);
    const whole = text(writeMarkdown(document));
    t.equal(pages.map((page) => page.markdown).join('').replace(/\s+/g, ''), whole.replace(/\s+/g, ''), `seed ${seed}`);
  }
  t.end();
});

function contractSchema(): object | null {
  try {
    // The schema's pattern for versions names its groups as Python does.
    const schema = readFileSync(join(packageRoot(), '../shared/contracts/DoclingDocument.schema.json'), 'utf8');
    return JSON.parse(schema.replaceAll('(?P<', '(?<')) as object;
  } catch {
    return null;
  }
}

const schema = contractSchema();
const absent = '../shared/contracts/DoclingDocument.schema.json is not beside the checkout';

t.test('the contract\'s schema accepts every document', { skip: schema === null && absent }, (t) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema ?? {});
  for (const seed of seeds) {
    const valid = validate(JSON.parse(text(writeJson(makeDocument(seed, 25).document))));
    t.ok(valid, `seed ${seed}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
  }
  t.notOk(validate({ name: 'x', texts: [{ self_ref: '#/texts/0', label: 'text' }] }), 'and it does refuse');
  t.end();
});
