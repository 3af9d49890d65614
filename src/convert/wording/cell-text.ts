/** What a piece of text looks like as cell content: a number, a marker, a caption, prose. */
import { countIdeographs, withoutIdeographs } from './scripts.js';

const currency = '[$€£¥₹₽₩]|US\\$|USD|EUR|GBP|CHF|Rs\\.?';
const number = new RegExp(
  `^(?:${currency})?\\s*[(\\[{<>≤≥~≈±+\\-–−*]{0,3}\\s*(?:${currency})?\\s*\\d[\\d.,'’\\s:/×x·eE^+\\-–−]*(?:[%‰°]|pp|bps|${currency}|[a-zA-Zµμ]{1,3}\\d?)?\\s*[)\\]}]?\\s*[*†‡§¶a-d]{0,3}$`,
);
const date =
  /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\s+\p{L}{3,9}\.?,?\s+\d{2,4}|\p{L}{3,9}\.?\s+\d{1,2},\s+\d{4}|(?:Q[1-4]|FY|H[12])\s?'?\d{2,4})$/u;
const blank = /^(?:[-–—−.·…*]{1,3}|n\/?a|N\/?A|nil|na|none|yes|no|[YN✓✔✗✘×xX•●○])$/;
const bullet = /^[•●▪▫■□◦‣⁃∙·–—»►▶➢✓*\uf0b7\uf0a7-]$/;
const enumerator = /^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,4}\.?)$/;
const caption = /^(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|tabell?|tabulka|taulukko|таблица|表)\s*(?:[A-Z]{0,2}[\s.-]?\d|[IVXL]+\b|\d|[:.])/iu;
const figureCaption = /^(?:figure|fig\.|abbildung|abb\.|figura|figur|figuur|obrázek|obr\.|rysunek|rys\.|kuva|рисунок|рис\.|图|図|chart|graph|exhibit|scheme|plate|listing|algorithm)\s*[A-Z]{0,2}[\s.-]?\d/iu;

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

export function isBullet(text: string): boolean {
  return bullet.test(text);
}

/** `1.`, `(a)`, `iv)`, `[12]`, `3.1.2`. */
export function isEnumerator(text: string): boolean {
  return enumerator.test(text);
}

/** A mark that only a list puts before its items: a bullet, `1.`, `(a)`, `[12]`; `3.1` may be a number. */
export function isListMark(text: string): boolean {
  return isBullet(text) || (isEnumerator(text) && !/^\d{1,2}(?:\.\d{1,2})+$/.test(text));
}

export function isTableCaption(text: string): boolean {
  return caption.test(text);
}

/** `TABLE II`, `Table 3.`: a table's name with nothing behind it. */
export function isBareCaption(text: string): boolean {
  return isTableCaption(text) && /^\p{L}+\.?\s*(?:[A-Z]{0,2}[\s.-]?\d+(?:\.\d+)*|[IVXL]+)\s*[.:]?$/u.test(text);
}

export function isFigureCaption(text: string): boolean {
  return figureCaption.test(text);
}

/** Dots that lead to a page number. */
export function hasLeader(text: string): boolean {
  return /(?:\.\s?){5,}|(?:…\s?){2,}|_{6,}/.test(text);
}

/** Words between spaces; where none are written, as in Chinese and Japanese, two signs are about one. */
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

export function endsSentence(text: string): boolean {
  return /[.!?][)"'”’]?$/.test(text);
}

/** Signs of program text: braces, backslashes, assignments, calls, statement ends. */
export function looksLikeCode(text: string): boolean {
  return /[{}\\]|[;{]$|:=|[!=]=|->|\w\(.*\)|^(?:end|else|fi|if|for|while|return|def|function|local|var|let|const|import|from|class)\b|^(?:\/\/|%|#\s|--|\/\*)|\w_\w+_\w/.test(text);
}

/** Fonts made for formulas. */
export function isMathFont(name: string): boolean {
  return /^(?:CM(?:MI|SY|EX|BSY|MIB)|LM(?:Math|MathI)|MSAM|MSBM|EU(?:FM|SM|RM)|rsfs|wasy|stmary)|Math/i.test(name);
}

/** Written like an equation: signs of relation or operation stand between other things. */
export function isFormula(text: string): boolean {
  return /\S\s*[=≡≈≃≤≥≠∈∝→⇒↦≔]\s*\S|[∑∏∫√∂∇∀∃]|^\(\d{1,2}(?:\.\d{1,2})?\)$/.test(text);
}
