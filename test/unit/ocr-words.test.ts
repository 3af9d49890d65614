/** Recognised lines as words of a page: places, sizes, noise; names of languages. */
import t from 'tap';
import { agrees } from '../../src/convert/ocr/agreement.js';
import { dataFileOf, knownLanguages, nearLanguages } from '../../src/convert/ocr/languages.js';
import { recognisedRulings, recognisedFills, recognisedText } from '../../src/convert/ocr/recognised-lines.js';
import type { ReadLine, ReadRuling, ReadFill } from '../../src/engine/port.js';
import type { Word } from '../../src/pdf/pdf-page.js';

/** A line at 300 dpi of letters `size` points high, each as wide as half its size. */
function line(text: string, y: number, size: number, confidence = 0.95): ReadLine {
  const pixels = (points: number): number => Math.round((points * 300) / 72);
  let x = 300;
  const words = text.split(' ').map((word) => {
    const tall = /[A-Zbdfhklt0-9]/u.test(word) ? 0.69 : 0.46;
    const below = /[gjpqy]/u.test(word) ? 0.21 : 0;
    const left = x;
    x += pixels(word.length * size * 0.5);
    const box = { text: word, left, top: y - pixels(tall * size), right: x, bottom: y + pixels(below * size), confidence };
    x += pixels(size * 0.25);
    return box;
  });
  return { baseline: [300, y, x, y], words };
}

const frame = { scale: 72 / 300, left: 0, top: 0 };

t.test('words stand in points of the page, sizes are those of the letters', (t) => {
  const { words, lines, confidence } = recognisedText({
    lines: [line('A heading', 400, 18), line('some running text below it', 500, 10), line('one more on one are', 550, 10.3), line('and a third', 600, 9.8)], rulings: [],
  }, frame);
  t.equal(lines.length, 4);
  t.same(words.map((word) => word.text).slice(0, 3), ['A', 'heading', 'some']);
  t.ok(Math.abs((lines[0]?.size ?? 0) - 18) < 0.5, 'the heading keeps its size');
  t.equal(new Set(lines.slice(1).map(({ size }) => size)).size, 1, 'lines that differ by a pixel have one size');
  t.ok(Math.abs((lines[1]?.size ?? 0) - 10) < 0.4);
  t.ok(Math.abs((words[0]?.box.left ?? 0) - 72) < 0.01);
  t.ok(Math.abs((lines[0]?.baseline ?? 0) - 96) < 0.01);
  t.ok(confidence !== null && Math.abs(confidence - 0.95) < 1e-9);
  t.end();
});

t.test('a line is cut where an upright rule stands, and its stroke is no letter', (t) => {
  const rule = (position: number): ReadRuling => ({ horizontal: false, position, start: 400, end: 600, thickness: 3 });
  const read = (text: string, edges: number[], rulings: ReadRuling[]): string[] => {
    const words = text.split(' ').map((word, at) => ({ text: word, left: edges[2 * at]!, top: 470, right: edges[2 * at + 1]!, bottom: 500, confidence: 0.95 }));
    return recognisedText({ lines: [{ baseline: [300, 500, 900, 500], words }], rulings }, frame).lines.map((one) => one.words.map((word) => `${word.text} ${Math.round(word.box.left / frame.scale)}-${Math.round(word.box.right / frame.scale)}`).join(' '));
  };
  t.same(read('Never Often', [300, 400, 420, 520], [rule(410)]), ['Never 300-400', 'Often 420-520'], 'between two words');
  t.same(read('Never | Often', [300, 400, 408, 412, 420, 520], [rule(410)]), ['Never 300-400', 'Often 420-520'], 'read as a word');
  t.same(read('Tota|', [300, 400], [rule(297), rule(403)]), ['Tota| 300-400'], 'a stroke in a word is a letter');
  t.same(read('either|or', [300, 520], [{ ...rule(410), start: 600, end: 900 }]), ['either|or 300-520'], 'a rule elsewhere');
  t.end();
});

t.test('boxes to tick stand before their text, far from any they are dirt', (t) => {
  const tickBoxes = [[400, 465, true], [900, 2000, false]].map(([left, top, ticked]) => ({ left: Number(left) - 150, top: Number(top), right: Number(left) - 113, bottom: Number(top) + 37, ticked: ticked === true }));
  const { words, lines } = recognisedText({ lines: [line('I agree to that', 500, 10)], rulings: [], tickBoxes }, frame);
  t.same(lines.map((one) => one.words.map(({ text }) => text).join(' ')), ['☒ I agree to that']);
  t.equal(words[0]?.text, '☒');
  t.end();
});

t.test('what leans a little stands on one baseline', (t) => {
  const leaning = { ...line('text that climbs a little', 500, 10), baseline: [300, 500, 1300, 490] as [number, number, number, number] };
  const { words } = recognisedText({ lines: [leaning], rulings: [] }, frame);
  t.equal(new Set(words.map((word) => word.baseline)).size, 1);
  t.end();
});

t.test('noise is left out, a page number stays', (t) => {
  const kept = (lines: ReadLine[]): string[] => recognisedText({ lines, rulings: [] }, frame).words.map((word) => word.text);
  t.same(kept([line('—— == ~~ ||', 100, 10)]), [], 'strokes');
  t.same(kept([line('wqz fg', 100, 10, 0.3)]), [], 'guesses');
  t.same(kept([line('17', 100, 10)]), ['17']);
  t.same(kept([line('•', 100, 10)]), ['•'], 'a bullet that is sure');
  t.same(kept([line('•', 100, 10, 0.6)]), []);
  t.equal(recognisedText({ lines: [], rulings: [] }, frame).confidence, null);
  const grain = Array.from({ length: 40 }, (_, row) => line(row % 9 === 0 ? 'st I' : 'w;q', 100 + 30 * row, 6, row % 9 === 0 ? 0.9 : 0.3));
  t.same(kept(grain), [], 'a page of grain in which some guesses are sure');
  t.same(kept([...grain, line('under a photograph with much grain', 2000, 10)]).slice(-3), ['with', 'much', 'grain'], 'a caption on such a page stays');
  t.end();
});

t.test('a dot before a line is a bullet, a stroke on a ruled line is none of the text', (t) => {
  const dotted = (height: number): ReadLine => {
    const { baseline, words } = line('and text', 500, 10);
    return { baseline, words: [{ text: 'e', left: 250, top: 500 - height, right: 250 + height, bottom: 500, confidence: 0.6 }, ...words] };
  };
  const first = (read: ReadLine): string | undefined => recognisedText({ lines: [read], rulings: [] }, frame).words[0]?.text;
  t.equal(first(dotted(14)), '•');
  t.equal(first(dotted(19)), 'e', 'as high as small letters');
  const stroke: ReadLine = { baseline: [300, 500, 900, 500], words: [...line('cell text', 500, 10).words, { text: '|', left: 700, top: 470, right: 704, bottom: 505, confidence: 0.9 }] };
  const texts = (position: number): string[] => recognisedText({ lines: [stroke], rulings: [{ horizontal: false, position, start: 0, end: 2000, thickness: 3 }] }, frame).words.map((word) => word.text);
  t.same(texts(702), ['cell', 'text']);
  t.same(texts(900), ['cell', 'text', '|']);
  t.end();
});

t.test('a comma hangs below its word, but less than letters do', (t) => {
  // The ink of a word of 10 points at 300 dpi: 19 pixels above the baseline, and so many below it.
  const size = (text: string, below: number): number => recognisedText({ lines: [{ baseline: [300, 500, 600, 500], words: [{ text, left: 300, top: 481, right: 600, bottom: 500 + below, confidence: 0.95 }] }], rulings: [] }, frame).lines[0]!.size;
  for (const text of ['a,', 'a;']) t.ok(Math.abs(size(text, 5) - 10) < 0.2, `${text} ${size(text, 5)}`);
  t.ok(Math.abs(size('ag,', 9) - 10) < 0.3, `beside a letter that hangs lower ${size('ag,', 9)}`);
  t.ok(size('na,', 0) > 7.5, `a point that was read as a comma makes its word no third smaller: ${size('na,', 0)}`);
  t.end();
});

/** A word of its own line, so many pixels high at 300 dpi, and one without letters that rise. */
const low = (text: string, y: number, height: number): ReadLine => ({ baseline: [300, y, 500, y], words: [{ text, left: 300, top: y - height, right: 500, bottom: y, confidence: 0.95 }] });

t.test('a t is lower than other letters that rise, higher than those that do not', (t) => {
  const size = (text: string, height: number): number => recognisedText({ lines: [low(text, 500, height)], rulings: [] }, frame).lines[0]!.size;
  t.ok(Math.abs(size('taste', 24) - 10) < 0.2, `${size('taste', 24)}`);
  t.ok(Math.abs(size('table', 29) - 10) < 0.2, 'beside one that rises more');
  t.ok(Math.abs(size('sauce', 19) - 10) < 0.2, 'without any');
  t.ok(Math.abs(size('može', 29) - 10) < 0.2, 'an accent rises');
  t.ok(Math.abs(size('façon', 38) - 10) < 0.2 && Math.abs(size('są', 28) - 10) < 0.2, 'a cedilla and an ogonek hang');
  t.end();
});

t.test('capitals as low as the small letters of the lines around are small letters where a line has no others to tell', (t) => {
  const read = (text: string, height: number, around: [above: number, below: number] | null = [10, 10]): string => {
    const lines = [low(text, 450, height), ...(around === null ? [] : [line('Some text above', 400, around[0]), line('Some text below', 500, around[1])])];
    const [one] = recognisedText({ lines, rulings: [] }, frame).lines.filter(({ words }) => words.length === 1);
    return `${one?.words[0]?.text} ${Math.round(one?.size ?? 0)}`;
  };
  t.equal(read('OCCur', 19), 'occur 10');
  t.equal(read('moSt', 24), 'most 10', 'with a t');
  t.equal(read('OCCur', 29), 'OCCur 10', 'as high as capitals');
  t.equal(read('OCCur', 19, null), 'OCCur 7', 'no lines around');
  t.equal(read('OCCur', 19, [10, 14]), 'OCCur 7', 'lines of two sizes');
  t.equal(read('OX', 19), 'OX 7', 'small capitals');
  t.equal(read('Co', 19), 'Co 7', 'too few letters to tell');
  t.equal(read('X', 19), 'X 7', 'a mark');
  const pair = recognisedText({ lines: [line('Some text above', 400, 10), low('Source', 450, 19), low('Census', 500, 19)], rulings: [] }, frame).lines.map(({ words }) => words[0]?.text);
  t.same(pair, ['Some', 'Source', 'Census'], 'another line that would be as small');
  t.equal(read('Code', 19), 'Code 7', 'a letter that rises tells, as in the lines around');
  t.end();
});

t.test('shades in points and in their grey; bars of a chart are none, narrow cells with text are', (t) => {
  const shade = (left: number, right: number, top = 300): ReadFill => ({ left, right, top, bottom: top + 50, grey: 0xd9 });
  const pixels = { scale: 0.24, left: 50, top: 100 };
  const words = recognisedText({ lines: [line('cell', 640, 10)], rulings: [] }, pixels).words;
  const found = recognisedFills([shade(50, 550), shade(50, 450), shade(300, 500, 600), shade(500, 700, 600), shade(300, 500, 700)], words, pixels);
  t.same(found.map(({ box, fill, stroke }) => ({ ...box, fill, stroke })).map((one) => Object.fromEntries(Object.entries(one).map(([key, value]) => [key, Math.round(value * 100) / 100]))), [
    { left: 0, right: 120, top: 48, bottom: 60, fill: 0xd9d9d9, stroke: -1 },
    { left: 60, right: 108, top: 120, bottom: 132, fill: 0xd9d9d9, stroke: -1 },
  ], 'what is wide, and what text stands on');
  t.same(recognisedFills([], words, pixels), []);
  t.end();
});

t.test('rulings in points', (t) => {
  const [across, up] = recognisedRulings([
    { horizontal: true, position: 300, start: 150, end: 600, thickness: 3 }, { horizontal: false, position: 600, start: 300, end: 900, thickness: 3 },
  ], { scale: 0.24, left: 50, top: 100 });
  t.match(across, { orientation: 'horizontal', position: 48, start: 24, end: 132 });
  t.match(up, { orientation: 'vertical', position: 132, start: 48, end: 192 });
  t.end();
});

t.test('codes of languages', (t) => {
  for (const [code, file] of [['en', 'eng'], ['EN', 'eng'], ['eng', 'eng'], ['de-AT', 'deu'], ['ger', 'deu'], ['pt_BR', 'por'], ['zh-TW', 'chi_tra'], ['zh', 'chi_sim'], ['chi_sim', 'chi_sim'], ['nb', 'nor']] as const) {
    t.equal(dataFileOf(code), file, code);
  }
  for (const [code, file] of [
    ['iso:de', 'deu'], ['iso:de-Latn', 'deu'], ['ISO:EN-us', 'eng'], ['iso:zh-TW', 'chi_tra'], ['iso:zh', 'chi_sim'], ['iso:sr', 'srp'], ['iso:sr-Latn', 'srp_latn'], ['iso:iw', 'heb'], ['iw', 'heb'],
    ['zh-Hant-HK', 'chi_tra'], ['german', 'deu'], ['English', 'eng'], ['chinese', 'chi_sim'], ['simplified chinese', 'chi_sim'], ['ch', 'chi_sim'], ['ch_sim', 'chi_sim'], ['ch_tra', 'chi_tra'],
    ['chinese_cht', 'chi_tra'], ['korean', 'kor'], ['japan', 'jpn'], ['latin', 'eng'], ['cyrillic', 'rus'], ['rs_latin', 'srp_latn'], ['chi_tra_vert', 'chi_tra_vert'], ['ka', 'kat'],
  ] as const) t.equal(dataFileOf(code), file, code);
  for (const code of ['', 'xx', '../eng', 'eng+deu', 'iso:', 'iso:klingon', 'iso:de-Cyrl', 'iso:../eng', 'klingon']) t.equal(dataFileOf(code), null, code);
  for (const code of knownLanguages) if (!code.includes('_')) t.equal(dataFileOf(`iso:${code}`), dataFileOf(code), `iso:${code}`);
  t.strictSame(nearLanguages('germn'), ['german', 'georgian', 'persian'], 'the most alike names');
  t.strictSame(nearLanguages('iso:frr'), ['fr', 'fra', 'frk']);
  t.equal(nearLanguages('x'.repeat(1_000_000)).length, 3, 'whatever the length');
  for (const code of knownLanguages) t.not(dataFileOf(code), null, code);
  t.end();
});

t.test('two readings agree when they share most words', (t) => {
  const words = (text: string): Word[] => text.split(' ').map((word) => ({ text: word }) as Word);
  t.ok(agrees(words('The quick brown fox jumps'), words('the quick, brown fox jumped')));
  t.notOk(agrees(words('Wkh txlfn eurzq ira'), words('The quick brown fox')));
  t.notOk(agrees([], words('The quick brown fox')));
  t.notOk(agrees([], []));
  t.end();
});
