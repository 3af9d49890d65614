/** What all formats stand on: archives within bounds, XML without entities, formats known by their contents, runs, lists. */
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { Archive, type ArchiveLimits } from '../../src/formats/archive.js';
import { sniffFormat } from '../../src/formats/index.js';
import { InlineText, addParagraph } from '../../src/formats/inline-runs.js';
import { XmlReader, parseXml } from '../../src/formats/xml.js';
import { makeArchive, makeDocx, makeOdf, makePptx, makeXlsx } from '../support/office-files.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const limits: ArchiveLimits = { entryBytes: 10_000, totalBytes: 15_000, ratio: 20, ratioFloorBytes: 2_000 };

t.test('archives: entries by name in any case, stored and deflated, bytes before them', (t) => {
  const packed = makeArchive({ 'A/One.xml': 'first', 'b\\two.xml': 'second' });
  const archive = new Archive(Buffer.concat([Buffer.from('rubbish before'), packed, Buffer.alloc(0)]));
  t.same(archive.names(), ['A/One.xml', 'b/two.xml']);
  t.equal(Buffer.from(archive.read('a/one.XML')).toString(), 'first');
  t.equal(Buffer.from(archive.read('/b/two.xml')).toString(), 'second');
  t.equal(archive.find('three'), null);
  t.throws(() => archive.read('three'), { code: 'invalid_document', message: /three is missing/ });
  t.equal(Buffer.from(new Archive(makeArchive({ a: 'stored' }, 0)).read('a')).toString(), 'stored');
  t.end();
});

t.test('archives: bombs are refused by entry, by ratio and in total, whatever sizes they state', (t) => {
  const random = Uint8Array.from({ length: 9_000 }, (_, index) => (index * 7919 + (index >> 3) * 104_729) & 255);
  t.throws(() => new Archive(makeArchive({ a: new Uint8Array(12_000) }, 0), limits).read('a'), { code: 'too_large' }, 'an entry, stored');
  t.throws(() => new Archive(makeArchive({ a: '0'.repeat(9_000) }), limits).read('a'), { code: 'too_large' }, 'a ratio');
  t.equal(new Archive(makeArchive({ a: '0'.repeat(1_900) }), limits).read('a').length, 1_900, 'small entries may be packed as well as they can');
  const two = new Archive(makeArchive({ a: random, b: random }, 0), limits);
  t.equal(two.read('a').length, 9_000);
  t.equal(two.read('a').length, 9_000, 'the same entry again counts once');
  t.throws(() => two.read('b'), { code: 'too_large' }, 'the total');
  const lying = Buffer.from(makeArchive({ a: '0'.repeat(9_000) }));
  lying.writeUInt32LE(10, lying.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24);
  t.throws(() => new Archive(lying, limits).read('a'), { code: 'too_large' }, 'a stated size that is a lie');
  t.end();
});

t.test('archives: a real bomb costs no more memory than an entry may have', (t) => {
  const bomb = makeArchive({ a: new Uint8Array(20 * 1024 * 1024) });
  t.ok(bomb.length < 100_000);
  const before = process.memoryUsage().rss;
  t.throws(() => new Archive(bomb).read('a'), { code: 'too_large' });
  t.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
  t.end();
});

t.test('archives: every cut and every broken byte is an error of the document', (t) => {
  const whole = makeArchive({ 'a.xml': '<a>text</a>', 'b.xml': 'x'.repeat(300) });
  let refused = 0;
  for (let length = 0; length < whole.length; length++) {
    try {
      new Archive(whole.subarray(0, length));
    } catch (error) {
      refused++;
      if ((error as { code?: string }).code !== 'invalid_document') t.fail(`cut at ${length}: ${String(error)}`);
    }
  }
  t.equal(refused, whole.length);
  for (let at = 0; at < whole.length; at++) {
    for (const flip of [0xff, 0x01, 0x80]) {
      const broken = whole.slice();
      broken[at] = (broken[at] ?? 0) ^ flip;
      try {
        const archive = new Archive(broken);
        for (const name of archive.names()) archive.read(name);
      } catch (error) {
        if (!['invalid_document', 'too_large', 'password_required'].includes((error as { code?: string }).code ?? '')) t.fail(`byte ${at} ^ ${flip}: ${String(error)}`);
      }
    }
  }
  t.end();
});

t.test('XML: names by namespace, attributes, text, character data, references', (t) => {
  const tree = parseXml('<?xml version="1.0"?><!-- c --><q:a xmlns:q="urn:one" xmlns="urn:two" q:x=\'1 &gt; 0\' y="a&#10;b"><b>x &amp; <![CDATA[<raw>]]>&#x20AC;&nbsp;</b><c/>tail</q:a>', { namespaces: { 'urn:one': 'n', 'urn:two': '' }, entities: { nbsp: '\u00a0' } });
  t.equal(tree.name, 'n:a');
  t.same([...tree.attributes].filter(([name]) => !name.startsWith('xmlns')), [['n:x', '1 > 0'], ['y', 'a\nb']]);
  t.equal(tree.child('b')?.text, 'x & <raw>\u20ac\u00a0');
  t.equal(tree.text, 'x & <raw>\u20ac\u00a0tail');
  t.same([...tree.elements()].map(({ name }) => name), ['b', 'c']);
  t.equal(parseXml('<a>&unknown;&constructor;&#xD800;&#1114112;</a>').text, '&unknown;&constructor;\ufffd\ufffd');
  t.equal(parseXml(Buffer.from('\ufeff<a>\u00e9</a>', 'utf16le')).text, '\u00e9');
  t.equal(parseXml(bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>')).text, '\u00e9');
  t.end();
});

t.test('XML: entities of the document are not expanded, nothing outside is searched for', (t) => {
  const laughs = `<!DOCTYPE a [<!ENTITY x "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY x${index} "${`&x${index === 0 ? '' : index - 1};`.repeat(10)}">`).join('')}<!ENTITY f SYSTEM "file:///etc/passwd">]>`;
  t.equal(parseXml(`${laughs}<a>&x8;&f;</a>`).text, '&x8;&f;');
  t.end();
});

t.test('XML: what is not well-formed, and what is too deep, is refused', (t) => {
  for (const text of ['', 'words', '<a>', '<a></b>', '<a', '<a b="c>', '<a><!-- ', '<a><![CDATA[', '<!DOCTYPE a [', '<a></a', '< a/>', '<a><b></a></b>', '<?xml']) {
    t.throws(() => parseXml(text), { code: 'invalid_document' }, text);
  }
  t.throws(() => parseXml('<a>'.repeat(10_000)), { code: 'invalid_document', message: /nested deeper/ });
  t.equal(parseXml(`${'<a>'.repeat(1_000)}x${'</a>'.repeat(1_000)}`).text, 'x');
  t.end();
});

t.test('XML: the cursor goes from child to child, skips, and takes an element whole', (t) => {
  const xml = new XmlReader('<r><a><x/></a> <b>1</b><c/><d k="v"/></r>');
  xml.next();
  const depth = xml.depth;
  const seen: string[] = [];
  while (xml.nextChild(depth)) {
    seen.push(xml.name);
    if (xml.name === 'a') xml.skip();
    else if (xml.name === 'b') t.equal(xml.element().text, '1');
    else if (xml.name === 'd') t.equal(xml.attribute('k'), 'v');
  }
  t.same(seen, ['a', 'b', 'c', 'd']);
  t.end();
});

t.test('formats are known by what is in the file', (t) => {
  t.equal(sniffFormat(makeDocx({ body: '' })), 'docx');
  t.equal(sniffFormat(makePptx({ slides: [] })), 'pptx');
  t.equal(sniffFormat(makeXlsx({ sheets: [] })), 'xlsx');
  for (const [kind, name] of [['text', 'odt'], ['spreadsheet', 'ods'], ['presentation', 'odp']] as const) t.equal(sniffFormat(makeOdf(kind, { body: '' })), name);
  t.equal(sniffFormat(makeArchive({ mimetype: 'application/epub+zip', a: 'b' })), 'epub');
  t.equal(sniffFormat(makeArchive({ 'a.txt': 'words' })), null);
  t.equal(sniffFormat(makeDocx({ body: '' }).subarray(0, 200)), null, 'cut short: the name has to say');
  t.equal(sniffFormat(bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')), null);
  t.end();
});

t.test('runs: neighbours that look alike are one, spaces have no look, what touches is glued', (t) => {
  const text = new InlineText();
  text.add(' one ', { formatting: { bold: true } });
  text.add(' ', { formatting: { italic: true } });
  text.add('two', { formatting: { bold: true, italic: false } });
  text.add('three');
  text.add('  ');
  text.addFormula('x');
  text.add('.');
  t.match(text.runs(), [
    { text: 'one  two', formatting: { bold: true }, glued: false }, { text: 'three', glued: true }, { kind: 'formula', text: 'x', glued: false }, { text: '.', glued: true },
  ]);
  t.equal(text.plain, 'one  twothree  $x$.');
  const builder = new DocumentBuilder({ name: 'a' });
  t.equal(addParagraph(builder, []), null);
  addParagraph(builder, text.runs(), { label: 'footnote' });
  t.match(builder.document.texts[0], { label: 'footnote', text: '', children: [{ $ref: '#/groups/0' }] });
  t.end();
});
