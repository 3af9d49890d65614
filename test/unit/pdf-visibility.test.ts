/** Text that a made PDF holds and does not show is dropped and counted by its reason; visible text stays. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { HiddenText, PageContent } from '../../src/pdf/index.js';
import { clipped, layered, placed, rectangle, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import type { PageSpec, PdfSpec } from '../support/pdf-writer.js';

async function read(content: string[], page: Partial<PageSpec> = {}, spec: Partial<PdfSpec> = {}): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ ...spec, pages: [{ ...page, content }] }));
  try {
    return pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

const wordsOf = (page: PageContent) => page.words.map((word) => word.text).join(' ');
const nothing: HiddenText = { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 };

t.test('outside the page', async (t) => {
  const page = await read([text(100, 300, 10, 'inside'), text(100, 20, 10, 'below'), text(700, 300, 10, 'beside'), text(10, 300, 10, 'left'), text(100, 550, 10, 'above')], { cropBox: [50, 100, 400, 500] });
  t.equal(wordsOf(page), 'inside');
  t.same(page.hidden, { ...nothing, outsidePage: 20 });
});

t.test('clipped away, in whole or in part', async (t) => {
  const page = await read([
    clipped(72, 690, 26, 20, text(72, 700, 10, 'partly seen')),
    'q 72 600 m 72 600 l W n', text(72, 600, 10, 'never'), 'Q',
    'q 0.5 0 0 0.5 0 0 cm 144 900 400 60 re W n', text(150, 920, 20, 'scaled'), 'Q',
    text(72, 400, 10, 'free'),
  ]);
  t.equal(wordsOf(page), 'partly scaled free');
  t.same(page.hidden, { ...nothing, clipped: 9 });
});

t.test('text painted in slices through several clips is whole', async (t) => {
  const page = await read([clipped(72, 698, 200, 4, text(72, 700, 10, 'sliced text')), clipped(72, 702, 200, 8, text(72, 700, 10, 'sliced text'))]);
  t.equal(wordsOf(page), 'sliced text');
});

t.test('outside the box of its form', async (t) => {
  const page = await read([placed('Figure', 1, 0, 0, 1, 0, 0)], { forms: { Figure: { content: `${text(72, 300, 10, 'label')}\n${text(72, 500, 10, 'cropped')}`, box: [0, 200, 600, 400] } } });
  t.equal(wordsOf(page), 'label');
  t.same(page.hidden, { ...nothing, clipped: 7 });
});

t.test('in layers that are switched off, marked or as forms', async (t) => {
  const page = await read(
    [layered('Off', text(72, 700, 10, 'draft')), layered('Off', rectangle(72, 600, 50, 50)), layered('On', text(72, 680, 10, 'final')), layered('On', rectangle(172, 600, 50, 50)), placed('Stamp', 1, 0, 0, 1, 0, 0)],
    { forms: { Stamp: { content: text(300, 300, 10, 'stamp'), layer: 'Off' } } },
    { layers: { On: true, Off: false } },
  );
  t.equal(wordsOf(page), 'final');
  t.equal(page.hidden.hiddenLayer, 5);
  t.equal(page.hidden.clipped, 5, 'a form in a hidden layer is only known to paint nothing');
  t.same(page.boxes.map(({ box }) => box.left), [172]);
});

t.test('under a later box or image, unless it shines through', async (t) => {
  const images = { Solid: { width: 2, height: 2, grey: 200 }, Veil: { width: 2, height: 2, grey: 200, alpha: 40 } };
  const page = await read(
    [
      text(72, 700, 10, 'redacted'), rectangle(70, 697, 60, 14),
      text(72, 660, 10, 'pictured'), placed('Solid', 60, 0, 0, 20, 70, 655),
      text(72, 620, 10, 'veiled'), placed('Veil', 60, 0, 0, 20, 70, 615),
      text(72, 580, 10, 'tinted'), 'q /Half gs', rectangle(70, 577, 60, 14, { fill: 0xffff00 }), 'Q',
      rectangle(70, 537, 60, 14, { fill: 0xffff00 }), text(72, 540, 10, 'over'),
      text(72, 500, 10, 'halfway'), rectangle(70, 497, 20, 14),
    ],
    { images, states: { Half: '/ca 0.3' } },
  );
  t.equal(wordsOf(page), 'veiled tinted over way');
  t.same(page.hidden, { ...nothing, covered: 20 });
});

t.test('in the colour of its ground, but not light on dark', async (t) => {
  const page = await read(
    [
      text(72, 700, 10, 'white', { color: 0xffffff }), text(72, 680, 10, 'black'),
      rectangle(70, 637, 60, 14, { fill: 0x003366 }), text(72, 640, 10, 'reversed', { color: 0xffffff }),
      rectangle(70, 597, 60, 14, { fill: 0x003366 }), text(72, 600, 10, 'sunken', { color: 0x013366 }),
      placed('Dark', 80, 0, 0, 20, 70, 555), text(72, 560, 10, 'onimage', { color: 0xffffff }),
    ],
    { images: { Dark: { width: 2, height: 2, grey: 20 } } },
  );
  t.equal(wordsOf(page), 'black reversed onimage');
  t.same(page.hidden, { ...nothing, sameColor: 11 });
});

t.test('invisible text is kept and marked: render mode 3, no opacity, under a scan', async (t) => {
  const page = await read([placed('Scan', 612, 0, 0, 792, 0, 0), text(72, 700, 10, 'recognised', { mode: 3 }), 'q /Clear gs', text(72, 680, 10, 'clear'), 'Q', text(72, 660, 10, 'seen')], {
    images: { Scan: { width: 8, height: 8, grey: 240 } },
    states: { Clear: '/ca 0' },
  });
  t.same(page.words.map((word) => [word.text, word.invisible]), [['recognised', true], ['clear', true], ['seen', false]]);
  t.same(page.hidden, { ...nothing, invisible: 15 });
  const under = await read([text(72, 700, 10, 'beneath'), placed('Scan', 612, 0, 0, 792, 0, 0)], { images: { Scan: { width: 8, height: 8, grey: 240 } } });
  t.same(under.words.map((word) => [word.text, word.invisible]), [['beneath', true]]);
});
