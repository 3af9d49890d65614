// Image files as strangers send them, through the real worker processes and the network that ships: one pixel, far too many, odd colours, animations, damage, nothing to read, upside down.
import sharp from 'sharp';
import t from 'tap';
import { DocumentPool } from '../support/document-pool.js';
import { bmpOf, giantHeaders, letterPage } from '../support/hostile-images.js';

const pool = new DocumentPool(t.testdir(), { pageMs: 60_000 });
const upright = await letterPage();
const words = /What a page says stands on it/;
const encode = {
  png: (from: Buffer) => sharp(from).png().toBuffer(), jpg: (from: Buffer) => sharp(from).jpeg({ quality: 90 }).toBuffer(), tiff: (from: Buffer) => sharp(from).tiff({ compression: 'lzw' }).toBuffer(),
  webp: (from: Buffer) => sharp(from).webp({ lossless: true }).toBuffer(), gif: (from: Buffer) => sharp(from).gif().toBuffer(), bmp: (from: Buffer) => bmpOf(from),
};
const kinds = Object.keys(encode) as (keyof typeof encode)[];
const grey = (width: number, height: number, value: number): Promise<Buffer> => sharp({ create: { width, height, channels: 3, background: { r: value, g: value, b: value } } }).png().toBuffer();

t.test('a page of letters is read from every kind of file', async (t) => {
  for (const kind of kinds) {
    const { outcome, document } = await pool.convert(`page.${kind}`, await encode[kind](upright));
    t.match(outcome, { status: 'success', errors: [], pageCount: 1, recognisedPages: 1 }, kind);
    t.match(document.md_content, words, kind);
  }
});

t.test('one pixel is an empty page of every kind', async (t) => {
  for (const kind of kinds) {
    for (const value of [0, 255]) {
      const { outcome, document } = await pool.convert(`dot.${kind}`, await encode[kind](await grey(1, 1, value)));
      t.match(outcome, { status: 'success', pageCount: 1, recognisedPages: 0 }, kind);
      t.match(document.md_content, /^(<!-- image -->)?\s*$/, kind);
    }
  }
});

t.test('30,000 x 30,000 pixels are refused by their number, before any is decoded', async (t) => {
  for (const [kind, bytes] of Object.entries(giantHeaders())) {
    const { outcome } = await pool.convert(`giant.${kind}`, bytes);
    t.match(outcome, { status: 'failure', errors: [{ error_message: /pixels, more than the 100,000,000 that are read/ }] }, kind);
  }
});

t.test('a large image within the bound is read within the memory of a worker', async (t) => {
  const large = await sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#fff' } }).composite([{ input: await sharp(upright).resize({ width: 3600 }).png().toBuffer(), left: 300, top: 300 }]).png({ compressionLevel: 1 }).toBuffer();
  const { outcome, document } = await pool.convert('large.png', large);
  t.match(outcome, { status: 'success', errors: [] });
  t.match(document.md_content, words);
});

t.test('CMYK, 16 bits, grey, transparent and turned by their header: read as they look', async (t) => {
  const odd: Record<string, Promise<Buffer>> = {
    'cmyk.jpg': sharp(upright).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(), 'cmyk.tiff': sharp(upright).toColourspace('cmyk').tiff().toBuffer(),
    'deep.png': sharp(upright).toColourspace('rgb16').png().toBuffer(), 'deep.tiff': sharp(upright).toColourspace('grey16').tiff().toBuffer(),
    'bits.png': sharp(upright).threshold(128).png({ palette: true, colours: 2 }).toBuffer(), 'fax.tiff': sharp(upright).toColourspace('b-w').threshold(128).tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer(),
    'clear.webp': sharp(upright).removeAlpha().joinChannel(await sharp(upright).greyscale().negate({ alpha: false }).extractChannel(0).raw().toBuffer(), { raw: { width: 1200, height: 700, channels: 1 } }).webp({ lossless: true }).toBuffer(),
    'sideways.jpg': sharp(upright).rotate(270).withMetadata({ orientation: 6 }).jpeg({ quality: 90 }).toBuffer(),
  };
  for (const [name, bytes] of Object.entries(odd)) {
    const { outcome, document } = await pool.convert(name, await bytes);
    t.match(outcome, { status: 'success', recognisedPages: 1 }, name);
    t.match(document.md_content, words, name);
  }
});

t.test('of an animation the first picture is the page, of a TIFF every one is', async (t) => {
  const white = await grey(1200, 700, 255);
  const joined = sharp([upright, white, upright], { join: { animated: true } });
  for (const [name, bytes, pages] of [['moving.gif', joined.clone().gif().toBuffer(), 1], ['moving.webp', joined.clone().webp({ lossless: true }).toBuffer(), 1], ['pages.tiff', joined.clone().tiff({ compression: 'lzw' }).toBuffer(), 3]] as const) {
    // The same words on two pages of three would be taken for running headers.
    const { outcome, document } = await pool.convert(name, await bytes, { keepFurniture: true, outputs: ['md', 'json'] });
    t.match(outcome, { status: 'success', pageCount: pages, recognisedPages: pages === 1 ? 1 : 2 }, name);
    t.match(document, { json_content: { body: { meta: pages === 1 ? { lectern__recognised_pages: [1] } : { lectern__recognised_pages: [1, 3], lectern__pages_without_recognised_text: [2] } } } }, name);
    t.equal(document.md_content?.match(new RegExp(words, 'g'))?.length, pages === 1 ? 1 : 2, name);
  }
});

t.test('a file that ends early: what is there is read, or the answer says that it is damaged', async (t) => {
  for (const kind of kinds) {
    const whole = await encode[kind](upright);
    for (const share of [0.02, 0.5, 0.95]) {
      const { outcome } = await pool.convert(`cut.${kind}`, whole.subarray(0, Math.max(4, Math.floor(share * whole.length))));
      t.not(outcome.status, 'success', `${kind} ${share}`);
      t.match(outcome.errors, [{ error_message: /damaged|could not be read|not allowed/ }], `${kind} ${share}: ${outcome.status}`);
    }
  }
});

t.test('blank paper, and noise alone, are pages without text that say so', async (t) => {
  const noise = await sharp({ create: { width: 500, height: 300, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } } }).png().toBuffer();
  for (const [what, picture] of [['blank', await grey(1000, 700, 250)], ['noise', noise]] as const) {
    for (const kind of what === 'blank' ? kinds : ['png', 'jpg'] as const) {
      const { outcome, document } = await pool.convert(`${what}.${kind}`, await encode[kind](picture), { outputs: ['md', 'json'] });
      t.match(outcome, { status: 'success', errors: [], pageCount: 1, recognisedPages: 0 }, `${what} ${kind}`);
      t.match(document.md_content, /^(<!-- image -->)?\s*$/, `${what} ${kind}`);
      t.match(document, { json_content: { body: { meta: { lectern__pages_without_recognised_text: [1] } } } }, `${what} ${kind}`);
    }
  }
});

t.test('a page upside down is turned, of every kind of file', async (t) => {
  const down = await sharp(upright).rotate(180).png().toBuffer();
  for (const kind of kinds) {
    const { outcome, document } = await pool.convert(`down.${kind}`, await encode[kind](down));
    t.match(outcome, { status: 'success', recognisedPages: 1 }, kind);
    t.match(document.md_content, words, kind);
  }
});

t.test('no file is left behind', async (t) => t.same(await pool.close(), ['scratch']));
