/** Corrects numbers in which the recogniser mistook a 0 for an o, or a 1 for an l. */

/** Characters before the number, digits with points, commas and dashes between them, an exponent, characters behind the number. */
const likeNumber = /^([^\p{L}\d]*)([\doOlIi.,\-–]*)((?:[eE][+\-−–][\doOlI]+)?)([^\p{L}\d]*)$/u;

/** Years and decimals whose first character was recognised as a letter. Any other letter at the beginning may be correct: `O157`, `i386`, `II.12`. */
const yearOrDecimal = /^(?:[lIi](?=[5-9][\doO]{2}$)|[oO](?=[.,]\d))/u;

function digitsOf(text: string): string {
  const begun = text.replace(yearOrDecimal, (letter) => (/o/iu.test(letter) ? '0' : '1'));
  if (!/^\d/u.test(begun)) return text;
  // A letter is a digit only beside a digit, or between a point and a digit: `3.I.2` and `12-O` are names. A 1 at the end may be the unit litre.
  return begun.replace(/(?<=[\doOlIi])[oO]|(?<=[\d][.,])[oO](?=[\dlIi])/gu, '0').replace(/(?<=\d)[lIi](?=[\d.,])|(?<=\d[.,])[lIi](?=\d)/gu, '1');
}

/** The word with digits instead of letters if all its other characters are those of a number; any other word unchanged. An o behind one or two digits belongs to an ordinal (`1o`, `10o`). */
export function asNumber(word: string): string {
  const [, before = '', body = '', exponent = '', behind = ''] = likeNumber.exec(word) ?? [];
  const digits = body.match(/\d/gu)?.length ?? 0;
  const ordinal = /^\d{1,2}[oO][.,]?$/u.test(body);
  if (digits === 0 || ordinal && exponent === '' || digits < 2 && exponent === '') return word;
  return before + digitsOf(body) + (exponent === '' ? '' : exponent.slice(0, 2) + exponent.slice(2).replace(/[oO]/gu, '0').replace(/[lI]/gu, '1')) + behind;
}
