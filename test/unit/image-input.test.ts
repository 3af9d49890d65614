/** Files that come as images: drawings under any name are refused by what they are, damage is named, a stray zero refuses no text. */
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import t from 'tap';
import { openImage } from '../../src/convert/input/image-pages.js';
import { sharp as bitmapsOnly } from '../../src/convert/input/image-library.js';
import { isSvg } from '../../src/convert/input/svg.js';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

const drawings: Record<string, Uint8Array> = {
  plain: Buffer.from(svg),
  'with a mark': Buffer.from(`\ufeff${svg}`),
  'in UTF-16': Buffer.from(`\ufeff${svg}`, 'utf16le'),
  'behind comments': Buffer.from(`<?xml version="1.0"?>\n<!-- <html> -->\n<!-- ${'x'.repeat(5000)} -->\n${svg}`),
  'behind a document type': Buffer.from(`<!DOCTYPE svg [ <!ENTITY a "b>"> ]>\n${svg}`),
  'with a prefix': Buffer.from('<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'),
  packed: gzipSync(svg),
  'packed behind much else': gzipSync(`<!-- ${'x'.repeat(20_000)} -->${svg}`),
  'in capitals': Buffer.from(svg.replace('svg', 'SVG')),
};

for (const [how, bytes] of Object.entries(drawings)) {
  t.test(`an SVG drawing ${how} named as a picture`, async (t) => {
    t.ok(isSvg(bytes));
    await t.rejects(openImage(bytes, 'photo.png'), { code: 'unsupported_format', message: /^The file photo\.png is an SVG drawing/ });
  });
}

t.test('what is no drawing is not taken for one', async (t) => {
  for (const text of ['', '<html><svg></svg></html>', 'svg', '<svgx>', '<!-- <svg> -->', '<?xml', '<!DOCTYPE svg [', 'text <svg>']) t.notOk(isSvg(Buffer.from(text)), text);
  t.notOk(isSvg(gzipSync('<html>')));
  t.notOk(isSvg(Buffer.from([0x1f, 0x8b, 1, 2, 3])));
});

t.test('the image library has no renderer of drawings left', async (t) => {
  await t.rejects(bitmapsOnly(Buffer.from(svg)).png().toBuffer());
  await t.resolves(bitmapsOnly(await bitmapsOnly({ create: { width: 2, height: 2, channels: 3, background: '#fff' } }).png().toBuffer()).raw().toBuffer());
});

t.test('damage is named, with the file', async (t) => {
  const noise = { create: { width: 60, height: 40, channels: 3 as const, background: '#888', noise: { type: 'gaussian' as const, mean: 128, sigma: 40 } } };
  const [webp, gif] = [await sharp(noise).webp({ lossless: true }).toBuffer(), await sharp(noise).gif().toBuffer()];
  // The header is whole, the pixels are none.
  const zeroed = (whole: Buffer): Buffer => Buffer.concat([whole.subarray(0, 60), Buffer.alloc(whole.length - 60)]);
  // As a disk or a transfer damages files: bits turned here and there, and a piece that came twice.
  const flipped = Buffer.from(webp.map((byte, at) => (at > 40 && at % 97 === 0 ? byte ^ 0x10 : byte)));
  const frame = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 60, 0, 40, 0]));
  const doubled = Buffer.concat([gif.subarray(0, frame + 40), gif.subarray(frame - 200, gif.length)]);
  for (const [kind, broken] of [
    ['WEBP', zeroed(webp)], ['WEBP', flipped], ['GIF', doubled], ['PNG', zeroed(await sharp(noise).png().toBuffer())],
    ['JPEG', zeroed(await sharp(noise).jpeg().toBuffer())], ['TIFF', zeroed(await sharp(noise).tiff().toBuffer())],
  ] as const) {
    const said: string[] = [];
    try {
      const pages = await openImage(broken, 'scan.img');
      await pages.render(0, { left: 0, top: 0, right: 60, bottom: 40 }, 72);
      said.push(pages.damage?.(0) ?? '');
    } catch (thrown) {
      t.match(thrown, { name: 'LecternError', code: 'invalid_document' }, kind);
      said.push((thrown as Error).message);
    }
    t.match(said[0], new RegExp(`^(The ${kind} image scan\\.img|Page 1 of the ${kind} image scan\\.img) .*(damaged|could not be read).*\\(.+\\)\\.$`), kind);
  }
  await t.rejects(openImage(Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]), 'scan.bmp'), { code: 'invalid_document', message: /^The BMP image scan\.bmp is damaged .*\(.*header.*\)\.$/ });
  await t.rejects(openImage(Buffer.from('words'), 'scan.png'), { code: 'invalid_document', message: /^The file scan\.png could not be read/ });
});
