/** Paths and images of made PDFs become rulings, boxes, drawings and placed pictures. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { PageContent, Ruling } from '../../src/pdf/index.js';
import { clipped, line, paint, placed, rectangle, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import type { PageSpec } from '../support/pdf-writer.js';

async function read(content: string[], page: Partial<PageSpec> = {}): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ pages: [{ ...page, content }] }));
  try {
    return pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

const round = (value: number) => Math.round(value * 10) / 10;
const brief = ({ orientation, position, start, end, thickness }: Ruling) => [orientation[0], ...[position, start, end, thickness].map(round)].join(' ');

t.test('lines and thin boxes are rulings', async (t) => {
  const page = await read([
    line(100, 700, 300, 700, { lineWidth: 0.5, stroke: 0xff0000 }),
    line(50, 600, 50, 650, { lineWidth: 2 }),
    rectangle(100, 500, 200, 1),
    rectangle(400, 500, 1.5, 100, { fill: 0x0000ff }),
  ]);
  t.same(page.rulings.map(brief).sort(), ['h 291.5 100 300 1', 'h 92 100 300 0.5', 'v 400.8 192 292 1.5', 'v 50 142 192 2']);
  t.equal(page.rulings.find((ruling) => ruling.thickness === 0.5)?.color, 0xff0000);
  t.equal(page.boxes.length, 0);
  t.equal(page.drawings.length, 0);
});

t.test('a grid in one path gives its lines', async (t) => {
  const grid = [0, 1, 2].map((row) => `100 ${500 + row * 20} m 300 ${500 + row * 20} l`).join(' ') + [0, 1].map((column) => ` ${100 + column * 200} 500 m ${100 + column * 200} 540 l`).join('');
  const page = await read([paint(grid, { stroke: 0 })]);
  t.same(page.rulings.map((ruling) => ruling.orientation).sort(), ['horizontal', 'horizontal', 'horizontal', 'vertical', 'vertical']);
});

t.test('segments, dashes and repeats of one line become one; what is apart stays apart', async (t) => {
  const dashes = Array.from({ length: 20 }, (_, index) => line(100 + index * 6, 700, 104 + index * 6, 700));
  const cells = [line(100, 600, 150, 600), line(150, 600, 220, 600), line(220.4, 600, 300, 600), line(100, 600, 300, 600)];
  const apart = [line(100, 500, 150, 500), line(156, 500, 220, 500)];
  const two = [line(100, 400, 200, 400, { lineWidth: 0.4 }), line(100, 402, 200, 402, { lineWidth: 0.4 })];
  const page = await read([...dashes, ...cells, ...apart, ...two]);
  t.same(page.rulings.map(({ position, start, end }) => [position, start, end].map(round).join(' ')).sort(), ['192 100 300', '292 100 150', '292 156 220', '390 100 200', '392 100 200', '92 100 218']);
});

t.test('rectangles are boxes with fill and outline, round corners or not', async (t) => {
  const rounded = '110 400 m 190 400 l 195.5 400 200 404.5 200 410 c 200 440 l 200 445.5 195.5 450 190 450 c 110 450 l 104.5 450 100 445.5 100 440 c 100 410 l 100 404.5 104.5 400 110 400 c h';
  const page = await read([
    rectangle(100, 600, 80, 40, { fill: 0xeeeeee }),
    rectangle(300, 600, 80, 40, { stroke: 0x00ff00 }),
    paint('100 500 m 180 500 l 180 540 l 100 540 l h', { fill: 0x112233, stroke: 0x445566 }),
    paint(rounded, { fill: 0xabcdef }),
  ]);
  t.same(page.boxes.map(({ fill, stroke, box }) => [fill, stroke, round(box.left), round(box.top), round(box.right), round(box.bottom)]), [
    [0xeeeeee, -1, 100, 152, 180, 192],
    [-1, 0x00ff00, 300, 152, 380, 192],
    [0x112233, 0x445566, 100, 252, 180, 292],
    [0xabcdef, -1, 100, 342, 200, 392],
  ]);
  t.equal(page.rulings.length, 0);
});

t.test('fill and outline painted apart are one box, and so are repeats', async (t) => {
  const page = await read([rectangle(100, 600, 80, 40, { fill: 0xeeeeee }), rectangle(100, 600, 80, 40, { stroke: 0x00ff00 }), rectangle(100, 600, 80, 40, { fill: 0xeeeeee })]);
  t.same(page.boxes.map(({ fill, stroke }) => [fill, stroke]), [[0xeeeeee, 0x00ff00]]);
});

t.test('of very many boxes the largest are kept', async (t) => {
  const content = ['0 g'];
  for (let index = 0; index < 25_000; index++) content.push(`${(index % 150) * 4} ${Math.floor(index / 150) * 4} ${index % 2 === 0 ? 3.5 : 3.2} 3.3 re f`);
  content.push('0 700 300 50 re f');
  const page = await read(content);
  t.equal(page.boxes.length, 20_000);
  t.ok(page.boxes.some(({ box }) => box.right - box.left === 300));
});

t.test('curves and slanted lines are drawings, found as regions', async (t) => {
  const wave = (x: number, y: number) => paint(`${x} ${y} m ${x + 30} ${y + 60} ${x + 60} ${y - 60} ${x + 90} ${y} c`, { stroke: 0 });
  const page = await read([wave(100, 600), wave(120, 590), line(100, 560, 180, 620), wave(400, 200)]);
  t.equal(page.drawings.length, 2);
  const [first] = [...page.drawings].sort((a, b) => a.top - b.top);
  t.ok(first !== undefined && first.left <= 101 && first.right >= 208 && first.top > 90, 'the region spans its strokes');
  t.equal(page.rulings.length, 0);
});

t.test('clips cut rulings and boxes, and hide what lies outside', async (t) => {
  const page = await read([clipped(100, 600, 50, 50, rectangle(50, 500, 400, 300, { fill: 0xcccccc })), clipped(100, 400, 50, 50, line(0, 420, 600, 420)), clipped(100, 300, 50, 50, rectangle(300, 300, 50, 50))]);
  t.same(page.boxes.map(({ box }) => [box.left, box.top, box.right, box.bottom].map(round)), [[100, 142, 150, 192]]);
  t.same(page.rulings.map(({ start, end }) => [start, end]), [[100, 150]]);
});

t.test('forms are walked with their matrices', async (t) => {
  const page = await read([placed('Outer', 2, 0, 0, 2, 50, 100)], {
    forms: {
      Outer: { content: `${line(10, 100, 60, 100)}\n${placed('Inner', 1, 0, 0, 1, 0, 50)}`, uses: ['Inner'] },
      Inner: { content: `${rectangle(10, 100, 20, 10, { fill: 0x123456 })}\n${text(10, 120, 6, 'deep')}`, matrix: [1, 0, 0, 1, 5, 0] },
    },
  });
  t.same(page.rulings.map(brief), ['h 492 70 170 2']);
  t.same(page.boxes.map(({ box }) => [box.left, box.top, box.right, box.bottom].map(round)), [[80, 372, 120, 392]]);
  t.equal(page.words[0]?.text, 'deep');
  t.equal(round(page.words[0]?.size ?? 0), 12);
  t.equal(round(page.words[0]?.box.left ?? 0), 80);
});

t.test('images have their place and pixels, inline ones and those in forms too', async (t) => {
  const page = await read(
    [placed('Photo', 200, 0, 0, 100, 50, 600), placed('Holder', 1, 0, 0, 1, 0, 0), 'q 30 0 0 30 300 300 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q', clipped(400, 400, 10, 10, placed('Photo', 100, 0, 0, 100, 400, 400))],
    { images: { Photo: { width: 20, height: 10, grey: 100 } }, forms: { Holder: { content: 'q 40 0 0 40 10 10 cm BI /W 1 /H 1 /CS /G /BPC 8 ID a EI Q' } } },
  );
  t.same(page.images.map(({ box, width, height }) => [...[box.left, box.top, box.right, box.bottom].map(round), width, height]), [
    [50, 92, 250, 192, 20, 10],
    [10, 742, 50, 782, 1, 1],
    [300, 462, 330, 492, 2, 2],
    [400, 382, 410, 392, 20, 10],
  ]);
  t.equal(new Set(page.images.map((image) => image.object)).size, 4);
});

t.test('paths that paint nothing are nothing', async (t) => {
  const page = await read(['100 100 m 200 100 l n', '100 200 50 50 re W n', 'q /Clear gs 100 300 50 50 re f Q'], { states: { Clear: '/ca 0' } });
  t.same([page.rulings.length, page.boxes.length, page.drawings.length], [0, 0, 0]);
});

const disc = (x: number, y: number, r: number, style = { fill: 0 } as { fill?: number; stroke?: number }): string => {
  const k = 0.5523 * r;
  const quarter = (x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): string => `${x + x1} ${y + y1} ${x + x2} ${y + y2} ${x + x3} ${y + y3} c`;
  return paint(`${x + r} ${y} m ${quarter(r, k, k, r, 0, r)} ${quarter(-k, r, -r, k, -r, 0)} ${quarter(-r, -k, -k, -r, 0, -r)} ${quarter(k, -r, r, -k, r, 0)} h`, style);
};
const written = (page: PageContent): string[] => page.lines.map((each) => each.words.map((word) => word.text).join(' ')).sort();

t.test('bullets that are drawn are the first words of their lines', async (t) => {
  const page = await read([
    disc(60, 703.5, 2), text(72, 700, 12, 'a disc'), disc(84, 683.5, 2, { stroke: 0 }), text(96, 680, 12, 'a circle inside'), rectangle(60, 662, 4, 4), text(72, 660, 12, 'a square'),
  ]);
  t.same(written(page), ['• a disc', '• a square', '◦ a circle inside']);
  t.equal(page.lines.find((each) => each.words[1]?.text === 'a')?.box.left, 58);
  t.same([page.boxes, page.drawings], [[], []]);
  t.ok(page.words.every((word, index) => index === 0 || word.order > page.words[index - 1]!.order));
});

t.test('balls with light on them are bullets: shadings in the box of a form, or in a clip', async (t) => {
  const ball = '/ShadingType 3 /ColorSpace /DeviceRGB /Coords [2 3 0 2.5 2.5 2.5] /Extend [true true] /Function <</FunctionType 2 /Domain [0 1] /N 1 /C0 [1 1 1] /C1 [0 0 0.5]>>';
  const shadings = { ball };
  const forms = { bullet: { content: '/ball sh', box: [0, 0, 5, 5] } };
  const inForm = [700, 686].flatMap((y) => [`q 1 0 0 1 58 ${y + 1} cm /bullet Do Q`, text(72, y, 12, 'an item')]);
  const clippedTo = [600, 586].flatMap((y) => [`q 1 0 0 1 58 ${y + 1} cm 0 0 5 5 re W n /ball sh Q`, text(72, y, 12, 'another')]);
  const ground = ['q 0 0 400 20 re W n /ball sh Q', text(72, 8, 12, 'on a ground')];
  const page = await read([...inForm, ...clippedTo, ...ground], { shadings, forms });
  t.same(written(page), ['on a ground', '• an item', '• an item', '• another', '• another']);
  t.same([page.boxes, page.drawings], [[], []]);
});

t.test('numbers on marks that count on begin their lines', async (t) => {
  const numbered = (left: number, y: number, value: number, size = 6): string[] => [disc(left + 4, y + 4, 5, { fill: 0x000080 }), text(left + 4 - 0.28 * size, y + 4 - 0.35 * size, size, `${value}`, { color: 0xffffff }), text(left + 14, y, 12, 'a step')];
  const page = await read([...numbered(60, 700, 1), ...numbered(60, 680, 2)]);
  t.same(written(page), ['1. a step', '2. a step']);
  t.same([page.drawings, page.lines.map(({ words }) => words[0]!.size)], [[], [12, 12]]);
  t.same(written(await read([...numbered(60, 700, 1), ...numbered(60, 680, 4)])), ['1', '4', 'a step', 'a step'], 'those of a plan do not');
  t.notMatch(written(await read([...numbered(60, 700, 1, 11), ...numbered(60, 680, 2, 11)])).join(), '1.', 'nor those as large as the text');
});

t.test('bullets of nested lists close to each other, and lists of two colours apart, are read', async (t) => {
  const nested = [0, 1, 2, 3].flatMap((index) => [
    disc(60, 703.5 - 28 * index, 2), text(72, 700 - 28 * index, 12, 'outer'), disc(76, 689.5 - 28 * index, 2, { stroke: 0 }), text(88, 686 - 28 * index, 12, 'inner'),
  ]);
  t.same(written(await read(nested)), [...Array<string>(4).fill('• outer'), ...Array<string>(4).fill('◦ inner')]);
  const colours = [0, 0x0000ff].flatMap((fill, list) => [0, 1].flatMap((index) => [disc(60, 703.5 - 100 * list - 14 * index, 2, { fill }), text(72, 700 - 100 * list - 14 * index, 12, 'item')]));
  t.same(written(await read(colours)), Array<string>(4).fill('• item'));
  const points = [0, 1, 2, 3, 4, 5].flatMap((index) => [disc(100 + 31 * index, 603.5 + 17 * index, 2), text(106 + 31 * index, 600 + 17 * index, 9, `P${index}`)]);
  t.notMatch(written(await read(points)).join(' '), '•', 'the points of a chart are none');
});

t.test('heads of arrows are no bullets', async (t) => {
  const arrow = (y: number, shaft: string): string[] => [shaft, paint(`60 ${y + 2} m 60 ${y + 7} l 64 ${y + 4.5} l h`, { fill: 0 }), text(72, y, 12, 'a step')];
  t.same(written(await read([700, 650].flatMap((y) => arrow(y, paint(`20 ${y + 4} m 30 ${y + 5} 45 ${y + 4} 60 ${y + 4.5} c`, { stroke: 0 }))))), ['a step', 'a step'], 'on curves');
  t.same(written(await read([700, 650].flatMap((y) => arrow(y, line(20, y + 4.5, 60, y + 4.5))))), ['a step', 'a step'], 'on straight lines');
  t.same(written(await read([700, 650].flatMap((y) => arrow(y, '')))), ['• a step', '• a step'], 'by themselves they are');
});

t.test('dots in a row, a legend in colours, boxes to tick, separators and points of a chart are no bullets', async (t) => {
  const dots = Array.from({ length: 20 }, (_, index) => disc(100 + index * 6, 703.5, 0.8));
  t.same(written(await read([text(50, 700, 12, 'Winter'), ...dots, text(226, 700, 12, '12')])), ['12', 'Winter']);
  const legend = [0xff0000, 0x00ff00, 0x0000ff].flatMap((fill, index) => [rectangle(60, 702 - 20 * index, 5, 5, { fill }), text(72, 700 - 20 * index, 12, 'part')]);
  t.same(written(await read(legend)), ['part', 'part', 'part']);
  t.same(written(await read([rectangle(60, 700, 8, 8, { stroke: 0 }), text(72, 700, 12, 'tick')])), ['☐ tick']);
  t.same(written(await read([text(50, 700, 12, 'one'), disc(77, 703.5, 1.5), text(83, 700, 12, 'two')])).join(' ').includes('•'), false);
  const curve = paint('50 600 m 100 700 200 500 300 650 c', { stroke: 0 });
  t.same(written(await read([curve, disc(120, 640, 2), text(128, 636, 10, 'peak')])), ['peak']);
});

t.test('letters of another face alone before several lines are bullets', async (t) => {
  const items = ['first', 'second', 'third'].flatMap((item, index) => [text(60, 700 - 15 * index, 10, 'o', { font: 'Courier' }), text(78, 700 - 15 * index, 10, item)]);
  const spoken = async (content: string[]): Promise<string> => (await read(content)).words.map((word) => word.text).join(' ');
  t.equal(await spoken(items), '• first • second • third');
  t.equal(await spoken(items.slice(0, 2)), 'o first', 'one may be anything');
  const own = ['first', 'second'].flatMap((item, index) => [text(60, 700 - 15 * index, 10, 'o'), text(78, 700 - 15 * index, 10, item)]);
  t.equal(await spoken(own), 'o first o second', 'in the face of the text it is a letter');
  const words = [0, 1, 2].flatMap((index) => [text(60, 700 - 15 * index, 10, 'o', { font: 'Times-Italic' }), text(67.5, 700 - 15 * index, 10, 'is odd')]);
  t.notMatch(await spoken(words), '•', 'a variable is one, too');
  const values = ['.45', '.41', 'to go', 'to come'].flatMap((value, index) => [text(60, 700 - 14 * index, 10, 'r', { font: 'Times-Italic' }), text(75, 700 - 14 * index, 10, value)]);
  t.equal(await spoken(values), 'r .45 r .41 r to go r to come', 'so is one before its values, or a word class');
  const small = (count: number): string[] => ['first', 'second', 'third'].slice(0, count).flatMap((item, index) => [text(60, 700 - 14 * index, 6.8, 'r'), text(75, 700 - 14 * index, 10, item)]);
  t.equal(await spoken(small(3)), '• first • second • third', 'of the own family, but far too small for a letter of the text');
  t.equal(await spoken(small(2)), 'r first r second', 'twice may be anything');
});
