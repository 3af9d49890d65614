/** Converts one character code of a PDF to text: ligatures, symbol fonts, private use, controls. */
import type { Font } from './pdf-page.js';
import { extensionFont } from './extension-codes.js';
import { corporateSymbol, extensionSymbol, relationSymbol, symbolCharacter, wingdingsSymbol } from './symbol-fonts.js';

const wingdingsFont = /wingdings(?![-_ ]?[23])/i;
const symbolFont = /^symbol/i;
const relationFont = /^CMB?SY\d/;

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 0x20;
const DELETE = 0x7f;
const NO_BREAK_SPACE = 0xa0;
const SOFT_HYPHEN = 0xad;
const OGHAM_SPACE = 0x1680;
/** Spaces of typesetting, from the en quad to the hair space. */
const TYPOGRAPHIC_SPACES = { first: 0x2000, last: 0x200a };
const NARROW_NO_BREAK_SPACE = 0x202f;
const MATHEMATICAL_SPACE = 0x205f;
const IDEOGRAPHIC_SPACE = 0x3000;
/** Codes of one byte; of Microsoft's symbol fonts, which add 0xF000 to theirs, the byte. */
const LAST_BYTE = 0xff;
const PRIVATE_USE = { first: 0xe000, last: 0xf8ff };

/** '' for a code without readable meaning; ' ' for every kind of space; U+FFFD for an unknown character with ink. */
export function cleanCharacter(code: number, font: Font): string {
  if (font.symbolic && wingdingsFont.test(font.name) && (code <= LAST_BYTE || isSymbolArea(code))) return code === SPACE ? ' ' : wingdingsSymbol(code & LAST_BYTE) || '▪';
  if (code < DELETE && extensionFont.test(font.name)) {
    const sign = extensionSymbol(code);
    if (sign !== '') return sign;
  }
  if (code > SPACE && code < DELETE && relationFont.test(font.name)) {
    const sign = relationSymbol(code);
    if (sign !== '') return isSilent(sign.charCodeAt(0)) ? '' : sign;
  }
  if (code > SPACE && code < DELETE) return String.fromCharCode(code);
  // A Type 3 font without names may have letters at these codes; a code without ink is a space.
  if (code < SPACE && font.name === '') return '\ufffd';
  if (isSpace(code)) return ' ';
  if (code < SPACE || (code >= DELETE && code < NO_BREAK_SPACE)) return '\ufffd';
  if (code === SOFT_HYPHEN) return '-';
  if (code >= PRIVATE_USE.first && code <= PRIVATE_USE.last) return privateUse(code, font);
  if (isSilent(code)) return '';
  const text = String.fromCodePoint(code);
  return isPresentationForm(code) ? text.normalize('NFKC') : text;
}

export function isSpace(code: number): boolean {
  return code === SPACE || code === NO_BREAK_SPACE || code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN || code === OGHAM_SPACE
    || (code >= TYPOGRAPHIC_SPACES.first && code <= TYPOGRAPHIC_SPACES.last) || code === NARROW_NO_BREAK_SPACE || code === MATHEMATICAL_SPACE || code === IDEOGRAPHIC_SPACE;
}

/** Marks without a shape: joiners, marks of direction, breaks and embeddings, word joiners, variation selectors, byte order marks, halves of surrogate pairs, tags. */
const SILENT: [first: number, last: number][] = [
  [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xd800, 0xdfff], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xfffe, 0xffff], [0xe0000, Infinity],
];

function isSilent(code: number): boolean {
  return code >= SILENT[0]![0] && SILENT.some(([first, last]) => code >= first && code <= last);
}

/** The ligature IJ in both cases, Latin ligatures, Hebrew and Arabic presentation forms: their compatibility letters replace them. */
const PRESENTATION_FORMS: [first: number, last: number][] = [[0x132, 0x133], [0xfb00, 0xfdff], [0xfe70, 0xfefc]];

function isPresentationForm(code: number): boolean {
  return PRESENTATION_FORMS.some(([first, last]) => code >= first && code <= last);
}

function isSymbolArea(code: number): boolean {
  return code >= 0xf020 && code <= 0xf0ff;
}

/** A placeholder for a private-use glyph until its neighbours show whether it is part of a word or an icon. */
export const unnamedGlyph = '\ue000';
/** The ligature of two t in Linux Libertine, and the bullet of symbol fonts. */
const LIBERTINE_TT = 0xe03c;
const SYMBOL_BULLET = 0xb7;
const libertine = /^Lin(Libertine|Biolinum)/i;

/** Microsoft's symbol fonts have their codes at U+F020..F0FF; other private use is an icon or a font's own ligature. */
function privateUse(code: number, font: Font): string {
  if (code === LIBERTINE_TT && libertine.test(font.name)) return 'tt';
  const corporate = corporateSymbol(code);
  if (corporate !== '') return corporate;
  if (!isSymbolArea(code)) return unnamedGlyph;
  const low = code & LAST_BYTE;
  if (symbolFont.test(font.name)) return symbolCharacter(low);
  if (low === SYMBOL_BULLET) return '•';
  if (!font.symbolic && low > SPACE && low < DELETE) return String.fromCharCode(low);
  return wingdingsSymbol(low);
}

const accents = new Map<string, string>([
  ['\u00b4', '\u0301'], ['\u0060', '\u0300'], ['\u02cb', '\u0300'], ['\u02ca', '\u0301'], ['\u02c6', '\u0302'], ['\u005e', '\u0302'], ['\u02dc', '\u0303'],
  ['\u007e', '\u0303'], ['\u00a8', '\u0308'], ['\u00af', '\u0304'], ['\u02c9', '\u0304'], ['\u02d8', '\u0306'], ['\u02d9', '\u0307'], ['\u02da', '\u030a'],
  ['\u02dd', '\u030b'], ['\u02c7', '\u030c'], ['\u00b8', '\u0327'], ['\u02db', '\u0328'],
]);
const combining = /^\p{M}+$/u;
const letter = /^\p{L}\p{M}*$/u;

/** The combining form of a character that may be an accent drawn over a letter, or ''. */
export function combiningForm(text: string): string {
  return accents.get(text) ?? (combining.test(text) ? text : '');
}

/** The stroke that TeX draws over a relation to negate it. */
const negation = '\u0338';

/** `base` under `accent`, composed; '' if the two make neither a letter nor a negated relation. */
export function accented(base: string, accent: string): string {
  if (accent === negation) return negated(base);
  if (!letter.test(base)) return '';
  const plain = base === '\u0131' ? 'i' : base === '\u0237' ? 'j' : base;
  const composed = (plain + accent).normalize('NFC');
  // A real combining mark composes with any letter; a spacing character over a letter must result in an existing letter.
  return composed.length === 1 || combining.test(accent) ? composed : '';
}

function negated(base: string): string {
  const composed = (base + negation).normalize('NFC');
  return composed.length === 1 ? composed : '';
}
