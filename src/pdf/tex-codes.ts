/** Drawn (Type 3) fonts without a map of their letters: TeX's are in one of TeX's own encodings, and which one their ligatures tell. */
import type { Glyph } from './glyphs.js';

/** OT1, codes 0 to 31 and those above where it is not ASCII. */
const older = new Map<number, string>([
  ...['Γ', 'Δ', 'Θ', 'Λ', 'Ξ', 'Π', 'Σ', 'Υ', 'Φ', 'Ψ', 'Ω', 'ff', 'fi', 'fl', 'ffi', 'ffl', 'ı', 'ȷ', '`', '´', 'ˇ', '˘', '¯', '˚', '¸', 'ß', 'æ', 'œ', 'ø', 'Æ', 'Œ', 'Ø'].entries(),
  [0x22, '”'], [0x27, '’'], [0x3c, '¡'], [0x3e, '¿'], [0x5c, '“'], [0x5e, 'ˆ'], [0x5f, '˙'], [0x60, '‘'], [0x7b, '–'], [0x7c, '—'], [0x7d, '˝'], [0x7e, '˜'], [0x7f, '¨'],
]);
/** T1 (Cork), where it is not Latin-1. Its code 23 parts compound words and is not seen; 24 makes a per mille of a per cent. */
const newer = new Map<number, string>([
  ...['`', '´', 'ˆ', '˜', '¨', '˝', '˚', 'ˇ', '˘', '¯', '˙', '¸', '˛', '‚', '‹', '›', '“', '”', '„', '«', '»', '–', '—', '', '₀', 'ı', 'ȷ', 'ff', 'fi', 'fl', 'ffi', 'ffl'].entries(),
  [0x27, '’'], [0x60, '‘'], [0x7f, '-'],
  ...[...'ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£'].map((sign, index): [number, string] => [0x80 + index, sign]),
  [0xd7, 'Œ'], [0xdf, 'SS'], [0xf7, 'œ'], [0xff, 'ß'],
]);

const letter = /^\p{L}$/u;
/** Below it a font's letters may stand by themselves, as those of formulas do. */
const fewestLetters = 4;
const mostlyInWords = 0.5;

interface Evidence {
  glyphs: Glyph[];
  letters: number;
  /** Letters with a letter of the same font right behind them. */
  inWords: number;
  /** Ligatures beside a letter, by the one encoding and by the other. */
  older: number;
  newer: number;
}

const isOlderLigature = (code: number): boolean => code >= 11 && code <= 15;
const isNewerLigature = (code: number): boolean => code >= 27 && code <= 31;

/** Gives such glyphs their letters in place; answers how many had none before. */
export function nameTexCodes(glyphs: Glyph[]): number {
  const fonts = new Map<number, Evidence>();
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
  let named = 0;
  for (const { glyphs: own, letters, inWords, older: ot1, newer: t1 } of fonts.values()) {
    if (ot1 === t1 || letters < fewestLetters || inWords < mostlyInWords * letters) continue;
    const signs = t1 > ot1 ? newer : older;
    for (const glyph of own) {
      const sign = signs.get(glyph.code);
      // A hyphen at a line's end comes as code 2.
      if (sign === undefined || glyph.code < 0x20 && glyph.text !== '\ufffd') continue;
      if (glyph.text === '\ufffd') named++;
      glyph.text = sign;
    }
  }
  return named;
}

function touchesLetter({ run, u0, u1, v }: Glyph, other: Glyph | undefined): boolean {
  if (other === undefined || other.run.fontPointer !== run.fontPointer || !letter.test(other.text)) return false;
  return Math.max(u0, other.u0) - Math.min(u1, other.u1) < 0.2 * run.size && Math.abs(v - other.v) < 0.1 * run.size;
}
