/** Books, manuals, editions, patents and other XML; flat OpenDocument; JSON and YAML: found by their contents, and every word of generated ones once. */
import t from 'tap';
import { detectFormat } from '../../src/convert/input/input-format.js';
import { plainWords } from '../../src/document/document-words.js';
import { pixel } from '../support/golden-office.js';
import { markdownOf, readFormat } from '../support/read-format.js';
import { countedWord, growText } from '../support/word-grammars.js';
import { docBookBody, fictionBookBody, teiBody } from '../support/word-grammars-xml.js';
import type { Grammar } from '../support/word-grammars.js';

const namespace = 'urn:oasis:names:tc:opendocument:xmlns';
const flat = (kind: string, body: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<office:document xmlns:office="${namespace}:office:1.0" xmlns:text="${namespace}:text:1.0" xmlns:table="${namespace}:table:1.0" xmlns:style="${namespace}:style:1.0" xmlns:draw="${namespace}:drawing:1.0" xmlns:fo="${namespace}:xsl-fo-compatible:1.0" office:mimetype="application/vnd.oasis.opendocument.${kind}">`
  + `<office:styles><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:styles><office:master-styles><style:master-page><style:header><text:p>above</text:p></style:header></style:master-page></office:master-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;

t.test('flat OpenDocument', async (t) => {
  const text = flat('text', `<text:h text:outline-level="1">Head</text:h><text:p>plain <text:span text:style-name="B">bold</text:span><draw:frame><draw:image><office:binary-data>${pixel.toString('base64')}</office:binary-data></draw:image></draw:frame></text:p>`);
  const { pictures, document } = await readFormat('odt', text, 'a.fodt');
  t.equal(await markdownOf('odt', text, 'a.fodt'), '## Head\n\nplain **bold**\n\n<!-- image -->');
  t.ok(Buffer.from(pictures[0]?.bytes() ?? []).equals(pixel));
  t.match([...plainWords(document)], ['Head', 'above']);
  const sheet = flat('spreadsheet', '<table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>');
  t.match(await markdownOf('ods', sheet, 'a.fods'), /\| a \| b \|/);
  t.match(await markdownOf('odp', flat('presentation', '<draw:page><draw:frame><draw:text-box><text:p>on a slide</text:p></draw:text-box></draw:frame></draw:page>')), /on a slide/);
  for (const [kind, name] of [['text', 'odt'], ['spreadsheet', 'ods'], ['presentation', 'odp']] as const) t.match(detectFormat(Buffer.from(flat(kind, '')), 'x.xml'), { name });
  await t.rejects(readFormat('odt', '<a/>'), { code: 'invalid_document' });
  await t.rejects(readFormat('odt', sheet), { code: 'invalid_document' });
});

t.test('which XML it is', (t) => {
  for (const [text, name] of [
    ['<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">', 'fb2'], ['<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0">', 'tei'], ['<article xmlns="http://docbook.org/ns/docbook">', 'docbook'],
    ['<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x"><book>', 'docbook'], ['<!DOCTYPE us-patent-grant SYSTEM "x.dtd" [ ]>\n<us-patent-grant lang="EN">', 'xml_uspto'], ['<note/>', 'xml'], ['<article article-type="x">', 'xml_jats'],
  ] as const) t.match(detectFormat(Buffer.from(text), 'x.xml'), { name, supported: true }, text);
  t.end();
});

t.test('books', async (t) => {
  const book = `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><author><first-name>Ann</first-name><last-name>Bell</last-name></author><book-title>The pump</book-title></title-info></description><body><section><title><p>One</p><p>the first</p></title><epigraph><p>Said.</p><text-author>A poet</text-author></epigraph><p>It was <emphasis>cold</emphasis>.<a l:href="#n1" type="note">1</a></p><image l:href="#p"/><poem><stanza><v>line one</v><v>line two</v></stanza></poem></section></body><body name="notes"><section id="n1"><title><p>1</p></title><p>A note.</p></section></body><binary id="p" content-type="image/png">${pixel.toString('base64')}</binary></FictionBook>`;
  t.equal(await markdownOf('fb2', book), '# The pump\n\nAnn Bell\n\n## One the first\n\n> Said.\n>\n> A poet\n\nIt was *cold*.1\n\n<!-- image -->\n\nline one\nline two\n\n## 1\n\nA note.');
  const { pictures } = await readFormat('fb2', book);
  t.ok(Buffer.from(pictures[0]?.bytes() ?? []).equals(pixel));
});

t.test('manuals and editions', async (t) => {
  const manual = '<article xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink"><info><title>Pump</title><author><personname>Ann Bell</personname></author></info><section><title>Parts</title><para>See <link xlink:href="https://a.example">here</link><footnote><para>Or there.</para></footnote> and <emphasis role="bold">wait</emphasis>.</para><itemizedlist><listitem><para>lid</para></listitem><listitem><para>rotor</para></listitem></itemizedlist><table><title>Bars</title><tgroup cols="2"><colspec colname="a"/><colspec colname="b"/><thead><row><entry namest="a" nameend="b">both</entry></row></thead><tbody><row><entry>A</entry><entry>2</entry></row></tbody></tgroup></table><programlisting language="c">int a;</programlisting><note><title>Mind</title><para>Wear gloves.</para></note></section></article>';
  t.equal(await markdownOf('docbook', manual), '# Pump\n\nAnn Bell\n\n## Parts\n\nSee [here](https://a.example) and **wait**.\n\n- lid\n- rotor\n\nBars\n\n| both | both |\n| - | - |\n| A | 2 |\n\n```c\nint a;\n```\n\n**Mind**\n\nWear gloves.\n\nOr there.');
  const edition = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Letters</title><author>Dora Poe</author></titleStmt><publicationStmt><p>not printed</p></publicationStmt></fileDesc></teiHeader><text><body><div><head>First</head><p>Dear <hi rend="italic">friend</hi><note>or foe</note>,</p><lg><l>rain</l><l>mud</l></lg></div></body></text></TEI>';
  t.equal(await markdownOf('tei', edition), '# Letters\n\nDora Poe\n\n## First\n\nDear *friend*,\n\nrain\nmud\n\nor foe');
  const grant = '<us-patent-grant><us-bibliographic-data-grant><publication-reference><document-id><country>US</country><doc-number>123</doc-number></document-id></publication-reference><invention-title>Quiet pump</invention-title><inventors><inventor><addressbook><last-name>Bell</last-name><first-name>Ann</first-name></addressbook></inventor></inventors></us-bibliographic-data-grant><abstract><p>It is quiet.</p></abstract><description><heading level="1">FIELD</heading><p>Pumps, H<sub>2</sub>O.</p></description><claims><claim><claim-text>1. A pump, <claim-text>a lid.</claim-text></claim-text></claim></claims></us-patent-grant>';
  t.equal(await markdownOf('xml_uspto', grant), '# Quiet pump\n\n**Patent:** US 123\n\n**Inventors:** Ann Bell\n\n## Abstract\n\nIt is quiet.\n\n## Description\n\n### FIELD\n\nPumps, H₂O.\n\n## Claims\n\n1. A pump,\n\na lid.');
  const paper = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>On pumps</title></titleStmt><sourceDesc><biblStruct><analytic><author><persName><forename>Ann</forename><surname>Bell</surname></persName></author><author><persName>Bo Maas</persName></author></analytic></biblStruct></sourceDesc></fileDesc><profileDesc><abstract><p>What runs.</p></abstract></profileDesc></teiHeader><text><body><div><head>First</head><p>It runs.</p></div></body></text></TEI>';
  t.equal(await markdownOf('tei', paper), '# On pumps\n\nAnn Bell, Bo Maas\n\n## Abstract\n\nWhat runs.\n\n## First\n\nIt runs.', 'authors of the source, and the abstract');
  for (const [format, text] of [['fb2', '<a/>'], ['tei', '<a/>'], ['docbook', '<a>'], ['xml', 'no']] as const) await t.rejects(readFormat(format, text), { code: 'invalid_document' });
});

t.test('data', async (t) => {
  t.equal(await markdownOf('json', '[{"a": 1, "b": "x"}, {"b": null, "c": true}]'), '| a | b | c |\n| - | - | - |\n| 1 | x |  |\n|  |  | true |');
  t.equal(await markdownOf('json', '{"a": [1]}'), '```json\n{"a": [1]}\n```');
  t.equal(await markdownOf('json', '{"a": 1}\n{"a": 2}\n', 'a.jsonl'), '| a |\n| - |\n| 1 |\n| 2 |');
  t.equal(await markdownOf('json', '{"a": 1}\n{"a": [2]}\n', 'a.ndjson'), '```json\n{"a": 1}\n{"a": [2]}\n```');
  t.equal(await markdownOf('yaml', 'a: 1\nb: [x]\n'), '```yaml\na: 1\nb: [x]\n```');
  t.equal(await markdownOf('xml', '<?xml version="1.0"?>\n<note><to>Bo</to></note>'), '```xml\n<?xml version="1.0"?>\n<note><to>Bo</to></note>\n```');
  t.equal(await markdownOf('xml', '<article><body><p>words</p></body></article>'), 'words');
  const docling = { version: '1.0.0', schema_name: 'DoclingDocument', name: 'x', body: { self_ref: '#/body', children: [{ $ref: '#/texts/0' }], content_layer: 'body', name: '_root_', label: 'unspecified' }, groups: [], texts: [{ self_ref: '#/texts/0', parent: { $ref: '#/body' }, children: [], content_layer: 'body', label: 'text', prov: [], orig: 'words', text: 'words' }], tables: [], pictures: [], pages: {} };
  t.equal(await markdownOf('json', JSON.stringify(docling, null, 2)), 'words', 'the schema need not be named first');
  await t.rejects(readFormat('json', 'no'), { code: 'invalid_document' });
  await t.rejects(readFormat('json', 'no', 'a.jsonl'), { code: 'invalid_document' });
});

const wrapped: [format: string, grammar: Grammar, make: (text: string) => string][] = [
  ['docbook', docBookBody, (text) => `<article xmlns="http://docbook.org/ns/docbook">${text}</article>`],
  ['tei', teiBody, (text) => `<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>${text}</body></text></TEI>`],
  ['fb2', fictionBookBody, (text) => `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body>${text}</body></FictionBook>`],
];
for (const [format, grammar, make] of wrapped) {
  t.test(`${format}: each word once`, async (t) => {
    for (let seed = 1; seed <= (process.env['CI_FULL'] === '1' ? 300 : 12); seed++) {
      const { text, words } = growText(grammar, seed, 60);
      const { document } = await readFormat(format, make(text));
      t.same([...plainWords(document)].join(' ').match(countedWord)?.sort(), [...words].sort(), `seed ${seed}: ${text}`);
    }
  });
}

t.test('JSON that a table would change is shown as it is written; docling JSON within other JSON is JSON', async (t) => {
  for (const text of ['[{"id":12345678901234567890}]', '[{"v":1.10}]', '[{"v":1e3}]']) t.equal(await markdownOf('json', text, 'a.json'), `\`\`\`json\n${text}\n\`\`\``, text);
  t.match(await markdownOf('json', '[{"v":1.5,"w":"1.10"},{"constructor":"x"}]', 'a.json'), /^\|\s+1\.5 \|\s+1\.10?\s*\|\s*\|$/mu);
  t.match(await markdownOf('json', '{"document":{"json_content":{"schema_name":"DoclingDocument"}}}', 'a.json'), /^```json/);
});

t.test('a section of very many paragraphs, and a table within a table', async (t) => {
  const section = (inner: string): string => `<book xmlns="http://docbook.org/ns/docbook"><section><title>T</title>${inner}</section></book>`;
  t.equal((await markdownOf('docbook', section('<para>a</para>'.repeat(150_000)), 'a.xml')).split('\na').length, 150_001);
  t.match(await markdownOf('docbook', section('<informaltable><tgroup cols="2"><tbody><row><entry>one</entry><entrytbl cols="1"><tbody><row><entry>NESTED</entry></row></tbody></entrytbl></row></tbody></tgroup></informaltable>'), 'a.xml'), /NESTED/);
});

t.test('a long word where attributes stand costs no square of its length', async (t) => {
  const began = performance.now();
  await readFormat('xml', `<a ${'a'.repeat(300_000)} b="c">text</a>`, 'a.xml').catch(() => null);
  t.ok(performance.now() - began < 10_000);
});
