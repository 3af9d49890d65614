/** Reads a Go template into its tree; what the interpreter does not know is refused here, by its name. */
import { checkFormat, functionNames } from './functions.js';
import { goRefusal, type Token, tokenizeGo, type Word } from './lexer.js';
import type { GoNode, GoTemplate, Operand, Pipeline } from './tree.js';

const deepest = 100;
const constants: ReadonlyMap<string, boolean | null> = new Map([['true', true], ['false', false], ['nil', null]]);

/** Throws `invalid_model`, naming what is not understood. */
export function parseGo(source: string): GoTemplate {
  return new Parser(tokenizeGo(source)).template();
}

class Parser {
  readonly #tokens: Token[];
  readonly #named = new Map<string, GoNode[]>();
  readonly #fields = new Set<string>();
  readonly #called = new Set<string>();
  /** Variables that can be seen, innermost scope last. */
  readonly #scopes: Set<string>[] = [new Set([''])];
  #at = 0;
  #loops = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  template(): GoTemplate {
    const body: GoNode[] = [];
    const stopped = this.#list(body, 0);
    if (stopped !== null) throw goRefusal(`'${stopped.name}' that belongs to nothing`);
    for (const name of this.#called) if (!this.#named.has(name)) throw goRefusal(`the template "${name}" is not defined`);
    return { body, named: this.#named, fields: this.#fields };
  }

  /** Up to the `end` or `else` that it leaves to the caller; null at the end of the text. */
  #list(nodes: GoNode[], depth: number): { name: 'end' | 'else'; words: Words } | null {
    if (depth > deepest) throw goRefusal(`blocks nest deeper than ${deepest}`);
    while (this.#at < this.#tokens.length) {
      const token = this.#tokens[this.#at++];
      if (token === undefined) break;
      if (token.kind === 'text') {
        nodes.push(token);
        continue;
      }
      const words = new Words(token.words);
      const keyword = words.keyword();
      if (keyword === 'end' || keyword === 'else') return { name: keyword, words };
      const node = this.#node(keyword, words, depth);
      words.mustEnd();
      if (node !== null) nodes.push(node);
    }
    return null;
  }

  #node(keyword: string | null, words: Words, depth: number): GoNode | null {
    switch (keyword) {
      case 'if': case 'with': case 'range': return this.#block(keyword, words, depth);
      case 'define': return this.#define(words, depth);
      case 'block': return this.#blockTemplate(words, depth);
      case 'template': return this.#call(words, depth);
      case 'break': case 'continue':
        if (this.#loops === 0) throw goRefusal(`'${keyword}' outside of a range`);
        return { kind: keyword };
      default: return { kind: 'action', pipeline: this.#pipeline(words, depth, 1) };
    }
  }

  #block(kind: 'if' | 'with' | 'range', words: Words, depth: number): GoNode {
    this.#scopes.push(new Set());
    const pipeline = this.#pipeline(words, depth, kind === 'range' ? 2 : 1);
    words.mustEnd();
    const body: GoNode[] = [];
    const otherwise: GoNode[] = [];
    if (kind === 'range') this.#loops += 1;
    let stopped = this.#inScope(() => this.#list(body, depth + 1));
    if (kind === 'range') this.#loops -= 1;
    if (stopped?.name === 'else') stopped = this.#otherwise(kind, stopped.words, otherwise, depth);
    if (stopped?.name !== 'end') throw goRefusal(`'${kind}' without its end`);
    stopped.words.mustEnd();
    this.#scopes.pop();
    return { kind, pipeline, body, otherwise };
  }

  /** `else`, or `else if` whose end is the end of both. */
  #otherwise(kind: string, words: Words, otherwise: GoNode[], depth: number): { name: 'end' | 'else'; words: Words } | null {
    const chained = words.keyword();
    if (chained === null) {
      words.mustEnd();
      return this.#inScope(() => this.#list(otherwise, depth + 1));
    }
    if (chained !== kind || chained === 'range') throw goRefusal(`'else ${chained}' behind '${kind}'`);
    otherwise.push(this.#block(chained as 'if' | 'with', words, depth + 1));
    return { name: 'end', words: new Words([]) };
  }

  #inScope<T>(work: () => T): T {
    this.#scopes.push(new Set());
    const result = work();
    this.#scopes.pop();
    return result;
  }

  #define(words: Words, depth: number): null {
    if (depth > 0) throw goRefusal('\'define\' inside of a block');
    this.#name(words.string('define'), words, depth);
    return null;
  }

  #blockTemplate(words: Words, depth: number): GoNode {
    const name = words.string('block');
    const pipeline = this.#pipeline(words, depth, 0);
    this.#name(name, words, depth);
    return { kind: 'template', name, pipeline };
  }

  /** The body of a template of its own, which sees no variable from outside. */
  #name(name: string, words: Words, depth: number): void {
    words.mustEnd();
    const outside = this.#scopes.splice(0, this.#scopes.length, new Set(['']));
    const body: GoNode[] = [];
    if (this.#list(body, depth + 1)?.name !== 'end') throw goRefusal(`the template "${name}" without its end`);
    this.#scopes.splice(0, this.#scopes.length, ...outside);
    this.#named.set(name, body);
  }

  #call(words: Words, depth: number): GoNode {
    const name = words.string('template');
    this.#called.add(name);
    return { kind: 'template', name, pipeline: words.ended ? null : this.#pipeline(words, depth, 0) };
  }

  /** `most`: variables that it may declare. */
  #pipeline(words: Words, depth: number, most: number): Pipeline {
    if (depth > deepest) throw goRefusal(`brackets nest deeper than ${deepest}`);
    const { variables, assigns } = words.declaration(most);
    const commands: Operand[][] = [];
    do commands.push(this.#command(words, depth)); while (words.takeSign('|'));
    for (const [place, command] of commands.entries()) {
      if (place > 0 && command[0]?.kind === 'constant') throw goRefusal('a constant behind \'|\'');
    }
    for (const name of variables) {
      if (assigns) this.#mustKnow(name);
      else this.#scopes.at(-1)?.add(name);
    }
    return { variables, assigns, commands };
  }

  #command(words: Words, depth: number): Operand[] {
    const operands: Operand[] = [];
    for (;;) {
      const operand = this.#operand(words, depth, operands.length === 0);
      if (operand === null) break;
      operands.push(operand);
    }
    const [first, format] = operands;
    if (first === undefined) throw goRefusal('an empty action');
    if (operands.length > 1 && first.kind !== 'call') throw goRefusal(`arguments behind what is no function`);
    if (first.kind === 'call' && first.name === 'printf' && format?.kind === 'constant') checkFormat(format.value);
    return operands;
  }

  #operand(words: Words, depth: number, isFirst: boolean): Operand | null {
    let operand = this.#term(words, depth, isFirst);
    if (operand === null) return null;
    for (let name = words.takeField(); name !== null; name = words.takeField()) {
      this.#fields.add(name);
      operand = { kind: 'field', of: operand, name };
    }
    return operand;
  }

  #term(words: Words, depth: number, isFirst: boolean): Operand | null {
    const word = words.next();
    if (word === undefined) return null;
    switch (word.kind) {
      case 'constant': return words.take({ kind: 'constant', value: word.value });
      case 'field':
        this.#fields.add(word.text);
        return words.take({ kind: 'field', of: { kind: 'dot' }, name: word.text });
      case 'variable':
        this.#mustKnow(word.text);
        return words.take({ kind: 'variable', name: word.text });
      case 'name': {
        const constant = constants.get(word.text);
        if (constant !== undefined) return words.take({ kind: 'constant', value: constant });
        if (!functionNames.has(word.text)) throw goRefusal(`the function '${word.text}'`);
        if (!isFirst) return words.take({ kind: 'pipeline', pipeline: { variables: [], assigns: false, commands: [[{ kind: 'call', name: word.text }]] } });
        return words.take({ kind: 'call', name: word.text });
      }
      case 'sign':
        if (word.text === '.') return words.take({ kind: 'dot' });
        if (word.text !== '(') return null;
        words.take(null);
        return this.#bracket(words, depth);
    }
  }

  #bracket(words: Words, depth: number): Operand {
    const pipeline = this.#pipeline(words, depth + 1, 0);
    if (!words.takeSign(')')) throw goRefusal('a bracket that stays open');
    return { kind: 'pipeline', pipeline };
  }

  #mustKnow(name: string): void {
    if (!this.#scopes.some((scope) => scope.has(name))) throw goRefusal(`the variable $${name} is not declared`);
  }
}

const keywords: ReadonlySet<string> = new Set(['if', 'with', 'range', 'define', 'block', 'template', 'else', 'end', 'break', 'continue']);

/** The words of one action, read from the left. */
class Words {
  readonly #words: Word[];
  #at = 0;

  constructor(words: Word[]) {
    this.#words = words;
  }

  get ended(): boolean {
    return this.#at >= this.#words.length;
  }

  next(): Word | undefined {
    return this.#words[this.#at];
  }

  take<T>(result: T): T {
    this.#at += 1;
    return result;
  }

  keyword(): string | null {
    const word = this.next();
    return word?.kind === 'name' && keywords.has(word.text) ? this.take(word.text) : null;
  }

  string(of: string): string {
    const word = this.next();
    if (word?.kind !== 'constant' || typeof word.value !== 'string') throw goRefusal(`'${of}' without a name in quotes`);
    return this.take(word.value);
  }

  takeSign(sign: string): boolean {
    const word = this.next();
    return word?.kind === 'sign' && word.text === sign && this.take(true);
  }

  /** A field that follows what was read without a space. */
  takeField(): string | null {
    const word = this.next();
    return word?.kind === 'field' && !word.spaced ? this.take(word.text) : null;
  }

  declaration(most: number): { variables: string[]; assigns: boolean } {
    const sign = this.#words.findIndex((word, place) => place >= this.#at && word.kind === 'sign' && (word.text === ':=' || word.text === '='));
    const variables = this.#words.slice(this.#at, Math.max(sign, this.#at)).filter((word) => !(word.kind === 'sign' && word.text === ','));
    if (sign < 0) return { variables: [], assigns: false };
    const names = variables.map((word) => (word.kind === 'variable' ? word.text : null));
    if (names.length === 0 || names.length > most || names.some((name) => name === null || name === '')) throw goRefusal('a declaration');
    const word = this.#words[sign];
    this.#at = sign + 1;
    return { variables: names.filter((name) => name !== null), assigns: word?.kind === 'sign' && word.text === '=' };
  }

  mustEnd(): void {
    const word = this.next();
    if (word !== undefined) throw goRefusal(`'${word.kind === 'constant' ? String(word.value) : word.text}' in an action`);
  }
}
