/** Formats by their bytes, BMP files, tables of contents, text that is not to be seen. */
import t from 'tap';
import { decodeBmp } from '../../src/convert/input/bmp.js';
import { detectFormat } from '../../src/convert/input/input-format.js';
import { findContents } from '../../src/convert/layout/contents.js';
import { marginWords } from '../../src/convert/layout/margins.js';
import { openPdf } from '../../src/pdf/index.js';
import type { PageContent } from '../../src/pdf/index.js';
import { line, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

const bytes = (content: string): Uint8Array => Buffer.from(content, 'latin1');

t.test('bytes come before names', (t) => {
  t.match(detectFormat(bytes('%PDF-1.7'), 'a.docx'), { name: 'pdf', supported: true });
  t.match(detectFormat(bytes('junk before\n%PDF-1.4'), 'a'), { name: 'pdf' });
  t.match(detectFormat(bytes('\x89PNG\r\n\x1a\n'), 'a.pdf'), { name: 'image', mimetype: 'image/png' });
  t.match(detectFormat(bytes('RIFF\0\0\0\0WEBPVP8 '), 'a'), { mimetype: 'image/webp' });
  t.match(detectFormat(bytes('PK\x03\x04'), 'report.DOCX'), { name: 'docx', supported: true });
  t.match(detectFormat(bytes(''), 'a.pdf'), { name: 'pdf' });
  t.match(detectFormat(bytes('x'), 'no extension'), { name: 'unknown', supported: false });
  t.match(detectFormat(bytes('x'), '../../etc/passwd.pdf'), { name: 'pdf' });
  t.end();
});

t.test('papers in JATS are known without a name, other XML is not', (t) => {
  const declared = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- of a journal -->\n';
  for (const paper of [
    `${declared}<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.3 20210610//EN" "JATS-journalpublishing1-3.dtd">\n<article>`,
    "<!DOCTYPE article\n  PUBLIC '-//NLM//DTD Journal Archiving DTD v2.3//EN' 'archivearticle.dtd' [<!ENTITY x 'y'>]>\n<article>",
    `\xef\xbb\xbf${declared}<!DOCTYPE article SYSTEM "a.dtd"><article xml:lang="en"\n article-type="research-article">`,
    '<article xmlns:xlink="http://www.w3.org/1999/xlink" dtd-version="1.2">', '<article><?properties open_access?>\n<front><journal-meta>', '<pmc-articleset><article>',
  ]) t.match(detectFormat(bytes(paper), 'stdin'), { name: 'xml_jats', supported: true }, paper);
  for (const other of [
    '<feed xmlns="http://www.w3.org/2005/Atom">', `${declared}<articles><front>`, 'a text of <article article-type="x">', declared,
  ]) t.equal(detectFormat(bytes(other), 'stdin').name, 'unknown', other);
  for (const manual of ['<article xmlns="http://docbook.org/ns/docbook" version="5.0"><title>x</title>', '<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"><article><articleinfo>']) {
    t.equal(detectFormat(bytes(manual), 'stdin').name, 'docbook', manual);
  }
  t.equal(detectFormat(bytes('<article dtd-version="1.2">'), 'notes.md').name, 'md', 'a text that shows one is its own source');
  t.equal(detectFormat(bytes(`${declared}<html xmlns="http://www.w3.org/1999/xhtml">`), 'stdin').name, 'html');
  t.end();
});

/** A BMP of 2 x 2 pixels, rows from the bottom: blue, green / red, white. */
function bmp(bits: 24 | 32 | 8 | 1): Buffer {
  const palette = bits <= 8 ? [[255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255, 0], [255, 255, 255, 0]] : [];
  const rowBytes = Math.floor((2 * bits + 31) / 32) * 4;
  const dataOffset = 54 + 4 * palette.length;
  const file = Buffer.alloc(dataOffset + 2 * rowBytes);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(dataOffset, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(2, 18);
  file.writeInt32LE(2, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(bits, 28);
  palette.forEach((entry, index) => file.set(entry, 54 + 4 * index));
  const colours = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
  for (const [index, colour] of colours.entries()) {
    const row = dataOffset + rowBytes * (index >> 1);
    if (bits >= 24) file.set(colour, row + (index & 1) * (bits / 8));
    else if (bits === 8) file[row + (index & 1)] = index;
    else file[row] = index >> 1 === 0 ? 0b01000000 : 0b01000000;
  }
  return file;
}

t.test('BMP files', (t) => {
  for (const bits of [24, 32, 8] as const) {
    const picture = decodeBmp(bmp(bits), 100)!;
    t.match(picture, { width: 2, height: 2, stride: 8 }, `${bits} bits`);
    t.same([...picture.data], [255, 0, 0, 255, 255, 255, 255, 255, 0, 0, 255, 255, 0, 255, 0, 255], 'red, white above blue, green');
  }
  t.same([...decodeBmp(bmp(1), 100)!.data.subarray(0, 8)], [0, 0, 255, 255, 0, 255, 0, 255], 'one bit: the first two colours of the palette');
  t.equal(decodeBmp(bytes('\x89PNG'), 100), null);
  t.throws(() => decodeBmp(bmp(24).subarray(0, 60), 100), { code: 'invalid_document' }, 'cut off');
  t.throws(() => decodeBmp(bmp(24), 3), { code: 'invalid_document' }, 'too many pixels');
  t.throws(() => decodeBmp(bytes('BM'), 100), { code: 'invalid_document' });
  const compressed = bmp(24);
  compressed.writeUInt32LE(1, 30);
  t.throws(() => decodeBmp(compressed, 100), { code: 'invalid_document' });
  t.end();
});

async function read(content: string[]): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ width: 612, height: 792, content }] }));
  const page = pdf.readPage(0);
  pdf.close();
  return page;
}

t.test('tables of contents', async (t) => {
  const entries: [string, string][] = [['1 Summary', '3'], ['2 Method', '5'], ['2.1 What was inspected', '6'], ['3 Findings', '12']];
  const rows = entries.map(([title, number], index) => text(72, 700 - 16 * index, 10, `${title} ${'. '.repeat(30)}`) + text(500, 700 - 16 * index, 10, number));
  const contents = findContents(await read([text(72, 730, 14, 'Contents'), ...rows]));
  t.same(contents?.tables[0]?.cells.map((cell) => cell.words.map((word) => word.text).join(' ')), entries.flat());
  t.equal(contents?.tables[0]?.columnCount, 2);
  t.notOk([...contents!.words].some((word) => word.text === 'Contents'), 'the heading is none of it');
  const footed = findContents(await read([...rows, text(72, 600, 9, 'Printed in 2014. All rights reserved.'), text(500, 600, 10, 'iii')]));
  t.equal(footed?.tables[0]?.rowCount, 4, 'the foot of the page is no entry');
  const figures = ['The harbour', 'The bell'].map((title, index) => text(72, 580 - 16 * index, 10, `${title} ${'. '.repeat(30)}`) + text(500, 580 - 16 * index, 10, `${index + 2}`));
  const two = findContents(await read([...rows, text(72, 610, 14, 'List of Figures'), ...figures]));
  t.same(two?.tables.map(({ rowCount }) => rowCount), [4, 2], 'a heading between two lists is in neither');
  t.notOk([...two!.words].some((word) => word.text === 'List'));
  const prose = await read(Array.from({ length: 10 }, (_, index) => text(72, 700 - 14 * index, 10, `He said ... and then nothing for ${index} years 12`)));
  t.equal(findContents(prose), null, 'an ellipsis leads nowhere');
});

t.test('contents of a few sections with dots below chapters without', async (t) => {
  const page = async (entries: [string, string, boolean][]): Promise<string[] | undefined> => findContents(await read(entries.map(([title, number, led], index) =>
    text(72, 700 - 16 * index, 10, led ? `${title} ${'. '.repeat(30)}` : title) + text(500, 700 - 16 * index, 10, number))))?.tables[0]?.cells.map((cell) => cell.words.map((word) => word.text).join(' '));
  const entries: [string, string, boolean][] = [['1 Tools', '1', false], ['2 Tables', '1', false], ['2.1 A long one', '1', true], ['2.2 Spans', '2', true], ['3 Words', '2', false]];
  t.same(await page(entries), entries.flatMap(([title, number]) => [title, number]));
  t.same(await page(entries.map(([title, number, led]) => [title.replace(/^2\.\d/u, '4'), number, led])), undefined, 'questions with their marks');
  t.same(await page(entries.map(([title, number, led]) => [title.slice(title.indexOf(' ') + 1), number, led])), undefined, 'without numbers');
  t.same(await page(entries.map(([title, number, led], index) => [title, index === 1 ? '9' : number, led])), undefined, 'that count down');
  t.same(await page(entries.map(([title, number], index) => [title, number, index === 2])), undefined, 'one with dots');
});

t.test('words in the margins', async (t) => {
  const body = Array.from({ length: 20 }, (_, index) => text(72, 700 - 14 * index, 10, `line ${index} of the page`));
  const words = marginWords(await read([text(72, 760, 8, 'Running head'), ...body, text(300, 30, 8, '17')]));
  t.same([...words].map((word) => word.text).sort(), ['17', 'Running', 'head']);
  t.equal(marginWords(await read(body)).size, 0);
});

t.test('rows of a table that reaches into a margin are none of its words', async (t) => {
  // Rows 24 points high from the top edge to the bottom edge: the white between them is wider than a line.
  const tops = Array.from({ length: 31 }, (_, index) => 772 - 24 * index);
  const rows = tops.flatMap((top, index) => [text(80, top - 16, 10, `Row ${index}`), text(200, top - 16, 10, `Item ${index}`), text(400, top - 16, 10, `${index}.50`)]);
  const across = (right: number): string[] => [...tops, 28].map((top) => line(72, top, right, top));
  const down = (xs: number[]): string[] => xs.map((x) => line(x, 28, x, 772));
  const seen = async (content: string[]): Promise<string[]> => [...marginWords(await read(content))].map((word) => word.text);
  t.same(await seen([...rows, ...across(480), ...down([72, 190, 390, 480])]), [], 'a grid');
  t.same(await seen([...tops.map((top, index) => text(80, top - 16, 10, `Only column ${index}`)), ...across(190), ...down([72, 190])]), [], 'a grid of one column');
  t.same(await seen(rows), [], 'columns without lines');
  const odd = rows.slice(6, -6);
  t.same((await seen([text(72, 760, 10, 'Head'), ...odd, text(300, 40, 10, '17')])).sort(), ['17', 'Head'], 'a head above columns, a number below');
  t.same((await seen([text(72, 760, 10, 'Head'), ...odd, line(30, 20, 30, 780), line(570, 20, 570, 780), line(30, 780, 570, 780), line(30, 20, 570, 20), text(300, 40, 10, '17')])).sort(),
    ['17', 'Head'], 'within a frame around the page');
});
