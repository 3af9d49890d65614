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
  return readIn({ D: drawn }, lines.map((line) => ['D', line]));
}

/** Lines, each in the font of its name. */
async function readIn(fonts: Record<string, FontSpec>, lines: [font: string, line: string][]): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ content: lines.map(([font, line], index) => text(72, 700 - 20 * index, 10, line, { font })) }], fonts }));
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

t.test('a font without ligatures is in the encoding of the page\'s others, where they agree', async (t) => {
  const street = 'Universit\xe4tsstra\xffe';
  t.same(linesOf(await readIn({ D: drawn, E: { ...drawn } }, [['D', 'the \x1duid and its \x1cne gas'], ['E', street]])), ['the fluid and its fine gas', 'Universitätsstraße']);
  const both = linesOf(await readIn({ D: drawn, E: { ...drawn }, F: { ...drawn } }, [['D', 'the \x1duid and its \x1cne gas'], ['E', street], ['F', 'a \x0cne \x0duid, and the o\x0ece']]));
  t.same(both, ['the fluid and its fine gas', 'Universitätsstraÿe', 'a fine fluid, and the office']);
});

/** As some programs write the map of such a font: names of codes, as `a110`, taken for those of dingbats; other codes are not in it. */
const hidden: FontSpec = {
  ...drawn,
  unicode: Object.fromEntries([...'a❛b❜c❝d❞e❡f❢g❣h❤i✐j❥k❦l❧m♠n♥o♦p♣u✉v✈w✇x①y②z③W❲.✳,✱1✶\x10✏\x11✑\x15✕\x1c✜\x1b✛'].flatMap((sign, index, all) => (index % 2 === 0 ? [[sign.charCodeAt(0), all[index + 1] ?? '']] : []))),
};

t.test('letters that a map has as dingbats are letters again, with their ligatures and quotes', async (t) => {
  const page = await readIn({ H: hidden }, [['H', 'We \x1ct \x10linear\x11 models, o\x1ben with'], ['H', 'random e\x1bects \x15 1.']]);
  t.same(linesOf(page), ['We fit “linear” models, offen with', 'random effects – 1.']);
  t.equal(page.unmappedCharacters, 0);
});

t.test('dingbats that stand alone, or few, are what they are', async (t) => {
  t.same(linesOf(await readIn({ H: hidden }, [['H', 'n o'], ['H', 'x y z']])), ['♥ ♦', '① ② ③']);
  t.same(linesOf(await readIn({ H: hidden }, [['H', 'nopm']])), ['♥♦♣♠']);
  t.same(linesOf(await readIn({ H: hidden }, [['H', 'nnnnn'], ['H', 'nnnnm'], ['H', 'nnnmm'], ['H', 'oooop']])), ['♥♥♥♥♥', '♥♥♥♥♠', '♥♥♥♠♠', '♦♦♦♦♣'], 'marks given to something');
});

t.test('signs whose names no list of glyphs has: primes, negations, maps', async (t) => {
  const signs: FontSpec = { base: 'CMSY10', widths: { 0x36: 0, 0x37: 0 } };
  const page = await readIn({ S: signs }, [['S', '0 2 1']]);
  t.same(linesOf(page), ['′ ∈ ∞']);
  const pdf = await openPdf(makePdf({
    pages: [{ content: [text(72, 700, 10, 'a'), text(80, 700, 10, '6', { font: 'S' }), text(80, 700, 10, '='), text(90, 700, 10, 'b'), text(72, 680, 10, 'x'), text(80, 680, 10, '7', { font: 'S' }), text(80, 680, 10, '2', { font: 'S' })] }],
    fonts: { S: signs },
  }));
  t.same(linesOf(pdf.readPage(0)), ['a ≠ b', 'x ∈']);
  pdf.close();
  t.same(linesOf(await readIn({ S: { ...signs, base: 'Helvetica' } }, [['S', '0 2 1']])), ['0 2 1'], 'other fonts have digits');
});
