/** The characters of an XML file, by its first bytes and by the encoding that it declares. */

function decoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('utf-8');
  }
}

/** Never fails: bytes that are no text in the encoding become U+FFFD. */
export function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe || bytes[0] === 0x3c && bytes[1] === 0) return decoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff || bytes[0] === 0 && bytes[1] === 0x3c) return decoder('utf-16be').decode(bytes);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(200, bytes.length)).toString('latin1');
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  // A file that says UTF-16 and does not look like it was translated on its way, and its first line forgotten.
  return decoder(/^utf-?16/i.test(declared) ? 'utf-8' : declared).decode(bytes);
}
