// DoclingDocument in the versions of older readers: nothing that they do not know, no nulls, and the tree as it was.
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { currentMinor, oldestMinor } from '../../src/document/json-version.js';
import { writeJson } from '../../src/document/json.js';
import { readDocument } from '../../src/document/read-document.js';
import type { DoclingDocument } from '../../src/document/model.js';
import { makeDocument } from '../support/made-document.js';

type Json = Record<string, never> & { [name: string]: unknown };

const written = (document: DoclingDocument, minorVersion?: number): string => [...writeJson(document, minorVersion === undefined ? {} : { minorVersion })].join('');
const parsed = (document: DoclingDocument, minorVersion: number): Json => JSON.parse(written(document, minorVersion)) as Json;

function* objectsOf(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsOf(inner);
}

/** With everything that a version added since 1.5. */
function rich(): DoclingDocument {
  const builder = new DocumentBuilder({ name: 'rich', origin: { mimetype: 'application/pdf', filename: 'a.pdf', sha256: 'f'.repeat(64) } });
  builder.addPage(1, { width: 100, height: 100 });
  const text = builder.addText('text', 'words');
  text.meta = { language: 'en', summary: { text: 's' }, topics: ['x'] };
  text.comments = [{ $ref: '#/groups/0' }];
  text.source = [{ kind: 'track' }];
  builder.addCode('{}', { language: 'JSON' });
  builder.addCode('x', { language: 'Python' });
  const picture = builder.addPicture({});
  picture.meta = { classification: { predictions: [{ class_name: 'photograph' }, { class_name: 'pie_chart' }] } };
  picture.annotations = [{ kind: 'classification', predicted_classes: [{ class_name: 'geographical_map', confidence: null }] }];
  const table = builder.addTable(1, 2, [{ row: 0, column: 0, text: 'a' }, { row: 0, column: 1, text: '' }]);
  table.data.orientation = 'rot_90';
  table.data.table_cells[1]!.ref = { $ref: builder.addText('text', 'inside', { parent: table }).self_ref };
  const { document } = builder;
  const node = (index: number, label: string, parent: string, more: object): object => ({ self_ref: `#/texts/${index}`, parent: { $ref: parent }, children: [], label, orig: label, text: label, prov: [], ...more });
  const base = JSON.parse(written(document)) as { body: { children: object[] }; texts: object[] };
  const at = base.texts.length;
  base.texts.push(node(at, 'field_heading', '#/field_regions/0', { level: 2 }), node(at + 1, 'field_key', '#/field_items/0', {}), node(at + 2, 'field_value', '#/field_items/0', { kind: 'fillable' }), node(at + 3, 'handwritten_text', '#/body', {}));
  base.body.children.push({ $ref: '#/field_regions/0' }, { $ref: `#/texts/${at + 3}` });
  return readDocument(JSON.stringify({
    ...base,
    field_regions: [{ self_ref: '#/field_regions/0', parent: { $ref: '#/body' }, children: [{ $ref: `#/texts/${at}` }, { $ref: '#/field_items/0' }], label: 'field_region', prov: [] }],
    field_items: [{ self_ref: '#/field_items/0', parent: { $ref: '#/field_regions/0' }, children: [{ $ref: `#/texts/${at + 1}` }, { $ref: `#/texts/${at + 2}` }], label: 'field_item', prov: [] }],
  }));
}

t.test('what each version does not know is gone', (t) => {
  const document = rich();
  const names = (minor: number): Set<string> => new Set([...objectsOf(parsed(document, minor))].flatMap((object) => Object.keys(object)));
  const gone: [number, string[]][] = [[9, ['field_regions', 'field_items', 'orientation', 'language', 'topics', 'kind_of_field']], [8, ['comments', 'source']], [7, ['meta', 'summary']], [6, ['fillable']], [5, ['ref']]];
  for (let minor = currentMinor - 1; minor >= oldestMinor; minor--) {
    const has = names(minor);
    for (const [since, lost] of gone) for (const name of lost) if (since >= minor) t.notOk(has.has(name), `1.${minor} has no ${name}`);
    for (const [since, lost] of gone) for (const name of lost) if (since < minor && name !== 'kind_of_field') t.ok(has.has(name), `1.${minor} has ${name}`);
    t.equal(parsed(document, minor)['version'], `1.${minor}.0`);
    t.notOk(written(document, minor).includes('null'), 'neither nulls nor what is not set');
  }
  const nine = parsed(document, 9) as unknown as { texts: { label: string; kind?: string; level?: number; code_language?: string }[]; pictures: object[]; groups: { label: string }[] };
  t.notOk(nine.texts.some(({ label }) => label.startsWith('field_') || label === 'handwritten_text'));
  t.match(nine.texts.slice(-4), [{ label: 'text', text: 'field_heading' }, {}, { label: 'text', text: 'field_value' }, { label: 'text' }]);
  t.notOk(nine.texts.slice(-4).some(({ kind, level }) => kind !== undefined || level !== undefined));
  t.strictSame(nine.texts.map(({ code_language: language }) => language).filter((language) => language !== undefined), ['unknown', 'Python']);
  t.match(nine.pictures[0], { meta: { classification: { predictions: [{ class_name: 'other' }, { class_name: 'pie_chart' }] } }, annotations: [{ predicted_classes: [{ class_name: 'other' }] }] });
  t.end();
});

t.test('the tree holds together: fields of forms are groups', (t) => {
  for (let minor = oldestMinor; minor < currentMinor; minor++) {
    const again = readDocument(written(rich(), minor));
    t.equal(again.field_regions.length, 0);
    const region = again.groups.at(-2);
    t.match(region, { label: 'form_area', parent: { $ref: '#/body' }, children: [{}, { $ref: `#/groups/${again.groups.length - 1}` }] });
    t.strictSame(again.texts.map(({ text }) => text), rich().texts.map(({ text }) => text), 'no text is lost');
  }
  for (let seed = 1; seed <= 20; seed++) {
    const { document } = makeDocument(seed, 20);
    const again = readDocument(written(document, 5));
    t.strictSame(again.texts.map(({ text, label }) => [text, label]), document.texts.map(({ text, label }) => [text, label]), `seed ${seed}`);
  }
  t.end();
});

t.test('today\'s version and later ones change nothing', (t) => {
  const document = rich();
  t.equal(written(document, currentMinor), written(document));
  t.equal(written(document, 99), written(document));
  t.end();
});
