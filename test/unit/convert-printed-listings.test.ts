/** Programs with what they print: code with its columns as they stand, no table; and what is a table for all its monospace font. */
import t from 'tap';
import { findAlgorithms } from '../../src/convert/layout/algorithms.js';
import { printedListings } from '../../src/convert/layout/printed-listings.js';
import { markdownOf, prose } from '../support/made-markdown.js';
import { PageMaker } from '../support/made-page.js';
import type { Style } from '../support/made-page.js';
import { text } from '../support/pdf-content.js';

const model = [
  '> summary(model)', '', 'Coefficients:',
  '              Estimate  Std. Error  t value  Pr(>|t|)',
  '(Intercept)    37.2273      1.5988    23.28    <2e-16',
  'weight         -3.8778      0.6327    -6.13   1.1e-06',
  'power          -0.0318      0.0090    -3.52   1.4e-03',
];

/** The lines word by word, as they stand in cells of one width, without the spaces that a file may leave out. */
function written(lines: string[], top: number): string[] {
  return lines.flatMap((line, index) => [...line.matchAll(/\S+/g)].map((word) => text(72 + 5.4 * word.index, top - 11 * index, 9, word[0], { font: 'Courier' })));
}

t.test('what a program prints in columns is part of its listing', async (t) => {
  const md = await markdownOf(t, [...prose(700), ...written(model, 560), ...prose(440)]);
  t.match(md, `\n\`\`\`\n${model.join('\n')}\n\`\`\`\n`);
  t.notMatch(md, '\n|', 'no table');
});

t.test('a page of output alone, marked as such', async (t) => {
  const marked = model.slice(3).map((line) => `## ${line}`);
  const md = await markdownOf(t, [...written(marked, 700), ...prose(600)]);
  t.match(md, `\`\`\`\n${marked.join('\n')}\n\`\`\`\n`);
});

const beside = 'The text around it says what it is about, in another font than the listing.';

/** The first word of each line of each listing on a page with other text; lines 12 points apart, from the height 200 on. */
function listingsOf(lines: string[], style: Style = {}, add: (made: PageMaker, y: number, index: number) => void = () => undefined, other = beside): string[][] {
  const made = new PageMaker();
  made.text(60, 100, other);
  for (const [index, line] of lines.entries()) {
    for (const word of line.matchAll(/\S+/g)) made.text(60 + 4.5 * word.index, 200 + 12 * index, word[0], { size: 9, monospace: true, ...style });
    add(made, 200 + 12 * index, index);
  }
  return printedListings(made.page(), new Set()).map((rows) => rows.map(([word]) => word!.text));
}

t.test('what is a listing by its signs', (t) => {
  const firsts = model.filter((line) => line !== '').map((line) => line.trim().split(/\s/)[0]!);
  t.strictSame(listingsOf(model), [firsts], 'an empty line parts nothing');
  t.strictSame(listingsOf(['R> x', '  a   b', '  1   2']), [['R>', 'a', '1']], 'a prompt with a name');
  t.strictSame(listingsOf(['$ ls -s', '12 a.txt', ' 4 b.txt']), [['$', '12', '4']], 'a shell');
  t.strictSame(listingsOf(['a   b', '1   2', '3   4']), [], 'no sign of a program');
  t.strictSame(listingsOf(['Price  Size', '$ 4.50  12', '$ 3.20  14']), [], 'amounts of money');
  t.strictSame(listingsOf(['It was received with applause; he', 'said so.  All members were there;', 'no corrections; none were asked for', 'in what was read.']), [], 'semicolons of a typewritten text');
  t.strictSame(listingsOf(['x  y;', 'y  z;', '1  2', '3  4']), [['x', 'y', '1', '3']], 'statements');
  t.strictSame(listingsOf(['size = 4', 'a  b', 'c  d', 'e  f', 'g  h', 'i  k']), [], 'one sign');
  t.strictSame(listingsOf(['size = 4', 'name = x', 'kind = y', 'c  d', 'e  f', 'g  h']), [['size', 'name', 'kind', 'c', 'e', 'g']], 'three in six lines');
  t.strictSame(listingsOf(['Group  n = 5  n = 10', 'a -> b  1  2', 'c  3  4', 'd  5  6']), [], 'numbers of cases at the head of a table');
  t.strictSame(listingsOf(['${Version}', 'format', '${Size}']), [], 'what is typed in cells beside each other');
  t.strictSame(listingsOf(['> x', '1', '', '', '', 'a  b', '1  2']), [['>', '1'], ['a', '1']], 'the rest of what was printed, below wider white');
  t.strictSame(listingsOf(['> x', '1', '', '', '', '', '', '', 'a  b', '1  2']), [['>', '1']], 'what stands far below');
  t.end();
});

t.test('what is none for all its signs', (t) => {
  t.strictSame(listingsOf(model, { monospace: false }), [], 'another font');
  t.strictSame(listingsOf(model, {}, (made, y) => made.text(400, y, 'what the line means')), [], 'its meaning beside each line');
  t.strictSame(listingsOf(model, {}, (made, y) => made.horizontal(y + 3, 50, 400)), [], 'rules between its lines');
  t.strictSame(listingsOf(['> x', '1 2'], {}, undefined, ''), [['>', '1']], 'a page of a listing alone');
  t.strictSame(listingsOf(['a  b', '> x', '1  2', '3  4'], {}, undefined, ''), [], 'a typewritten page that quotes');
  t.end();
});

t.test('where a listing begins and ends', (t) => {
  const made = new PageMaker();
  made.text(60, 100, beside);
  made.text(60, 120, 'Then one calls', {});
  made.text(160, 120, 'fit(x)', { monospace: true });
  made.text(60, 132, 'predict(y)', { monospace: true });
  made.text(110, 132, ',');
  made.text(60, 144, 'plot(y)', { monospace: true });
  made.text(95, 144, '.');
  for (const [index, line] of ['> fit(x)', '1 2'].entries()) made.text(60, 180 + 12 * index, line, { size: 9, monospace: true });
  made.text(60, 204, 'and, between them,');
  for (const [index, line] of ['> fit(y)', '3 4'].entries()) made.text(60, 216 + 12 * index, line, { size: 9, monospace: true });
  for (const [index, line] of ['> fit(z)', '5 6'].entries()) made.text(60, 240 + 12 * index, line, { size: 11, monospace: true });
  for (const [index, line] of ['> fit(w)', '7 8'].entries()) made.text(60, 290 + 12 * index, line, { size: 11, monospace: true });
  const textsOf = (listings: ReturnType<typeof printedListings>): string[] => listings.map((rows) => rows.flat().map(({ text: each }) => each).join(' '));
  t.strictSame(textsOf(printedListings(made.page(), new Set())), ['> fit(x) 1 2', '> fit(y) 3 4', '> fit(z) 5 6', '> fit(w) 7 8'], 'code in running text is none; text, another size and wide white part');
  const taken = new Set(made.words.filter(({ text: each }) => each === 'fit(z)' || each === '>' || each === '5' || each === '6'));
  t.notMatch(textsOf(printedListings(made.page(), taken)).join(), 'fit(z)', 'what is in another listing is in none of these');
  t.end();
});

t.test('signs that a monospace font lacks stand where they belong', (t) => {
  const made = new PageMaker();
  made.text(60, 100, beside);
  made.text(60, 160, '> lm(y', { size: 9, monospace: true });
  made.text(100, 160, '~', { size: 9 });
  made.text(110, 160, 'x)', { size: 9, monospace: true });
  made.text(60, 172, '1 2', { size: 9, monospace: true });
  t.strictSame(printedListings(made.page(), new Set()).map((rows) => rows.map((row) => row.map(({ text: each }) => each).join(' '))), [['> lm(y ~ x)', '1 2']]);
  t.end();
});

t.test('a page of them without end costs no time', (t) => {
  const made = new PageMaker();
  for (let index = 0; index < 60_000; index++) made.text(60 + index % 50, 100 + index / 100, '> f(x)', { size: 9, monospace: true });
  const started = performance.now();
  t.strictSame(printedListings(made.page(), new Set()), []);
  t.ok(performance.now() - started < 2000);
  t.strictSame(findAlgorithms(made.page()), []);
  t.end();
});
