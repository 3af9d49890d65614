/** Fonts of TeX without a Unicode map: Type 3 fonts have one of TeX's own encodings, and their ligatures show which one. */
import { dingbatNumber } from './dingbat-names.js';
import { decodeExtensionCodes } from './extension-codes.js';
import type { Glyph } from './glyph.js';

/** OT1: codes 0 to 31, and those above that differ from ASCII. */
const older = new Map<number, string>([
  ...['Γ', 'Δ', 'Θ', 'Λ', 'Ξ', 'Π', 'Σ', 'Υ', 'Φ', 'Ψ', 'Ω', 'ff', 'fi', 'fl', 'ffi', 'ffl', 'ı', 'ȷ', '`', '´', 'ˇ', '˘', '¯', '˚', '¸', 'ß', 'æ', 'œ', 'ø', 'Æ', 'Œ', 'Ø'].entries(),
  [0x22, '”'], [0x27, '’'], [0x3c, '¡'], [0x3e, '¿'], [0x5c, '“'], [0x5e, 'ˆ'], [0x5f, '˙'], [0x60, '‘'], [0x7b, '–'], [0x7c, '—'], [0x7d, '˝'], [0x7e, '˜'], [0x7f, '¨'],
]);
/** T1 (Cork): codes that differ from Latin-1. Its code 23 separates the parts of compounds and has no ink; 24 turns a percent sign into a per mille sign. */
const newer = new Map<number, string>([
  ...['`', '´', 'ˆ', '˜', '¨', '˝', '˚', 'ˇ', '˘', '¯', '˙', '¸', '˛', '‚', '‹', '›', '“', '”', '„', '«', '»', '–', '—', '', '₀', 'ı', 'ȷ', 'ff', 'fi', 'fl', 'ffi', 'ffl'].entries(),
  [0x27, '’'], [0x60, '‘'], [0x7f, '-'],
  ...[...'ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£'].map((sign, index): [number, string] => [0x80 + index, sign]),
  [0xd7, 'Œ'], [0xdf, 'SS'], [0xf7, 'œ'], [0xff, 'ß'],
]);

const letter = /^\p{L}$/u;
/** With fewer, a font's letters may be single letters of formulas. */
const fewestLetters = 4;
const mostlyInWords = 0.5;

interface EncodingEvidence {
  glyphs: Glyph[];
  letters: number;
  /** Letters directly followed by a letter of the same font. */
  inWords: number;
  /** Ligatures beside a letter, in the first encoding and in the second. */
  older: number;
  newer: number;
}

const isOlderLigature = (code: number): boolean => code >= 11 && code <= 15;
const isNewerLigature = (code: number): boolean => code >= 27 && code <= 31;

/** Sets the letters of such glyphs, and the signs of fonts of large symbols, in place, also if the file's map confused the names of their codes with those of dingbats. Returns the number of glyphs that had none before. */
export function decodeTexCodes(glyphs: Glyph[]): number {
  decodeExtensionCodes(glyphs);
  let named = -unhideCodes(glyphs);
  const fonts = new Map<number, EncodingEvidence>();
  for (const [index, glyph] of glyphs.entries()) {
    const { run, code } = glyph;
    if (run.font.name !== '' || glyph.space) continue;
    let font = fonts.get(run.fontPointer);
    if (font === undefined) fonts.set(run.fontPointer, (font = { glyphs: [], letters: 0, inWords: 0, older: 0, newer: 0 }));
    font.glyphs.push(glyph);
    if (letter.test(glyph.text)) {
      font.letters++;
      if (touchesLetter(glyph, glyphs[index + 1])) font.inWords++;
    } else if (glyph.text === '\ufffd' && (touchesLetter(glyph, glyphs[index + 1]) || touchesLetter(glyph, glyphs[index - 1]))) {
      if (isOlderLigature(code)) font.older++;
      if (isNewerLigature(code)) font.newer++;
    }
  }
  const evidence = [...fonts.values()];
  const leaning = (of: EncodingEvidence[]): number => Math.sign(of.reduce((sum, { older: ot1, newer: t1 }) => sum + t1 - ot1, 0));
  // A font without a ligature on the page has the encoding of the page's other fonts.
  const usual = evidence.some(({ older: ot1 }) => ot1 > 0) && evidence.some(({ newer: t1 }) => t1 > 0) ? 0 : leaning(evidence);
  for (const font of evidence) {
    const { glyphs: own, letters, inWords } = font;
    const leans = font.older + font.newer > 0 ? leaning([font]) : usual;
    if (leans === 0 || letters < fewestLetters || inWords < mostlyInWords * letters) continue;
    const signs = leans > 0 ? newer : older;
    for (const glyph of own) {
      const sign = signs.get(glyph.code);
      // A hyphen at a line's end has code 2.
      if (sign === undefined || glyph.code < 0x20 && glyph.text !== '\ufffd') continue;
      if (glyph.text === '\ufffd') named++;
      glyph.text = sign;
    }
  }
  return named;
}

/** Dingbats inside words: the fewest on a page, the fewest different ones (rows of hearts or dots are ratings), and the share of those that would be letters. */
const fewestInWords = 8;
const fewestKinds = 6;
const leastInWords = 0.5;

/** If dingbats of unnamed fonts stand side by side as letters do, the file's map confused the names of their codes with those of dingbats: this restores their codes. Returns the number of those without a letter so far. */
function unhideCodes(glyphs: Glyph[]): number {
  const hidden = glyphs.flatMap((glyph, index) => {
    const number = glyph.run.font.name === '' ? dingbatNumber(glyph.text) : 0;
    return number > 0 ? [{ glyph, index, number }] : [];
  });
  const letters = hidden.filter(({ number }) => letter.test(String.fromCharCode(number)));
  const inWords = letters.filter(({ glyph, index }) => [glyphs[index - 1], glyphs[index + 1]].some((other) => other !== undefined && touches(glyph, other) && (letter.test(other.text) || dingbatNumber(other.text) > 0)));
  if (inWords.length < Math.max(fewestInWords, leastInWords * letters.length) || new Set(inWords.map(({ number }) => number)).size < fewestKinds) return 0;
  for (const { glyph, number } of hidden) {
    glyph.code = number;
    glyph.text = number > 0x20 && number < 0x7f || number > 0xa0 ? String.fromCharCode(number) : '\ufffd';
  }
  return hidden.filter(({ glyph }) => glyph.text === '\ufffd').length;
}

function touchesLetter(glyph: Glyph, other: Glyph | undefined): boolean {
  return other !== undefined && letter.test(other.text) && touches(glyph, other);
}

function touches({ run, u0, u1, v }: Glyph, other: Glyph): boolean {
  return other.run.fontPointer === run.fontPointer && Math.max(u0, other.u0) - Math.min(u1, other.u1) < 0.2 * run.size && Math.abs(v - other.v) < 0.1 * run.size;
}
