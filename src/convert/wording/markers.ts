/** Beginnings of list items: bullets, numbers, letters, check boxes, amounts. */

export interface Marker {
  kind: 'bullet' | 'number' | 'letter' | 'roman' | 'check';
  /** As printed. */
  text: string;
  /** Offset at which the item's own text begins. */
  length: number;
  /** Its place in the count: `3.` and `c)` are 3; 0 for bullets. */
  value: number;
  /** Shape of the marker without its value, so that items of one list match: `(#)`, `#.`. */
  shape: string;
  checked: boolean | null;
}

const bullet = /^([•·‣◦▪▫■□◻❏❐❑❒●○◆◇▶►▸➢➤➔✓✔✗✦★⁃∙\uf0b7\uf0a7\uf0d8\uf0fc]|[-–—*\ufffd](?=\s+\S))\s*(?=\S|$)/u;
const check = /^([☐☑☒✅⬜⊠⌧]|\[[ xX]\])\s+/u;
const ticked = /[☑☒✅⊠⌧xX]/u;
/** Bullets that are check boxes if others beside them are ticked. */
const hollow = /^[□◻❏❐❑❒]$/u;
const anyBox = /[☐☑☒⊠⌧□◻❑❒]/u;
const number = /^(\(?)(\d{1,3}|[a-z]|[A-Z]|[ivx]{1,5}|[IVX]{1,5})([.)\]]|\.\))\s+(?=\S)/u;
/** Numbers in Chinese and Japanese text, without white space behind. */
const wide = /^(?:（(\d{1,2})）|([①-⑳]))\s*(?=\S)/u;
const bracketed = /^\[(\d{1,3})\]\s+(?=\S)/u;

/** Single bullets, also in table cells, where ✔, ✗ and ○ are values. */
const bulletAlone = /^[•●▪▫■□◦‣⁃∙·–—»►▶➢✓*\uf0b7\uf0a7-]$/;
const enumerator = /^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,4}\.?)$/;
/** A bullet or a check box, alone or before text. */
const leadingBullet = /^[•·‣◦▪■●○▸►➢✓✔☐☑☒⊠*–—-]$|^[•·‣◦▪■●○▸►➢✓✔☐☑☒⊠]\s/;

export function isBullet(text: string): boolean {
  return bulletAlone.test(text);
}

/** `1.`, `(a)`, `iv)`, `[12]`, `3.1.2`. */
export function isEnumerator(text: string): boolean {
  return enumerator.test(text);
}

/** A single marker that only lists use before their items: a bullet, `1.`, `(a)`, `[12]`; `3.1` may be a number. */
export function isListMarker(text: string): boolean {
  return isBullet(text) || (isEnumerator(text) && !/^\d{1,2}(?:\.\d{1,2})+$/.test(text));
}

/** Whether the text begins with a bullet or a check box, followed by white space if there is more text. */
export function beginsWithBullet(text: string): boolean {
  return leadingBullet.test(text);
}

const romanDigits: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1000 };

/** Value of a roman numeral; 0 for other text. */
export function romanValue(text: string): number {
  const digits = [...text.toLowerCase()].map((letter) => romanDigits[letter] ?? 0);
  if (digits.length === 0 || digits.includes(0)) return 0;
  if (!/^m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$/i.test(text)) return 0;
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}

/** Whether check boxes stand inside the line or at its end, as the options of a question do. */
export function holdsAnswers(text: string): boolean {
  // A hollow square by itself may be a mathematical symbol.
  return /\S\s[☐☑☒⌧](?=\s|$)/u.test(text) || /\S\s[□◻❑❒⊠](?=\s).*\s[□◻❑❒⊠](?=\s)/u.test(text);
}

/** The bullet as a check box, or null: an empty square in a list with ticked ones. */
export function asEmptyBox(marker: Marker): Marker | null {
  return marker.kind === 'bullet' && hollow.test(marker.text) ? { ...marker, kind: 'check', shape: 'check', checked: false } : null;
}

/** The marker at the begin of `text`, or null. A letter may also be a roman numeral: the list decides. */
export function markerOf(text: string): Marker | null {
  const box = check.exec(text);
  if (box !== null) {
    // Several boxes in one line are the options of one question.
    if (anyBox.test(text.slice(box[0].length))) return null;
    return { kind: 'check', text: box[1]!, length: box[0].length, value: 0, shape: 'check', checked: ticked.test(box[1]!) };
  }
  const dot = bullet.exec(text);
  if (dot !== null && dot[0].length < text.length) {
    // A single character without a Unicode value can only be a bullet.
    return { kind: 'bullet', text: dot[1] === '\ufffd' ? '•' : dot[1]!, length: dot[0].length, value: 0, shape: dot[1]!, checked: null };
  }
  const counted = number.exec(text);
  if (counted !== null && (counted[1] === '(' ? counted[3] === ')' : true)) {
    const [all, open, digits, close] = counted as unknown as [string, string, string, string];
    const plain = all.trimEnd();
    if (/^\d+$/.test(digits)) {
      return { kind: 'number', text: plain, length: all.length, value: Number(digits), shape: `${open}#${close}`, checked: null };
    }
    const kind = digits.length > 1 || /^[ivxIVX]$/.test(digits) ? 'roman' : 'letter';
    const value = kind === 'roman' ? romanValue(digits) : digits.toLowerCase().charCodeAt(0) - 96;
    if (kind === 'roman' && value === 0) return null;
    const letterCase = digits === digits.toLowerCase() ? 'a' : 'A';
    return { kind, text: plain, length: all.length, value, shape: `${open}${letterCase}${close}`, checked: null };
  }
  const ideographic = wide.exec(text);
  if (ideographic !== null && ideographic[0].length < text.length) {
    const [all, digits, circled] = ideographic as unknown as [string, string | undefined, string | undefined];
    const value = digits === undefined ? circled!.codePointAt(0)! - 0x245f : Number(digits);
    return { kind: 'number', text: all.trimEnd(), length: all.length, value, shape: digits === undefined ? '①' : '（#）', checked: null };
  }
  const reference = bracketed.exec(text);
  if (reference !== null) {
    return { kind: 'number', text: `[${reference[1]!}]`, length: reference[0].length, value: Number(reference[1]), shape: '[#]', checked: null };
  }
  return null;
}

/** Units directly behind a number without white space: `3D` has none. */
const unit = '(?:[mµkcd]?[gl]|[cm]m|oz|lbs?|EL|TL|Stk|x|克|千克|公斤|毫升|升|[个個片杯本枚匙])(?!\\p{Script=Latin})';
const month = '(?:jan|feb|mar|mär|apr|avr|abr|may|mai|jun|juin|jul|juil|aug|août|sep|oct|okt|oto|nov|dec|dez|déc|ene|fév|ago|dic|gen|mag|giu|lug|set|ott)[\\p{L}]*(?![\\p{L}])';
/** Numbers of clauses contain dots, too; years and days of a month are not amounts. */
const amount = new RegExp(`^(?!\\d+(?:\\.\\d+)+\\s\\p{Lu}|(?:1[5-9]|20)\\d\\d\\s|\\d+\\.?\\s(?:de\\s)?(?:${month}))(\\d[\\d.,/–-]*\\s?[½¼¾⅓⅔⅛]?|[½¼¾⅓⅔⅛])(?:\\s\\p{L}|${unit})`, 'iu');

/** The amount at the begin of `text`, before its object: `250 g of flour`, `½ tsp salt`; null for none. */
export function amountOf(text: string): string | null {
  return amount.exec(text)?.[1]?.trim() ?? null;
}
