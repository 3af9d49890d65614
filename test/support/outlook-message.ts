/** Outlook's messages ([MS-OXMSG]) written from the published layout: properties as streams of a compound file. */
import { makeCompoundFile, type Storage } from './compound-file.js';

export interface OutlookAttachment {
  name: string;
  mimetype?: string;
  contentId?: string;
  bytes?: Uint8Array;
  /** A message in the message. */
  message?: OutlookMessage;
}

export interface OutlookMessage {
  subject?: string;
  body?: string;
  /** Bytes in the encoding that the page declares. */
  html?: Uint8Array;
  /** Packed RTF. */
  rtf?: Uint8Array;
  sender?: { name: string; address: string };
  to?: { name: string; address: string }[];
  cc?: { name: string; address: string }[];
  /** When it was delivered. */
  date?: Date;
  attachments?: OutlookAttachment[];
}

/** A property whose value lies in the table of properties itself. */
function fixed(tag: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(tag, 0);
  bytes.writeUInt32LE(6, 4);
  bytes.writeBigUInt64LE(value, 8);
  return bytes;
}

class Properties {
  readonly storage: Storage = {};
  readonly #table: Buffer[] = [];

  text(id: number, value: string | undefined): this {
    return value === undefined ? this : this.#stream(id * 65536 + 0x1f, Buffer.from(value, 'utf16le'), 2);
  }

  binary(id: number, value: Uint8Array | undefined): this {
    return value === undefined ? this : this.#stream(id * 65536 + 0x102, value, 0);
  }

  number(id: number, value: number): this {
    this.#table.push(fixed(id * 65536 + 3, BigInt(value)));
    return this;
  }

  /** In units of 100 ns since 1601. */
  time(id: number, value: Date | undefined): this {
    if (value !== undefined) this.#table.push(fixed(id * 65536 + 0x40, (BigInt(value.getTime()) + 11_644_473_600_000n) * 10_000n));
    return this;
  }

  object(id: number, value: Storage): this {
    const tag = id * 65536 + 0x0d;
    this.storage[streamName(tag)] = value;
    this.#table.push(fixed(tag, 0xffffffffn | (1n << 32n)));
    return this;
  }

  #stream(tag: number, bytes: Uint8Array, ending: number): this {
    this.storage[streamName(tag)] = bytes;
    this.#table.push(fixed(tag, BigInt(bytes.length + ending)));
    return this;
  }

  /** With the head of the kind of storage that it is. */
  end(head: Uint8Array): Storage {
    this.storage['__properties_version1.0'] = Buffer.concat([head, ...this.#table]);
    return this.storage;
  }
}

const streamName = (tag: number): string => `__substg1.0_${tag.toString(16).toUpperCase().padStart(8, '0')}`;
const numbered = (index: number): string => index.toString(16).toUpperCase().padStart(8, '0');

function storageOf(message: OutlookMessage, isTop: boolean): Storage {
  const people = [...(message.to ?? []).map((one) => ({ ...one, kind: 1 })), ...(message.cc ?? []).map((one) => ({ ...one, kind: 2 }))];
  const attachments = message.attachments ?? [];
  const head = Buffer.alloc(isTop ? 32 : 24);
  for (const [at, value] of [[8, people.length], [12, attachments.length], [16, people.length], [20, attachments.length]] as const) head.writeUInt32LE(value, at);
  const properties = new Properties().text(0x001a, 'IPM.Note').text(0x0037, message.subject).text(0x1000, message.body).binary(0x1013, message.html).binary(0x1009, message.rtf)
    .text(0x0c1a, message.sender?.name).text(0x0c1f, message.sender?.address).text(0x0c1e, message.sender && 'SMTP').text(0x5d01, message.sender?.address).time(0x0e06, message.date);
  const storage = properties.end(head);
  for (const [index, { name, address, kind }] of people.entries()) {
    storage[`__recip_version1.0_#${numbered(index)}`] = new Properties().text(0x3001, name).text(0x3003, address).text(0x39fe, address).text(0x3002, 'SMTP').number(0x0c15, kind).end(Buffer.alloc(8));
  }
  for (const [index, attachment] of attachments.entries()) {
    const made = new Properties().text(0x3707, attachment.name).text(0x3001, attachment.name).text(0x370e, attachment.mimetype).text(0x3712, attachment.contentId).number(0x3705, attachment.message === undefined ? 1 : 5);
    if (attachment.message === undefined) made.binary(0x3701, attachment.bytes ?? Buffer.alloc(0));
    else made.object(0x3701, storageOf(attachment.message, false));
    storage[`__attach_version1.0_#${numbered(index)}`] = made.end(Buffer.alloc(8));
  }
  if (isTop) storage['__nameid_version1.0'] = { [streamName(0x00020102)]: Buffer.alloc(0), [streamName(0x00030102)]: Buffer.alloc(0), [streamName(0x00040102)]: Buffer.alloc(0) };
  return storage;
}

export function makeMsg(message: OutlookMessage): Uint8Array {
  return makeCompoundFile(storageOf(message, true));
}
