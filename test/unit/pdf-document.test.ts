/** What a made PDF tells beside its marks: page frames, metadata, outline, links, structure. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { Box, PageContent } from '../../src/pdf/index.js';
import { line, tagged, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import type { PageSpec, PdfSpec } from '../support/pdf-writer.js';

async function read(page: PageSpec, spec: Partial<PdfSpec> = {}): Promise<PageContent> {
  const pdf = await openPdf(makePdf({ ...spec, pages: [page] }));
  try {
    return pdf.readPage(0);
  } finally {
    pdf.close();
  }
}

const corners = ({ left, top, right, bottom }: Box) => [left, top, right, bottom].map(Math.round);

t.test('pages are as they are seen: origin, crop box, rotation', async (t) => {
  const content = [text(100, 200, 10, 'word'), line(100, 195, 122, 195, { lineWidth: 4 })];
  const plain = await read({ content });
  t.same([plain.width, plain.height, plain.rotation], [612, 792, 0]);
  t.same(corners(plain.words[0]!.box), [100, 585, 122, 592]);

  const cropped = await read({ content, origin: [10, 20], cropBox: [50, 100, 400, 500] });
  t.same([cropped.width, cropped.height], [350, 400]);
  t.same(corners(cropped.words[0]!.box), [50, 293, 72, 300]);
  t.same(cropped.rulings.map(({ orientation, position }) => [orientation, position]), [['horizontal', 305]]);

  for (const [rotate, width, box, angle, orientation] of [
    [90, 400, [100, 50, 107, 72], 270, 'vertical'],
    [180, 350, [278, 100, 300, 107], 180, 'horizontal'],
    [270, 400, [293, 278, 300, 300], 90, 'vertical'],
    [-90, 400, [293, 278, 300, 300], 90, 'vertical'],
  ] as const) {
    const page = await read({ content, rotate, cropBox: [50, 100, 400, 500] });
    t.equal(page.width, width, `width at ${rotate}`);
    t.same(corners(page.words[0]!.box), box, `box at ${rotate}`);
    t.equal(page.words[0]?.angle, angle);
    t.equal(page.rulings[0]?.orientation, orientation);
  }
});

t.test('a rotated page whose text stands upright on it reads as usual', async (t) => {
  const page = await read({ content: [text(200, 100, 10, 'first line', { angle: 90 }), text(212, 100, 10, 'second line', { angle: 90 })], rotate: 90 });
  t.same(page.lines.map((each) => [each.angle, each.words.map((word) => word.text).join(' ')]), [[0, 'first line'], [0, 'second line']]);
  t.ok(page.lines[0]!.baseline < page.lines[1]!.baseline);
});

t.test('metadata', async (t) => {
  const pdf = await openPdf(makePdf({ pages: [{ content: '' }], title: 'Über Ζεύς', author: 'A. Nonymous', language: 'de-AT', structure: [] }));
  t.same(pdf.metadata, { title: 'Über Ζεύς', author: 'A. Nonymous', language: 'de-AT', producer: 'lectern tests', tagged: true });
  pdf.close();
  const bare = await openPdf(makePdf({ pages: [{ content: '' }] }));
  t.same(bare.metadata, { title: '', author: '', language: '', producer: 'lectern tests', tagged: false });
  bare.close();
});

t.test('outline: titles, depth, pages, heights', async (t) => {
  const pdf = await openPdf(
    makePdf({
      pages: [{ content: '' }, { content: '', height: 500, cropBox: [0, 100, 612, 500] }],
      outline: [
        { title: '1 Einführung', page: 0, y: 700, children: [{ title: '1.1 Ziel', page: 0, y: 400 }, { title: '1.2 Weg', page: 1 }] },
        { title: '2  Schluß\n', page: 1, y: 450 },
      ],
    }),
  );
  t.same(pdf.outline(), [
    { title: '1 Einführung', depth: 0, pageIndex: 0, y: 92 },
    { title: '1.1 Ziel', depth: 1, pageIndex: 0, y: 392 },
    { title: '1.2 Weg', depth: 1, pageIndex: 1, y: -1 },
    { title: '2 Schluß', depth: 0, pageIndex: 1, y: 50 },
  ]);
  pdf.close();
});

t.test('links have boxes and targets, and words know theirs', async (t) => {
  const pdf = await openPdf(
    makePdf({
      pages: [
        { content: [text(72, 700, 10, 'see the site or page two')], links: [{ rect: [105, 698, 127, 710], uri: 'https://example.org/a?b=c' }, { rect: [140, 698, 190, 710], page: 1 }, { rect: [700, 0, 720, 20], uri: 'https://outside.example' }] },
        { content: '' },
      ],
    }),
  );
  const page = pdf.readPage(0);
  t.same(page.links.map(({ uri, pageIndex }) => [uri, pageIndex]), [['https://example.org/a?b=c', -1], [null, 1]]);
  t.same(corners(page.links[0]!.box), [105, 82, 127, 94]);
  t.same(page.words.map((word) => [word.text, word.link]), [['see', -1], ['the', -1], ['site', 0], ['or', -1], ['page', 1], ['two', 1]]);
  pdf.close();
});

t.test('a very long address does not end the list of links', async (t) => {
  const address = `https://example.org/${'x'.repeat(3800)}`;
  const page = await read({ content: '', links: [{ rect: [10, 10, 20, 20], uri: address }, { rect: [30, 10, 40, 20], uri: 'https://example.org/next' }] });
  t.same(page.links.map((link) => link.uri?.length), [address.length, 24]);
});

t.test('a tagged page gives its tree, with spans, texts and standard roles', async (t) => {
  const content = [tagged('H1', 0, text(72, 700, 14, 'Title')), tagged('P', 1, text(72, 680, 10, 'Words')), tagged('TD', 2, text(72, 660, 10, 'Cell')), tagged('Figure', 3, text(72, 640, 10, 'Face'))];
  const page = await read(
    { content },
    {
      structure: [
        {
          role: 'Document',
          children: [
            { role: 'Heading', mcids: [0] },
            { role: 'P', mcids: [1], actualText: 'Wörter' },
            { role: 'Table', children: [{ role: 'TR', children: [{ role: 'TD', mcids: [2], attributes: '/O /Table /ColSpan 2 /RowSpan 3' }] }] },
            { role: 'Figure', mcids: [3], alt: 'Ein Bild' },
          ],
        },
      ],
    },
  );
  const [root] = page.structure;
  t.equal(root?.role, 'Document');
  const [heading, paragraph, table, figure] = root?.children ?? [];
  t.match(heading, { role: 'H1', mcids: [0] }, 'the role map is applied');
  t.match(paragraph, { role: 'P', mcids: [1], actualText: 'Wörter' });
  t.match(table?.children[0]?.children[0], { role: 'TD', mcids: [2], columnSpan: 2, rowSpan: 3 });
  t.match(figure, { role: 'Figure', alt: 'Ein Bild' });
  t.same(page.words.map((word) => word.mcid), [0, 1, 2, 3]);
  t.same((await read({ content: '' })).structure, []);
});

t.test('what filled fields say is text, hidden and secret ones not', async (t) => {
  const page = await read({
    content: [text(72, 703, 10, 'Name:')],
    fields: [
      { rect: [110, 696, 250, 716], value: 'Zoë Quist', size: 9 },
      { rect: [110, 600, 200, 660], value: 'first row\nsecond row that wraps', size: 10, fieldFlags: 1 << 12 },
      { rect: [110, 560, 200, 575], value: 'hidden', flags: 2 },
      { rect: [110, 540, 200, 555], value: 'secret', fieldFlags: 1 << 13 },
      { rect: [110, 520, 200, 535], value: '' },
    ],
  });
  t.same(page.lines.map((each) => each.words.map((word) => word.text).join(' ')), ['Name:', 'Zoë Quist', 'first row', 'second row that', 'wraps']);
  t.equal(page.lines[1]?.baseline, page.lines[0]?.baseline, 'a value stands on the line of its label');
  t.equal(page.words.at(-1)?.text, 'wraps');
  t.ok(page.words.every(({ box }) => box.left >= 72 && box.right <= 250));
});

t.test('letters as high as their field are no larger than the label', async (t) => {
  const page = await read({
    content: [text(72, 703, 11, 'Name:')],
    fields: [{ rect: [110, 696, 250, 720], value: 'Zoë Quist', size: 18 }, { rect: [110, 600, 250, 624], value: 'by itself', size: 18 }, { rect: [110, 640, 250, 660], value: 'small', size: 8 }],
  });
  t.same(page.lines.map(({ size }) => size), [11, 11, 18, 8]);
});
