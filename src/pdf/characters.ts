/** One character code of a PDF as the text it stands for: ligatures, symbol fonts, private use, controls. */
import type { Font } from './pdf-page.js';
import { extensionSign, relationSign, symbolSign, wingdingsSign } from './symbol-fonts.js';

const wingdingsFont = /wingdings(?![-_ ]?[23])/i;
const symbolFont = /^symbol/i;
const extensionFont = /^CMEX\d/;
const relationFont = /^CMB?SY\d/;

/** '' where the code stands for nothing that can be read; ' ' for every kind of space; U+FFFD where a sign is drawn and unknown. */
export function cleanCharacter(code: number, font: Font): string {
  if (font.symbolic && wingdingsFont.test(font.name) && (code <= 0xff || isSymbolArea(code))) return code === 0x20 ? ' ' : wingdingsSign(code & 0xff) || '▪';
  if (code < 0x7f && extensionFont.test(font.name)) {
    const sign = extensionSign(code);
    if (sign !== '') return sign;
  }
  if (code > 0x20 && code < 0x7f && relationFont.test(font.name)) {
    const sign = relationSign(code);
    if (sign !== '') return isSilent(sign.charCodeAt(0)) ? '' : sign;
  }
  if (code > 0x20 && code < 0x7f) return String.fromCharCode(code);
  // A drawn font without names may have letters there; where it draws nothing it is a space.
  if (code < 0x20 && font.name === '') return '\ufffd';
  if (isSpace(code)) return ' ';
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return '\ufffd';
  if (code === 0xad) return '-';
  if (code >= 0xe000 && code <= 0xf8ff) return privateUse(code, font);
  if (isSilent(code)) return '';
  const text = String.fromCodePoint(code);
  return isPresentationForm(code) ? text.normalize('NFKC') : text;
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || code === 9 || code === 10 || code === 13 || code === 0x1680 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f || code === 0x3000;
}

/** Marks without a shape: joiners, direction marks, byte order marks, tags, halves of surrogate pairs. */
function isSilent(code: number): boolean {
  return (
    (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff || code === 0xfffe || code === 0xffff || (code >= 0xd800 && code < 0xe000) || code >= 0xe0000
  );
}

/** Latin ligatures, Hebrew and Arabic presentation forms: their compatibility letters are what is meant. */
function isPresentationForm(code: number): boolean {
  return (code >= 0xfb00 && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc) || code === 0x132 || code === 0x133;
}

function isSymbolArea(code: number): boolean {
  return code >= 0xf020 && code <= 0xf0ff;
}

/** Stands for a private-use glyph until its neighbours tell whether it is part of a word or an icon. */
export const unnamedGlyph = '\ue000';
const libertine = /^Lin(Libertine|Biolinum)/i;

/** Microsoft's symbol fonts put their codes at U+F020..F0FF; elsewhere private use is an icon or a font's own ligature. */
function privateUse(code: number, font: Font): string {
  if (code === 0xe03c && libertine.test(font.name)) return 'tt';
  if (!isSymbolArea(code)) return unnamedGlyph;
  const low = code & 0xff;
  if (symbolFont.test(font.name)) return symbolSign(low);
  if (low === 0xb7) return '•';
  if (!font.symbolic && low > 0x20 && low < 0x7f) return String.fromCharCode(low);
  return wingdingsSign(low);
}

const accents = new Map<string, string>([
  ['\u00b4', '\u0301'], ['\u0060', '\u0300'], ['\u02cb', '\u0300'], ['\u02ca', '\u0301'], ['\u02c6', '\u0302'], ['\u005e', '\u0302'], ['\u02dc', '\u0303'],
  ['\u007e', '\u0303'], ['\u00a8', '\u0308'], ['\u00af', '\u0304'], ['\u02c9', '\u0304'], ['\u02d8', '\u0306'], ['\u02d9', '\u0307'], ['\u02da', '\u030a'],
  ['\u02dd', '\u030b'], ['\u02c7', '\u030c'], ['\u00b8', '\u0327'], ['\u02db', '\u0328'],
]);
const combining = /^\p{M}+$/u;
const letter = /^\p{L}\p{M}*$/u;

/** The combining form of a sign that may be an accent drawn over a letter, or ''. */
export function combiningForm(text: string): string {
  return accents.get(text) ?? (combining.test(text) ? text : '');
}

/** The stroke that TeX draws over a sign to say that it does not hold. */
const negation = '\u0338';

/** `base` under `accent`, composed; '' where the two make no letter, and no sign that does not hold. */
export function accented(base: string, accent: string): string {
  if (accent === negation) return negated(base);
  if (!letter.test(base)) return '';
  const plain = base === '\u0131' ? 'i' : base === '\u0237' ? 'j' : base;
  const composed = (plain + accent).normalize('NFC');
  // Anything composes with a real combining mark; a spacing sign over a letter must make a letter that exists.
  return composed.length === 1 || combining.test(accent) ? composed : '';
}

function negated(base: string): string {
  const composed = (base + negation).normalize('NFC');
  return composed.length === 1 ? composed : '';
}
