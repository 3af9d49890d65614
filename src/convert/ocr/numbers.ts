/** Numbers in which a reader of shapes took a nought for an o, a one for an l. */

/** Signs before it, digits with points, commas and dashes between them, an exponent, signs behind it. */
const likeNumber = /^([^\p{L}\d]*)([\doOlIi.,\-–]*)((?:[eE][+\-−–][\doOlI]+)?)([^\p{L}\d]*)$/u;

function digitsOf(text: string): string {
  // A one at the end may be a litre.
  return text.replace(/[oO]/gu, '0').replace(/[lIi](?=[\d.,])/gu, '1');
}

/** The word with digits for letters where it is a number by all its other signs; every other word as it is. An o behind one or two digits is an ordinal's (`1o`, `10o`). */
export function asNumber(word: string): string {
  const [, before = '', body = '', exponent = '', behind = ''] = likeNumber.exec(word) ?? [];
  const digits = body.match(/\d/gu)?.length ?? 0;
  const ordinal = /^\d{1,2}[oO][.,]?$/u.test(body);
  if (digits === 0 || ordinal && exponent === '' || digits < 2 && exponent === '') return word;
  return before + digitsOf(body) + (exponent === '' ? '' : exponent.slice(0, 2) + digitsOf(exponent.slice(2)).replace(/[lI]/gu, '1')) + behind;
}
