/** Recognises SVG drawings by their contents, whatever their name, so that they are refused before any program draws them. */
import { gunzipSync, constants } from 'node:zlib';

/** Bytes in which the root element must begin; comments and a document type may stand before it. */
const headBytes = 64 * 1024;
/** ID1 and ID2 of a gzip member (RFC 1952). */
const gzipSignature = [0x1f, 0x8b] as const;
/** No more is unpacked: a packed file may be far larger than it appears. */
const mostUnpackedBytes = 32 * headBytes;
/** Characters of the root element's start tag that are read: its prefix and its name. */
const startTagCharacters = 100;
/** The first bytes of XML in UTF-16: the byte order mark, or `<`. */
const utf16Starts: readonly { bytes: readonly number[]; encoding: string }[] = [
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0x3c, 0], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
  { bytes: [0, 0x3c], encoding: 'utf-16be' },
];

/** The beginning of the file, unpacked if gzip packed it; null for a damaged one. */
function unpackedHead(bytes: Uint8Array): Uint8Array | null {
  if (bytes[0] !== gzipSignature[0] || bytes[1] !== gzipSignature[1]) return bytes.subarray(0, headBytes);
  try {
    // The end of the stream is cut off, so that only what was unpacked until then is used.
    return gunzipSync(bytes.subarray(0, headBytes), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostUnpackedBytes }).subarray(0, headBytes);
  } catch {
    return null;
  }
}

/** Decodes the text by its byte order mark or, where it has none, by the zero byte beside the first `<`. */
function textOf(head: Uint8Array): string {
  const encoding = utf16Starts.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))?.encoding ?? 'utf-8';
  return new TextDecoder(encoding).decode(head);
}

/** Whether the root element is `svg`: skips the white space, comments, processing instructions and document type before it. */
export function isSvg(bytes: Uint8Array): boolean {
  const head = unpackedHead(bytes);
  if (head === null) return false;
  const text = textOf(head);
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s\u0000\ufeff]/.test(text[at]!)) at++;
    const [start, end] = text.startsWith('<!--', at) ? ['<!--', '-->'] : text.startsWith('<?', at) ? ['<?', '?>'] : /^<!doctype/i.test(text.slice(at, at + 9)) ? ['<!', '>'] : ['', ''];
    if (start === '') return /^<(?:[\w.-]+:)?svg[\s/>]/i.test(text.slice(at, at + startTagCharacters));
    // The internal subset of a document type holds declarations with `>`.
    const subset = start === '<!' ? /^[^>[]*\[/.exec(text.slice(at))?.[0] : undefined;
    const close = subset === undefined ? text.indexOf(end, at + start.length) : text.indexOf(']', at + subset.length);
    if (close < 0) return false;
    at = subset === undefined ? close + end.length : text.indexOf('>', close) + 1;
    if (at <= 0) return false;
  }
}
