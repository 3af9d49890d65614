/** Boldness of recognised lines: strokes measured on drawn bars, lines held against the page's running text, bars of charts left out. */
import t from 'tap';
import type { Bitmap } from '../../src/bitmap.js';
import { strokeOf } from '../../src/convert/ocr/strokes.js';
import type { Stroke } from '../../src/convert/ocr/strokes.js';
import { recognisedText } from '../../src/convert/ocr/recognised-lines.js';
import type { ReadLine, ReadWord } from '../../src/engine/port.js';

/** Upright bars of `width` pixels (parts of one as grey), every 12 pixels, `ink` on `paper`. */
function bars(width: number, { ink = 20, paper = 235, count = 10 } = {}): Bitmap {
  const size = { width: 12 * count, height: 20 };
  const data = new Uint8Array(size.width * size.height * 4).fill(255);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const share = y < 2 || y >= 18 ? 0 : Math.max(0, Math.min(1, width - ((x % 12) - 3))) * (x % 12 >= 3 ? 1 : 0);
      data.fill(Math.round(paper + share * (ink - paper)), (y * size.width + x) * 4, (y * size.width + x) * 4 + 3);
    }
  }
  return { data, ...size, stride: size.width * 4 };
}

const whole = (bitmap: Bitmap): { left: number; top: number; right: number; bottom: number } => ({ left: 0, top: 0, right: bitmap.width, bottom: bitmap.height });

t.test('strokes are as thick as they are drawn, to parts of a pixel', (t) => {
  for (const width of [2, 2.5, 3, 4.75]) {
    const drawn = bars(width);
    t.ok(Math.abs((strokeOf(drawn, whole(drawn))?.width ?? 0) - width) < 0.05, `${width}`);
  }
  const onDark = bars(3, { ink: 240, paper: 30 });
  t.ok(Math.abs((strokeOf(onDark, whole(onDark))?.width ?? 0) - 3) < 0.05, 'light on dark');
  const pale = bars(3, { ink: 200, paper: 235 });
  t.equal(strokeOf(pale, whole(pale)), null, 'too pale to be measured');
  t.equal(strokeOf(onDark, { left: -5, top: -5, right: -1, bottom: 3 }), null, 'outside the bitmap');
  t.end();
});

/** A line of one word, `size` points high at 300 dpi. */
function line(text: string, y: number, size: number): ReadLine {
  const height = (size * 300) / 72;
  const word: ReadWord = { text, left: 300, top: y - 0.69 * height, right: 300 + 0.5 * height * text.length, bottom: y, confidence: 0.95 };
  return { baseline: [300, y, word.right, y], words: [word] };
}

const frame = { scale: 72 / 300, left: 0, top: 0 };

function boldOf(lines: ReadLine[], stroke: (word: ReadWord) => Stroke | null): string[] {
  const { words } = recognisedText({ lines, rulings: [] }, frame, (word) => stroke(word));
  return words.filter((word) => word.font.bold).map((word) => word.text);
}

/** Strokes of a sharp picture: all ink is black. */
const sharp = (width: number): Stroke => ({ width, ink: 200 * width });

t.test('lines with thicker strokes than the running text are bold', (t) => {
  const body = Array.from({ length: 10 }, (_, index) => line('Thelineofthetextthatrunson', 600 + 50 * index, 10));
  const pixels = (size: number): number => 4.2 * (0.6 + 0.04 * size);
  const lines = [line('Large', 200, 18), line('Heading', 300, 10), line('Heavier', 380, 10), line('Small', 450, 6), ...body];
  const thick = new Map([['Large', pixels(18) * 1.05], ['Heading', pixels(10) * 1.4], ['Heavier', pixels(10) * 1.15], ['Small', pixels(6) * 1.08]]);
  t.same(boldOf(lines, (word) => sharp(thick.get(word.text) ?? pixels(10))), ['Heading']);
  t.same(boldOf(lines, () => null), [], 'nothing measured, nothing bold');
  t.same(boldOf(lines.slice(0, 4), (word) => (thick.has(word.text) ? sharp(thick.get(word.text) ?? 0) : null)), [], 'too little text to be held against');
  t.end();
});

t.test('where blur has made all strokes nearly as wide, bold ones are those with more ink; light ones on dark grounds those that are wider', (t) => {
  const body = Array.from({ length: 10 }, (_, index) => line('Thelineofthetextthatrunson', 600 + 50 * index, 10));
  const strokes = new Map<string, Stroke>([['Blurred', { width: 4.6, ink: 560 }], ['Normal', { width: 4.5, ink: 460 }], ['Inverted', { width: 5.6, ink: 380 }]]);
  t.same(boldOf([line('Blurred', 300, 10), line('Normal', 380, 10), line('Inverted', 450, 10), ...body], (word) => strokes.get(word.text) ?? { width: 4.2, ink: 430 }), ['Blurred', 'Inverted']);
  t.end();
});

t.test('blur leaves the ink of a stroke as it is', (t) => {
  const drawn = bars(3);
  const blurred = { ...drawn, data: new Uint8Array(drawn.data) };
  for (let y = 0; y < drawn.height; y++) {
    for (let x = 2; x + 2 < drawn.width; x++) {
      const sum = [-2, -1, 0, 1, 2].reduce((all, off) => all + drawn.data[(y * drawn.width + x + off) * 4]!, 0);
      blurred.data.fill(Math.round(sum / 5), (y * drawn.width + x) * 4, (y * drawn.width + x) * 4 + 3);
    }
  }
  const [before, after] = [strokeOf(drawn, whole(drawn))!, strokeOf(blurred, whole(blurred))!];
  t.ok(Math.abs(before.ink - 3 * 215) < 15, `${before.ink}`);
  t.ok(Math.abs(after.ink / before.ink - 1) < 0.1, `${after.ink}`);
  t.ok(after.width > 1.3 * before.width, `${after.width}`);
  t.end();
});

t.test('headings of one size are of one weight', (t) => {
  const body = Array.from({ length: 10 }, (_, index) => line('Thelineofthetextthatrunson', 900 + 50 * index, 10));
  const heads = [line('Convergence', 200, 14), line('Definitions', 300, 14), line('Aims', 400, 14)];
  t.same(boldOf([...heads, ...body], (word) => sharp(word.text.length > 20 ? 4 : word.text === 'Aims' ? 4.1 : 7)), ['Convergence', 'Definitions', 'Aims']);
  t.end();
});

/** Those that are bold of a block, 12 points from line to line, above ten lines of running text: each with so much ink in its strokes beside that of the text. */
function boldInBlock(block: [text: string, ink: number | null][], leading = 50, shift = 0): string[] {
  const body = Array.from({ length: 10 }, (_, index) => line('Thelineofthetextthatrunson', 1600 + 50 * index, 10));
  const lines = block.map(([text], at) => {
    const one = line(text, 300 + leading * at, 10);
    return at === 0 ? one : { baseline: one.baseline, words: one.words.map((word) => ({ ...word, left: word.left + shift, right: word.right + shift })) };
  });
  const inks = new Map(block);
  return boldOf([...lines, ...body], ({ text }) => {
    const ink = inks.get(text);
    // Strokes with more ink are a little wider, too.
    return ink === null ? null : { width: 4 + 1.2 * ((ink ?? 1) - 1), ink: 400 * (ink ?? 1) };
  });
}

t.test('a line of doubtful weight goes with those above and below it', (t) => {
  t.same(boldInBlock([['Doubtful', 1.17]]), [], 'by itself it is regular');
  t.same(boldInBlock([['Certain', 1.35], ['Doubtful', 1.17]]), ['Certain', 'Doubtful'], 'below a bold one');
  t.same(boldInBlock([['Doubtful', 1.17], ['Certain', 1.35]]), ['Doubtful', 'Certain'], 'above a bold one');
  t.same(boldInBlock([['Certain', 1.24], ['Doubtful', 1.17]]), ['Certain'], 'below one that is not surely bold');
  t.same(boldInBlock([['Certain', 1.35], ['Normal', 1.08]]), ['Certain'], 'what is surely regular stays so');
  t.same(boldInBlock([['Certain', 1.35], ['Doubtful', 1.17]], 80), ['Certain'], 'two lines apart');
  t.same(boldInBlock([['Certain', 1.35], ['Doubtful', 1.17]], 50, 1000), ['Certain'], 'in another column');
  t.same(boldInBlock([['Heavier', 1.27]]), ['Heavier'], 'by itself it is bold');
  t.same(boldInBlock([['Normal', 1.02], ['Heavier', 1.27]]), [], 'below a regular line');
  t.same(boldInBlock([['Normal', 1.02], ['Heavier', 1.35]]), ['Heavier'], 'unless it is surely bold');
  t.same(boldInBlock([['Heavier', 1.27], ['Normal', 1.02]]), ['Heavier'], 'above a regular line: a heading is');
  t.end();
});

t.test('black text beside grey running text is darker and no wider: not bold', (t) => {
  const body = Array.from({ length: 10 }, (_, index) => line('Thelineofthetextthatrunson', 600 + 50 * index, 10));
  t.same(boldOf([line('Black', 300, 10), line('Bold', 400, 10), ...body], ({ text }) => (text === 'Black' ? { width: 4.2, ink: 620 } : text === 'Bold' ? { width: 4.6, ink: 620 } : { width: 4.2, ink: 430 })), ['Bold']);
  t.end();
});

t.test('a word too short to be measured is as bold as what stands above and below it', (t) => {
  t.same(boldInBlock([['Certain', 1.4], ['of', null], ['Secure', 1.4]]), ['Certain', 'of', 'Secure']);
  t.same(boldInBlock([['Certain', 1.4], ['of', null]]), ['Certain', 'of'], 'the last of its block');
  t.same(boldInBlock([['Certain', 1.4], ['of', null], ['Normal', 1]]), ['Certain'], 'regular text goes on below it');
  t.same(boldInBlock([['Certain', 1.4], ['17', null]]), ['Certain'], 'a number');
  t.same(boldInBlock([['Certain', 1.4], ['of', null]], 80), ['Certain'], 'apart from the others');
  t.end();
});

t.test('the bars of a chart are no letters', (t) => {
  const body = Array.from({ length: 6 }, (_, index) => line('Thelineofthetextthatrunson', 900 + 50 * index, 10));
  const texts = (lines: ReadLine[]): string[] => recognisedText({ lines, rulings: [] }, frame).words.map((word) => word.text);
  t.same(texts([line('II', 700, 60), line('IV', 800, 60), ...body.slice(0, 3)]).slice(0, 1), ['IV']);
  t.same(texts([line('II', 700, 12), ...body])[0], 'II', 'of the size of letters');
  t.end();
});
