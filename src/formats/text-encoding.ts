/** Bytes as text: by their byte order mark, by the encoding that they declare, or by the encodings that they can be; nothing is ever refused. */

const utf16 = { le: 'utf-16le', be: 'utf-16be' } as const;

const byteOrderMarks: [encoding: string, mark: number[]][] = [['utf-8', [0xef, 0xbb, 0xbf]], [utf16.le, [0xff, 0xfe]], [utf16.be, [0xfe, 0xff]]];

/** Bytes in which zeros are counted; with fewer than the least they show nothing. */
const zeroSample = { most: 4096, least: 4 };
/** Shares of zeros: of the high bytes of Latin letters in UTF-16, and of their low bytes. */
const highByteZeros = 0.6;
const lowByteZeros = 0.1;

function markOf(bytes: Uint8Array): string | null {
  return byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

/** Latin text in UTF-16 has a zero in every other byte. */
function unmarkedUtf16(bytes: Uint8Array): string | null {
  const sample = Math.min(bytes.length, zeroSample.most) & ~1;
  if (sample < zeroSample.least) return null;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < sample; i += 2) {
    if (bytes[i] === 0) even++;
    if (bytes[i + 1] === 0) odd++;
  }
  const most = sample / 2;
  if (odd > most * highByteZeros && even < most * lowByteZeros) return utf16.le;
  return even > most * highByteZeros && odd < most * lowByteZeros ? utf16.be : null;
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

/** How much of the letters past ASCII are what its readers write often: kana, hangul, the first plane of Han, lower-case Cyrillic, Latin letters. */
const usual: { label: string; pattern: RegExp }[] = [
  { label: 'euc-jp', pattern: /[\u3040-\u30ff\u3000-\u3002]/g },
  { label: 'shift_jis', pattern: /[\u3040-\u30ff\u3000-\u3002]/g },
  { label: 'euc-kr', pattern: /[\uac00-\ud7a3]/g },
  { label: 'gb18030', pattern: /[\u7684\u4e00\u662f\u4e86\u5728\u6709\u548c\u4eba\u4e0d\u4e2d\u5927\u4e3a\u8fd9\u4e0a\u4e2a\u56fd\u3002\uff0c]/g },
  { label: 'big5', pattern: /[\u7684\u4e00\u662f\u4e86\u5728\u6709\u548c\u4eba\u4e0d\u4e2d\u5927\u70ba\u9019\u4e0a\u500b\u570b\u3002\uff0c]/g },
  { label: 'windows-1251', pattern: /[а-яё]/g },
  { label: 'koi8-r', pattern: /[а-яё]/g },
];

/** Bytes by which an old encoding is guessed. */
const guessedBytes = 64 * 1024;
/** Letters past ASCII without which nothing is guessed. */
const leastHighLetters = 4;
/** Mean length of rows of such letters: words of Cyrillic are all such letters, Latin words have one here and there. */
const cyrillicRun = 2.5;
/** Shares of usual letters that chance does not give. */
const neededShare = { cyrillic: 0.75, han: 0.06, other: 0.3 };

/** Old encodings by the text that they would give: a share of usual letters that chance does not give, else the Latin one. */
function guessed(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, guessedBytes);
  let best = 'windows-1252';
  let bestShare = 0;
  for (const { label, pattern } of usual) {
    const text = decoded(sample, label, false) ?? '';
    const high = text.match(/[^\u0000-\u007f]/g)?.length ?? 0;
    const broken = text.match(/[\ufffd\ue000-\uf8ff]/g)?.length ?? 0;
    // A sample may end within a letter.
    if (high < leastHighLetters || broken > 1) continue;
    const cyrillic = label.startsWith('windows') || label.startsWith('koi');
    if (cyrillic && high / (text.match(/[^\u0000-\u007f]+/g)?.length ?? 1) < cyrillicRun) continue;
    const share = (text.match(pattern)?.length ?? 0) / high;
    const needed = cyrillic ? neededShare.cyrillic : label === 'gb18030' || label === 'big5' ? neededShare.han : neededShare.other;
    if (share >= needed && share / needed > bestShare) {
      best = label;
      bestShare = share / needed;
    }
  }
  return best;
}

/**
 * The text of a file. `declared` is the encoding that the file or its message names; it is believed where the bytes agree.
 * Bytes that no encoding explains become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): string {
  const mark = markOf(bytes);
  if (mark !== null) return new TextDecoder(mark).decode(bytes);
  const wide = unmarkedUtf16(bytes);
  if (wide !== null) return new TextDecoder(wide).decode(bytes);
  const utf8 = decoded(bytes, 'utf-8', true);
  // Valid UTF-8 is UTF-8, whatever it declares; only encodings of seven bits could be mistaken for it.
  if (utf8 !== null && !(declared !== null && /^(?:iso-2022|utf-7|hz)/i.test(declared))) return utf8;
  if (declared !== null && /^utf-?8$/i.test(declared)) return new TextDecoder().decode(bytes);
  return (declared === null ? null : decoded(bytes, declared, false)) ?? new TextDecoder(guessed(bytes)).decode(bytes);
}

/** The encoding that a page names in its first kilobytes: an XML declaration or a `meta` element. */
export function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
  const xml = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  return xml ?? /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ?? null;
}
