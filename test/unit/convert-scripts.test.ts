/** Superscripts, subscripts and note marks: which words of a line are scripts, how the document holds them, and how its outputs write them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { scriptsOf } from '../../src/convert/page/find-scripts.js';
import type { Word } from '../../src/pdf/pdf-page.js';
import { quietPorts } from '../support/fixtures.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

/** `text|size|rise`: size 10 and no rise unless said; a space before it parts it from the word before. */
function wordsOf(...parts: string[]): Word[] {
  let left = 50;
  return parts.map((part, order) => {
    const [content = '', size = '10', rise = '0'] = part.trim().split('|');
    if (part.startsWith(' ')) left += 3;
    const word: Word = {
      text: content, box: { left, right: left + 0.5 * Number(size) * content.length, top: 90, bottom: 100 }, baseline: 100 - Number(rise), size: Number(size),
      font: { name: 'Any', weight: 400, bold: false, italic: false, monospace: false, symbolic: false }, color: 0, angle: 0, glued: order > 0 && !part.startsWith(' '), softHyphen: false, invisible: false,
      order, link: -1, underline: false, strike: false, mcid: -1,
    };
    left = word.box.right;
    return word;
  });
}

const placesOf = (...parts: string[]): string => scriptsOf(wordsOf(...parts)).map((place) => ({ baseline: '.', super: '^', sub: '_' })[place]).join('');

t.test('size and baseline beside the neighbour decide, whatever the font', (t) => {
  t.equal(placesOf('H', '2|7|-1.5', 'O'), '._.', 'lowered');
  t.equal(placesOf('10', '6|5.8|3.3'), '.^', 'raised, as Writer does');
  t.equal(placesOf('10', '6|8.33|3.4'), '.^', 'in the size of browsers');
  t.equal(placesOf('x', 'i|7|-2.5', '2|7|4'), '._^', 'one above the other');
  t.equal(placesOf('e', 'x|7|4', '2|5|6.5'), '.^^', 'a script of a script');
  t.equal(placesOf(' 14|7|4', 'C'), '^.', 'before its letter');
  t.equal(placesOf('of', ' town', ' 1|7|4', ' and'), '..^.', 'a note mark apart from its word');
  t.equal(placesOf('1|6|3', ' See', ' there'), '^..', 'a note mark before its note');
  t.equal(placesOf('known', '3|7|4', ',|7|4', '4|7|4'), '.^^^', 'a list of marks with its commas');
  t.equal(placesOf('one', '12|10|4', ' and'), '.^.', 'raised in full size');
  t.equal(placesOf('50', ' m', '2|7|4', '/g', ' was'), '..^..', 'an exponent before a slash');
  t.equal(placesOf('10', '6|7|4', '/ml', ' blood'), '.^..', 'a power before a unit');
  t.equal(placesOf('W/m', '2|7|4', '/K', ' at'), '.^..', 'between two slashes');
  t.equal(placesOf('small', 'x|7|0', ' and', '2³|10|0'), '....', 'size alone makes none');
  t.end();
});

t.test('superior figures of a font stand above the baseline with their ink alone', (t) => {
  const [word, mark] = wordsOf('harbour', '12') as [Word, Word];
  const ink = (bottom: number): Word['letters'] => [{ left: 0, top: 90, right: 1, bottom }, { left: 1, top: 90, right: 2, bottom }];
  t.same(scriptsOf([word, { ...mark, letters: ink(96.5)! }]), ['baseline', 'super']);
  t.same(scriptsOf([word, { ...mark, letters: ink(100.1)! }]), ['baseline', 'baseline'], 'figures of text');
  t.end();
});

t.test('text of other sizes on other baselines is no script', (t) => {
  t.equal(placesOf('O|24|-12', 'nce|10|0', ' upon|10|0', ' a|10|0'), '....', 'the line beside a drop capital');
  t.equal(placesOf('Total|14|0', ' since|9|3', ' last|9|3', ' year|9|3'), '....', 'a smaller text beside a larger one');
  t.equal(placesOf('take', ' 1|7|4', '/|10|0', '2|7|0'), '....', 'the parts of a fraction');
  t.equal(placesOf('don', '’|8|3', 't'), '...', 'an apostrophe of another font');
  t.equal(placesOf('25', '°|7|4', 'C'), '...', 'a sign that is raised by itself');
  t.end();
});

/** One line of parts of Helvetica: plain text, `^` a superscript and `_` a subscript. */
function mixed(x: number, y: number, size: number, ...parts: string[]): string {
  const shown = parts.map((part) => {
    const rise = part.startsWith('^') ? 0.36 * size : part.startsWith('_') ? -0.15 * size : 0;
    return `/Helvetica ${rise === 0 ? size : 0.7 * size} Tf ${rise} Ts (${rise === 0 ? part : part.slice(1)}) Tj`;
  });
  return `BT ${x} ${y} Td ${shown.join(' ')} ET\n`;
}

interface Item {
  self_ref: string;
  text: string;
  orig: string;
  label: string;
  formatting: { script: string } | null;
  comments?: { $ref: string }[];
}

t.test('the document has scripts as runs, marks point to their notes, and all outputs write them by one rule', async (t) => {
  const filler = Array.from({ length: 8 }, (_, at) => text(72, 640 - 14 * at, 11, `The harbour keeps its ${['lamps', 'boats', 'ropes', 'nets', 'sails', 'oars', 'masts', 'hulls'][at]!} under the old roof and nobody counts them at night.`));
  const content = [
    mixed(72, 740, 18, 'On CO', '_2', ' in harbours'),
    mixed(72, 700, 11, 'Water is H', '_2', 'O, a field of 12 m', '^2', ' holds 10', '^6', ' drops, the 21', '^st', ' of May.'),
    mixed(72, 686, 11, 'A later count', '^1', ' found more of them, and a third one', '^2', ' found less in every year.'),
    ...filler,
    'q 72 120 m 200 120 l S Q\n', mixed(72, 105, 8, '^1', ' See the register of the harbour for the year before.'), mixed(72, 93, 8, '^2', ' See the register of the town for the year behind it.'),
  ];
  const directory = t.testdir({ out: {} });
  writeFileSync(join(directory, 'in.pdf'), makePdf({ pages: [{ width: 612, height: 792, content }] }));
  const outcome = await convertDocument({
    inputPath: join(directory, 'in.pdf'), filename: 'in.pdf', outputDirectory: join(directory, 'out'), failedPages: [], options: { ...defaultConvertOptions, doOcr: false, outputs: ['md', 'json', 'html'] },
  }, quietPorts);
  const output = (kind: 'md' | 'json' | 'html'): string => readFileSync(join(directory, 'out', outcome.files[kind]!), 'utf8');
  const markdown = output('md');
  t.match(markdown, /Water is H₂O, a field of 12 m² holds 10⁶ drops, the 21<sup>st<\/sup> of May\./, 'Unicode where all characters have a form, else an element');
  t.match(markdown, /A later count¹ found more of them, and a third one² found less/);
  t.match(markdown, /^#+ On CO₂ in harbours$/m);
  t.match(output('html'), /H<sub>2<\/sub>O, a field of 12 m<sup>2<\/sup> holds 10<sup>6<\/sup> drops, the 21<sup>st<\/sup>/);
  const { texts } = JSON.parse(output('json')) as { texts: Item[] };
  t.same(texts.filter(({ formatting }) => formatting !== null && formatting.script !== 'baseline').map(({ text, formatting }) => `${formatting!.script} ${text}`),
    ['sub 2', 'sub 2', 'super 2', 'super 6', 'super st', 'super 1', 'super 2']);
  const noteOf = (mark: Item | undefined): string | undefined => texts.find(({ self_ref }) => self_ref === mark?.comments?.[0]?.$ref)?.text;
  const marks = texts.filter(({ formatting, text }) => formatting?.script === 'super' && /^[12]$/.test(text)).slice(-2);
  t.same(marks.map(noteOf), ['1 See the register of the harbour for the year before.', '2 See the register of the town for the year behind it.']);
  t.equal(texts.filter(({ comments }) => comments !== undefined).length, 2, 'exponents point to no note');
});
