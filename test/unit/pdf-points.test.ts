/** Points, vowel and tone marks stand after their letter, however the file paints the two: under one text, as signs of their own, all in one go. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { Line } from '../../src/pdf/index.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

const alef = '\u05d0';
const bet = '\u05d1';
const gimel = '\u05d2';
const holam = '\u05b9';
const qamats = '\u05b8';
const lam = '\u0644';
const fatha = '\u064e';
const shadda = '\u0651';
const thai = { code: '\u0e17', high: '\u0e35' };

/** Letters are 7.2 points wide at 12 points, marks are shown as full stops and apostrophes without an advance. */
const fonts = {
  F: {
    unicode: { 97: alef, 98: bet, 99: gimel, 100: `${lam}\u0627`, 101: thai.code, 102: '\u0e21', 103: 'q', 104: 'x', 32: ' ', 46: qamats, 39: holam, 34: fatha, 42: shadda, 43: thai.high, 45: '\u0303' },
    widths: { 46: 0, 39: 0, 34: 0, 42: 0, 43: 0, 45: 0 },
  },
};

async function read(content: string[]): Promise<Line[]> {
  const pdf = await openPdf(makePdf({ pages: [{ content }], fonts }));
  try {
    return pdf.readPage(0).lines;
  } finally {
    pdf.close();
  }
}

const linesOf = async (content: string[]): Promise<string[]> => (await read(content)).map(({ words }) => words.map((word, at) => (at > 0 && !word.glued ? ' ' : '') + word.text).join(''));

const sign = (x: number, y: number, code: string): string => text(x, y, 12, code, { font: 'F' });

/** Objects for which the file tells one text. */
function under(actual: string, ...objects: string[]): string {
  const hex = [...actual].map((letter) => letter.codePointAt(0)!.toString(16).padStart(4, '0')).join('');
  return [`/Span <</ActualText <feff${hex}>>> BDC`, ...objects, 'EMC'].join('\n');
}

t.test('a letter and its marks under one text stand in the place of the letter', async (t) => {
  const whole = [sign(86.4, 700, 'a'), under(`${bet}${holam}`, sign(81, 706, '\''), sign(79.2, 700, 'b')), sign(72, 700, 'c')];
  t.same(await linesOf(whole), [`${alef}${bet}${holam}${gimel}`], 'painted from the right');
  t.same(await linesOf([...whole].reverse()), [`${alef}${bet}${holam}${gimel}`], 'painted from the left');
  const heaped = `${lam}${fatha}${shadda}\u0627`;
  t.same(await linesOf([under(heaped, sign(82, 707, '"'), sign(82, 704, '*'), sign(79.2, 700, 'd')), sign(72, 700, 'c')]), [heaped.normalize('NFC') + gimel], 'in the order of the file');
});

t.test('a mark wider than its letter takes no room in the line', async (t) => {
  const struck = under('q\u0303', sign(72, 700, 'g'), text(72, 694, 40, '-', { font: 'F' }));
  t.same(await linesOf([struck, sign(84.2, 700, 'h')]), ['q\u0303 x'], 'the white after the letter parts words');
});

t.test('a text that is repeated at a later object is read once', async (t) => {
  const lines = await linesOf([under('q\u0303', sign(72, 700, 'g'), sign(86.6, 703, '-')), sign(79.2, 700, ' '), sign(96, 700, 'h')]);
  t.equal(lines.join('').match(/q/g)?.length, 1, lines.join(' | '));
});

t.test('a text for objects on several lines is no letter with its marks and moves nothing', async (t) => {
  const [line] = await read([under('q\u0303', sign(72, 700, 'g'), sign(300, 400, 'hhhhhh'))]);
  t.ok(line !== undefined && line.box.right < 100 && Math.abs(line.baseline - 92) < 1, JSON.stringify(line?.box));
});

t.test('marks that are signs of their own', async (t) => {
  t.same(await linesOf([sign(88, 694, '.'), sign(86.4, 700, 'a'), sign(79.2, 700, 'b'), sign(72, 700, 'c')]), [`${alef}${qamats}${bet}${gimel}`], 'before the letter');
  const letters = ['a', 'b', 'c', 'a', 'b', 'c', 'a'].map((code, at) => sign(200 - 7.2 * at, 700, code));
  const marks = [0, 3, 6].map((at) => sign(200 - 7.2 * at + 2, 694, '.'));
  t.same(await linesOf([...letters, ...marks]), [`${alef}${qamats}${bet}${gimel}${alef}${qamats}${bet}${gimel}${alef}${qamats}`], 'after all letters of the line');
  t.same(await linesOf([sign(86.4, 700, 'a'), sign(79.2, 700, 'b'), sign(72, 700, 'c'), sign(78.4, 706, '\'')]), [`${alef}${bet}${holam}${gimel}`], 'holam beside the left edge');
  t.same(await linesOf([sign(79.2, 700, 'd'), sign(84, 706, '"')]), [`${lam}${fatha}\u0627`], 'on the first letter of a ligature');
  t.same(await linesOf([sign(79.2, 700, 'd'), sign(79.2, 706, '"')]), [`${lam}\u0627${fatha}`], 'on its second letter');
  t.same(await linesOf([sign(72, 700, 'e'), sign(79.2, 700, 'f'), sign(74, 708, '+')]), [`${thai.code}${thai.high}\u0e21`], 'a vowel over a letter that is read from the left');
});

t.test('marks far from all letters stay, and so do all but a few of thousands on one letter', async (t) => {
  t.same((await linesOf([sign(72, 700, 'a'), sign(300, 700, '.')])).sort(), [qamats, alef]);
  const heap = Array.from({ length: 400 }, (_, at) => sign(72 + (at % 20) * 0.3, 690 + Math.floor(at / 20), '.'));
  const longest = Math.max(...(await linesOf([sign(72, 700, 'a'), ...heap])).flatMap((line) => line.split(/(?=\P{M})/u)).map((part) => part.length));
  t.ok(longest >= 2 && longest < 400, `${longest} signs`);
});
