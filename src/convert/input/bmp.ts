/** BMP files, which the image library does not read: uncompressed ones of 1, 4, 8, 24 and 32 bits. */
import type { Bitmap } from '../../bitmap.js';
import { LecternError } from '../../errors.js';
import { requireReadableSize } from './image-size.js';

/** Bytes: the file header (BITMAPFILEHEADER), the oldest header of the picture (BITMAPCOREHEADER) and the one that all later ones extend (BITMAPINFOHEADER). */
const fileHeaderBytes = 14;
const coreHeaderBytes = 12;
const infoHeaderBytes = 40;
/** Offsets of the fields in the file, in bytes, with the names of Microsoft's documentation: those of the file header, of both headers of the picture, and where these differ. */
const offsets = {
  bfOffBits: 10, headerSize: 14, width: 18,
  core: { bcHeight: 20, bcBitCount: 24 },
  info: { biHeight: 22, biBitCount: 28, biCompression: 30 },
} as const;
/** Values of biCompression: uncompressed, and uncompressed with a bit mask for each colour. */
const BI_RGB = 0;
const BI_BITFIELDS = 3;
/** Bits of a pixel that are read. From `trueColour` on a pixel holds its colour, below its index in the palette. */
const bitCounts: readonly number[] = [1, 4, 8, 24, 32];
const trueColour = 24;
const withAlpha = 32;
/** Rows are padded to whole double words. */
const rowAlignment = { bits: 32, bytes: 4 } as const;
/** Bytes of a palette's entry: RGBTRIPLE and RGBQUAD, both blue first. */
const rgbTripleBytes = 3;
const rgbQuadBytes = 4;
/** Bytes of a pixel of the bitmap: red, green, blue, alpha. */
const rgbaBytes = 4;
const alphaOffset = 3;
const opaque = 255;
const bitsPerByte = 8;
/** "BM", the file's first two bytes. */
const signature = [0x42, 0x4d] as const;

interface Header {
  dataOffset: number;
  width: number;
  height: number;
  topDown: boolean;
  bits: number;
  /** Where the palette begins, and the size of its entries. */
  palette: number;
  paletteEntry: typeof rgbTripleBytes | typeof rgbQuadBytes;
}

function damaged(name: string, what: string): LecternError {
  return new LecternError('invalid_document', `${name} is damaged or of a kind that is not read (${what}).`);
}

function readHeader(view: DataView, maxPixels: number, name: string): Header {
  if (view.byteLength < fileHeaderBytes + coreHeaderBytes) throw damaged(name, 'its header ends early');
  const headerSize = view.getUint32(offsets.headerSize, true);
  const old = headerSize === coreHeaderBytes;
  if (!old && (headerSize < infoHeaderBytes || view.byteLength < fileHeaderBytes + infoHeaderBytes)) throw damaged(name, 'its header ends early');
  const width = old ? view.getUint16(offsets.width, true) : view.getInt32(offsets.width, true);
  const signedHeight = old ? view.getUint16(offsets.core.bcHeight, true) : view.getInt32(offsets.info.biHeight, true);
  const bits = view.getUint16(old ? offsets.core.bcBitCount : offsets.info.biBitCount, true);
  const compression = old ? BI_RGB : view.getUint32(offsets.info.biCompression, true);
  const height = Math.abs(signedHeight);
  const plain = compression === BI_RGB || compression === BI_BITFIELDS && bits === withAlpha;
  if (width <= 0 || height <= 0 || !plain || !bitCounts.includes(bits)) throw damaged(name, `${width} x ${height} pixels of ${bits} bits, compression ${compression}`);
  requireReadableSize(width, height, maxPixels);
  return {
    dataOffset: view.getUint32(offsets.bfOffBits, true), width, height, topDown: signedHeight < 0, bits, palette: fileHeaderBytes + headerSize, paletteEntry: old ? rgbTripleBytes : rgbQuadBytes,
  };
}

/** The picture, or null where `bytes` hold no BMP file. Throws LecternError `invalid_document` for a damaged one. */
export function decodeBmp(bytes: Uint8Array, maxPixels: number, name = 'The BMP image'): Bitmap | null {
  if (bytes[0] !== signature[0] || bytes[1] !== signature[1]) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(view, maxPixels, name);
  const { width, height, bits } = header;
  const rowBytes = Math.ceil((width * bits) / rowAlignment.bits) * rowAlignment.bytes;
  if (header.dataOffset + rowBytes * height > bytes.length) throw damaged(name, 'its pixels end early');
  const data = new Uint8Array(width * height * rgbaBytes);
  for (let y = 0; y < height; y++) {
    const row = header.dataOffset + rowBytes * (header.topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x++) {
      const at = colourAt(bytes, header, row, x);
      const to = (y * width + x) * rgbaBytes;
      data[to] = bytes[at + 2] ?? 0;
      data[to + 1] = bytes[at + 1] ?? 0;
      data[to + 2] = bytes[at] ?? 0;
      data[to + alphaOffset] = opaque;
    }
  }
  return { data, width, height, stride: width * rgbaBytes };
}

/** Offset of the blue byte of a pixel's colour, in the row itself or in the palette. */
function colourAt(bytes: Uint8Array, header: Header, row: number, x: number): number {
  const { bits } = header;
  if (bits >= trueColour) return row + x * (bits / bitsPerByte);
  const perByte = bitsPerByte / bits;
  const packed = bytes[row + Math.floor(x / perByte)] ?? 0;
  const index = (packed >> (bitsPerByte - bits * (x % perByte + 1))) & ((1 << bits) - 1);
  return header.palette + index * header.paletteEntry;
}
