/** Addresses and HTML that documents of strangers bring along, made harmless for programs that render what the writers write. */

/** Entities that end up within an address, beside those by number. */
const namedEntities: Record<string, string> = { colon: ':', tab: '\t', newline: '\n', sol: '/', lpar: '(', rpar: ')', amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', semi: ';', comma: ',', period: '.' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|([a-z]{1,8}));?/gi, (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
    if (name !== undefined) return namedEntities[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

/** As a markdown renderer and then a browser read it: entities and escapes decoded, without white space, control and format characters, which browsers drop or which hide. */
function asBrowsersRead(address: string): string {
  return decodeEntities(address).replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/[\s\p{C}<]/gu, '');
}

const scripts = /^(?:javascript|vbscript|data):/i;

/** Characters that tell every such scheme. */
const longestScheme = 'javascript:'.length;

/** Whether a browser would run the address, or what it holds, instead of visiting it. */
export function isScript(address: string): boolean {
  return scripts.test(asBrowsersRead(address.slice(0, 4096)));
}

/** Bitmaps that the program embeds itself; SVG is none. */
const bitmapAddress = /^data:image\/(?:png|jpe?g|gif|webp|bmp|tiff);base64,/;

/** Whether an image's address may be written: a bitmap in itself, or an address that is visited. */
export function isImageAddress(uri: string): boolean {
  return bitmapAddress.test(uri) || !isScript(uri);
}

/** What of an address is read first, and at most: padding of any length is no way around. */
const windows = [64, 4096];

/** Whether what stands at `at` in markdown, behind `](` or `]:`, begins an address that is run. One of which nothing has come yet is taken for such. */
function beginsScript(markdown: string, at: number): boolean {
  let begin = at;
  while (begin < markdown.length && /\s/.test(markdown[begin]!)) begin++;
  if (bitmapAddress.test(markdown.slice(begin, begin + longestScheme * 4))) return false;
  for (const width of windows) {
    const read = asBrowsersRead(markdown.slice(begin, begin + width));
    if (read.length >= longestScheme || begin + width >= markdown.length) return read === '' || scripts.test(read);
  }
  return true;
}

/** Markdown in which no link, image or definition of a link leads to an address that is run: their brackets are escaped, so that the words stand there. */
export function withoutScripts(markdown: string): string {
  let safe = markdown;
  if (safe.includes('](')) safe = safe.replace(/\]\(/g, (mark, at: number, whole: string) => (beginsScript(whole, at + mark.length) ? ']\\(' : mark));
  if (safe.includes(']:')) safe = safe.replace(/\]:/g, (mark, at: number, whole: string) => (beginsScript(whole, at + mark.length) ? ']\\:' : mark));
  return safe;
}

/** Text that is written without escapes, with `<` escaped where it would begin a tag, a comment or a declaration. */
export function withoutTags(text: string): string {
  return text.includes('<') ? text.replace(/<(?=[a-z/!?])/gi, '&lt;') : text;
}

/** TeX, in which an entity would be wrong: a space behind `<` says the same there, and begins no tag. */
export function formulaWithoutTags(tex: string): string {
  return tex.includes('<') && tex.includes('>') ? tex.replace(/<(?=[a-z/!?])/gi, '< ') : tex;
}
