/** Formats that few programs write: binary workbooks, Apple's documents, manual pages, DocTags, notes, subtitles; and those that a program of the system reads. */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import tap from 'tap';
import { readTextLayer } from '../../src/convert/input/djvu-pages.js';
import { detectFormat, imageType } from '../../src/convert/input/input-format.js';
import { openPages } from '../../src/convert/input/pages.js';
import { plainWords } from '../../src/document/document-words.js';
import type { DoclingDocument } from '../../src/document/model.js';
import { writeDocTags } from '../../src/document/doctags.js';
import { readDocument } from '../../src/document/read-document.js';
import { findReader } from '../../src/formats/external.js';
import { unpackSnappy } from '../../src/formats/iwork/iwa-archive.js';
import { decimal } from '../../src/formats/iwork/iwork-table.js';
import { pandocReader } from '../../src/formats/pandoc-readers.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { goldenPages, makeXlsb } from '../support/binary-office.js';
import { makeArchive } from '../support/office-files.js';
import { markdownOf, readFormat } from '../support/read-format.js';

const refuses = (t: { rejects: typeof tap.rejects }, format: string, source: string | Uint8Array, message: RegExp): Promise<unknown> => t.rejects(readFormat(format, source), { code: 'invalid_document', message });

tap.test('XLSB: known by its parts; a sheet that is cut off is refused by its name', async (t) => {
  const made = makeXlsb([{ name: 'A', rows: [['x_x0041_\u0001', { shared: 0 }], [1e-7, 123456789012]] }], ['shared']);
  t.equal(detectFormat(made, 'book.zip').name, 'xlsb');
  const markdown = await markdownOf('xlsb', made);
  t.match(markdown, /\| x_x0041_\S? \| shared \|/, 'text that looks like an escape is kept');
  t.match(markdown, /\| 1E-0?7 \| 1\.23457E\+11 \|/i);
  const parts = unzipSync(made);
  const sheet = parts['xl/worksheets/sheet1.bin'] as Uint8Array;
  for (const end of [sheet.length - 2, sheet.length - 20]) await refuses(t, 'xlsb', makeArchive({ ...parts, 'xl/worksheets/sheet1.bin': sheet.subarray(0, end) }), /^The sheet "A" is damaged/);
  await refuses(t, 'xlsb', 'no archive', /not a/);
  await refuses(t, 'xlsb', makeArchive({ a: 'b' }), /not a XLSB/);
});

tap.test('Pages, Numbers, Keynote: decimals, snappy, and what is no such file', async (t) => {
  const number = (significand: bigint, exponent: number): Uint8Array => {
    const bytes = new Uint8Array(16);
    for (let at = 0; at < 14; at++) bytes[at] = Number((significand >> BigInt(8 * at)) & 255n);
    const biased = exponent + 0x1820;
    [bytes[14], bytes[15]] = [(biased & 0x7f) << 1, biased >> 7];
    return bytes;
  };
  t.same([[450n, -1], [7n, 3], [0n, 0], [34694656999999996n, -9], [5n, -3]].map(([value, exponent]) => decimal(number(value as bigint, Number(exponent)))), ['45', '7000', '0', '34694657', '0.005']);
  t.same(Buffer.from(unpackSnappy(Buffer.from([10, 4, 97, 98, (4 << 2) | 1, 2]))).toString(), 'ababababab', 'a copy may reach into what it writes');
  for (const bytes of [[10, 1, 5], [4, 0], [200, 200, 200, 200, 1, 0], [3, 9, 1, 2]]) t.throws(() => unpackSnappy(Uint8Array.from(bytes)), { code: 'invalid_document' });
  await refuses(t, 'iwork_pages', 'no archive', /no document of Pages/);
  await refuses(t, 'iwork_keynote', makeArchive({ 'index.apxl': '<x/>' }), /save it as PDF/);
  const { losses } = await readFormat('iwork_pages', makeArchive({ 'Index/Document.iwa': goldenPart(), 'Data/photo.jpg': 'x', 'Data/photo-small-1.jpg': 'x' }));
  t.match(losses, [/^A picture or film of the file was not read/]);
});

/** The objects of a file of Pages. */
function goldenPart(): Uint8Array {
  return unzipSync(goldenPages())['Index/Document.iwa'] as Uint8Array;
}

tap.test('a document of Pages from before 2013 is read by its preview', async (t) => {
  const pdf = readFileSync(join(packageRoot(), 'test/fixtures/pdf', readdirSync(join(packageRoot(), 'test/fixtures/pdf')).find((name) => name.endsWith('.pdf')) as string));
  const { convertDocument } = await import('../../src/convert/convert.js');
  const { defaultConvertOptions } = await import('../../src/convert/options.js');
  const { quietPorts } = await import('../support/fixtures.js');
  const inputPath = join(t.testdir({}), 'input');
  writeFileSync(inputPath, makeArchive({ 'index.xml.gz': 'x', 'QuickLook/Preview.pdf': pdf }));
  const outcome = await convertDocument({ inputPath, filename: 'old.pages', outputDirectory: t.testdirName, failedPages: [], options: { ...defaultConvertOptions, doOcr: false } }, quietPorts);
  t.match(outcome, { status: 'success', format: 'iwork_pages' });
  t.ok(outcome.pageCount > 0);
});

tap.test('manual pages: conditions, strings, macros of their own, raised and lowered text', async (t) => {
  const page = (body: string): string => `.TH X 1\n.SH NAME\n${body}\n`;
  t.match(await markdownOf('man', page('.ie t typeset\n.el terminal\n.if n \\{\\\nboth\n.B lines\n.\\}\n.if t \\{\nnone\n.\\}\nafter')), /^terminal both \*\*lines\*\* after$/m);
  t.match(await markdownOf('man', page('.ds pump the pump\n.de Opt\n.B \\\\$1\n..\n\\*[pump] has\n.Opt \\-v')), /^the pump has \*\*-v\*\*$/m);
  t.match(await markdownOf('man', page('10\\u6\\d and H\\d2\\uO')), /10⁶ and H₂O/);
  t.match(await markdownOf('man', page('.IP x\nfirst\n.IP\nsecond\n.PP\nthird')), /- x\n\n {4}first\n\n {4}second\n\nthird/);
  await refuses(t, 'man', '.so man3/other.3\n', /refers to another file \(man3\/other\.3\)/);
  await refuses(t, 'man', 'plain words', /no manual page/);
  t.equal(detectFormat(Buffer.from('.\\" c\n.TH A 1\n'), 'syslog.gz').name, 'man', 'by its contents');
  t.equal(detectFormat(Buffer.from('\'\\" t\n.ie "\\f[CB]x\\f[]"x" \\{\\\n. ftr V B\n.\\}\n.so man.macros\n.TH A 1\n'), 'a.1').name, 'man', 'behind the fonts that pandoc sets');
  // Macros that call themselves, and conditions that never end.
  t.ok(await markdownOf('man', page('.de A\n.A\n.A\n.A\n..\n.A\n.if n \\{\nopen')));
});

tap.test('DocTags that were written come back with all their words', async (t) => {
  const directory = join(packageRoot(), 'test/fixtures/formats');
  const names = readdirSync(directory).filter((name) => /\.(?:docx|odt|rtf|adoc|dbk|html|pptx|tex|nxml)\.json$/.test(name));
  t.ok(names.length >= 8, String(names));
  for (const name of names) {
    const source = readDocument(readFileSync(join(directory, name), 'utf8'));
    const tags = [...writeDocTags(source)].join('');
    const { document } = await readFormat('doctags', tags);
    // Letter by letter: DocTags has each run of a paragraph on a line of its own, so that H2O is three words.
    const letters = (given: DoclingDocument): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const letter of [...plainWords(given)].join('').normalize('NFKC').match(/[\p{L}\p{N}]/gu) ?? []) counts.set(letter, (counts.get(letter) ?? 0) + 1);
      return counts;
    };
    const [wanted, found] = [letters(source), letters(document)];
    // It has no marks of lists: those that are numbered are made by the reader.
    for (const item of source.texts) for (const letter of ('marker' in item ? String(item.marker) : '').match(/[\p{L}\p{N}]/gu) ?? []) wanted.set(letter, (wanted.get(letter) ?? 1) - 1);
    t.same([...wanted].filter(([letter, count]) => (found.get(letter) ?? 0) < count), [], name);
  }
  await refuses(t, 'doctags', 'plain words', /no DocTags/);
});

tap.test('DocTags: words that look like tags are words where no such tag may stand', async (t) => {
  const read = (tags: string): Promise<string> => markdownOf('doctags', `<doctag>${tags}</doctag>`);
  t.equal(await read('<text><loc_1><loc_2><loc_3><loc_4>the <title> of a <list_item> ends with </list_item></text><text>next</text>'), 'the &lt;title&gt; of a &lt;list\\_item&gt; ends with &lt;/list\\_item&gt;\n\nnext');
  t.equal(await read('<code><loc_1><_HTML_><title>a</title> <text>b <loc_5> c</code><text>d</text>'), '```html\n<title>a</title> <text>b <loc_5> c\n```\n\nd');
  t.match(await read('<code><_C_>x<y> <caption>z</code>'), /x<y> <caption>z/);
  t.match(await read('<code><_C_>int x;<caption>Listing 1</caption></code>'), /int x;\n```\n\nListing 1/);
  t.match(await read('<text>a <code> element, no <nl> and <ched></text>'), /a &lt;code&gt; element, no &lt;nl&gt; and &lt;ched&gt;/);
  t.equal(await read('<text>see <formula>x</formula> there</text>'), 'see $x$ there');
  t.match(await read(`<text>${'<code>'.repeat(20_000)}</text>`), /^&lt;code&gt;&lt;code&gt;/, 'a tag that never ends, thousands of times');
});

tap.test('manual pages: files that are included, further formats of a table', async (t) => {
  const page = (body: string): string => `.TH X 1\n.SH NAME\n${body}\n`;
  const { losses } = await readFormat('man', `.so man.macros\n${page('pump')}.so tail.1\n`);
  t.same(losses, ['The file man.macros that the text includes is not part of it.', 'The file tail.1 that the text includes is not part of it.']);
  t.match(await markdownOf('man', page('.TS\nl l.\none\ttwo\n.T&\nc s\nl l.\nthree\tfour\nT{\n.T& words\nT}\tsix\n.TE')), /\| one +\| two +\|[^]*\| three +\| four +\|[^]*six/);
  t.notMatch(await markdownOf('man', page('.TS\nl l.\none\ttwo\n.T&\nc s\nl l.\nthree\tfour\n.TE')), /l l|c s/);
});

tap.test('XBRL: typed members of dimensions are values as they are written', async (t) => {
  const fact = (member: string): string => `<xbrl xmlns="http://www.xbrl.org/2003/instance" xmlns:d="http://xbrl.org/2006/xbrldi" xmlns:g="urn:g"><context id="c"><entity><identifier scheme="s">E</identifier></entity><period><instant>2027-12-31</instant></period><scenario>${member}</scenario></context><g:Flow contextRef="c">12</g:Flow></xbrl>`;
  t.match(await markdownOf('xml_xbrl', fact('<d:typedMember dimension="g:SerialNumberAxis"><g:serial>AB:pumpNorth7</g:serial></d:typedMember>')), /2027-12-31; Serial Number Axis: AB:pumpNorth7/);
  t.match(await markdownOf('xml_xbrl', fact('<d:explicitMember dimension="g:PierAxis">g:NorthPier</d:explicitMember><d:typedMember dimension="g:PlaceAxis"><g:place><g:RowName>q4</g:RowName><g:shelf>7</g:shelf></g:place></d:typedMember>')), /Pier Axis: North Pier; Place Axis: Row Name q4, shelf 7/);
});

tap.test('notes and subtitles that are none are refused', async (t) => {
  await refuses(t, 'boxnote', '{', /not JSON/);
  await refuses(t, 'boxnote', '{"doc": 1}', /no text/);
  await refuses(t, 'boxnote', 'null', /no text/);
  await refuses(t, 'xml_xbrl', '<a/>', /no XBRL/);
  t.equal(detectFormat(Buffer.from('[Script Info]\nTitle: x\n'), 'x').name, 'vtt');
  t.equal(detectFormat(Buffer.from('<?xml version="1.0"?><xbrli:xbrl xmlns:xbrli="http://www.xbrl.org/2003/instance"/>'), 'x.xml').name, 'xml_xbrl');
});

tap.test('pictures: AVIF by the library, HEIC and JPEG XL by programs, each known by its first bytes', async (t) => {
  const page = sharp({ create: { width: 64, height: 32, channels: 3, background: '#fff' } });
  const avif = await page.avif().toBuffer();
  t.equal(imageType(avif), 'image/avif');
  const pages = await openPages('image', avif, null, 'a.avif');
  t.match(await pages.readPage(0), { width: 64, height: 32 });
  pages.close();
  const box = (brand: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0${brand}mif1`), Buffer.alloc(40)]);
  t.same([box('heic'), box('avif'), box('isom').fill('isom', 8, 24), Buffer.from([0xff, 0x0a, 1, 2])].map(imageType), ['image/heic', 'image/avif', null, 'image/jxl']);
  await t.rejects(openPages('image', box('heic'), null, 'a.heic'), { code: /^(?:unsupported_format|invalid_document)$/, message: /HEIC/ }, 'damaged, or refused by name');
  const directory = t.testdir({});
  const png = join(directory, 'a.png');
  await page.png().toFile(png);
  for (const [encoder, decoder, name] of [['heif-enc', 'heif-convert', 'a.heic'], ['cjxl', 'djxl', 'a.jxl']] as const) {
    const path = join(directory, name);
    const made = findReader(decoder) !== null && spawnSync(encoder, encoder === 'cjxl' ? [png, path] : [png, '-o', path]).status === 0;
    await t.test(name, { skip: made ? false : `${encoder} and ${decoder} are not installed` }, async (t) => {
      const pages = await openPages('image', readFileSync(path), null, name);
      t.match(await pages.readPage(0), { width: 64, height: 32 });
      pages.close();
    });
  }
});

tap.test('DjVu: the text layer keeps words, places and letters of other scripts', async (t) => {
  const layer = '(page 0 0 900 300 (line 40 190 700 240 (word 40 190 130 240 "The") (word 145 190 300 240 "qui\\303\\251t \\"x\\"")) (para 0 0 9 9 (line 40 100 600 150 "lone line")))';
  const [page] = readTextLayer(layer);
  t.match(page, { kind: 'page', place: [0, 0, 900, 300], inside: [{ kind: 'line', inside: [{ inside: ['The'] }, { inside: ['qui\u00e9t "x"'] }] }, { kind: 'para' }] });
  t.same(readTextLayer('(page 1 2'), [], 'cut');
  const directory = t.testdir({});
  const can = findReader('ddjvu') !== null && findReader('cjb2') !== null && findReader('djvused') !== null;
  await t.test('a document', { skip: can ? false : 'DjVuLibre is not installed' }, async (t) => {
    const at = (name: string): string => join(directory, name);
    writeFileSync(at('a.pbm'), Buffer.concat([Buffer.from('P4\n904 300\n'), Buffer.alloc(113 * 300)]));
    writeFileSync(at('t.txt'), layer);
    t.equal(spawnSync('cjb2', ['-dpi', '100', at('a.pbm'), at('a.djvu')]).status, 0);
    t.equal(spawnSync('djvused', [at('a.djvu'), '-e', `select 1; set-txt ${at('t.txt')}; save`]).status, 0);
    const bytes = readFileSync(at('a.djvu'));
    t.equal(detectFormat(bytes, 'x').name, 'djvu');
    const pages = await openPages('djvu', bytes, null);
    const content = await pages.readPage(0);
    t.same(content.words.map(({ text }) => text), ['The', 'qui\u00e9t', '"x"', 'lone', 'line']);
    t.ok(content.words.every(({ box, invisible }) => invisible && box.right <= content.width && box.top >= 0));
    t.equal(content.lines.length, 2);
    pages.close();
    // More pages than one run of `ddjvu` draws, each with words of its own.
    writeFileSync(at('b.pbm'), Buffer.concat([Buffer.from('P4\n400 300\n'), Buffer.alloc(50 * 300)]));
    t.equal(spawnSync('cjb2', ['-dpi', '100', at('b.pbm'), at('b.djvu')]).status, 0);
    const narrow = readFileSync(at('b.djvu'));
    const names = Array.from({ length: 22 }, (_, index) => at(`p${index}.djvu`));
    for (const [index, name] of names.entries()) {
      writeFileSync(name, index === 21 ? narrow : bytes);
      writeFileSync(at('t.txt'), `(page 0 0 900 300 (line 40 190 700 240 (word 40 190 700 240 "page${index}")))`);
      t.equal(spawnSync('djvused', [name, '-e', `select 1; set-txt ${at('t.txt')}; save`]).status, 0);
    }
    t.equal(spawnSync('djvm', ['-c', at('book.djvu'), ...names]).status, 0);
    const book = await openPages('djvu', readFileSync(at('book.djvu')), null);
    t.equal(book.pageCount, 22);
    for (const index of [21, 0, 19, 20]) t.same((await book.readPage(index)).words.map(({ text }) => text), [`page${index}`]);
    t.equal((await book.readPage(21)).pageIndex, 21, 'its number in the document');
    t.ok((await book.readPage(21)).width < 0.5 * (await book.readPage(20)).width, 'the page itself, not another of its range');
    const drawn = await book.render(21, { left: 0, top: 0, right: 100, bottom: 100 }, 72);
    t.ok(drawn.width > 90);
    book.close();
  });
});

tap.test('light markup by pandoc: read where it is installed, and named where it is not', async (t) => {
  t.equal(pandocReader('rst', 'reStructuredText', null), null);
  t.equal(detectFormat(Buffer.from('x'), 'a.rst').name, 'rst');
  await t.test('by pandoc', { skip: findReader('pandoc') === null ? 'pandoc is not installed' : false }, async (t) => {
    const rst = 'Pump\n====\n\n:Author: Ann Bell\n\n.. include:: /etc/passwd\n\nText *a* 10\\ :sup:`6`.\n\n- lid\n\n+--+--+\n|a |b |\n+--+--+\n';
    const { losses } = await readFormat('rst', rst);
    t.same(losses, ['The file /etc/passwd that the text includes is not part of it.']);
    const markdown = await markdownOf('rst', rst);
    t.match(markdown, /^# Pump\n\nAnn Bell\n\nText \*a\* 10⁶\.\n\n- lid\n\n\| a \| b \|/);
    t.notMatch(markdown, /root/);
    t.match(await markdownOf('org', '* One\n- x\n#+begin_src python\nprint(1)\n#+end_src\n'), /One\n\n- x\n\n```python\nprint\(1\)\n```/);
  });
});
