/** SVG drawings by their contents, whatever their name: they are refused before any program draws them. */
import { gunzipSync, constants } from 'node:zlib';

/** What may stand before the root element: comments, a document type. */
const headBytes = 64 * 1024;

/** The beginning of a file, unpacked where it is packed by gzip; null for a damaged one. */
function unpackedHead(bytes: Uint8Array): Uint8Array | null {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.subarray(0, headBytes);
  try {
    // The end of the stream is cut off: what came until then counts.
    return gunzipSync(bytes.subarray(0, headBytes), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 32 * headBytes }).subarray(0, headBytes);
  } catch {
    return null;
  }
}

function textOf(head: Uint8Array): string {
  const [first, second] = head;
  const encoding = (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0) ? 'utf-16le' : (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(head);
}

/** Skips white space, comments, processing instructions and the document type, one after the other; what then begins is the root element. */
export function isSvg(bytes: Uint8Array): boolean {
  const head = unpackedHead(bytes);
  if (head === null) return false;
  const text = textOf(head);
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s\u0000\ufeff]/.test(text[at]!)) at++;
    const [start, end] = text.startsWith('<!--', at) ? ['<!--', '-->'] : text.startsWith('<?', at) ? ['<?', '?>'] : /^<!doctype/i.test(text.slice(at, at + 9)) ? ['<!', '>'] : ['', ''];
    if (start === '') return /^<(?:[\w.-]+:)?svg[\s/>]/i.test(text.slice(at, at + 100));
    // A subset of the document type's own holds declarations with `>`.
    const subset = start === '<!' ? /^[^>[]*\[/.exec(text.slice(at))?.[0] : undefined;
    const close = subset === undefined ? text.indexOf(end, at + start.length) : text.indexOf(']', at + subset.length);
    if (close < 0) return false;
    at = subset === undefined ? close + end.length : text.indexOf('>', close) + 1;
    if (at <= 0) return false;
  }
}
