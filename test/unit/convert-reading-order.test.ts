/** The order in which pages are read: columns, what spans them, and what only resembles columns. */
import t from 'tap';
import { readsAsLabels, splitByFigure, withAxisTitles } from '../../src/convert/layout/figures.js';
import { orderPage } from '../../src/convert/layout/reading-order.js';
import type { PageStructure } from '../../src/convert/page/values.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

/** First words of what is read, tables and figures as `#n`. */
function reading(page: PageStructure): string[] {
  const vocabulary = new Map<string, number>();
  return orderPage(page, page.pieces, vocabulary).flatMap((column) => column.items.map((item) => (item.line === null ? `#${item.object}` : item.line.text.split(' ')[0]!)));
}

t.test('two columns are read one after the other', (t) => {
  const page = pageStructure(0, [...paragraph(320, 100, 230, 8, 'right'), ...paragraph(50, 100, 230, 8, 'left')]);
  const words = reading(page);
  t.same(words.slice(0, 8).every((word) => word.startsWith('left')), true);
  t.same(words.slice(8).every((word) => word.startsWith('right')), true);
  t.end();
});

t.test('what spans the columns parts them', (t) => {
  const page = pageStructure(0, [
    line(50, 60, 'Title of the paper that spans both of the columns of this page entirely', { size: 14 }),
    ...paragraph(50, 100, 230, 6, 'aa'), ...paragraph(320, 100, 230, 6, 'bb'),
    ...paragraph(50, 200, 500, 1, 'middle'),
    ...paragraph(50, 240, 230, 6, 'cc'), ...paragraph(320, 240, 230, 6, 'dd'),
  ]);
  const order = reading(page).map((word) => word.slice(0, 2)).filter((word, index, all) => word !== all[index - 1]);
  t.same(order, ['Ti', 'aa', 'bb', 'mi', 'cc', 'dd']);
  t.end();
});

t.test('a letter: what stands right of the address and far above it is read first, and the rows with the date stay rows', (t) => {
  const sender = ['Waterworks', 'Harbour', 'office@example.org'].map((text, at) => line(420, 90 + at * 12, text));
  const rest = [
    ...['Ms', 'Else', 'Hill', 'Newport'].map((text, at) => line(70, 180 + at * 12, text)),
    line(70, 262, 'Your'), line(70, 274, 'EF-12'), line(200, 262, 'Our'), line(200, 274, 'SN/4711'), line(420, 262, 'Date'), line(420, 274, '3 March'),
    ...paragraph(70, 310, 450, 6, 'body'),
  ];
  const order = reading(pageStructure(0, [...sender, ...rest]));
  t.same(order.slice(0, 10), ['Waterworks', 'Harbour', 'office@example.org', 'Ms', 'Else', 'Hill', 'Newport', 'Your', 'EF-12', 'body0']);
  t.end();
});

t.test('an invoice: the number and the date, flush right beside the sender, are a block of their own, and what stands far below the sender comes after them', (t) => {
  const flushRight = (baseline: number, text: string): ReturnType<typeof line> => {
    const made = line(0, baseline, text);
    return { ...made, box: { ...made.box, left: 550 - made.box.right, right: 550 } };
  };
  const right = [flushRight(90, 'Invoice no. 2024-17'), flushRight(102, 'Date: 3 May 2024'), flushRight(114, 'Customer: K-993')];
  const address = ['Ms Else Hill', 'Garden Road 12', 'Newport'].map((text, at) => line(50, 150 + at * 12, text));
  const title = line(50, 220, 'Invoice', { size: 16, bold: true });
  const sender = (count: number): ReturnType<typeof line>[] => ['Hill & Daughters', 'Main Street 5', '12345 Oldtown'].slice(0, count).map((text, at) => line(50, 90 + at * 12, text));
  const read = (...pieces: ReturnType<typeof line>[]): string[] => reading(pageStructure(0, [...pieces, title, ...paragraph(50, 250, 500, 5, 'body')]));
  t.same(read(...sender(3), ...right, ...address).slice(0, 10), ['Hill', 'Main', '12345', 'Invoice', 'Date:', 'Customer:', 'Ms', 'Garden', 'Newport', 'Invoice']);
  t.same(read(...sender(3), ...right.slice(0, 2)).slice(0, 6), ['Hill', 'Main', '12345', 'Invoice', 'Date:', 'Invoice'], 'of two rows');
  const list = [...sender(3), ...['18 pages', '7 pages', '12 pages'].map((text, at) => flushRight(90 + at * 12, text))];
  t.same(read(...list).slice(0, 3), ['Hill', 'Main', '12345'], 'short texts beside are of the rows');
  t.end();
});

t.test('white that runs down a few lines of a justified paragraph parts no columns', (t) => {
  const spread = (baseline: number, ...texts: string[]): ReturnType<typeof line>[] => {
    const made = texts.map((text) => line(0, baseline, text));
    const white = (150 - made.reduce((sum, { box }) => sum + box.right, 0)) / (texts.length - 1);
    let left = 50;
    return made.map((one, at) => {
      const right = at === texts.length - 1 ? 200 : left + one.box.right;
      const placed = { ...one, box: { ...one.box, left: right - one.box.right, right } };
      left = right + white;
      return placed;
    });
  };
  const full = (baseline: number, text: string): ReturnType<typeof line> => ({ ...line(50, baseline, text), box: { left: 50, right: 200, top: baseline - 7, bottom: baseline + 1 } });
  const loose = [spread(100, 'Waterworks are besides', 'the'), spread(112, 'neighbourhoods. The', 'third'), spread(124, 'gaugekeepers, John', 'Theo')];
  const after = [full(136, 'noted beside the level of water every'), full(148, 'arrival of the swallows in the spring.')];
  t.same(reading(pageStructure(0, [...loose.flat(), ...after])), ['Waterworks', 'neighbourhoods.', 'gaugekeepers,', 'noted', 'arrival']);
  t.ok(reading(pageStructure(0, [...paragraph(50, 100, 70, 3, 'aa'), ...paragraph(130, 100, 70, 3, 'bb'), full(160, 'reaches over both of the columns')])).slice(0, 3).every((word) => word.startsWith('aa')), 'columns above a line that reaches over both are columns');
  t.end();
});

t.test('a column that goes on from above the other one stays a column', (t) => {
  const page = pageStructure(0, [...paragraph(320, 100, 230, 20, 'right'), ...paragraph(50, 160, 230, 15, 'left')]);
  t.ok(reading(page).slice(0, 15).every((word) => word.startsWith('left')), reading(page).join(' '));
  t.end();
});

t.test('sections of columns under headings that are too short to cross the gutter are read one after the other', (t) => {
  const section = (top: number, heading: string, left: string, right: string, head = 50): ReturnType<typeof line>[] =>
    [line(head, top, heading, { size: 16, bold: true }), ...paragraph(50, top + 30, 230, 6, left), ...paragraph(320, top + 30, 230, 6, right)];
  const order = (...pieces: ReturnType<typeof line>[]): string[] => reading(pageStructure(0, pieces)).map((word) => word.replace(/\d.*$/, '')).filter((word, index, all) => word !== all[index - 1]);
  t.same(order(...section(80, 'First', 'aa', 'bb'), ...section(230, 'Second', 'cc', 'dd')), ['First', 'aa', 'bb', 'Second', 'cc', 'dd']);
  t.same(order(...section(80, 'First', 'aa', 'bb'), ...section(230, 'Second', 'cc', 'dd', 450)), ['First', 'aa', 'cc', 'bb', 'Second', 'dd'], 'the heading of the right column');
  t.same(order(line(50, 80, 'First', { size: 16 }), ...paragraph(50, 110, 230, 6, 'aa'), line(50, 230, 'Second', { size: 16 }), ...paragraph(50, 260, 230, 6, 'cc'), ...paragraph(320, 80, 230, 22, 'bb')), ['First', 'aa', 'Second', 'cc', 'bb'], 'beside a column that goes on');
  t.end();
});

t.test('the short last line of a spanning paragraph stays above the columns', (t) => {
  const page = pageStructure(0, [
    line(50, 60, 'An introduction in slanted letters that is as wide as both of the columns together, and', { italic: true, font: 'Italic' }),
    line(50, 72, 'then ends early.', { italic: true, font: 'Italic' }),
    ...paragraph(50, 100, 230, 6, 'aa'), ...paragraph(320, 100, 230, 6, 'bb'),
  ]);
  t.equal(orderPage(page, page.pieces, new Map())[0]!.items.length, 2, 'both lines in one column');
  t.same(reading(page).slice(0, 3), ['An', 'then', 'aa0']);
  t.end();
});

t.test('three columns with a figure over two of them', (t) => {
  const columns = [40, 220, 400].flatMap((left, index) => paragraph(left, 100, 160, 8, 'abc'[index]!.repeat(2)));
  const below = [40, 220].flatMap((left, index) => paragraph(left, 400, 160, 8, 'xy'[index]!.repeat(2)));
  const page = pageStructure(0, [...columns, ...paragraph(400, 196, 160, 25, 'cc'), ...below], {
    figures: [{ box: { left: 40, right: 380, top: 220, bottom: 380 }, chart: false, ownsText: true }],
  });
  const order = reading(page).map((word) => word.slice(0, 2)).filter((word, index, all) => word !== all[index - 1]);
  t.same(order, ['aa', 'bb', '#0', 'xx', 'yy', 'cc']);
  t.end();
});

t.test('a table that stops short of the last column still parts the columns where their lines are broken', (t) => {
  const columns = (top: number, words: string[]): ReturnType<typeof line>[] => [40, 220, 400].flatMap((left, index) => paragraph(left, top, 160, 6, words[index]!));
  const rule = (x: number, top: number, bottom: number): { x: number; top: number; bottom: number } => ({ x, top, bottom });
  const page = pageStructure(0, [...columns(100, ['aa', 'bb', 'cc']), ...columns(300, ['dd', 'ee', 'ff'])], {
    figures: [{ box: { left: 40, right: 380, top: 180, bottom: 280 }, chart: false, ownsText: true }],
    columnRules: [rule(210, 90, 165), rule(390, 90, 165), rule(210, 292, 365), rule(390, 292, 365)],
  });
  const order = reading(page).map((word) => word.slice(0, 2)).filter((word, index, all) => word !== all[index - 1]);
  t.same(order, ['aa', 'bb', 'cc', '#0', 'dd', 'ee', 'ff']);
  t.end();
});

t.test('markers, numbers of equations and terms are no columns', (t) => {
  const bullets = pageStructure(0, [0, 1, 2, 3, 4].flatMap((index) => [line(50, 100 + 20 * index, '•'), line(70, 100 + 20 * index, `item${index} with its text`)]));
  t.same(new Set(reading(bullets)), new Set(['•']), 'a bullet begins each row');
  const equations = pageStructure(0, [
    ...paragraph(50, 100, 380, 4, 'aa'), line(150, 170, 'E = mc'), line(540, 170, '(1)'),
    ...paragraph(50, 190, 380, 4, 'bb'), line(150, 260, 'a = b'), line(540, 260, '(2)'), ...paragraph(50, 280, 380, 4, 'cc'),
  ]);
  t.same(reading(equations).filter((word) => word.startsWith('(')), [], 'each number stands in the row of its equation');
  const terms = pageStructure(0, ['Name', 'Street', 'Town', 'Country', 'Date'].flatMap((term, index) => [line(50, 100 + 14 * index, term), line(200, 100 + 14 * index, `value${index}`)]));
  t.same(reading(terms), ['Name', 'Street', 'Town', 'Country', 'Date'], 'a form is read row by row');
  t.end();
});

t.test('indented lines between lines at the edge are no column', (t) => {
  const mono = { monospace: true, font: 'Mono', size: 9.5 };
  const program = ['int main(void)', '{', '    for (int i = 0; i < 3; i++) {', '        print(i);', '    }', '', '    return 0;', '}'];
  const lines = program.flatMap((text, index) => (text === '' ? [] : [line(95 + 5.7 * (text.length - text.trimStart().length), 188 + 12 * index, text.trimStart(), mono)]));
  t.same(reading(pageStructure(0, [...paragraph(80, 100, 400, 6, 'aa'), ...lines, ...paragraph(80, 310, 400, 6, 'bb')])).slice(6, 13), ['int', '{', 'for', 'print(i);', '}', 'return', '}']);
  t.end();
});

t.test('right-to-left pages begin with the right column', (t) => {
  const page = pageStructure(0, [...paragraph(50, 100, 230, 8, 'שמאל'), ...paragraph(320, 100, 230, 8, 'ימין')]);
  t.match(reading(page)[0], /ימין/);
  t.end();
});

t.test('a drop capital goes to the word it begins', (t) => {
  const rest = paragraph(80, 122, 200, 3, 'text');
  const page = pageStructure(0, [line(50, 124, 'T', { size: 30 }), line(80, 110, 'hey came in the night and left before dawn'), ...rest]);
  t.equal(reading(page)[0], 'They');
  const article = pageStructure(0, [line(50, 124, 'A', { size: 30 }), line(80, 110, 'house stood at the end of the lane, empty'), ...rest]);
  const known = new Map([['house', 3]]);
  t.equal(orderPage(article, article.pieces, known)[0]!.items[0]!.line!.text.startsWith('A house'), true);
  t.end();
});

t.test('a picture behind columns of text parts none of them', (t) => {
  const columns = [...paragraph(50, 112, 230, 8, 'left'), ...paragraph(320, 118, 230, 8, 'right')];
  const figure = { box: { left: 40, right: 560, top: 90, bottom: 400 }, chart: false, ownsText: false };
  const words = reading(pageStructure(0, columns, { figures: [figure] })).filter((word) => !word.startsWith('#')).map((word) => word.slice(0, 4));
  t.same(words, [...Array<string>(8).fill('left'), ...Array<string>(8).fill('righ')]);
  t.end();
});

t.test('lines that run downwards follow each other to the left, halves of ideographic lines meet without a space', (t) => {
  const down = (left: number, text: string): ReturnType<typeof line> => ({ ...line(left, 200, text), angle: 270, box: { left, right: left + 10, top: 100, bottom: 400 } });
  const [column] = orderPage(pageStructure(0, []), [down(500, 'which it ends.'), down(520, 'It goes on to the line below, in'), down(540, 'This page is turned.')], new Map());
  t.equal(column!.items[0]!.line?.text, 'This page is turned. It goes on to the line below, in which it ends.');
  const [halves] = orderPage(pageStructure(0, []), [line(50, 100, '春になると、', { box: { left: 50, right: 110, top: 92, bottom: 101 } }), line(119, 100, '「船」が', { box: { left: 119, right: 159, top: 92, bottom: 101 } })], new Map());
  t.equal(halves!.items[0]!.line?.text, '春になると、「船」が');
  t.end();
});

t.test('lines of vertical writing are parted after one that ends early and where the size changes', (t) => {
  const down = (left: number, text: string, bottom: number, size = 10): ReturnType<typeof line> => ({ ...line(left, 200, text, { size }), angle: 270, box: { left, right: left + size, top: 100, bottom } });
  const [column] = orderPage(pageStructure(0, []), [down(540, '港の鐘', 150, 16), down(520, '私は鐘を二度鳴らす、霧の', 400), down(505, '朝に。', 130), down(490, '父もこの仕事を二度鳴らす', 400)], new Map());
  t.same(column!.items.map((item) => item.line?.text), ['港の鐘', '私は鐘を二度鳴らす、霧の朝に。', '父もこの仕事を二度鳴らす']);
  t.end();
});

t.test('lines of vertical writing are read from the right whatever white is between them, with signs that stand upright by themselves, and halves behind a bracket', (t) => {
  const down = (left: number, text: string, top: number, bottom: number): ReturnType<typeof line> => ({ ...line(left, top, text), angle: 270, box: { left, right: left + 10, top, bottom } });
  const upright = (left: number, baseline: number, text: string): ReturnType<typeof line> => ({ ...line(left, baseline, text), box: { left, right: left + 10, top: baseline - 9, bottom: baseline + 1 } });
  const lines = [down(540, '山の手紙を書く', 100, 170), down(500, 'この村に来てから、もう三度目の冬', 111, 400), down(480, 'た。', 100, 122), down(440, 'て、', 100, 122), down(440, '「いいえ」と答えます。', 116, 240),
    upright(400, 110, '二'), upright(400, 135, '橋'), down(360, '川に架かる橋は、去年の秋に流され', 111, 400), down(340, 'らです。', 100, 140)];
  const read = orderPage(pageStructure(0, []), lines, new Map()).flatMap(({ items }) => items.map((item) => item.line?.text));
  t.same(read, ['山の手紙を書く', 'この村に来てから、もう三度目の冬た。', 'て、「いいえ」と答えます。', '二 橋', '川に架かる橋は、去年の秋に流されらです。']);
  t.end();
});

t.test('a picture begins where a line of text stands out of it', (t) => {
  const figure = { box: { left: 96, right: 584, top: 300, bottom: 700 }, chart: false, ownsText: true };
  const { inside, outside } = splitByFigure([line(36, 360, 'Leverage row permissions on', { size: 14 }), line(36, 377, 'the database', { size: 14 }), line(400, 500, 'a label')], [figure]);
  t.same([inside[0]!.map(({ text }) => text), outside.map(({ text }) => text)], [['a label'], ['Leverage row permissions on', 'the database']]);
  t.end();
});

t.test('the title of an upright axis beside a figure is a label of it', (t) => {
  const box = { left: 150, right: 450, top: 300, bottom: 480 };
  const figure = { box, chart: true, ownsText: true };
  const title = (left: number, top: number, height: number, angle = 90): ReturnType<typeof line> => line(left, top, 'Orders (thousand)', { angle, box: { left, right: left + 10, top, bottom: top + height } });
  const widened = (...pieces: ReturnType<typeof line>[]): number => withAxisTitles([figure], [{ left: 60, right: 125, top: 290, bottom: 320 }], pieces)[0]!.box.left;
  t.equal(widened(title(136, 350, 80)), 136);
  t.equal(splitByFigure([title(136, 350, 80)], withAxisTitles([figure], [], [title(136, 350, 80)])).inside[0]!.length, 1);
  t.equal(widened(title(136, 350, 80, 0)), 150, 'level text is a paragraph');
  t.equal(widened(title(100, 350, 80)), 150, 'far away: a stamp in the margin');
  t.equal(widened(title(136, 200, 400)), 150, 'longer than the figure is high');
  t.equal(widened(title(136, 350, 80), line(137, 310, 'x')), 150, 'text between the two');
  t.equal(withAxisTitles([{ ...figure, ownsText: false }], [], [title(136, 350, 80)])[0]!.box.left, 150, 'a picture behind running text owns none');
  t.end();
});

t.test('a paragraph in a drawing is no label of it', (t) => {
  const box = { left: 40, right: 560, top: 90, bottom: 700 };
  const labels = Array.from({ length: 24 }, (_, index) => line(450, 100 + 13 * index, 'a label'));
  const prose = (count: number, left: (index: number) => number = () => 50): ReturnType<typeof line>[] =>
    Array.from({ length: count }, (_, index) => line(left(index), 100 + 12 * index, 'lines of words that go on and on until the paragraph comes to its end'));
  t.equal(readsAsLabels(box, [...labels, ...prose(5)]), false);
  t.equal(readsAsLabels(box, [...labels, ...prose(4)]), true);
  t.equal(readsAsLabels(box, [...labels, ...prose(5, (index) => 50 + 20 * index)]), true, 'sentences here and there are');
  t.end();
});

t.test('a hostile page ends', (t) => {
  const pieces = Array.from({ length: 3000 }, (_, index) => line((index * 37) % 560, (index * 53) % 780, 'x', { size: 4 }));
  t.equal(reading(pageStructure(0, pieces)).join('').replace(/[^x]/g, '').length, 3000, 'with every piece in it once');
  t.end();
});

t.test('labels of drawings side by side in one picture are read drawing by drawing', (t) => {
  const labels = [line(60, 120, '0.4', { size: 8 }), line(60, 160, '0.2', { size: 8 }), line(150, 210, 'T [K]', { size: 8 }), line(312, 120, '0.9', { size: 8 }), line(312, 160, '0.7', { size: 8 }), line(400, 210, 'U [V]', { size: 8 })];
  const at = (left: number, right: number): { left: number; right: number; top: number; bottom: number } => ({ left, right, top: 100, bottom: 200 });
  const box = { left: 50, right: 550, top: 100, bottom: 220 };
  const read = (parts: ReturnType<typeof at>[]): string[] => structureDocument([pageStructure(0, labels, { figures: [{ box, chart: false, ownsText: true, parts }] })], [], false).blocks
    .flatMap((block) => (block.kind === 'figure' ? block.lines.map(({ text }) => text) : []));
  t.same(read([at(330, 540), at(80, 280)]), ['0.4', '0.2', 'T [K]', '0.9', '0.7', 'U [V]']);
  t.same(read([]), ['0.4 0.9', '0.2 0.7', 'T [K] U [V]']);
  t.end();
});

t.test('tables side by side are read from the left, the taller one too, and before what follows both', (t) => {
  const table = (left: number, top: number, bottom: number) => ({ ...pageStructure(0, []).tables[0]!, box: { left, right: left + 200, top, bottom }, rows: [], cells: [] });
  const page = { ...pageStructure(0, [line(50, 70, 'Above the tables stands a line that is as wide as both of them together are'), line(50, 92, 'North'), line(320, 92, 'South'), line(50, 320, 'Below the tables stands a line that is as wide as both of them together are')]), tables: [table(320, 101, 180), table(50, 100, 290)] };
  t.same(reading(page as PageStructure), ['Above', 'North', '#1', '#0', 'Below']);
  t.end();
});

t.test('options side by side are read as they count', (t) => {
  const page = (options: [number, number, string][]): string[] => {
    const made = pageStructure(0, [...paragraph(50, 100, 450, 5, 'mill'), line(50, 170, '1. Which of these acids is the strongest one in water?'), ...options.map(([left, baseline, text]) => line(left, baseline, text)), ...paragraph(50, 300, 450, 5, 'swim')]);
    return orderPage(made, made.pieces, new Map()).flatMap(({ items }) => items.map((item) => item.line?.text ?? '')).filter((text) => !/mill|swim|Which/u.test(text));
  };
  t.same(page([[70, 185, 'A. HF'], [300, 185, 'C. Acetic'], [70, 199, 'B. HCl'], [300, 200, 'D. Water']]), ['A. HF', 'B. HCl', 'C. Acetic', 'D. Water'], 'down the columns');
  t.same(page([[70, 185, '(a) HF'], [300, 185, '(b) HCl'], [70, 199, '(c) Acetic'], [300, 199, '(d) Water']]), ['(a) HF', '(b) HCl', '(c) Acetic', '(d) Water'], 'along the rows');
  t.same(page([[70, 185, 'a) HF'], [200, 185, 'b) HCl'], [330, 185, 'c) Acetic']]), ['a) HF', 'b) HCl', 'c) Acetic'], 'in one row');
  t.same(page([[70, 185, 'A. A longer answer that'], [300, 185, 'C. Acetic'], [83, 197, 'goes on'], [70, 211, 'B. HCl'], [300, 211, 'D. Water']]), ['A. A longer answer that', 'goes on', 'B. HCl', 'C. Acetic', 'D. Water'], 'with a second line');
  t.same(page([[70, 185, 'A. Adams'], [200, 185, 'B. Brown'], [330, 185, 'C. Clark'], [70, 197, 'Oslo'], [200, 197, 'Cardiff'], [330, 197, 'Bonn']])[0], 'A. Adams B. Brown C. Clark', 'names');
  t.same(page([[70, 185, '(a) The frog'], [300, 185, '(b) The toad'], [70, 197, 'of the sea'], [300, 197, 'of the pond']])[0], '(a) The frog (b) The toad', 'texts below that are nobody\'s');
  t.same(page([[70, 185, 'A. HF'], [300, 185, 'F. Acetic']]), ['A. HF F. Acetic'], 'they do not count on');
  t.same(page([[70, 185, 'A. Weber and C. Hill'], [300, 185, 'Cardiff']]), ['A. Weber and C. Hill Cardiff'], 'one of the two is none');
  t.end();
});
