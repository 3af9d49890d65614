/** Lines whose letters the file does not tell, read from the picture of a page whose other text stays as the file has it. */
import t from 'tap';
import { boxAround, linesOnPage, partOf } from '../../src/convert/ocr/page-part.js';
import { unreadableLines, withReadLines } from '../../src/convert/ocr/unreadable.js';
import type { Line, PageContent, Word } from '../../src/pdf/pdf-page.js';

function line(text: string, left: number, baseline: number): Line {
  let at = left;
  const words = text.split(' ').map((part): Word => {
    const box = { left: at, right: at + 5 * part.length, top: baseline - 7, bottom: baseline + 1 };
    at = box.right + 3;
    return {
      text: part, box, baseline, size: 10, font: { name: 'Body', weight: 400, bold: false, italic: false, monospace: false, symbolic: false }, color: 0, angle: 0, glued: false, softHyphen: false,
      invisible: false, order: baseline + at, link: -1, underline: false, strike: false, mcid: -1,
    };
  });
  return { words, box: { left, right: at - 3, top: baseline - 7, bottom: baseline + 1 }, baseline, size: 10, angle: 0 };
}

function page(lines: Line[]): PageContent {
  return {
    pageIndex: 0, width: 600, height: 800, rotation: 0, words: lines.flatMap(({ words }) => words), lines, rulings: [], boxes: [], images: [], drawings: [], links: [], structure: [],
    hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 }, unmappedCharacters: 20, characters: 100,
  };
}

const good = line('What the file tells stays as it is', 300, 100);
const garbled = [line('\ufffd\ufffd\ufffd\ufffd \ufffd\ufffd!\ufffd', 50, 100), line('\ufffd\ufffd \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd', 50, 112)];
const textOf = ({ lines }: PageContent): string[] => lines.map(({ words }) => words.map((word) => word.text).join(' '));

t.test('lines of signs without a name are told from bullets and from text', (t) => {
  t.same(unreadableLines(page([good, ...garbled])), garbled);
  t.same(unreadableLines(page([good, line('\ufffd First of the points', 50, 130), line('\ufffd Second of them', 50, 142)])), [], 'bullets');
  t.same(unreadableLines(page([good, line('\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd', 50, 130)])), [], 'an ornament');
  t.end();
});

t.test('they are replaced by what is read in their place, and nothing else is', (t) => {
  const content = page([good, ...garbled]);
  const read = page([line('Enhance the performance', 50, 100.4), line('What tho fiIe tells stays as it is', 300, 100.3), line('of operations', 50, 112.2)]);
  const mended = withReadLines(content, garbled, read.lines)!;
  t.same(textOf(mended), ['What the file tells stays as it is', 'Enhance the performance', 'of operations']);
  t.same(mended.words.map((word) => word.text), mended.lines.flatMap(({ words }) => words.map((word) => word.text)));
  t.equal(new Set(mended.words.map((word) => word.order)).size, mended.words.length, 'each word has its place in the order');
  t.equal(withReadLines(content, garbled, [line('x', 50, 100)]), null, 'nothing is read there');
  t.end();
});

t.test('only the part of the page where they stand is drawn, with room behind them, and what is read there stands in its place', async (t) => {
  const content = page([good, ...garbled]);
  const [first, second] = garbled as [Line, Line];
  const box = boxAround(garbled, { around: 2, behind: 0.5 }, content);
  t.same(box, { left: 30, top: 73, right: Math.max(first.box.right * 1.5 - 25, second.box.right * 1.5 - 25) + 20, bottom: 133 });
  t.same(boxAround([line('at the edge', 590, 799)], { around: 2, behind: 0.5 }, content), { left: 570, top: 772, right: 600, bottom: 800 }, 'within the page');
  const drawn: unknown[] = [];
  const part = partOf({ render: (...given) => { drawn.push(given); return { data: new Uint8Array(4), width: 1, height: 1, stride: 4 }; } }, content, box);
  await part.pages.render(0, { left: 0, top: 0, right: 10, bottom: 20 }, 300);
  t.same(drawn, [[0, { left: 30, top: 73, right: 40, bottom: 93 }, 300]]);
  t.match(part.content, { width: box.right - 30, height: 60, words: [], characters: 0 });
  const [back] = linesOnPage([line('Enhance the performance', 20, 27.4)], box);
  const placed = line('Enhance the performance', 50, 100.4);
  t.same(back?.box, placed.box);
  t.same(back?.words.map(({ box: at, baseline }) => [at.left, at.right, baseline]), placed.words.map(({ box: at, baseline }) => [at.left, at.right, baseline]));
});
