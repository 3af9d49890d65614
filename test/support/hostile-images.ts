/** Image files of the kinds that strangers send: a page with letters, bitmaps that no library writes, headers that promise more pixels than anybody reads. */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { openPdf } from '../../src/pdf/index.js';
import { text } from './pdf-content.js';
import { makePdf } from './pdf-writer.js';

const said = ['What a page says stands on it', 'in lines that go from left to right', 'with spaces between their words', 'and a point behind the last one.', 'Nothing else is printed here,', 'neither picture nor table.'];

/** A PNG of 1200 x 700 pixels, 200 to the inch: six lines in 14 points. */
export async function letterPage(): Promise<Buffer> {
  const pdf = await openPdf(makePdf({ pages: [{ width: 432, height: 252, content: said.map((line, row) => text(40, 210 - 26 * row, 14, line)) }] }), { password: null });
  try {
    const { data, width, height } = pdf.renderRegion(0, { left: 0, top: 0, right: 432, bottom: 252 }, 200);
    return await sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha().png().toBuffer();
  } finally {
    pdf.close();
  }
}

function bmpHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(54);
  header.write('BM', 'latin1');
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return header;
}

/** 24 bits, rows from the bottom, as Windows writes them. */
export async function bmpOf(picture: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(picture).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const stride = Math.ceil((width * 3) / 4) * 4;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let colour = 0; colour < 3; colour++) pixels[(height - 1 - y) * stride + x * 3 + colour] = data[(y * width + x) * channels + Math.min(channels - 1, 2 - colour)] as number;
    }
  }
  return Buffer.concat([bmpHeader(width, height), pixels]);
}

function pngChunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const chunk = Buffer.alloc(8 + named.length);
  chunk.writeUInt32BE(data.length);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), 4 + named.length);
  return chunk;
}

function tiffOf(side: number): Buffer {
  // Tag, type (3: 16 bits, 4: 32 bits), value: one strip of a bilevel picture whose pixels are not there.
  const entries: [number, number, number][] = [[256, 4, side], [257, 4, side], [258, 3, 1], [259, 3, 1], [262, 3, 1], [273, 4, 8], [277, 3, 1], [278, 4, side], [279, 4, (side / 8) * side]];
  const file = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(entries.length, 8);
  for (const [row, [tag, type, value]] of entries.entries()) {
    const at = 10 + row * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  return file;
}

/** Files of some hundred bytes that say that they are 30,000 pixels wide and high, WebP 16,383; by their ending. */
export function giantHeaders(): Record<string, Buffer> {
  const side = 30_000;
  const size = Buffer.alloc(8);
  size.writeUInt32BE(side);
  size.writeUInt32BE(side, 4);
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', Buffer.concat([size, Buffer.from([1, 0, 0, 0, 0])])), pngChunk('IDAT', deflateSync(Buffer.alloc(100))), pngChunk('IEND', Buffer.alloc(0))]);
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0]);
  const quantisation = Buffer.concat([Buffer.from([0xff, 0xdb, 0, 67, 0]), Buffer.alloc(64, 1)]);
  const jpg = Buffer.concat([Buffer.from([0xff, 0xd8]), quantisation, frame, Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0xff, 0xd9])]);
  const gif = Buffer.from([...Buffer.from('GIF89a', 'latin1'), side & 255, side >> 8, side & 255, side >> 8, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0, side & 255, side >> 8, side & 255, side >> 8, 0, 2, 2, 0x4c, 1, 0, 0x3b]);
  // 16,383 is the most that a picture of this kind can have.
  const webpBody = Buffer.concat([Buffer.from('WEBPVP8L\x40\0\0\0', 'latin1'), Buffer.from([0x2f, 0xfe, 0xbf, 0xff, 0x0f]), Buffer.alloc(59)]);
  const webp = Buffer.alloc(8 + webpBody.length);
  webp.write('RIFF', 'latin1');
  webp.writeUInt32LE(webpBody.length, 4);
  webpBody.copy(webp, 8);
  return { png, jpg, gif, webp, tiff: tiffOf(side), bmp: bmpHeader(side, side) };
}
