/** The functions that chat templates call: Python's string methods to the letter, the clock, refusals; none makes much from little. */
import { LecternError } from '../../errors.js';
import { formatTime } from './strftime.js';

export interface FunctionWords {
  now: Date;
}

/** A range of more is an attack. */
const longestRange = 10_000;
const longestResult = 1 << 26;
/** What Python's str.strip takes for white space. */
const blank = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

type JinjaFunction = (...args: unknown[]) => unknown;

/** By the names that rewritten calls use (with a space before) and those that templates write. */
export function functionsFor({ now }: FunctionWords): Record<string, JinjaFunction> {
  return {
    raise_exception: (sentence) => {
      throw new LecternError('invalid_request', String(sentence));
    },
    strftime_now: (format) => formatTime(now, String(format)),
    range,
    ' strip': (text, set) => strip(text, set, true, true),
    ' trim': (text, set) => strip(text, set, true, true),
    ' lstrip': (text, set) => strip(text, set, true, false),
    ' rstrip': (text, set) => strip(text, set, false, true),
    ' replace': replace,
    ' split': split,
    ' join': join,
    ' indent': indent,
  };
}

function range(...bounds: unknown[]): number[] {
  const [first = 0, second, step = 1] = bounds.map(Number);
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (!(count <= longestRange)) throw new Error(`range() of more than ${longestRange} numbers`);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

function strip(value: unknown, set: unknown, left: boolean, right: boolean): string {
  const text = textOf(value);
  const chars = typeof set === 'string' ? new Set(set) : null;
  const drops = (char: string): boolean => (chars ? chars.has(char) : blank.test(char));
  let start = 0;
  let end = text.length;
  while (left && start < end && drops(text.charAt(start))) start += 1;
  while (right && end > start && drops(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function replace(value: unknown, old: unknown, fresh: unknown, count?: unknown): string {
  const text = textOf(value);
  const most = countOf(count, 'count');
  if (typeof old !== 'string' || typeof fresh !== 'string') throw new Error('replace() arguments must be strings');
  const pieces = old === '' ? ['', ...text, ''] : text.split(old);
  const joints = Math.min(pieces.length - 1, most);
  refuseLong(text.length + joints * fresh.length);
  return pieces.slice(0, joints + 1).join(fresh) + (joints + 1 < pieces.length ? old + pieces.slice(joints + 1).join(old) : '');
}

function split(value: unknown, separator?: unknown, count?: unknown): string[] {
  const text = textOf(value);
  const most = countOf(count, 'maxsplit');
  if (typeof separator !== 'string') {
    const trimmed = strip(text, undefined, true, false);
    const words = trimmed.split(new RegExp(`${blank.source}+`));
    if (words.length <= most + 1) return words.filter((word) => word !== '');
    const rest = [...trimmed.matchAll(new RegExp(`${blank.source}+`, 'g'))][most - 1];
    return most === 0 ? [trimmed] : [...words.slice(0, most), trimmed.slice((rest?.index ?? 0) + (rest?.[0].length ?? 0))];
  }
  if (separator === '') throw new Error('empty separator');
  const pieces = text.split(separator);
  return pieces.length <= most + 1 ? pieces : [...pieces.slice(0, most), pieces.slice(most).join(separator)];
}

/** The items of a list come as the package's own values. */
function join(value: unknown, separator: unknown = ''): string {
  const items = typeof value === 'string' ? [...value] : Array.isArray(value) ? value.map(shown) : null;
  if (items === null) throw new Error('join needs a list or a text');
  const between = separator instanceof Map ? shown(separator.get('separator') ?? separator.get('d')) : textOf(separator);
  refuseLong(items.reduce((sum, item) => sum + item.length + between.length, 0));
  return items.join(between);
}

function indent(value: unknown, ...rest: unknown[]): string {
  const text = textOf(value);
  const named = rest.find((item): item is Map<string, { value: unknown }> => item instanceof Map);
  const option = (place: number, name: string): unknown => named?.get(name)?.value ?? (rest[place] instanceof Map ? undefined : rest[place]);
  const width = Number(option(0, 'width') ?? 4);
  const lines = text.split('\n');
  refuseLong(text.length + lines.length * width);
  const first = option(1, 'first') === true;
  const blanks = option(2, 'blank') === true;
  return lines.map((line, place) => ((place === 0 && !first) || (line === '' && !blanks) ? line : ' '.repeat(width) + line)).join('\n');
}

/** An absent value is empty, as in Jinja; a list or an object has no string methods. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object' || typeof value === 'function') throw new Error('a text was expected');
  return String(value);
}

function shown(item: unknown): string {
  return item === undefined || item === null ? '' : String(item as { toString(): string });
}

function countOf(count: unknown, name: string): number {
  const value = count instanceof Map ? (count.get(name) as { value?: unknown } | undefined)?.value : count;
  return typeof value === 'number' && value >= 0 ? value : Infinity;
}

function refuseLong(length: number): void {
  if (!(length <= longestResult)) throw new LecternError('invalid_model', `The model's chat template writes more than ${longestResult} characters.`);
}
