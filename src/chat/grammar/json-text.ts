/** JSON documents as grammar, in the layouts that models write: compact, with single spaces, or indented by lines. */
import { characters, choice, type Expression, optional, repeat, sequence, text } from './expression.js';
import type { Grammar } from './grammar.js';

const digit = characters([[0x30, 0x39]]);
const nonZero = characters([[0x31, 0x39]]);
const hexRanges = [[0x30, 0x39], [0x41, 0x46], [0x61, 0x66]] as const;
const hex = characters(hexRanges);
/** Digits before the point: what JavaScript writes without an exponent. */
const mostIntegerDigits = 21;
const mostFractionDigits = 22;
/** Spaces and tabs behind a line break. */
const deepestIndent = 40;

/** The rules that every JSON grammar shares, made when they are first needed. */
export class JsonText {
  readonly grammar: Grammar;
  readonly #made = new Map<string, Expression>();

  constructor(grammar: Grammar) {
    this.grammar = grammar;
  }

  /** Nothing, one space, or one line break with its indent: never so much that a model could go on with it for ever. */
  get space(): Expression {
    const indent = repeat(characters([[0x09, 0x09], [0x20, 0x20]]), 0, deepestIndent);
    return this.#rule('space', () => optional(choice(text(' '), sequence(text('\n'), indent))));
  }

  /** One code point of a string, escaped or not; a pair of escaped surrogates is one. */
  get character(): Expression {
    return this.#rule('character', () => {
      const plain = characters([[0x20, 0x21], [0x23, 0x5b], [0x5d, 0xd7ff], [0xe000, 0x10ffff]]);
      const surrogate = characters([[0x44, 0x44], [0x64, 0x64]]);
      const basic = choice(
        sequence(characters([[0x30, 0x39], [0x41, 0x43], [0x45, 0x46], [0x61, 0x63], [0x65, 0x66]]), repeat(hex, 3, 3)),
        sequence(surrogate, characters([[0x30, 0x37]]), repeat(hex, 2, 2)),
      );
      const pair = sequence(
        surrogate, characters([[0x38, 0x39], [0x41, 0x42], [0x61, 0x62]]), repeat(hex, 2, 2),
        text('\\u'), surrogate, characters([[0x43, 0x46], [0x63, 0x66]]), repeat(hex, 2, 2),
      );
      const short = characters([...'"/\\bfnrt'].map((letter) => letter.charCodeAt(0)).sort((a, b) => a - b).map((point) => [point, point] as const));
      return choice(plain, sequence(text('\\'), choice(short, sequence(text('u'), choice(basic, pair)))));
    });
  }

  get string(): Expression {
    return this.#rule('string', () => sequence(text('"'), repeat(this.character, 0), text('"')));
  }

  get integer(): Expression {
    return this.#rule('integer', () => choice(text('0'), sequence(optional(text('-')), nonZero, repeat(digit, 0, mostIntegerDigits - 1))));
  }

  get number(): Expression {
    return this.#rule('number', () => {
      const whole = choice(text('0'), sequence(nonZero, repeat(digit, 0, mostIntegerDigits - 1)));
      const exponent = sequence(characters([[0x45, 0x45], [0x65, 0x65]]), optional(characters([[0x2b, 0x2b], [0x2d, 0x2d]])), repeat(digit, 1, 2));
      return sequence(optional(text('-')), whole, optional(sequence(text('.'), repeat(digit, 1, mostFractionDigits))), optional(exponent));
    });
  }

  get boolean(): Expression {
    return choice(text('true'), text('false'));
  }

  get null(): Expression {
    return text('null');
  }

  /** Any value, as deep as one likes. */
  get value(): Expression {
    const made = this.#made.get('value');
    if (made !== undefined) return made;
    const { rule, define } = this.grammar.declare('value');
    this.#made.set('value', rule);
    define(choice(this.object, this.array, this.string, this.number, this.boolean, this.null));
    return rule;
  }

  get object(): Expression {
    return this.#rule('object', () => {
      const pair = this.pair(this.string, this.value);
      return this.inBraces(optional(sequence(pair, repeat(this.behindComma(pair), 0), this.space)));
    });
  }

  get array(): Expression {
    return this.#rule('array', () => this.inBrackets(optional(sequence(this.value, repeat(this.behindComma(this.value), 0), this.space))));
  }

  pair(key: Expression, value: Expression): Expression {
    return sequence(key, text(':'), optional(text(' ')), value);
  }

  behindComma(item: Expression): Expression {
    return sequence(text(','), this.space, item);
  }

  /** `inside` ends with a space of its own unless it is empty. */
  inBraces(inside: Expression): Expression {
    return sequence(text('{'), this.space, inside, text('}'));
  }

  inBrackets(inside: Expression): Expression {
    return sequence(text('['), this.space, inside, text(']'));
  }

  /** One value and no other, in any layout; its strings as JSON.stringify writes them. */
  literal(value: unknown): Expression {
    if (Array.isArray(value)) {
      if (value.length === 0) return this.inBrackets(text(''));
      const items = value.map((item: unknown, index) => (index === 0 ? this.literal(item) : this.behindComma(this.literal(item))));
      return this.inBrackets(sequence(...items, this.space));
    }
    if (typeof value !== 'object' || value === null) return text(JSON.stringify(value) ?? 'null');
    const pairs = Object.entries(value).map(([key, item]) => this.pair(text(JSON.stringify(key)), this.literal(item)));
    return this.inBraces(pairs.length === 0 ? text('') : sequence(...pairs.map((pair, index) => (index === 0 ? pair : this.behindComma(pair))), this.space));
  }

  #rule(name: string, make: () => Expression): Expression {
    const made = this.#made.get(name) ?? this.grammar.define(name, make());
    this.#made.set(name, made);
    return made;
  }
}
