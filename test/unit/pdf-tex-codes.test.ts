/** Drawn fonts of TeX without a map of their letters: which of its encodings they are in, and what is left alone. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { PageContent } from '../../src/pdf/index.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import type { FontSpec } from '../support/pdf-writer.js';

const blank = '500 0 0 0 0 0 d1';
const box = '500 0 0 0 480 700 d1 0 0 480 700 re f';

/** A Type 3 font that draws all codes but the space, as TeX's drivers make them. */
const drawn: FontSpec = { type3: Object.fromEntries(Array.from({ length: 256 }, (_, code) => [code, code === 32 ? blank : box])), widths: Object.fromEntries(Array.from({ length: 256 }, (_, code) => [code, 500])) };

async function read(...lines: string[]): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ content: lines.map((line, index) => text(72, 700 - 20 * index, 10, line, { font: 'D' })) }], fonts: { D: drawn } }));
  try {
    return pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

const linesOf = ({ lines }: PageContent): string[] => lines.map(({ words }) => words.map((word, index) => (index > 0 && !word.glued ? ' ' : '') + word.text).join(''));

t.test('T1, by its ligatures', async (t) => {
  const page = await read('the \x1ductuations of a modi\x1ccation, an o\x1ece\xff', '\x10pages 759\x15762 of the Stra\xffe\x11', 'don\x27t \xe9tude \xb3koda');
  t.same(linesOf(page), ['the fluctuations of a modification, an officeß', '“pages 759–762 of the Straße”', 'don’t étude şkoda']);
  t.equal(page.unmappedCharacters, 0);
});

t.test('OT1, by its own, though codes 9, 10 and 13 are white space elsewhere', async (t) => {
  const page = await read('a \x0cne \x0duid \x0bows, the o\x0ece', 'pages 7{9 of \x5cthem" at a wei\x19', 'H\x7fohe');
  t.same(linesOf(page), ['a fine fluid ffows, the office', 'pages 7–9 of “them” at a weiß', 'H¨ohe']);
});

t.test('letters of formulas and hyphens at the end of a line are none', async (t) => {
  const formula = await read('\x0b + \x0c = x', 'y \x0d z', 'u - v \x0e w');
  t.notMatch(linesOf(formula).join('\n'), /f[fil]/);
  t.notMatch(linesOf(await read('x\x0bz + y\x0cu = v\x0dw')).join(''), /f[fil]/, 'letters that touch no letter');
  const broken = await read('the \x1duid that simu-', 'lates a \x1cne gas');
  t.same(linesOf(broken), ['the fluid that simu-', 'lates a fine gas']);
});
