/** The regular expressions of JSON schema (ECMAScript with the u flag) that describe regular languages, read into a tree. */
import type { Ranges } from '../grammar/expression.js';
import { complement, setOf, single } from './ranges.js';

export type Pattern =
  | { kind: 'set'; ranges: Ranges }
  | { kind: 'sequence'; items: Pattern[] }
  | { kind: 'choice'; options: Pattern[] }
  | { kind: 'repeat'; item: Pattern; least: number; most: number }
  | { kind: 'begin' }
  | { kind: 'end' }
  | { kind: 'ahead'; item: Pattern; negative: boolean };

/** What a pattern has that is not taken: a sentence's end, "has a back reference". */
export class PatternRefusal extends Error {}

const longest = 10_000;
const deepest = 100;

const digits: Ranges = [[0x30, 0x39]];
const word: Ranges = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const blanks: Ranges = setOf([[0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff]]);
const dot: Ranges = complement(setOf([[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]]));
const classes: Record<string, Ranges> = { d: digits, D: complement(digits), w: word, W: complement(word), s: blanks, S: complement(blanks) };
const controls: Record<string, number> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b, 0: 0 };

/** Throws PatternRefusal. */
export function parsePattern(source: string): Pattern {
  if (source.length > longest) throw new PatternRefusal(`has more than ${longest} characters`);
  // The reader below does not check all of the syntax: so it is well-formed at least.
  const strict = isRegExp(source, 'u') || !isRegExp(source, '') ? source : withoutNeedlessEscapes(source);
  if (!isRegExp(strict, 'u')) throw new PatternRefusal('is no regular expression');
  return new Reader(strict).read();
}

function isRegExp(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/**
 * ECMA-262 without the flag u lets any punctuation be escaped, as programs that escape whole texts do. With it only the characters of its syntax may be:
 * the others become escapes by their code, which mean the same within a class and outside.
 */
function withoutNeedlessEscapes(source: string): string {
  return source.replace(/\\([\s\S])/g, (escape, letter: string) => (/[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(letter) ? escape : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`));
}

class Reader {
  readonly #points: string[];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#points = [...source];
  }

  read(): Pattern {
    return this.#choice();
  }

  #choice(): Pattern {
    this.#depth += 1;
    if (this.#depth > deepest) throw new PatternRefusal(`nests deeper than ${deepest} levels`);
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    this.#depth -= 1;
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
  }

  #sequence(): Pattern {
    const items: Pattern[] = [];
    for (let next = this.#points[this.#at]; next !== undefined && next !== '|' && next !== ')'; next = this.#points[this.#at]) items.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', items };
  }

  #atom(): Pattern {
    const point = this.#next();
    switch (point) {
      case '^': return { kind: 'begin' };
      case '$': return { kind: 'end' };
      case '.': return { kind: 'set', ranges: dot };
      case '[': return this.#class();
      case '(': return this.#group();
      case '\\': return { kind: 'set', ranges: this.#escape(false) };
      default: return { kind: 'set', ranges: single(point.codePointAt(0) ?? 0) };
    }
  }

  #group(): Pattern {
    const ahead = this.#take('?=') ? false : this.#take('?!') ? true : null;
    if (ahead === null && this.#take('?') && !this.#take(':')) {
      if (!this.#take('<')) throw new PatternRefusal('has a group with flags');
      if (this.#take('=') || this.#take('!')) throw new PatternRefusal('looks behind');
      while (this.#next() !== '>');
    }
    const item = this.#choice();
    this.#take(')');
    return ahead === null ? item : { kind: 'ahead', item, negative: ahead };
  }

  #repeated(item: Pattern): Pattern {
    const counts = this.#counts();
    if (counts === null) return item;
    // Lazy or greedy, the language is the same.
    this.#take('?');
    return { kind: 'repeat', item, ...counts };
  }

  #counts(): { least: number; most: number } | null {
    if (this.#take('*')) return { least: 0, most: Infinity };
    if (this.#take('+')) return { least: 1, most: Infinity };
    if (this.#take('?')) return { least: 0, most: 1 };
    if (!this.#take('{')) return null;
    const least = this.#number();
    const most = this.#take(',') ? (this.#points[this.#at] === '}' ? Infinity : this.#number()) : least;
    this.#take('}');
    return { least, most };
  }

  #class(): Pattern {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take(']')) {
      const first = this.#member();
      const [begin] = first;
      if (begin !== undefined && first.length === 1 && begin[0] === begin[1] && this.#points[this.#at] === '-' && this.#points[this.#at + 1] !== ']') {
        this.#at += 1;
        ranges.push([begin[0], this.#member()[0]?.[0] ?? begin[0]]);
      } else ranges.push(...first);
    }
    const set = setOf(ranges);
    return { kind: 'set', ranges: negated ? complement(set) : set };
  }

  #member(): Ranges {
    const point = this.#next();
    return point === '\\' ? this.#escape(true) : single(point.codePointAt(0) ?? 0);
  }

  #escape(inClass: boolean): Ranges {
    const letter = this.#next();
    const known = classes[letter];
    if (known !== undefined) return known;
    const control = controls[letter];
    if (control !== undefined) return single(control);
    if (letter === 'x') return single(this.#hex(2));
    if (letter === 'u') return single(this.#unicode());
    if (letter === 'c') return single((this.#next().codePointAt(0) ?? 0) % 32);
    if (letter === 'b' && inClass) return single(0x08);
    if (letter === 'b' || letter === 'B') throw new PatternRefusal('has a word boundary');
    if (/[1-9k]/.test(letter)) throw new PatternRefusal('has a back reference');
    if (letter === 'p' || letter === 'P') throw new PatternRefusal('has a property of characters (\\p)');
    return single(letter.codePointAt(0) ?? 0);
  }

  #unicode(): number {
    if (this.#take('{')) {
      const begin = this.#at;
      while (this.#next() !== '}');
      return Number.parseInt(this.#points.slice(begin, this.#at - 1).join(''), 16);
    }
    const unit = this.#hex(4);
    const isLead = unit >= 0xd800 && unit <= 0xdbff;
    if (!isLead || !this.#take('\\u')) return unit;
    return String.fromCharCode(unit, this.#hex(4)).codePointAt(0) ?? unit;
  }

  #hex(count: number): number {
    this.#at += count;
    return Number.parseInt(this.#points.slice(this.#at - count, this.#at).join(''), 16);
  }

  #number(): number {
    const begin = this.#at;
    while (/^\d$/.test(this.#points[this.#at] ?? '')) this.#at += 1;
    return Number(this.#points.slice(begin, this.#at).join(''));
  }

  #next(): string {
    const point = this.#points[this.#at];
    if (point === undefined) throw new PatternRefusal('is no regular expression');
    this.#at += 1;
    return point;
  }

  #take(text: string): boolean {
    const found = this.#points.slice(this.#at, this.#at + text.length).join('') === text;
    if (found) this.#at += text.length;
    return found;
  }
}
