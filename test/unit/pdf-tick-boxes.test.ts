/** Boxes to tick, drawn or fields of a form, are read as ☐ and ☒ beside their text; what only resembles one is not. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import { line, rectangle, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import { rawPdf, stream } from '../support/broken-pdf.js';

async function linesOf(bytes: Uint8Array): Promise<string[]> {
  const pdf = await openPdf(bytes);
  try {
    return pdf.readPage(0).lines.map(({ words }) => words.map((word) => word.text).join(' '));
  } finally {
    pdf.close();
  }
}
const read = (...content: string[]): Promise<string[]> => linesOf(makePdf({ pages: [{ content }] }));

const outlined = { stroke: 0x333333, lineWidth: 0.8 };
const box = (x: number, y: number, side = 9): string => rectangle(x, y, side, side, outlined);
const cross = (x: number, y: number): string => [line(x + 1.5, y + 1.5, x + 7.5, y + 7.5), line(x + 1.5, y + 7.5, x + 7.5, y + 1.5)].join('\n');
const circle = (x: number, y: number, r: number): string => {
  const k = 0.5523 * r;
  return `${x + r} ${y} m ${x + r} ${y + k} ${x + k} ${y + r} ${x} ${y + r} c ${x - k} ${y + r} ${x - r} ${y + k} ${x - r} ${y} c ${x - r} ${y - k} ${x - k} ${y - r} ${x} ${y - r} c ${x + k} ${y - r} ${x + r} ${y - k} ${x + r} ${y} c h`;
};

t.test('empty, crossed, lettered and checked boxes before their text', async (t) => {
  t.same(await read(
    box(72, 699), text(86, 700, 11, 'asthma'),
    box(72, 683), cross(72, 683), text(86, 684, 11, 'diabetes'),
    box(72, 667), text(73.5, 668.5, 9, 'x'), text(86, 668, 11, 'none of these'),
    rectangle(72, 651, 9, 9, { fill: 0x0075ff }), line(74, 655, 76, 653, { stroke: 0xffffff }) + line(76, 653, 79.5, 658, { stroke: 0xffffff }), text(86, 652, 11, 'I do not know'),
  ).then((lines) => lines.sort()), ['☐ asthma', '☒ I do not know', '☒ diabetes', '☒ none of these']);
});

t.test('answers in one line, with the box before or behind', async (t) => {
  t.same(await read(text(72, 700, 11, 'Smoker?'), box(117, 699), text(132, 700, 11, 'yes'), box(156, 699), cross(156, 699), text(168, 700, 11, 'no')).then((lines) => lines.join(' | ')),
    'Smoker? | ☐ yes | ☒ no');
  t.same(await read(text(72, 700, 11, 'I agree to take part.'), box(178, 699), cross(178, 699)), ['I agree to take part. ☒']);
});

t.test('a full square is the chosen one among hollow ones, and a bullet by itself', async (t) => {
  t.same(await read(box(72, 699), text(86, 700, 11, 'first'), rectangle(120, 699, 9, 9, { fill: 0 }), text(134, 700, 11, 'second')), ['☐ first', '☒ second']);
  t.notMatch((await read(rectangle(72, 699, 9, 9, { fill: 0 }), text(86, 700, 11, 'first'))).join(' '), /[☐☒]/);
});

t.test('round ones, of which one is chosen', async (t) => {
  t.same(await read(`q 0.4 G ${circle(76, 703.5, 4.5)} S Q`, text(86, 700, 11, 'often'), `q 0.4 G ${circle(126, 703.5, 4.5)} S Q q 0 g ${circle(126, 703.5, 2.2)} f Q`, text(136, 700, 11, 'never')), ['☐ often', '☒ never']);
});

t.test('a frame of four ruled lines', async (t) => {
  const frame = (x: number, y: number): string => [rectangle(x, y, 9, 0.4), rectangle(x, y + 8.6, 9, 0.4), rectangle(x, y, 0.4, 9), rectangle(x + 8.6, y, 0.4, 9)].join('\n');
  const pdf = await openPdf(makePdf({ pages: [{ content: [frame(72, 699), text(86, 700, 11, 'yes'), frame(120, 699), text(121.4, 700.5, 9, 'X'), text(134, 700, 11, 'no')] }] }));
  const page = pdf.readPage(0);
  pdf.close();
  t.same(page.lines.map(({ words }) => words.map((word) => word.text).join(' ')), ['☐ yes', '☒ no']);
  t.same(page.rulings, [], 'whose lines rule no table');
  t.equal(new Set(page.words.map(({ order }) => order)).size, page.words.length, 'every word has its own time of painting');
});

t.test('in the cells of a table each is a line of its own', async (t) => {
  const rules = [72, 172, 232, 292].map((x) => line(x, 660, x, 720)).concat([660, 690, 720].map((y) => line(72, y, 292, y)));
  const lines = await read(...rules, text(120, 700, 11, 'Headache'), box(176, 699), box(258, 699), cross(258, 699), text(80, 670, 11, 'Nausea'), box(176, 669), cross(176, 669), box(258, 669));
  t.same(lines.sort(), ['Headache', 'Nausea', '☐', '☐', '☒', '☒']);
});

t.test('in one row of a table, beside a box that stands for itself', async (t) => {
  const rules = [72, 172, 232, 292].map((x) => line(x, 690, x, 720)).concat([690, 720].map((y) => line(72, y, 292, y)));
  t.same((await read(...rules, text(80, 700, 11, 'Headache'), box(198, 699), box(258, 699), cross(258, 699), box(400, 400))).sort(), ['Headache', '☐', '☒']);
});

t.test('cells for one letter each, a key, a legend of colours and a framed letter are no boxes to tick', async (t) => {
  const cells = Array.from({ length: 6 }, (_, at) => box(120 + 10 * at, 699));
  t.notMatch((await read(text(72, 700, 11, 'Date'), ...cells)).join(' '), /[☐☒]/, 'cells');
  t.notMatch((await read(text(72, 700, 11, 'Press'), box(104, 698, 11), text(107, 700, 9, 'A'), text(120, 700, 11, 'to go on'))).join(' '), /[☐☒]/, 'a key');
  const colours = [0xcc2222, 0x22cc22, 0x2222cc].map((fill, at) => rectangle(72, 699 - 16 * at, 9, 9, { fill, stroke: 0 }) + text(86, 700 - 16 * at, 11, `group ${at}`));
  t.notMatch((await read(...colours)).join(' '), /[☐☒]/, 'a legend');
  const key = (x: number, y: number, sign: string): string => box(x, y, 11) + text(x + 2.5, y + 2, 9, sign);
  t.notMatch((await read(key(72, 698, 'X'), text(90, 700, 11, 'to cut'), key(72, 678, 'C'), text(90, 680, 11, 'to copy'), box(72, 640, 11), text(90, 641, 11, 'done'))).join(' '), /☒/, 'a key among others');
  t.notMatch((await read(text(72, 700, 11, 'so that'), box(109, 699), text(110.5, 700.5, 9, 'x'), text(121, 700, 11, 'is known'), box(72, 660), text(86, 661, 11, 'done'))).join(' '), /☒/, 'a letter amid words, though there is a box');
  const nodes = [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => box(200 + 60 * column, 500 - 60 * row)));
  t.notMatch((await read(text(72, 700, 11, 'A grid of nodes'), ...nodes)).join(' '), /[☐☒]/, 'nodes without words in their rows');
  const shades = [0xffffff, 0xdde8f5, 0x6699cc, 0x224488].map((fill, at) => rectangle(72, 699 - 16 * at, 9, 9, { fill, stroke: 0 }) + text(86, 700 - 16 * at, 11, `group ${at}`));
  t.notMatch((await read(...shades)).join(' '), /[☐☒]/, 'one of shades, whose first is white');
  t.notMatch((await read(box(300, 400))).join(' '), /[☐☒]/, 'one far from any text');
  t.notMatch((await read(text(72, 700, 11, 'so that'), box(112, 699), text(113.5, 700.5, 9, 'x'), text(126, 700, 11, 'is the answer'))).join(' '), /[☐☒]/, 'a result');
  t.notMatch((await read(text(72, 700, 11, 'which ends the proof.'), box(300, 699), text(72, 660, 11, 'And another one does.'), box(194, 659))).join(' '), /[☐☒]/, 'the end of a proof');
  const icons = [0, 1, 2].map((at) => [rectangle(72, 699 - 20 * at, 12, 12, { fill: 0x2266aa }), rectangle(75, 702 - 20 * at, 6, 6, { fill: 0xffffff }), text(90, 700 - 20 * at, 11, 'line of a letterhead')].join('\n'));
  t.notMatch((await read(...icons)).join(' '), /[☐☒]/, 'icons');
  const points = Array.from({ length: 40 }, (_, at) => `q 0.4 G ${circle(100 + (at * 37) % 300, 420 + (at * 53) % 240, 3)} S Q`);
  t.notMatch((await read(...points, text(80, 400, 9, '0'), text(240, 400, 9, '50'), text(60, 500, 9, '20'))).join(' '), /[☐☒]/, 'points of a chart');
});

t.test('a page full of them is a pattern', async (t) => {
  const rows = Array.from({ length: 28 }, (_, row) => Array.from({ length: 24 }, (_, column) => box(30 + 22 * column, 740 - 24 * row)).join('\n') + text(560, 740 - 24 * row, 11, 'row'));
  t.notMatch((await read(...rows)).join(' '), /[☐☒]/);
  t.match((await read(...rows.slice(0, 20))).join(' '), /☐/, 'a sheet of answers is none');
});

t.test('fields of a form tell their state, on the boxes that the page draws for them', async (t) => {
  const field = (kind: string, name: string, at: [number, number], state: string): string =>
    `<< /Type /Annot /Subtype /Widget /FT /Btn ${kind} /T (${name}) /F 4 /Rect [${at[0]} ${at[1]} ${at[0] + 9} ${at[1] + 9}] /V /${state} /AS /${state} /AP << /N << /On 7 0 R /Off 7 0 R >> >> >>`;
  const bytes = rawPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [8 0 R 9 0 R 10 0 R] >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /Helvetica 5 0 R >> >> /MediaBox [0 0 612 792] /Annots [8 0 R 9 0 R 10 0 R] >>',
    stream('', [box(72, 699), text(86, 700, 11, 'vaccinated'), text(86, 684, 11, 'pregnant'), text(86, 668, 11, 'hidden')].join('\n')),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< >>',
    stream('/Type /XObject /Subtype /Form /BBox [0 0 9 9]', ''),
    field('', 'a', [72, 699], 'On'),
    field('', 'b', [72, 683], 'Off'),
    field('', 'c', [72, 667], 'On').replace('/F 4', '/F 2'),
  ]);
  t.same(await linesOf(bytes), ['☒ vaccinated', '☐ pregnant', 'hidden']);
});
