/** Numbers in which a reader of shapes took a nought for an o, a one for an l. */

/** Characters before it, digits with points, commas and dashes between them, an exponent, characters behind it. */
const likeNumber = /^([^\p{L}\d]*)([\doOlIi.,\-–]*)((?:[eE][+\-−–][\doOlI]+)?)([^\p{L}\d]*)$/u;

/** Years and decimals whose first character was read as a letter. Any other letter at the beginning may be meant: `O157`, `i386`, `II.12`. */
const yearOrDecimal = /^(?:[lIi](?=[5-9][\doO]{2}$)|[oO](?=[.,]\d))/u;

function digitsOf(text: string): string {
  const begun = text.replace(yearOrDecimal, (letter) => (/o/iu.test(letter) ? '0' : '1'));
  if (!/^\d/u.test(begun)) return text;
  // Only beside a digit, or between a point and one, is a letter a digit: `3.I.2` and `12-O` are names. A one at the end may be a litre.
  return begun.replace(/(?<=[\doOlIi])[oO]|(?<=[\d][.,])[oO](?=[\dlIi])/gu, '0').replace(/(?<=\d)[lIi](?=[\d.,])|(?<=\d[.,])[lIi](?=\d)/gu, '1');
}

/** The word with digits for letters where it is a number by all its other characters; every other word as it is. An o behind one or two digits is an ordinal's (`1o`, `10o`). */
export function asNumber(word: string): string {
  const [, before = '', body = '', exponent = '', behind = ''] = likeNumber.exec(word) ?? [];
  const digits = body.match(/\d/gu)?.length ?? 0;
  const ordinal = /^\d{1,2}[oO][.,]?$/u.test(body);
  if (digits === 0 || ordinal && exponent === '' || digits < 2 && exponent === '') return word;
  return before + digitsOf(body) + (exponent === '' ? '' : exponent.slice(0, 2) + exponent.slice(2).replace(/[oO]/gu, '0').replace(/[lI]/gu, '1')) + behind;
}
