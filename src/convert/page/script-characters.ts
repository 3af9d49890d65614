/** Superscripts and subscripts as Unicode characters, and the fonts of mathematics. */
import { scriptCharacters } from '../../document/script-characters.js';
import type { Word } from '../../pdf/pdf-page.js';
import { isMathFont } from '../wording/cell-text.js';

/** `text` in superscript or subscript characters, or null if Unicode lacks one of them. */
export function smallSigns(text: string, place: 'sub' | 'sup'): string | null {
  return scriptCharacters(text.replaceAll(' ', ''), place === 'sup' ? 'super' : 'sub');
}

/** Whether the font is one of TeX's or Unicode's mathematics; the name is the file's, without its prefix. */
export function isMathWord(word: Word): boolean {
  return isMathFont(word.font.name) || /^(?:MTMI|MTSY|MTEX|txmi|txsy|txex|rtxmi|NewTXMI|ntxmi|ntxsy|ntxexx|STIX\w*Math|XITS)/i.test(word.font.name) || /[\u{1d400}-\u{1d7ff}]/u.test(word.text);
}

/** A power of ten or of a unit of length: without its exponent it would be another number. */
function takesExponent(base: string, script: string): boolean {
  return /(?:^|[^\d.,])10$/.test(base) && /^[-−–+]?\d{1,3}$/.test(script) || /(?:^|\d)(?:[cdkmµμn]?m|ft|in)$/.test(base) && /^[23]$/.test(script);
}

/** In any font: a low number after a letter (footnote references never are), and a script of one or two letters in italics. */
function isIndexed(base: Word, script: string, place: 'sub' | 'super'): boolean {
  const isVariable = base.font.italic && /(?:^|\P{L})\p{L}{1,2}$/u.test(base.text);
  if (place === 'sub') return /^\d{1,2}$/.test(script) && /[\p{L})\]]$/u.test(base.text) || isVariable;
  return isVariable && /^(?:[-−+]?\d{1,2}|n)$/.test(script);
}

/** The text around a script without a space: the text before it, and all raised words around it together. */
interface Around {
  before: string;
  raised: string;
}

/** The charge of an ion, the power of a unit: footnote references have no plus or minus. */
const signed = /^(?:[-−+]\d{1,3}|\d{0,2}[-−+])$/;
/** The electrons of a shell: `3d⁵`, `[Ar]3d⁵4s¹`. */
const shell = /(?:^|[\])⁰¹²³⁴-⁹])[1-8][spdfg]$/;
/** The base of a power in brackets: a quantity of one letter, such as `k[A]²` and `f(x)²`, or a sum of variables and numbers. */
const bracketed = /(?:^|[^\p{L}\p{N}])(?:\p{L}\[[\p{L}\p{N}₀-₉]{1,6}\]|\p{Ll}\(\p{Ll}\))$|\((?:\p{Ll}|\d{1,3})(?:[-−+±·×/](?:\p{Ll}|\d{1,3}))+\)$/u;

function isSignedOrPower(script: string, { before, raised }: Around): boolean {
  if (signed.test(raised.replace('–', '−'))) return /[\p{L}\p{N}₀-₉)\]]$/u.test(before);
  return /^\d{1,2}$/.test(script) && raised === script && (shell.test(before) || bracketed.test(before));
}

/** The script of a variable, the number in a chemical formula, or an exponent, in Unicode's script characters; null if it may be a footnote reference, or a character is missing. */
export function scriptInLine(base: Word, script: Word, place: 'sub' | 'super', around: Around): string | null {
  const text = script.text.replace('–', '−');
  const isNumber = isMathWord(base) || isIndexed(base, text, place) || place === 'super' && (takesExponent(base.text, text) || isSignedOrPower(text, around));
  if (!isNumber) return null;
  return /\p{L}|\p{N}|[)\]}∥‖|⟩]/u.test(base.text.at(-1) ?? '') ? smallSigns(text, place === 'super' ? 'sup' : 'sub') : null;
}
