/** Number formats of spreadsheets: how a number is shown by its format's code, as Excel shows it in English. */
import { fullStop, minus, nine, zero } from '../character-codes.js';
import { dateFormatter, hasDateTokens } from './date-format.js';

interface FormatSection {
  code: string;
  condition: ((value: number) => boolean) | null;
}

/** Codes that files only name by number. */
export const builtinFormats: Readonly<Record<number, string>> = {
  0: 'General', 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00', 12: '# ?/?', 13: '# ??/??', 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 16: 'd-mmm',
  17: 'mmm-yy', 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 22: 'yyyy-mm-dd h:mm', 37: '#,##0 ;(#,##0)', 38: '#,##0 ;[Red](#,##0)', 39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;[Red](#,##0.00)', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mm:ss.0', 48: '##0.0E+0', 49: '@',
};

const operators: Record<string, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '=': (a, b) => a === b, '<>': (a, b) => a !== b,
};

/** Sections end at semicolons that are neither quoted nor escaped. */
function split(code: string): string[] {
  const sections = [''];
  for (let at = 0; at < code.length; at++) {
    const char = code[at] as string;
    if (char === ';') {
      sections.push('');
      continue;
    }
    let piece = char;
    if (char === '\\' || char === '_' || char === '*') piece = code.slice(at, at + 2);
    else if (char === '"' || char === '[') {
      const end = code.indexOf(char === '"' ? '"' : ']', at + 1);
      piece = code.slice(at, end < 0 ? code.length : end + 1);
    }
    sections[sections.length - 1] += piece;
    at += piece.length - 1;
  }
  return sections;
}

function readSection(text: string): FormatSection {
  let condition: FormatSection['condition'] = null;
  const code = text.replace(/\[([^\]]*)\]/g, (whole, inside: string) => {
    const match = /^(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)$/.exec(inside);
    const compare = match === null ? undefined : operators[match[1] as string];
    if (match !== null && compare !== undefined) {
      const bound = Number(match[2]);
      condition = (value) => compare(value, bound);
      return '';
    }
    if (/^(?:h+|m+|s+)$/i.test(inside)) return whole;
    // A currency stands before the hyphen, a language behind it; colours and calendars are not shown.
    return /^\$/.test(inside) ? inside.slice(1).replace(/-[0-9A-Fa-f]*$/, '').replace(/[^]/g, '\\$&') : '';
  });
  return { code, condition };
}

type FormatToken = { literal: string } | { digits: string };

/** Literals and runs of placeholders in order; characters of fill and width become nothing and a space. */
function tokens(code: string): FormatToken[] {
  const found: FormatToken[] = [];
  const literal = (text: string): void => {
    const last = found.at(-1);
    if (last !== undefined && 'literal' in last) last.literal += text;
    else found.push({ literal: text });
  };
  for (let at = 0; at < code.length; at++) {
    const char = code[at] as string;
    if (char === '"') {
      const end = code.indexOf('"', at + 1);
      literal(code.slice(at + 1, end < 0 ? code.length : end));
      at = end < 0 ? code.length : end;
    } else if (char === '\\') literal(code[++at] ?? '');
    else if (char === '_') {
      literal(' ');
      at++;
    } else if (char === '*') at++;
    else if ('0#?.,'.includes(char)) {
      const last = found.at(-1);
      if (last !== undefined && 'digits' in last) last.digits += char;
      else found.push({ digits: char });
    } else literal(char);
  }
  return found;
}

/** Round half away from zero at a decimal place, on the number's decimal digits. */
function fixed(value: number, places: number): string {
  if (value >= 1e21) return BigInt(Math.round(value)).toString() + (places > 0 ? `.${'0'.repeat(places)}` : '');
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const rounded = Math.round(Number(`${mantissa}e${Number(exponent) + places}`));
  return Number(`${rounded}e-${places}`).toFixed(places);
}

/** Puts the digits of `whole` into placeholders from the right; literals between placeholders stay where they stand. */
function placeWhole(whole: string, pattern: string, grouped: boolean): string {
  const least = (pattern.match(/0/g) ?? []).length;
  const padded = whole.padStart(least, '0');
  const digits = padded === '0' && least === 0 ? '' : padded;
  return grouped ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : digits;
}

function placeFraction(fraction: string, pattern: string): string {
  let kept = fraction;
  for (let at = pattern.length - 1; at >= 0 && pattern[at] !== '0' && kept[at] === '0'; at--) kept = kept.slice(0, -1);
  return kept;
}

function showFraction(value: number, code: string): string {
  const match = /([#0?]*)\s*([#0?]+)\/([#0?]+|\d+)/.exec(code);
  if (match === null) return general(value);
  const [, wholePattern = '', , bottomPattern = ''] = match;
  const whole = wholePattern === '' ? 0 : Math.floor(value);
  const rest = value - whole;
  const given = /^[1-9]\d*$/.test(bottomPattern) ? Number(bottomPattern) : null;
  const most = 10 ** Math.min(4, bottomPattern.length) - 1;
  let best = { top: Math.round(rest * (given ?? 1)), bottom: given ?? 1 };
  for (let bottom = 1; given === null && bottom <= most; bottom++) {
    const top = Math.round(rest * bottom);
    if (Math.abs(rest - top / bottom) < Math.abs(rest - best.top / best.bottom) - 1e-12) best = { top, bottom };
  }
  if (best.top === 0) return String(whole);
  if (best.top === best.bottom && wholePattern !== '') return String(whole + 1);
  return `${wholePattern === '' || whole === 0 ? '' : `${whole} `}${best.top}/${best.bottom}`;
}

function showScientific(value: number, code: string): string {
  const match = /([#0?]+)(?:\.([#0?]*))?[eE]([+-])([0#?]+)/.exec(code);
  if (match === null) return general(value);
  const [whole, , fraction = '', sign, exponentPattern = ''] = match;
  const step = Math.max(1, (match[1] ?? '').length);
  let exponent = value === 0 ? 0 : Math.floor(Math.log10(value));
  if (step > 1) exponent = Math.floor(exponent / step) * step;
  let mantissa = fixed(value / 10 ** exponent, fraction.length);
  if (step === 1 && Number(mantissa) >= 10) mantissa = fixed(value / 10 ** ++exponent, fraction.length);
  const digits = String(Math.abs(exponent)).padStart(exponentPattern.length, '0');
  return code.replace(whole, () => `${mantissa}E${exponent < 0 ? '-' : sign === '+' ? '+' : ''}${digits}`).replace(/"/g, '');
}

function showNumber(value: number, code: string): string {
  const bare = code.replace(/"[^"]*"|\\./g, '');
  if (/[0#?]\s*\/\s*[0#?\d]/.test(bare)) return showFraction(value, bare);
  if (/[0#?][eE][+-]/.test(bare)) return showScientific(value, code);
  const parts = tokens(code);
  const pattern = parts.map((part) => ('digits' in part ? part.digits : '')).join('');
  const [wholePattern = '', fractionPattern = ''] = pattern.split(/\.(.*)/s);
  const grouped = /[0#?],+[0#?]/.test(wholePattern);
  const scale = /(,+)(?:\.|$)/.exec(pattern.replace(/\.[^,]*(?=,+$)/, ''))?.[1]?.length ?? 0;
  const percents = (bare.match(/%/g) ?? []).length;
  const places = fractionPattern.replace(/,/g, '').length;
  const [whole = '0', fraction = ''] = fixed(value * 100 ** percents / 1000 ** scale, Math.min(places, 30)).split('.');
  const shownWhole = placeWhole(whole, wholePattern.replace(/,/g, ''), grouped);
  const shownFraction = placeFraction(fraction, fractionPattern.replace(/,/g, ''));
  const shown = shownWhole + (pattern.includes('.') && (shownFraction !== '' || /\.[^#]/.test(pattern)) ? `.${shownFraction}` : '');
  return interleave(parts, shown, wholePattern.replace(/,/g, ''), shownWhole);
}

/** The number stands where its first placeholder does, unless literals cut the placeholders of its whole part apart, as in `000-0000`. */
function interleave(parts: FormatToken[], shown: string, wholePattern: string, shownWhole: string): string {
  const numeric = parts.filter((part) => 'digits' in part);
  if (numeric.length > 1 && !/[.,]/.test(numeric.map((part) => part.digits).join(''))) {
    let left = shownWhole;
    const pieces: string[] = [];
    for (const part of [...parts].reverse()) {
      if ('literal' in part) pieces.unshift(part.literal);
      else {
        const isFirst = part === numeric[0];
        pieces.unshift(isFirst ? left : left.slice(Math.max(0, left.length - part.digits.length)));
        left = left.slice(0, Math.max(0, left.length - part.digits.length));
      }
    }
    return pieces.join('');
  }
  let placed = wholePattern === '' && shown === '';
  return parts.map((part) => {
    if ('literal' in part) return part.literal;
    if (placed) return '';
    placed = true;
    return shown;
  }).join('');
}

/** Characters that the format `General` shows of a number, and its significant digits where they do not suffice. */
const generalWidth = 11;
const generalDigits = 10;
/** Decimals of its mantissas. */
const mantissaDecimals = 5;
/** From here on, and below this, it writes exponents. */
const largeNumber = 1e11;
const smallNumber = 1e-9;
/** Digits behind the cut that decide how a text is rounded; values of these digits so near the middle may be rounded either way. */
const restDigits = 5;
const restMiddle = 50_000;
const nearMiddle = { least: 49_990, most: 50_010 };

/** As the format `General` shows a number: eleven digits at most. */
export function general(value: number): string {
  const plain = String(value);
  if (plain.length <= generalWidth && !plain.includes('e')) return plain;
  if (Number.isInteger(value) && Math.abs(value) < largeNumber) return String(value);
  const size = Math.abs(value);
  if (size >= largeNumber || size < smallNumber && size > 0) {
    const [mantissa = '', exponent = '0'] = value.toExponential(mantissaDecimals).split('e');
    return `${mantissa.replace(/\.?0+$/, '')}E${exponent.startsWith('-') ? '-' : '+'}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`;
  }
  return String(Number(value.toPrecision(generalDigits)));
}

/**
 * A number that is written with more digits than `General` shows, as it shows it: ten significant ones, rounded in its text. Null
 * where the text does not decide it, which is for `general` then: exponents, very small numbers, what lies near the middle of two.
 */
export function shortened(written: string): string | null {
  const begin = written.charCodeAt(0) === minus ? 1 : 0;
  const point = written.indexOf('.');
  const whole = point - begin;
  // One digit before the point that is not zero, ten at the most: then ten digits end within the text.
  if (whole < 1 || whole >= generalDigits || written.charCodeAt(begin) <= zero || written.length <= point + 1 + generalDigits - whole) return null;
  for (let at = begin; at < written.length; at++) {
    const code = written.charCodeAt(at);
    if ((code < zero || code > nine) && at !== point) return null;
  }
  const cut = point + 1 + generalDigits - whole;
  const rest = Number(written.slice(cut, cut + restDigits).padEnd(restDigits, '0'));
  // The double that is meant may lie on the other side of the middle than its text.
  if (rest >= nearMiddle.least && rest <= nearMiddle.most) return null;
  let end = cut;
  if (rest > restMiddle) {
    while (written.charCodeAt(end - 1) === nine) end--;
    const digit = written.charCodeAt(end - 1) - zero;
    return digit < 0 ? null : `${written.slice(0, end - 1)}${digit + 1}`;
  }
  while (written.charCodeAt(end - 1) === zero) end--;
  if (written.charCodeAt(end - 1) === fullStop) end--;
  return written.slice(0, end);
}

/** Whether `General` shows the number exactly as it is written: at most eleven characters, no zeros to leave out, none too small. */
export function isShortDecimal(text: string): boolean {
  const { length } = text;
  const begin = text.charCodeAt(0) === minus ? 1 : 0;
  if (length > generalWidth || length === begin) return false;
  let point = -1;
  for (let at = begin; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === fullStop && point < 0 && at > begin) point = at;
    else if (code < zero || code > nine) return false;
  }
  if (text.charCodeAt(begin) === zero && point !== begin + 1) return length === 1;
  // From seven zeros on JavaScript writes an exponent.
  return point < 0 || text.charCodeAt(length - 1) > zero && !text.startsWith('0.00000', begin);
}

export type NumberFormatter = (value: number) => string;

/** How numbers look under a format's code. `date1904`: days are counted from 1904 instead of 1900. Never fails. */
export function numberFormatter(code: string, date1904: boolean): NumberFormatter {
  if (code === '' || /^general$/i.test(code)) return general;
  const sections = split(code).map(readSection);
  const numeric = sections.length > 3 ? sections.slice(0, 3) : sections;
  const dates = numeric.map(({ code: own }) => (hasDateTokens(own) ? dateFormatter(own, date1904) : null));
  return (value) => {
    const section = choose(numeric, value);
    if (section === undefined) return general(value);
    const date = dates[numeric.indexOf(section)];
    if (date) return date(value)?.trim() ?? general(value);
    const negative = value < 0 && (section === numeric[0] && section.condition === null || numeric.length === 1);
    const size = value < 0 && !negative && section.condition === null ? -value : Math.abs(value);
    const shown = show(section.code, size, value);
    return `${negative && /[1-9]/.test(shown) ? '-' : ''}${shown}`.trim();
  };
}

function choose(sections: FormatSection[], value: number): FormatSection | undefined {
  if (sections.some(({ condition }) => condition !== null)) return sections.find(({ condition }) => condition === null || condition(value));
  const [positive, negative, zero] = sections;
  if (value < 0) return negative ?? positive;
  return value === 0 ? zero ?? positive : positive;
}

function show(code: string, size: number, value: number): string {
  if (/general/i.test(code)) return code.replace(/"/g, '').replace(/general/i, () => general(size));
  const bare = code.replace(/"[^"]*"|\\./g, '');
  if (bare.includes('@')) return general(value);
  if (!/[0#?]/.test(bare)) return tokens(code).map((part) => ('literal' in part ? part.literal : '')).join('');
  return showNumber(size, code);
}
