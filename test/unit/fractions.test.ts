/** Fractions by where their parts stand, from pages as files hold them: in sentences and displays, with bars near and far, in each other; and what only resembles one. */
import t from 'tap';
import { withFractionsInLine } from '../../src/convert/formulas/in-line.js';
import { findFormulas } from '../../src/convert/formulas/find.js';
import { withHangingSigns } from '../../src/convert/formulas/hanging.js';
import { lineOfWords } from '../../src/convert/page/text-line.js';
import { structurePage } from '../../src/convert/pipeline/structure-page.js';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import { withoutFractions } from '../../src/convert/decide/fraction-grids.js';
import { fractionsOf, openPdf } from '../../src/pdf/index.js';
import type { PageContent } from '../../src/pdf/pdf-page.js';
import { line, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import { regionsOf } from '../support/page-structures.js';

/** Where a part stands, against the line's baseline, up; sizes in points. */
interface Measures {
  over: number;
  bar: number;
  under: number;
  size: number;
}
const sentence = (x: number, y: number, words: string, size = 11, font = 'Helvetica'): string => text(x, y, size, words, { font });
const stroke = (left: number, right: number, y: number): string => line(left, y, right, y);

async function pageOf(...content: string[]): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ width: 600, height: 800, content }] }));
  try {
    return pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

/** The page's lines from top to bottom with fractions in them. */
function read({ lines, rulings }: PageContent): string[] {
  return withHangingSigns(withFractionsInLine(lines, rulings), rulings).sort((a, b) => a.baseline - b.baseline).map(({ words }) => lineOfWords(words, [], () => '').text);
}

const fraction = (x: number, y: number, { over, bar, under, size }: Measures): string[] => [sentence(x + 2, y + over, 'a + b', size), sentence(x + 6, y - under, '2n', size), stroke(x, x + 2.6 * size, y + bar)];
const measures: Record<string, Measures> = {
  'as TeX sets displays': { over: 7.4, bar: 2.75, under: 7.5, size: 11 }, 'as TeX sets them in sentences': { over: 4, bar: 2.7, under: 4.5, size: 7 },
  tight: { over: 6, bar: 3, under: 8, size: 11 }, 'touching the bar': { over: 5, bar: 3, under: 6, size: 11 }, wide: { over: 9, bar: 3, under: 11, size: 11 },
};

t.test('a fraction is one word of its line, however far its parts stand from the bar', async (t) => {
  for (const [name, of] of Object.entries(measures)) {
    const found = await pageOf(sentence(72, 600, 'The share of them is S ='), ...fraction(205, 600, of), sentence(211 + 2.6 * of.size, 600, 'of all.'));
    t.same(read(found), ['The share of them is S = (a + b) / (2n) of all.'], name);
  }
});

t.test('the same in displays, as one formula', async (t) => {
  const prose = [0, 14, 28].map((down) => sentence(72, 700 - down, 'It is well known that customers wait for some time in such a queue, and so on'));
  for (const [name, of] of Object.entries(measures)) {
    const found = await pageOf(...prose, sentence(200, 600, 'S ='), ...fraction(225, 600, of), sentence(260, 600, '+ c'));
    t.same(findFormulas(found, () => false).map(({ text: formula, latex }) => [formula, latex]), [['S = (a + b) / (2n) + c', 'S = \\frac{a + b}{2n} + c']], name);
  }
});

t.test('numbers, neighbours and stops', async (t) => {
  const half = (x: number, over: string, under: string): string[] => [sentence(x, 604, over, 7), sentence(x, 596.5, under, 7), stroke(x - 0.2, x + 4.2, 602.7)];
  const cups = await pageOf(sentence(72, 613, 'As was said before, there are many ways of it and more than enough of them.'), sentence(72, 600, 'Take'), ...half(99, '1', '2'), sentence(106, 600, 'of it, or 1'), ...half(157, '3', '4'), sentence(162, 600, ', in'),
    sentence(72, 587, 'Then wait for some time until it is done, in the morning or later in the day.'));
  t.same(read(cups).slice(1, 2), ['Take 1/2 of it, or 1 3/4, in']);
  t.same(read(cups).length, 3, 'lines right above and below are no parts');
});

t.test('a denominator n is no bullet', async (t) => {
  const sentences = [600, 570, 540, 510].flatMap((y) => [sentence(72, y, 'm ='), sentence(94, y + 4.3, 'a + b', 7.7), stroke(93, 114, y + 2.7), sentence(101, y - 4.2, 'n', 7.7, 'Times-Roman'), sentence(118, y, 'is the mean of them')]);
  t.same(read(await pageOf(...sentences)), Array.from({ length: 4 }, () => 'm = (a + b) / n is the mean of them'));
});

t.test('fractions side by side, and under each other', async (t) => {
  const beside = await pageOf(sentence(72, 600, 'x ='), sentence(96, 607, 'a'), stroke(95, 103, 602.75), sentence(96, 592, 'b'), sentence(108, 607, 'c'), stroke(107, 115, 602.75), sentence(108, 592, 'd'));
  t.same(read(beside), ['x = a / b c / d']);
  const lines = await pageOf(sentence(72, 600, 'x ='), sentence(96, 607, 'a'), stroke(95, 103, 602.75), sentence(96, 594, 'b'), sentence(72, 584, 'y ='), stroke(92, 130, 586.75), sentence(96, 577, 'cdefg'));
  t.same(read(lines), ['x = a / b', 'y =', 'cdefg'], 'a word belongs to the nearer bar');
  const shared = await pageOf(sentence(72, 600, 'x ='), sentence(72, 588, 'y ='), sentence(96, 607, 'a'), stroke(95, 104, 602.75), sentence(96, 595, 'b'), stroke(95, 103, 590.75), sentence(96, 582, 'c'));
  t.same(read(shared), ['x = a / b', 'y =', 'c'], 'a word has one place');
});

t.test('fractions in fractions, above and below the bar', async (t) => {
  const below = await pageOf(sentence(72, 600, 'z ='), sentence(106, 607.4, '1'), stroke(97, 125, 602.75), sentence(98, 588, '1 +'), sentence(117, 593, 'x', 7), stroke(116, 122, 591), sentence(117, 584, 'y', 7), sentence(130, 600, '+ c'));
  t.same(read(below), ['z = 1 / (1 + x / y) + c']);
  const above = await pageOf(sentence(72, 600, 'z ='), sentence(99, 617, 'a', 7), stroke(98.5, 104, 614.5), sentence(99, 608.5, 'b', 7), stroke(96, 106, 602.75), sentence(98, 593, 'c'), sentence(110, 600, 'and so on'));
  t.same(read(above), ['z = (a / b) / c and so on']);
});

t.test('words stand in a fraction beside an operator only', async (t) => {
  const parts = [sentence(118, 607, 'distance'), stroke(116, 165, 602.75), sentence(125, 592.5, 'time')];
  t.same(read(await pageOf(sentence(72, 600, 'speed ='), ...parts)), ['speed = distance / (time)']);
  t.same(read(await pageOf(sentence(72, 600, 'Signed:'), ...parts)), ['distance', 'Signed:', 'time']);
});

t.test('scripts of the line do not count beside a part; a fraction stands between words, too', async (t) => {
  const power = await pageOf(sentence(72, 600, '(1 +'), sentence(97, 604.3, 'r', 7), stroke(95.5, 101.5, 602.7), sentence(96.5, 595.5, 'n', 7), sentence(102, 600, ')'), sentence(105.8, 604, 'nt', 7), sentence(116, 600, 'grows.'));
  t.same(read(power), ['(1 + r / n)nt grows.']);
  const words = await pageOf(sentence(72, 600, 'The profit'), sentence(129, 607, 'net income'), stroke(128, 184, 602.75), sentence(136, 592.5, 'revenue'), sentence(190, 600, 'of the year.'));
  t.same(read(words), ['The profit (net income) / (revenue) of the year.']);
});

t.test('what only resembles a fraction is none', async (t) => {
  const none: Record<string, string[]> = {
    'an underlined word over a short line': [sentence(72, 600, 'x = Name'), stroke(93, 124, 598), sentence(95, 589, '12')],
    'a word struck out': [sentence(100, 613, 'no'), sentence(72, 600, 'The'), sentence(96, 600, '12.5'), stroke(96, 118, 603), sentence(122, 600, '14.2'), sentence(100, 587, 'all')],
    'the rule above a sum': [sentence(200, 600, '12.5'), sentence(200, 587, '14.6'), stroke(198, 222, 583), sentence(200, 573, '27.1'), sentence(72, 580, 'Total')],
    'a rule that is much wider than what stands at it': [sentence(72, 600, 'x ='), sentence(100, 607, 'a'), stroke(97, 160, 602.75), sentence(100, 592, 'b')],
    'a line that runs on beyond the bar': [sentence(72, 600, 'x ='), sentence(100, 607, 'a'), stroke(97, 108, 602.75), sentence(100, 592, 'b and the next line')],
    'a word that runs over its end': [sentence(72, 600, 'x ='), sentence(100, 607, 'a'), stroke(97, 108, 602.75), sentence(98, 592, 'b'), sentence(106, 592, 'ending')],
    'a bar far from the line': [sentence(62, 600, 'x ='), sentence(100, 607, 'a'), stroke(97, 108, 602.75), sentence(100, 592, 'b')],
    'a line further above': [sentence(72, 600, 'x ='), sentence(98, 614, 'a'), stroke(97, 108, 602.75), sentence(100, 592, 'b')],
    'a beam': [sentence(72, 600, 'x ='), sentence(100, 607, 'a'), line(97, 602.75, 108, 602.75, { lineWidth: 2.5 }), sentence(100, 592, 'b')],
    'a word struck out between tight lines': [sentence(100, 612, '19.99'), sentence(72, 600, '11.50'), sentence(104, 600, '22.99'), stroke(104, 131, 603), sentence(135, 600, '20.00'), sentence(105, 588, '29.99')],
    'a rule between the rows of a grid': [sentence(102, 607, '1'), sentence(112, 607, '2'), sentence(72, 600, 'North'), line(99, 602.75, 121, 602.75), sentence(102, 592.5, '3'), sentence(112, 592.5, '4'), line(99, 586, 99, 616), line(121, 586, 121, 616)],
    'nothing below the bar': [sentence(72, 600, 'x ='), sentence(100, 607, 'a'), stroke(97, 108, 602.75)],
  };
  for (const [name, content] of Object.entries(none)) {
    const { lines, rulings } = await pageOf(...content);
    t.same(fractionsOf(lines, rulings), [], name);
  }
});

t.test('no word is lost or told twice, whatever is drawn', async (t) => {
  const parts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (let seed = 0; seed < 40; seed++) {
    const at = (index: number, range: number): number => ((seed * 7919 + index * 104729) % 1000) / 1000 * range;
    const content = [sentence(72, 600, 'x ='), ...parts.map((part, index) => sentence(92 + at(index, 40), 585 + at(index + 9, 35), part, 7 + at(index + 19, 5))), ...[0, 1, 2, 3].map((index) => stroke(90 + at(index + 29, 10), 105 + at(index + 39, 30), 590 + at(index + 49, 20)))];
    const letters = read(await pageOf(...content)).join('').replace(/[^\p{L}]/gu, '');
    t.equal([...letters].sort().join(''), 'abcdefghx', `page ${seed}`);
  }
});

t.test('roots in fractions, fractions under roots, and a bar that ends within a word', async (t) => {
  const sign = (x: number, y: number, size = 11): string => sentence(x, y, '\u00d6', size, 'Symbol');
  const parts = await pageOf(sentence(72, 600, 'x ='), sign(98, 607.4), stroke(104, 136, 616.5), sentence(105, 607.4, 'a + b'), stroke(96, 138, 602.75), sentence(113, 592.5, '2'), sentence(142, 600, 'too.'));
  t.same(read(parts), ['x = √(a + b) / 2 too.']);
  const under = await pageOf(sentence(72, 600, 'z ='), sign(92, 593, 22), stroke(104, 122, 613), sentence(108, 605, 'a', 8), stroke(106, 116, 602.75), sentence(108, 595, 'b', 8), sentence(126, 600, 'and so on'));
  t.same(read(under), ['z = √(a / b) and so on']);
  const part = await pageOf(sentence(72, 600, 'z ='), sign(92, 600), stroke(98, 110, 609), sentence(98, 600, '2ab'), sentence(122, 600, 'and so on'));
  t.same(read(part), ['z = √(2a)b and so on']);
});

t.test('what the bar of a root covers stands in brackets', async (t) => {
  const root = (x: number, end: number): string[] => [sentence(x, 600, '\u00d6', 11, 'Symbol'), stroke(x + 6, end, 609)];
  const found = await pageOf(sentence(72, 600, 'v ='), ...root(92, 126), sentence(99, 600, 'a + b'), sentence(128, 600, '+'), ...root(137, 150), sentence(144, 600, 'c'), sentence(155, 600, 'as before'));
  t.same(read(found), ['v = √(a + b) + √c as before']);
});

t.test('fractions beside each other are no table, unless rules say so', async (t) => {
  const sums = [600, 560, 520].flatMap((y) => [72, 250].flatMap((x) => [sentence(x, y, 'a)'), sentence(x + 26, y + 7, '1'), stroke(x + 24, x + 34, y + 2.75), sentence(x + 26, y - 8, '2'), sentence(x + 38, y, '+'), sentence(x + 52, y + 7, '3'), stroke(x + 50, x + 60, y + 2.75), sentence(x + 52, y - 8, '4')]));
  const page = await pageOf(...sums);
  const cell = { row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: page.words, box: { left: 72, top: 190, right: 320, bottom: 290 } };
  const table: FoundTable = { box: cell.box, rowCount: 1, columnCount: 1, evidence: 'unruled', confidence: 1, cells: [cell] };
  t.same(withoutFractions([table], page), []);
  t.same(withoutFractions([{ ...table, evidence: 'ruled' }], page).length, 1);
  const label = page.words.map((word) => ({ ...word, text: 'label', baseline: word.baseline + 200, box: { ...word.box, top: word.box.top + 200, bottom: word.box.bottom + 200 } }));
  t.same(withoutFractions([{ ...table, cells: [{ ...cell, words: [...page.words, ...label] }] }], page).length, 1, 'with as many words that are none');
});

t.test('what the layout network takes for a picture in a formula is none', async (t) => {
  const content = await pageOf(...[0, 14, 28].map((down) => sentence(72, 700 - down, 'It is well known that customers wait for some time in such a queue, and so on')), sentence(200, 600, 'S ='), ...fraction(225, 600, measures['as TeX sets displays']!), sentence(260, 600, '+ c'), sentence(500, 600, '(1)'));
  const prediction = { regions: [{ label: 'picture' as const, score: 0.9, drawn: true, lines: [], left: 222, top: 185, right: 258, bottom: 212 }], lines: new Map(), words: [[]] };
  t.same(structurePage({ ...regionsOf(content), prediction }).figures, []);
  const drawn = { ...content, lines: content.lines.slice(0, 3), words: [] };
  t.same(structurePage({ ...regionsOf(drawn), prediction }).figures.length, 1, 'elsewhere it is believed');
});
