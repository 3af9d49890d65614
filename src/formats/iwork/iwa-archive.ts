/** The objects of a Pages, Numbers or Keynote file (since 2013): files of snappy chunks, in which messages of protocol buffers stand, each with its kind and with the objects that it refers to. */
import { LecternError } from '../../errors.js';
import { Archive } from '../archive.js';

/** Of all objects, unpacked. */
const mostBytes = 256 * 1024 * 1024;
/** Snappy packs pieces of 64 KiB; a chunk that states more lies. */
const mostChunkBytes = 4 * 1024 * 1024;
const chunkHeaderBytes = 4;
/** Kinds of fields of protocol buffers: the lowest three bits of a key. */
const wire = { kinds: 8, varint: 0, eight: 1, sized: 2, four: 5, eightBytes: 8, fourBytes: 4 } as const;
/** A variable number: seven bits a byte, at most ten bytes. */
const variable = { bits: 0x7f, base: 128, bytes: 10 } as const;
/** Elements of snappy: the lowest two bits of a tag; lengths below 60 stand in the tag of a literal, longer ones behind it. */
const snappy = { kinds: 3, literal: 0, near: 1, far: 2, inTag: 60, nearLengthBits: 7, nearShortest: 4, nearOffsetShift: 5, byte: 256, farBytes: 2, farthestBytes: 4 } as const;
/** Fields of TSD.DrawableArchive. */
const drawable = { title: 10, caption: 11, titleHidden: 12, captionHidden: 13 } as const;

function damaged(): LecternError {
  return new LecternError('invalid_document', 'The file is damaged: its objects cannot be read.');
}

/** Stands for a field of four or eight bytes: nothing that is read from these files is one, so that their values are not kept. */
const unread = NaN;

/** Lengths, identifiers and counts. A fraction, or a number below zero, would lead the readers backwards or into tables that cannot be. Throws LecternError `invalid_document`. */
function checked(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw damaged();
  return value;
}

/** A message's fields by number, each as often as it is there: numbers, or bytes. */
export class Message {
  readonly #fields = new Map<number, (number | Uint8Array)[]>();

  constructor(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length;) {
      const key = readVarint(bytes, at);
      at = key.end;
      const field = Math.floor(key.value / wire.kinds);
      let value: number | Uint8Array;
      switch (key.value % wire.kinds) {
        case wire.varint: {
          const number = readVarint(bytes, at);
          value = number.value;
          at = number.end;
          break;
        }
        case wire.eight: value = unread; at += wire.eightBytes; break;
        case wire.four: value = unread; at += wire.fourBytes; break;
        case wire.sized: {
          const length = readVarint(bytes, at);
          if (length.end + length.value > bytes.length) throw damaged();
          value = bytes.subarray(length.end, length.end + length.value);
          at = length.end + length.value;
          break;
        }
        default: throw damaged();
      }
      const known = this.#fields.get(field);
      if (known === undefined) this.#fields.set(field, [value]);
      else known.push(value);
    }
  }

  /** A whole number; 0 where the field is missing. */
  number(field: number): number {
    const value = this.#fields.get(field)?.[0];
    return typeof value === 'number' ? checked(value) : 0;
  }

  bytes(field: number): Uint8Array[] {
    return (this.#fields.get(field) ?? []).filter((value) => typeof value !== 'number');
  }

  text(field: number): string {
    return this.bytes(field).map((bytes) => Buffer.from(bytes).toString('utf8')).join('');
  }

  messages(field: number): Message[] {
    return this.bytes(field).map((bytes) => new Message(bytes));
  }

  message(field: number): Message | undefined {
    return this.messages(field)[0];
  }

  /** Identifiers of the objects that the field refers to. */
  references(field: number): number[] {
    return this.messages(field).map((reference) => reference.number(1));
  }

  /** Numbers one by one, or packed into bytes. */
  numbers(field: number): number[] {
    return (this.#fields.get(field) ?? []).flatMap((value) => {
      if (typeof value === 'number') return [checked(value)];
      const found: number[] = [];
      for (let at = 0; at < value.length;) {
        const number = readVarint(value, at);
        found.push(checked(number.value));
        at = number.end;
      }
      return found;
    });
  }
}

/** Up to 53 bits are exact: identifiers have fewer. */
function readVarint(bytes: Uint8Array, from: number): { value: number; end: number } {
  let [value, factor] = [0, 1];
  for (let at = from; at < from + variable.bytes; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw damaged();
    value += (byte & variable.bits) * factor;
    if (byte <= variable.bits) return { value, end: at + 1 };
    factor *= variable.base;
  }
  throw damaged();
}

/** One chunk of snappy without its frame (format_description.txt of snappy). */
export function unpackSnappy(packed: Uint8Array): Uint8Array {
  const { value: length, end } = readVarint(packed, 0);
  if (length > mostChunkBytes) throw damaged();
  const made = new Uint8Array(length);
  let [at, to] = [end, 0];
  const little = (bytes: number): number => {
    let value = 0;
    for (let index = 0; index < bytes; index++) value += (packed[at++] ?? 0) * snappy.byte ** index;
    return value;
  };
  while (at < packed.length) {
    const tag = packed[at++] as number;
    const kind = tag & snappy.kinds;
    if (kind === snappy.literal) {
      const stated = tag >> 2;
      const size = (stated < snappy.inTag ? stated : little(stated - snappy.inTag + 1)) + 1;
      if (at + size > packed.length || to + size > length) throw damaged();
      made.set(packed.subarray(at, at + size), to);
      at += size;
      to += size;
      continue;
    }
    const size = kind === snappy.near ? ((tag >> 2) & snappy.nearLengthBits) + snappy.nearShortest : (tag >> 2) + 1;
    const offset = kind === snappy.near ? (tag >> snappy.nearOffsetShift) * snappy.byte + little(1) : little(kind === snappy.far ? snappy.farBytes : snappy.farthestBytes);
    if (offset === 0 || offset > to || to + size > length) throw damaged();
    // The copy may reach into what it writes.
    for (let index = 0; index < size; index++, to++) made[to] = made[to - offset] as number;
  }
  if (to !== length) throw damaged();
  return made;
}

function unpackFile(bytes: Uint8Array, room: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at + chunkHeaderBytes <= bytes.length;) {
    const length = (bytes[at + 1] as number) + (bytes[at + 2] as number) * 256 + (bytes[at + 3] as number) * 65_536;
    if (bytes[at] !== 0 || at + chunkHeaderBytes + length > bytes.length) throw damaged();
    const part = unpackSnappy(bytes.subarray(at + chunkHeaderBytes, at + chunkHeaderBytes + length));
    total += part.length;
    if (total > room) throw new LecternError('too_large', 'The file unpacks to more than a document may hold.');
    parts.push(part);
    at += chunkHeaderBytes + length;
  }
  return Buffer.concat(parts);
}

export interface IworkObject {
  /** What the message is; the numbers are the format's. */
  type: number;
  message: Message;
  references: number[];
  file: string;
}

/** Objects by their identifiers. */
export class IworkObjects {
  readonly #objects = new Map<number, IworkObject>();
  /** Names of pictures and films that the file holds. */
  readonly media: string[];

  constructor(bytes: Uint8Array) {
    const outer = new Archive(bytes);
    // Files that were directories once have their objects in an archive within.
    const inner = outer.find('Index.zip');
    let left = mostBytes;
    for (const { name, read } of [...outer.files(), ...(inner === null ? [] : new Archive(inner).files())]) {
      if (!name.endsWith('.iwa')) continue;
      const contents = unpackFile(read(), left);
      left -= contents.length;
      this.#read(contents, name);
    }
    this.media = outer.names().filter((name) => /^Data\/(?!.*-small-).*\.(?:png|jpe?g|tiff?|gif|heic|pdf|mov|m4v|mp4)$/i.test(name));
  }

  #read(bytes: Uint8Array, file: string): void {
    for (let at = 0; at < bytes.length;) {
      const size = readVarint(bytes, at);
      const headerEnd = size.end + size.value;
      if (headerEnd > bytes.length) throw damaged();
      const header = new Message(bytes.subarray(size.end, headerEnd));
      const id = header.number(1);
      at = headerEnd;
      for (const [index, info] of header.messages(2).entries()) {
        const length = info.number(3);
        if (at + length > bytes.length) throw damaged();
        if (index === 0) this.#objects.set(id, { type: info.number(1), message: new Message(bytes.subarray(at, at + length)), references: info.numbers(5), file });
        at += length;
      }
    }
  }

  get(id: number): IworkObject | undefined {
    return this.#objects.get(id);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Titles and captions that are not shown: of the drawn objects of these kinds, whose first field is what all drawn objects share. */
  hiddenTexts(kinds: ReadonlySet<number>): Set<number> {
    const hidden = new Set<number>();
    for (const { type, message } of this.#objects.values()) {
      if (!kinds.has(type)) continue;
      const drawn = message.message(1);
      for (const [text, switchedOff] of [[drawable.title, drawable.titleHidden], [drawable.caption, drawable.captionHidden]] as const) if (drawn !== undefined && drawn.number(switchedOff) !== 0) for (const id of drawn.references(text)) hidden.add(id);
    }
    return hidden;
  }

  /** All that can be reached from an object, the object first; each once. What the templates hold is left out. */
  *reached(from: number, seen = new Set<number>()): Generator<[number, IworkObject]> {
    const waiting = [from];
    for (;;) {
      const id = waiting.pop();
      if (id === undefined) return;
      const object = this.#objects.get(id);
      if (object === undefined || seen.has(id) || /(?:Master|Template)Slide|Stylesheet/.test(object.file)) continue;
      seen.add(id);
      yield [id, object];
      for (const reference of [...object.references].reverse()) waiting.push(reference);
    }
  }
}
