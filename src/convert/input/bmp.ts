/** BMP files, which the image library does not read: uncompressed ones of 1, 4, 8, 24 and 32 bits. */
import type { Bitmap } from '../../bitmap.js';
import { LecternError } from '../../errors.js';
import { requireReadableSize } from './image-size.js';

interface Header {
  dataOffset: number;
  width: number;
  height: number;
  topDown: boolean;
  bits: number;
  /** Where the palette begins, and the size of its entries. */
  palette: number;
  paletteEntry: 3 | 4;
}

function damaged(name: string, what: string): LecternError {
  return new LecternError('invalid_document', `${name} is damaged or of a kind that is not read (${what}).`);
}

function readHeader(view: DataView, maxPixels: number, name: string): Header {
  if (view.byteLength < 26) throw damaged(name, 'its header ends early');
  const headerSize = view.getUint32(14, true);
  const old = headerSize === 12;
  if (!old && (headerSize < 40 || view.byteLength < 54)) throw damaged(name, 'its header ends early');
  const width = old ? view.getUint16(18, true) : view.getInt32(18, true);
  const signedHeight = old ? view.getUint16(20, true) : view.getInt32(22, true);
  const bits = view.getUint16(old ? 24 : 28, true);
  const compression = old ? 0 : view.getUint32(30, true);
  const height = Math.abs(signedHeight);
  const plain = compression === 0 || compression === 3 && bits === 32;
  if (width <= 0 || height <= 0 || !plain || ![1, 4, 8, 24, 32].includes(bits)) throw damaged(name, `${width} x ${height} pixels of ${bits} bits, compression ${compression}`);
  requireReadableSize(width, height, maxPixels);
  return {
    dataOffset: view.getUint32(10, true), width, height, topDown: signedHeight < 0, bits, palette: 14 + headerSize, paletteEntry: old ? 3 : 4,
  };
}

/** The picture, or null when `bytes` are no BMP. Throws LecternError `invalid_document` on a damaged one. */
export function decodeBmp(bytes: Uint8Array, maxPixels: number, name = 'The BMP image'): Bitmap | null {
  if (bytes[0] !== 0x42 || bytes[1] !== 0x4d) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(view, maxPixels, name);
  const { width, height, bits } = header;
  const rowBytes = Math.floor((width * bits + 31) / 32) * 4;
  if (header.dataOffset + rowBytes * height > bytes.length) throw damaged(name, 'its pixels end early');
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = header.dataOffset + rowBytes * (header.topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x++) {
      const at = colourAt(bytes, header, row, x);
      const to = (y * width + x) * 4;
      data[to] = bytes[at + 2] ?? 0;
      data[to + 1] = bytes[at + 1] ?? 0;
      data[to + 2] = bytes[at] ?? 0;
      data[to + 3] = 255;
    }
  }
  return { data, width, height, stride: width * 4 };
}

/** Offset of the blue byte of a pixel's colour, in the row itself or in the palette. */
function colourAt(bytes: Uint8Array, header: Header, row: number, x: number): number {
  const { bits } = header;
  if (bits >= 24) return row + x * (bits >> 3);
  const perByte = 8 / bits;
  const packed = bytes[row + Math.floor(x / perByte)] ?? 0;
  const index = (packed >> (8 - bits * (x % perByte + 1))) & ((1 << bits) - 1);
  return header.palette + index * header.paletteEntry;
}
