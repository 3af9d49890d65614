/** The records of binary workbook parts (MS-XLSB 2.1.4): a number, a size, and contents. */

/** The bits of a compact number. */
const rk = { hundredfold: 1, whole: 2, upperBits: 0xfffffffc, hundred: 100, doubleBytes: 8 } as const;

/** A part of the contents, read field by field; past its end everything is zero or empty. */
export class RecordFields {
  #at = 0;
  readonly #view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  skip(bytes: number): this {
    this.#at += bytes;
    return this;
  }

  byte(): number {
    return this.bytes[this.#at++] ?? 0;
  }

  short(): number {
    return this.byte() | (this.byte() << 8);
  }

  int(): number {
    const at = this.#at;
    this.#at += 4;
    return at + 4 <= this.bytes.length ? this.#view.getUint32(at, true) : 0;
  }

  double(): number {
    const at = this.#at;
    this.#at += 8;
    return at + 8 <= this.bytes.length ? this.#view.getFloat64(at, true) : 0;
  }

  /** Its number of UTF-16 units stands before it; all bits of that are set where there is no text. */
  text(): string {
    const length = this.int();
    if (length === 0xffffffff) return '';
    const [from, to] = [this.#at, Math.min(this.bytes.length, this.#at + 2 * length)];
    this.#at = to;
    return from >= to ? '' : Buffer.from(this.bytes.buffer, this.bytes.byteOffset + from, to - from).toString('utf16le');
  }

  /** A number in 30 bits (RkNumber, 2.5.122): the upper part of a double or a whole number, either perhaps a hundredfold. */
  compact(): number {
    const raw = this.int();
    let value: number;
    if ((raw & rk.whole) !== 0) value = (raw | 0) >> 2;
    else {
      const view = new DataView(new ArrayBuffer(rk.doubleBytes));
      view.setUint32(rk.doubleBytes / 2, (raw & rk.upperBits) >>> 0, true);
      value = view.getFloat64(0, true);
    }
    return (raw & rk.hundredfold) === 0 ? value : value / rk.hundred;
  }
}

/** Seven bits of a byte count; the eighth says that another byte follows. */
const sevenBits = 0x7f;
const mostSizeBytes = 4;
const mostNumberBytes = 2;

/** The records of a part up to the first that is cut off. */
export function* recordsOf(bytes: Uint8Array): Generator<{ number: number; fields: RecordFields }> {
  let at = 0;
  const variable = (most: number): number => {
    let value = 0;
    for (let index = 0; index < most; index++) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & sevenBits) << (7 * index);
      if (byte <= sevenBits) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const number = variable(mostNumberBytes);
    const size = variable(mostSizeBytes);
    if (at + size > bytes.length) return;
    yield { number, fields: new RecordFields(bytes.subarray(at, at + size)) };
    at += size;
  }
}
