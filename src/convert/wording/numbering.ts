/** The numbers of headings: `3.1`, `IV.`, `Appendix A`, `Chapter 4`. */
import { romanValue } from './markers.js';

export interface Numbering {
  /** Offset behind the number and the white space after it. */
  length: number;
  /** The number of parts: `3.1` has 2; words like `Chapter` count 1. */
  depth: number;
  /** Only headings have such numbers. */
  strong: boolean;
  kind: 'decimal' | 'letter' | 'roman' | 'word';
  /** A letter without a full stop: `A Night on the Ferry` begins like `A Contributions`; only a `B` elsewhere distinguishes them. */
  bare: boolean;
  /** `3.1` as [3, 1]; letters by their place in the alphabet. */
  values: number[];
}

const word = /^(chapter|appendix|part|section|annex|book|volume|article|kapitel|anhang|teil|abschnitt|chapitre|annexe|partie|capítulo|anexo|parte|capitolo|allegato|hoofdstuk|bijlage|kapitola|část|rozdział|глава|часть|раздел|розділ|частина|κεφάλαιο|μέρος|bölüm|kısım|fejezet)\s+(\d+|[ivxlc]+|[a-z])\b\s*[.:–—-]?\s*/iu;
const decimal = /^(?:§\s*)?([A-Z]|\d{1,3})((?:\.\d{1,3})+)\.?(?:\s+(?=\S)|$)/u;
const single = /^(\d{1,2})(\.|\))?\s+(?=[\p{L}"“'«(])/u;
const letter = /^([A-Z])(\.|\))?\s+(?=\p{Lu})/u;
const roman = /^([IVXLC]{1,6})(\.|\))\s+(?=\S)|^([IVXLC]{2,6})\s+(?=\p{Lu})/u;

function letterValue(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : text.toLowerCase().charCodeAt(0) - 96;
}

/** The number at the begin of `text`, or null. */
export function numberingOf(text: string): Numbering | null {
  const named = word.exec(text);
  if (named !== null) {
    const value = romanValue(named[2]!) || letterValue(named[2]!);
    return { length: named[0].length, depth: 1, strong: true, kind: 'word', bare: false, values: [value] };
  }
  const dotted = decimal.exec(text);
  if (dotted !== null) {
    const values = [letterValue(dotted[1]!), ...dotted[2]!.slice(1).split('.').map(Number)];
    return { length: dotted[0].length, depth: values.length, strong: true, kind: 'decimal', bare: false, values };
  }
  const numeral = roman.exec(text);
  if (numeral !== null) {
    const value = romanValue(numeral[1] ?? numeral[3]!);
    if (value > 0) return { length: numeral[0].length, depth: 1, strong: false, kind: 'roman', bare: false, values: [value] };
  }
  const plain = single.exec(text);
  if (plain !== null) return { length: plain[0].length, depth: 1, strong: false, kind: 'decimal', bare: false, values: [Number(plain[1])] };
  const alphabetic = letter.exec(text);
  if (alphabetic !== null && (alphabetic[2] !== undefined || !/^(A|I)\s/.test(text) || /^A\s+\p{Lu}/u.test(text))) {
    return { length: alphabetic[0].length, depth: 1, strong: false, kind: 'letter', bare: alphabetic[2] === undefined, values: [letterValue(alphabetic[1]!)] };
  }
  return null;
}
