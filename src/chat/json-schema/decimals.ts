/** Decimal numbers between bounds, digit by digit. */
import { characters, choice, empty, type Expression, nothing, optional, repeat, sequence, text } from '../grammar/expression.js';

/** A distance from zero: digits before the point without leading zeros, digits behind it without closing ones. */
export interface Magnitude {
  whole: bigint;
  fraction: string;
  /** The bound itself lies outside. */
  isOpen: boolean;
}

/** Digits before the point of numbers without a bound. */
const mostDigits = 21;

/** Of a finite number; its sign is left out. Exact. */
export function magnitudeOf(value: number, isOpen: boolean): Magnitude {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toString().split('e');
  const [before = '0', behind = ''] = mantissa.split('.');
  const shift = Number(exponent);
  const digits = before + behind;
  const point = before.length + shift;
  const whole = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const fraction = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  return { whole: BigInt(whole), fraction: fraction.replace(/0+$/, ''), isOpen };
}

function digit(first: number, last: number): Expression {
  return first > last ? nothing : first === last ? text(String(first)) : characters([[0x30 + first, 0x30 + last]]);
}

function anyDigits(count: number): Expression {
  return repeat(digit(0, 9), count, count);
}

/** Whole numbers from `least` to `most`, both included; null: as long as numbers get. Neither is negative. `behind` follows by the count of digits. */
export function wholeBetween(least: bigint, most: bigint | null, behind: (digits: number) => Expression = () => empty): Expression {
  const options: Expression[] = [];
  const longest = most === null ? Math.max(mostDigits, least.toString().length) : most.toString().length;
  for (let length = least.toString().length; length <= longest; length += 1) {
    const smallest = length === 1 ? 0n : 10n ** BigInt(length - 1);
    const largest = 10n ** BigInt(length) - 1n;
    const from = least > smallest ? least : smallest;
    const to = most !== null && most < largest ? most : largest;
    if (from <= to) options.push(sequence(sameLength(from.toString(), to.toString()), behind(length)));
  }
  return choice(...options);
}

/** Digits from `from` to `to`, which are equally long. */
function sameLength(from: string, to: string): Expression {
  if (from === to) return text(from);
  const rest = from.length - 1;
  const [first, last] = [Number(from.charAt(0)), Number(to.charAt(0))];
  if (first === last) return sequence(text(String(first)), sameLength(from.slice(1), to.slice(1)));
  const isWhole = (digits: string, all: string): boolean => digits === all.repeat(rest);
  const low = isWhole(from.slice(1), '0') ? first : first + 1;
  const high = isWhole(to.slice(1), '9') ? last : last - 1;
  return choice(
    ...(low > first ? [sequence(text(String(first)), sameLength(from.slice(1), '9'.repeat(rest)))] : []),
    ...(low <= high ? [sequence(digit(low, high), anyDigits(rest))] : []),
    ...(high < last ? [sequence(text(String(last)), sameLength('0'.repeat(rest), to.slice(1)))] : []),
  );
}

/** Decimals from `least` to `most` (null: without bound) with up to `places` digits behind the point, by how many stand before it. */
export function decimalsBetween(least: Magnitude, most: Magnitude | null, places: (digits: number) => number): Expression {
  const any = (digits: number): Expression => (places(digits) === 0 ? empty : optional(sequence(text('.'), repeat(digit(0, 9), 1, places(digits)))));
  const beside = (bound: Magnitude, from: Magnitude | null, to: Magnitude | null): Expression => {
    const whole = bound.whole.toString();
    return sequence(text(whole), fractionBetween(from, to, places(whole.length)));
  };
  if (most !== null && most.whole < least.whole) return nothing;
  if (most !== null && most.whole === least.whole) return beside(least, least, most);
  const inner = most === null ? null : most.whole - 1n;
  const isExact = least.fraction === '' && !least.isOpen;
  const from = isExact ? least.whole : least.whole + 1n;
  return choice(
    ...(isExact ? [] : [beside(least, least, null)]),
    ...(inner === null || from <= inner ? [wholeBetween(from, inner, any)] : []),
    ...(most === null ? [] : [beside(most, null, most)]),
  );
}

/** What may stand behind the digits before the point: nothing, or a point and digits, between the fractions of the bounds. */
function fractionBetween(least: Magnitude | null, most: Magnitude | null, places: number): Expression {
  const bareFits = (least === null || (least.fraction === '' && !least.isOpen)) && (most === null || most.fraction !== '' || !most.isOpen);
  const digits = fractionDigits(least === null ? null : { digits: least.fraction, isOpen: least.isOpen }, most === null ? null : { digits: most.fraction, isOpen: most.isOpen }, places, true);
  return choice(...(bareFits ? [empty] : []), sequence(text('.'), digits));
}

interface Tail {
  digits: string;
  isOpen: boolean;
}

/** At least one digit where `needed`; null bounds hold whatever comes. */
function fractionDigits(least: Tail | null, most: Tail | null, places: number, needed: boolean): Expression {
  const free = least === null && most === null;
  if (free) return repeat(digit(0, 9), needed ? 1 : 0, places);
  const mayEnd = !needed && (least === null || (least.digits === '' && !least.isOpen)) && (most === null || most.digits !== '' || !most.isOpen);
  if (places === 0) return mayEnd ? empty : nothing;
  const low = least === null ? 0 : Number(least.digits.charAt(0) || '0');
  const high = most === null ? 9 : Number(most.digits.charAt(0) || '0');
  const further = (tail: Tail | null): Tail | null => (tail === null ? null : { digits: tail.digits.slice(1), isOpen: tail.isOpen });
  const options: Expression[] = mayEnd ? [empty] : [];
  if (low === high && least !== null && most !== null) {
    options.push(sequence(digit(low, low), fractionDigits(further(least), further(most), places - 1, false)));
  } else if (low <= high) {
    const [from, to] = [least === null ? low : low + 1, most === null ? high : high - 1];
    if (least !== null) options.push(sequence(digit(low, low), fractionDigits(further(least), null, places - 1, false)));
    if (from <= to) options.push(sequence(digit(from, to), fractionDigits(null, null, places - 1, false)));
    if (most !== null) options.push(sequence(digit(high, high), fractionDigits(null, further(most), places - 1, false)));
  }
  return choice(...options);
}
