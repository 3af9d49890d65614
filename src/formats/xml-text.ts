/** The characters of an XML file, by its first bytes and by the encoding that it declares. */
import { lessThan } from './character-codes.js';

function decoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('utf-8');
  }
}

/** First two bytes of UTF-16: a byte order mark, or `<` with a zero beside it. */
const utf16Starts: [encoding: string, bytes: [number, number]][] = [
  ['utf-16le', [0xff, 0xfe]], ['utf-16le', [lessThan, 0]], ['utf-16be', [0xfe, 0xff]], ['utf-16be', [0, lessThan]],
];
/** Bytes in which the XML declaration stands. */
const declarationBytes = 200;

/** Never fails: bytes that are no text in the encoding become U+FFFD. */
export function decodeXml(bytes: Uint8Array): string {
  const wide = utf16Starts.find(([, start]) => bytes[0] === start[0] && bytes[1] === start[1])?.[0];
  if (wide !== undefined) return decoder(wide).decode(bytes);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(declarationBytes, bytes.length)).toString('latin1');
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  // A file that declares UTF-16 and does not begin so was translated on its way, and its first line forgotten.
  return decoder(/^utf-?16/i.test(declared) ? 'utf-8' : declared).decode(bytes);
}
