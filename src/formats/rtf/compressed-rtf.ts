/** RTF as Outlook packs it into a message (LZFu, [MS-OXRTFCP]): unpacked within bounds, whatever its header states. */
import { LecternError } from '../../errors.js';

const packed = 0x75465a4c;
const plain = 0x414c454d;
/** The header ([MS-OXRTFCP] 2.1.3.1): its size, and the offsets of its fields, in bytes. Its size field counts from the field after it. */
const header = { bytes: 16, size: 0, rawBytes: 4, kind: 8, checksum: 12 };
const sizeFieldBytes = 4;
const windowBytes = 4096;
/** Items that one byte of switches describes. */
const itemsOfRun = 8;
/** A reference: a place in the window, then a length less two in the lowest bits. */
const lengthBits = 4;
const lengthMask = 15;
/** More bytes than one packed byte can become. */
const mostBytesOfByte = 9;
const space = 0x20;

/** What the window holds before the first byte ([MS-OXRTFCP] 2.1.2.1): the words that every such text begins with. */
const prefix = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier'
  + '{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx', 'latin1',
);

const damaged = (): LecternError => new LecternError('invalid_document', 'The text of the mail (RTF) is damaged or cut short.');

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb88320;
  return value;
});

/** CRC-32 without its inversions ([MS-OXRTFCP] 2.1.3.2). */
function checksum(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 255] as number) ^ (value >>> 8);
  return value >>> 0;
}

/** The text's bytes. Throws LecternError `invalid_document` where they are damaged, `too_large` past `mostBytes`. */
export function unpackRtf(bytes: Uint8Array, mostBytes: number): Uint8Array {
  if (bytes.length < header.bytes) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Outlook pads the bytes that follow.
  const end = view.getUint32(header.size, true) + sizeFieldBytes;
  const [rawBytes, kind, crc] = [view.getUint32(header.rawBytes, true), view.getUint32(header.kind, true), view.getUint32(header.checksum, true)];
  if (end > bytes.length || end < header.bytes) throw damaged();
  if (rawBytes > mostBytes) throw new LecternError('too_large', 'The text of the mail (RTF) is larger than can be converted.');
  const body = bytes.subarray(header.bytes, end);
  if (kind === plain) return body.subarray(0, rawBytes);
  if (kind !== packed || checksum(body) !== crc) throw damaged();
  return inflate(body, rawBytes);
}

/** Runs of eight: a byte of switches, then for each a byte as it is, or a place and a length in the window of the last 4,096. */
function inflate(body: Uint8Array, rawBytes: number): Uint8Array {
  // No piece of 17 bits makes more than 17 bytes: a header that states more is wrong.
  const output = Buffer.alloc(Math.min(rawBytes, mostBytesOfByte * body.length));
  const window = new Uint8Array(windowBytes).fill(space);
  window.set(prefix);
  let at = prefix.length;
  let length = 0;
  const put = (byte: number): void => {
    if (length < output.length) output[length++] = byte;
    window[at] = byte;
    at = (at + 1) % windowBytes;
  };
  for (let from = 0; from < body.length;) {
    const switches = body[from++] as number;
    for (let bit = 0; bit < itemsOfRun && from < body.length; bit++) {
      if ((switches & (1 << bit)) === 0) {
        put(body[from++] as number);
        continue;
      }
      const reference = ((body[from] as number) << 8) | (body[from + 1] ?? 0);
      from += 2;
      const place = reference >> lengthBits;
      // A reference to where the next byte would go ends the text.
      if (place === at) return output.subarray(0, length);
      for (let copied = 0; copied < (reference & lengthMask) + 2; copied++) put(window[(place + copied) % windowBytes] as number);
    }
  }
  return output.subarray(0, length);
}
