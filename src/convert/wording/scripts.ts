/** Characters of scripts that are written without white space between words, or as wide as two letters. */

const kanaAndHan = '\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff';
const wideMarks = '\\u3000-\\u303f\\uff00-\\uff60';
const hangul = '\\uac00-\\ud7a3';

/** Kana and Han: no white space between their words. */
const ideographs = new RegExp(`[${kanaAndHan}]`, 'gu');
/** Those, and Hangul: as wide as two letters. */
const wideLetters = new RegExp(`[${kanaAndHan}${hangul}]`, 'gu');
/** Kana, Han, and their punctuation: they may run downwards. */
const vertical = new RegExp(`[${kanaAndHan}${wideMarks}]`, 'u');

export function countIdeographs(text: string): number {
  return text.match(ideographs)?.length ?? 0;
}

export function withoutIdeographs(text: string): string {
  return text.replace(ideographs, ' ');
}

export function countWideLetters(text: string): number {
  return text.match(wideLetters)?.length ?? 0;
}

/** Whether the text contains a character that vertical lines may contain. */
export function hasIdeographic(text: string): boolean {
  return vertical.test(text);
}

/** Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms: read from the right. */
const rightToLeft = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]';
const anyRightToLeft = new RegExp(rightToLeft, 'u');
const everyRightToLeft = new RegExp(rightToLeft, 'gu');
const firstRightToLeft = new RegExp(`^\\P{L}*${rightToLeft}`, 'u');

export function hasRightToLeftLetter(text: string): boolean {
  return anyRightToLeft.test(text);
}

export function countRightToLeftLetters(text: string): number {
  return text.match(everyRightToLeft)?.length ?? 0;
}

/** Whether the first letter is read from the right. */
export function beginsRightToLeft(text: string): boolean {
  return firstRightToLeft.test(text);
}
