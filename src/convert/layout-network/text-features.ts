/** Features of the characters of a line; `text_features` in models/training/layout/items.py computes the same in training. */

const maths = new Set('=<>≤≥≠≈≡∈→+−±×÷∑∏∫√∂∇∞·∪∩αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΦΨΩ²³¹^_|');
const patterns = [
  // Marks and numbers of lists, of headings; captions; footnotes; page numbers; addresses; numbers of formulas.
  /^[•·‣◦▪▫■□●○◆►▸➢✓☐☑»–—*-](?:\s|$)/u,
  /^(?:\(?(?:[0-9]{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\[[0-9]{1,3}\])(?:\s|$)/u,
  /^[0-9]{1,2}(?:\.[0-9]{1,2})*\.? /u,
  /^(?:figure|fig\.?|abbildung|abb\.|figura|table|tab\.|tabelle|tableau|tabla|tabella|tabela|tabulka|rysunek|obrázek) *[0-9]/iu,
  /^(?:[0-9]{1,2}|[*†‡]) [^0-9]/u,
  /^[-–— ]*(?:[a-z]+ )?[0-9]{1,4}(?: *\/ *[0-9]{1,4})?[-–— ]*$/iu,
  /@|www\.|https?:|doi:/iu,
  /\([0-9]{1,2}(?:\.[0-9]{1,2})?\)$/u,
];
const ends = ['.', ':', ',', '-'];

/** A list marker by itself, as in the network's training. src/convert/wording has the patterns of documents. */
export function isTrainedListMarker(text: string): boolean {
  return text.length < 6 && patterns.slice(0, 2).some((pattern) => pattern.test(text));
}

/** The number of features of a line's text. */
export const textFeatureCount = 22;

export function textFeatures(text: string): number[] {
  const signs = [...text];
  const length = Math.max(1, signs.length);
  const letters = signs.filter((sign) => /\p{L}/u.test(sign));
  const capitals = letters.filter((sign) => /\p{Lu}/u.test(sign)).length;
  const count = (is: (sign: string) => boolean): number => signs.filter(is).length / length;
  const first = signs[0] ?? '';
  const isDigit = (sign: string): boolean => sign >= '0' && sign <= '9';
  const isLetter = /\p{L}/u.test(first);
  const isCapital = /\p{Lu}/u.test(first);
  return [
    Math.log1p(signs.length) / 4, Math.log1p(signs.filter((sign) => sign === ' ').length) / 3, letters.length / length, count(isDigit), capitals / Math.max(1, letters.length), count((sign) => maths.has(sign)),
    Number(isLetter && isCapital), Number(isLetter && !isCapital), Number(isDigit(first)),
    ...patterns.map((pattern) => Number(pattern.test(text))), ...ends.map((end) => Number(text.endsWith(end))), Number(text.includes('=')),
  ];
}
