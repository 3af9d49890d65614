/** Bytes as text: by their byte order mark, by the encoding that they declare, or by a guess that is reported; nothing is ever refused. */
import { guessEncoding } from './guess-encoding.js';

const utf16 = { le: 'utf-16le', be: 'utf-16be' } as const;

const byteOrderMarks: [encoding: string, mark: number[]][] = [['utf-8', [0xef, 0xbb, 0xbf]], [utf16.le, [0xff, 0xfe]], [utf16.be, [0xfe, 0xff]]];

function markOf(bytes: Uint8Array): string | null {
  return byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

/** Bytes in which zeros are counted; with fewer than the least they show nothing. */
const zeroSample = { most: 64 * 1024, least: 4 };
/** Shares of zeros: of the high bytes of Latin letters in UTF-16, and of their low bytes. */
const highByteZeros = 0.6;
const lowByteZeros = 0.1;
/** Characters that no text has: controls but tab, line ends, form feed and escape; halves of pairs; what Unicode does not assign or leaves to private use. */
const noText = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd]|\p{Cn}|\p{Co}|\p{Cs}/u;

/** How often a space, a line end or another ASCII character stands in a text of UTF-16: what tells the two byte orders apart. */
function asciiCharacters(text: string): number {
  return text.match(/[\t\n\r -~]/g)?.length ?? 0;
}

/** Latin text in UTF-16 has a zero in every other byte. */
function latinUtf16(sample: Uint8Array): string | null {
  let even = 0;
  let odd = 0;
  for (let i = 0; i < sample.length; i += 2) {
    if (sample[i] === 0) even++;
    if (sample[i + 1] === 0) odd++;
  }
  const most = sample.length / 2;
  if (odd > most * highByteZeros && even < most * lowByteZeros) return utf16.le;
  return even > most * highByteZeros && odd < most * lowByteZeros ? utf16.be : null;
}

/** Whether bytes with zeros are UTF-8 with a stray zero: without them, nothing in it is no text. */
function isUtf8WithZeros(sample: Uint8Array): boolean {
  const text = new TextDecoder().decode(sample);
  return !noText.test(text.replaceAll('\0', '').replace(/\ufffd$/, ''));
}

/**
 * UTF-16 without a mark: a text of any script has spaces or line ends, whose high byte is zero, and no other encoding of texts has
 * zeros. It is one where the whole is text in that byte order; where both orders give text, the one with more ASCII characters.
 */
function unmarkedUtf16(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, Math.min(bytes.length, zeroSample.most) & ~1);
  if (sample.length < zeroSample.least || !sample.includes(0)) return null;
  const latin = latinUtf16(sample);
  if (latin !== null || isUtf8WithZeros(sample)) return latin;
  const found = [utf16.le, utf16.be].flatMap((encoding) => {
    // A pair that the sample cuts in two is no evidence against it.
    const text = new TextDecoder(encoding).decode(sample).replace(/\ufffd$/, '');
    return noText.test(text) ? [] : [{ encoding, ascii: asciiCharacters(text) }];
  });
  const [best] = found.sort((one, other) => other.ascii - one.ascii);
  return best !== undefined && best.ascii > 0 ? best.encoding : null;
}

/** By its mark, or by where its zeros stand. */
export function isUtf16(bytes: Uint8Array): boolean {
  const mark = markOf(bytes);
  return mark === utf16.le || mark === utf16.be || unmarkedUtf16(bytes) !== null;
}

function decoded(bytes: Uint8Array, label: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes);
  } catch {
    return null;
  }
}

/** A file's text, and the encoding that was guessed for it. */
export interface DecodedText {
  text: string;
  /** WHATWG name; null where the bytes or a declaration show the encoding. */
  guessed: string | null;
}

/** What `errors` says beside a text whose encoding was guessed. */
export function guessRemark(encoding: string): string {
  return `The file does not name its encoding. It was read as ${encoding}, which is a guess from its bytes.`;
}

/** What bytes of no other encoding are most often. */
const westernEncoding = 'windows-1252';
/** Characters beyond ASCII that are whole in UTF-8, for each sequence that is not: bytes of other encodings hardly ever form one. */
const wholePerBroken = 4;

/** Whether a text that was decoded as UTF-8 is that, but for a few bytes: one cut in the midst of a character, say. */
function isDamagedUtf8(text: string): boolean {
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const whole = text.match(/[^\u0000-\u007f\ufffd]/gu)?.length ?? 0;
  return whole >= wholePerBroken * broken;
}

/** The escape sequences of ISO-2022-JP: bytes of seven bits, which are valid UTF-8 as well. */
const japaneseEscape = '\x1b$';

/**
 * The text of a file. `declared` is the encoding that the file or its message names; it is believed where the bytes agree.
 * Bytes that no encoding explains become U+FFFD.
 */
export function decode(bytes: Uint8Array, declared: string | null = null): DecodedText {
  const mark = markOf(bytes);
  if (mark !== null) return { text: new TextDecoder(mark).decode(bytes), guessed: null };
  const wide = unmarkedUtf16(bytes);
  if (wide !== null) return { text: new TextDecoder(wide).decode(bytes), guessed: wide };
  const utf8 = decoded(bytes, 'utf-8', true);
  // Valid UTF-8 is UTF-8, whatever it declares; only encodings of seven bits could be mistaken for it.
  if (utf8 !== null && !(declared !== null && /^(?:iso-2022|utf-7|hz)/i.test(declared)) && !(declared === null && utf8.includes(japaneseEscape))) return { text: utf8, guessed: null };
  if (declared !== null && /^utf-?8$/i.test(declared)) return { text: new TextDecoder().decode(bytes), guessed: null };
  const believed = declared === null ? null : decoded(bytes, declared, false);
  if (believed !== null) return { text: believed, guessed: null };
  const damaged = new TextDecoder().decode(bytes);
  if (isDamagedUtf8(damaged)) return { text: damaged, guessed: 'UTF-8' };
  const found = guessEncoding(bytes);
  // It is not UTF-8, which was tried.
  const guessed = found === 'UTF-8' ? westernEncoding : found;
  return { text: new TextDecoder(guessed).decode(bytes), guessed };
}

/** The text of `decode` alone, for parts whose encoding is reported with the whole. */
export function decodeText(bytes: Uint8Array, declared: string | null = null): string {
  return decode(bytes, declared).text;
}

/** The encoding that a page names in its first kilobytes: an XML declaration or a `meta` element. */
export function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
  const xml = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  return xml ?? /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ?? null;
}
