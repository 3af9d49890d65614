/** Kinds of cell content: a number, prose, a formula, program text. */
import { isEnumerator } from './markers.js';
import { countIdeographs, withoutIdeographs } from './scripts.js';

const currency = '[$€£¥₹₽₩]|US\\$|USD|EUR|GBP|CHF|Rs\\.?';
const number = new RegExp(
  `^(?:${currency})?\\s*[(\\[{<>≤≥~≈±+\\-–−*]{0,3}\\s*(?:${currency})?\\s*\\d[\\d.,'’\\s:/×x·eE^+\\-–−]*(?:[%‰°]|pp|bps|${currency}|[a-zA-Zµμ]{1,3}\\d?)?\\s*[)\\]}]?\\s*[*†‡§¶a-d]{0,3}$`,
);
const date =
  /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\s+\p{L}{3,9}\.?,?\s+\d{2,4}|\p{L}{3,9}\.?\s+\d{1,2},\s+\d{4}|(?:Q[1-4]|FY|H[12])\s?'?\d{2,4})$/u;
const blank = /^(?:[-–—−.·…*]{1,3}|n\/?a|N\/?A|nil|na|none|yes|no|[YN✓✔✗✘×xX•●○])$/;

/** Numbers, amounts, percentages, ranges of numbers, dates. */
export function isNumeric(text: string): boolean {
  return text.length <= 28 && !text.endsWith(',') && (number.test(text) || date.test(text));
}

/** Stands for a value: a number, or a dash, tick, "n/a" in its place. */
export function isValue(text: string): boolean {
  return isNumeric(text) || blank.test(text);
}

/** A year or a span of years, as it heads a column. */
export function isYear(text: string): boolean {
  return /^(?:FY\s?|Q[1-4]\s?)?(?:19|20)\d{2}(?:\s?[-–/]\s?(?:(?:19|20)?\d{2}))?[*†]?$/.test(text);
}

/** Dots that lead to a page number. */
export function hasLeader(text: string): boolean {
  return /(?:\.\s?){5,}|(?:…\s?){2,}|_{6,}/.test(text);
}

/** Words between spaces; where none are written, as in Chinese and Japanese, two characters are about one. */
export function wordCount(text: string): number {
  return withoutIdeographs(text).split(' ').filter((word) => word !== '').length + Math.ceil(countIdeographs(text) / 2);
}

/** Share of letters among all characters that are not space. */
export function letterShare(text: string): number {
  const solid = text.replace(/\s/g, '');
  return solid === '' ? 0 : (solid.match(/\p{L}/gu)?.length ?? 0) / solid.length;
}

export function startsLowercase(text: string): boolean {
  return /^[\p{Ll}(,;&]/u.test(text) && !isEnumerator(text.split(' ')[0] ?? '');
}

/** Symbols of program text: braces, backslashes, assignments, calls, statement ends. */
export function looksLikeCode(text: string): boolean {
  return /[{}\\]|[;{]$|:=|[!=]=|->|\w\(.*\)|^(?:end|else|fi|if|for|while|return|def|function|local|var|let|const|import|from|class)\b|^(?:\/\/|%|#\s|--|\/\*)|\w_\w+_\w/.test(text);
}

/** Fonts made for formulas. */
export function isMathFont(name: string): boolean {
  return /^(?:CM(?:MI|SY|EX|BSY|MIB)|LM(?:Math|MathI)|MSAM|MSBM|EU(?:FM|SM|RM)|rsfs|wasy|stmary)|Math/i.test(name);
}

/** Written like an equation: relation symbols or operators stand between other things. */
export function isFormula(text: string): boolean {
  return /\S\s*[=≡≈≃≤≥≠∈∝→⇒↦≔]\s*\S|[∑∏∫√∂∇∀∃]|^\(\d{1,2}(?:\.\d{1,2})?\)$/.test(text);
}
