/** RTF packed as Outlook does it (LZFu), written from the published layout of [MS-OXRTFCP]; with a search of the window that is plain and slow. */

const start = '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

function crc(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value >>> 0;
}

/** With `compress` false the bytes are stored. */
export function packRtf(text: Uint8Array, compress: boolean): Buffer {
  const body = compress ? packed(text) : Buffer.from(text);
  const head = Buffer.alloc(16);
  head.writeUInt32LE(body.length + 12, 0);
  head.writeUInt32LE(text.length, 4);
  head.write(compress ? 'LZFu' : 'MELA', 8, 'latin1');
  head.writeUInt32LE(compress ? crc(body) : 0, 12);
  return Buffer.concat([head, body]);
}

function packed(text: Uint8Array): Buffer {
  const all = Buffer.concat([Buffer.from(start, 'latin1'), text]);
  const units: number[][] = [];
  let at = start.length;
  while (at < all.length) {
    const [from, length] = longest(all, at);
    units.push(length < 2 ? [all[at] as number] : reference(from, length));
    at += Math.max(1, length < 2 ? 1 : length);
  }
  units.push(reference(at, 2));
  const bytes: number[] = [];
  for (let first = 0; first < units.length; first += 8) {
    const eight = units.slice(first, first + 8);
    bytes.push(eight.reduce((switches, unit, bit) => switches | (unit.length === 2 ? 1 << bit : 0), 0), ...eight.flat());
  }
  return Buffer.from(bytes);
}

const reference = (from: number, length: number): number[] => {
  const value = ((from % 4096) << 4) | (length - 2);
  return [value >> 8, value & 255];
};

/** Where in the last 4,095 bytes the longest piece of what follows stands, 17 bytes at the most; it may reach into itself. */
function longest(all: Buffer, at: number): [from: number, length: number] {
  let best: [number, number] = [0, 0];
  for (let from = Math.max(0, at - 4095); from < at; from++) {
    let length = 0;
    while (length < 17 && at + length < all.length && all[from + length] === all[at + length]) length++;
    if (length > best[1]) best = [from, length];
  }
  return best;
}
