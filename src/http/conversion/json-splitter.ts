/** Splits a JSON text on its way in: the long base64 values come out as they arrive, what is left is small enough to parse. */
import { randomUUID } from 'node:crypto';

/** What comes out of the stream, in order. The values themselves are numbered from 0. */
export type Piece =
  | { type: 'begin'; index: number; list: string }
  /** Characters of the value, escapes undone. */
  | { type: 'data'; bytes: Buffer }
  | { type: 'end' };

interface Container {
  isObject: boolean;
  expectsKey: boolean;
  key: string;
}

const quote = 0x22;
const backslash = 0x5c;
const longestKey = 64;
const deepest = 1000;
const simpleEscapes: Record<string, number> = { '"': 0x22, '\\': 0x5c, '/': 0x2f, b: 8, f: 12, n: 10, r: 13, t: 9 };

/**
 * Takes out every string at `{"<list>": [{"base64_string": …}]}`. It does not judge the JSON: in what is left each value is
 * replaced by a word that no client can guess, and the parser of that rest finds the faults.
 */
export class JsonSplitter {
  /** Stands before the number of a value in the rest. */
  readonly mark = `${randomUUID()}:`;
  private readonly stack: Container[] = [];
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private mode: 'outside' | 'string' | 'data' = 'outside';
  private isKey = false;
  private escape = '';
  private keyText = '';
  private count = 0;

  /** Values and keys so far, those that were taken out with them. */
  private values = 0;

  constructor(private readonly mostKeptBytes: number, private readonly mostValues = Infinity) {}

  /** Once the rest is longer or deeper than allowed, or has more values: then stop. */
  overflow: 'long' | 'deep' | 'many' | null = null;

  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let at = 0;
    while (at < chunk.length && this.overflow === null) {
      at = this.mode === 'data' ? this.scanData(chunk, at, pieces) : this.scanRest(chunk, at, pieces);
    }
    return pieces;
  }

  /** Everything but the values. */
  rest(): Buffer {
    return Buffer.concat(this.kept);
  }

  /** Until the end of the chunk or the start of a value. */
  private scanRest(chunk: Buffer, from: number, pieces: Piece[]): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at++] as number;
      if (this.mode === 'string') {
        this.inString(byte);
        continue;
      }
      if (byte === quote && this.isValueToTake()) {
        this.keep(chunk.subarray(from, at));
        this.keep(Buffer.from(`${this.mark}${this.count}`));
        this.mode = 'data';
        pieces.push({ type: 'begin', index: this.count++, list: (this.stack[0] as Container).key });
        return at;
      }
      this.outside(byte);
      if (this.overflow !== null) return at;
    }
    this.keep(chunk.subarray(from, at));
    return at;
  }

  private keep(bytes: Buffer): void {
    this.keptBytes += bytes.length;
    if (this.keptBytes > this.mostKeptBytes) this.overflow = 'long';
    // A copy: the chunk it is cut from may be mostly base64.
    else if (bytes.length > 0) this.kept.push(Buffer.from(bytes));
  }

  private isValueToTake(): boolean {
    const [root, list, item] = this.stack;
    return this.stack.length === 3 && root?.isObject === true && list?.isObject === false
      && item?.isObject === true && !item.expectsKey && item.key === 'base64_string';
  }

  private outside(byte: number): void {
    const top = this.stack.at(-1);
    // Each value but the first of a list or object stands behind a comma, and each behind a key behind a colon.
    if ((byte === 0x7b || byte === 0x5b || byte === 0x2c || byte === 0x3a) && ++this.values > this.mostValues) this.overflow = 'many';
    switch (byte) {
      case quote:
        this.mode = 'string';
        this.isKey = top?.isObject === true && top.expectsKey;
        this.keyText = '';
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (this.stack.length >= deepest) this.overflow = 'deep';
        this.stack.push({ isObject: byte === 0x7b, expectsKey: byte === 0x7b, key: '' });
        break;
      case 0x7d: // }
      case 0x5d: // ]
        this.stack.pop();
        break;
      case 0x3a: // :
        if (top !== undefined) top.expectsKey = false;
        break;
      case 0x2c: // ,
        if (top?.isObject === true) top.expectsKey = true;
        break;
    }
  }

  private inString(byte: number): void {
    const escaped = this.escape !== '';
    if (!escaped && byte === quote) {
      this.mode = 'outside';
      const top = this.stack.at(-1);
      if (this.isKey && top !== undefined) top.key = unescapeKey(this.keyText);
      return;
    }
    this.escape = !escaped && byte === backslash ? '\\' : '';
    if (this.isKey && this.keyText.length <= longestKey) this.keyText += String.fromCharCode(byte);
  }

  /** Until the end of the value or of the chunk. */
  private scanData(chunk: Buffer, from: number, pieces: Piece[]): number {
    const nextQuote = chunk.indexOf(quote, from);
    const end = nextQuote < 0 ? chunk.length : nextQuote;
    if (this.escape === '' && !chunk.subarray(from, end).includes(backslash)) {
      if (end > from) pieces.push({ type: 'data', bytes: chunk.subarray(from, end) });
      return nextQuote < 0 ? end : this.endData(end, chunk, pieces);
    }
    return this.scanEscapedData(chunk, from, pieces);
  }

  private scanEscapedData(chunk: Buffer, from: number, pieces: Piece[]): number {
    const bytes = Buffer.allocUnsafe(chunk.length - from);
    let length = 0;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.escape !== '') {
        const made = this.unescape(byte);
        if (made !== undefined) bytes[length++] = made;
      } else if (byte === backslash) {
        this.escape = '\\';
      } else if (byte === quote) {
        pieces.push({ type: 'data', bytes: bytes.subarray(0, length) });
        return this.endData(at, chunk, pieces);
      } else {
        bytes[length++] = byte;
      }
    }
    pieces.push({ type: 'data', bytes: bytes.subarray(0, length) });
    return chunk.length;
  }

  /** undefined while the escape goes on; a byte that is no base64 for what cannot be a character of it. */
  private unescape(byte: number): number | undefined {
    const noBase64 = 0x21;
    this.escape += String.fromCharCode(byte);
    if (this.escape.startsWith('\\u')) {
      if (this.escape.length < 6) return undefined;
      const code = Number.parseInt(this.escape.slice(2), 16);
      this.escape = '';
      return code < 0x80 ? code : noBase64;
    }
    const made = simpleEscapes[this.escape[1] as string] ?? noBase64;
    this.escape = '';
    return made;
  }

  private endData(at: number, chunk: Buffer, pieces: Piece[]): number {
    this.mode = 'outside';
    this.keep(chunk.subarray(at, at + 1));
    pieces.push({ type: 'end' });
    return at + 1;
  }
}

function unescapeKey(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
