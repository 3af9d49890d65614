/** Made PDFs as pixels: whole pages and regions, rotation, form fields, and bitmaps too large to make. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import type { Bitmap } from '../../src/pdf/index.js';
import { rectangle } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

const pixel = ({ data, stride }: Bitmap, x: number, y: number) => [...data.subarray(y * stride + x * 4, y * stride + x * 4 + 4)];
const red = rectangle(100, 200, 50, 30, { fill: 0xff0000 });

t.test('a page is drawn at its size, red is red, white is behind', async (t) => {
  const pdf = await openPdf(makePdf({ pages: [{ width: 300, height: 400, content: red }] }));
  const page = pdf.renderPage(0, 144);
  t.same([page.width, page.height, page.stride >= 2400, page.data.length === page.stride * page.height], [600, 800, true, true]);
  t.same(pixel(page, 10, 10), [255, 255, 255, 255]);
  t.same(pixel(page, 250, 370), [255, 0, 0, 255]);
  t.same(pdf.renderPage(0, 10).width, 42);
  pdf.close();
});

t.test('a region is cut out of the seen page, also of a rotated and cropped one', async (t) => {
  const pdf = await openPdf(makePdf({ pages: [{ width: 300, height: 400, content: red }, { width: 300, height: 400, rotate: 90, cropBox: [50, 100, 250, 350], content: red }] }));
  const region = pdf.renderRegion(0, { left: 100, top: 170, right: 150, bottom: 200 }, 72);
  t.same([region.width, region.height], [50, 30]);
  for (const [x, y] of [[1, 1], [48, 28]] as const) t.same(pixel(region, x, y), [255, 0, 0, 255]);
  const [box] = pdf.readPage(1).boxes;
  t.ok(box);
  const turned = pdf.renderRegion(1, box!.box, 72);
  t.same([turned.width, turned.height], [30, 50]);
  for (const [x, y] of [[1, 1], [28, 48]] as const) t.same(pixel(turned, x, y), [255, 0, 0, 255]);
  const beyond = pdf.renderRegion(0, { left: 290, top: 390, right: 320, bottom: 420 }, 72);
  t.same(pixel(beyond, 25, 25), [255, 255, 255, 255], 'past the page there is white');
  pdf.close();
});

t.test('form fields and annotations are drawn', async (t) => {
  const field =
    '/Annots [<</Type /Annot /Subtype /Square /Rect [20 20 60 60] /C [0 0 1] /IC [0 0 1] /F 4 /AP <</N 900 0 R>>>>]';
  const plain = await openPdf(makePdf({ pages: [{ width: 100, height: 100, content: '' }] }));
  t.same(pixel(plain.renderPage(0, 72), 40, 60), [255, 255, 255, 255]);
  plain.close();
  const source = Buffer.from(makePdf({ pages: [{ width: 100, height: 100, content: '', entries: field }] })).toString('latin1').replace('/Annots []', '');
  const appearance = '900 0 obj\n<</Type /XObject /Subtype /Form /BBox [0 0 40 40] /Length 27>>\nstream\n0 0 1 rg 0 0 40 40 re f    \nendstream\nendobj\n';
  const pdf = await openPdf(new Uint8Array(Buffer.from(source.slice(0, source.lastIndexOf('xref\n0')) + appearance + `trailer\n<</Root 1 0 R>>\n`, 'latin1')));
  t.same(pixel(pdf.renderPage(0, 72), 40, 60), [0, 0, 255, 255]);
  pdf.close();
});

t.test('bitmaps past the budget and empty regions are refused', async (t) => {
  const pdf = await openPdf(makePdf({ pages: [{ width: 14000, height: 14000, content: red }] }));
  t.throws(() => pdf.renderPage(0, 300), { code: 'too_large' });
  t.throws(() => pdf.renderRegion(0, { left: 0, top: 0, right: 600, bottom: 600 }, 720), { code: 'too_large', message: /6000 x 6000/ });
  t.throws(() => pdf.renderRegion(0, { left: 10, top: 10, right: 10, bottom: 20 }, 72), { code: 'invalid_request' });
  t.throws(() => pdf.renderRegion(0, { left: 0, top: 0, right: 10, bottom: 20 }, 0), { code: 'invalid_request' });
  t.throws(() => pdf.renderRegion(0, { left: NaN, top: 0, right: 10, bottom: 20 }, 72), { code: 'invalid_request' });
  t.equal(pdf.renderPage(0, 10).width, 1944, 'the document is sound afterwards');
  pdf.close();
});
