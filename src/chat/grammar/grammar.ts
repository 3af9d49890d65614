/** The rules of one grammar: defined by name, freed of what can never be finished, printed as GBNF. */
import { LecternError } from '../../errors.js';
import { choice, empty, type Expression, optional, repeat, sequence } from './expression.js';
import { print } from './print.js';

/** Characters of a printed grammar. */
const longestSource = 1 << 20;
/** The engine's bound. */
const mostRules = 10_000;
const mostParts = 20_000;
/** Repetitions are counted up to here at once, and beyond in blocks of as many. */
const blockSize = 128;

export class Grammar {
  readonly #rules = new Map<string, Expression>();
  readonly #names = new Map<string, number>();
  #parts = 0;

  /** A rule of its own, whose expression may come later: it may refer to itself. Throws `invalid_request` where there are too many. */
  declare(hint: string): { rule: Expression; define: (expression: Expression) => void } {
    if (this.#rules.size >= mostRules) throw new LecternError('invalid_request', `The schema needs more than ${mostRules} rules of grammar.`);
    const stem = hint.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 40) || 'rule';
    const count = this.#names.get(stem) ?? 0;
    this.#names.set(stem, count + 1);
    const name = count === 0 ? stem : `${stem}--${count}`;
    this.#rules.set(name, { kind: 'choice', options: [] });
    return { rule: { kind: 'rule', name }, define: (expression) => void this.#rules.set(name, expression) };
  }

  /** Counts what is put into rules without being one. Throws `invalid_request` where that is too much. */
  spend(parts: number): void {
    this.#parts += parts;
    if (this.#parts > mostParts) throw new LecternError('invalid_request', `The schema's patterns need more than ${mostParts} states together.`);
  }

  define(hint: string, expression: Expression): Expression {
    if (expression.kind === 'rule') return expression;
    const { rule, define } = this.declare(hint);
    define(expression);
    return rule;
  }

  /** `least` to `most` times `item`, in few states however large the counts are. */
  times(item: Expression, least: number, most: number): Expression {
    if (most < least) return { kind: 'choice', options: [] };
    if (most === Infinity) return sequence(this.#exactly(item, least), repeat(item, 0));
    return most <= blockSize ? repeat(item, least, most) : sequence(this.#exactly(item, least), this.#upTo(item, most - least));
  }

  #exactly(item: Expression, count: number): Expression {
    if (count === 0) return empty;
    if (count <= blockSize) return repeat(item, count, count);
    const block = this.define('block', repeat(item, blockSize, blockSize));
    return sequence(this.#exactly(block, Math.floor(count / blockSize)), repeat(item, count % blockSize, count % blockSize));
  }

  #upTo(item: Expression, count: number): Expression {
    if (count <= blockSize) return repeat(item, 0, count);
    const block = this.define('block', repeat(item, blockSize, blockSize));
    const blocks = Math.floor(count / blockSize);
    return choice(
      sequence(this.#upTo(block, blocks - 1), repeat(item, 0, blockSize - 1)),
      sequence(this.#exactly(block, blocks), repeat(item, 0, count % blockSize)),
    );
  }

  /** GBNF, the first rule called `root`. Null where no text can be finished: then no answer has this form. Throws `invalid_request` beyond its bounds. */
  print(root: Expression): string | null {
    const finishing = this.#finishing();
    const pruned = prune(root, finishing);
    if (pruned === null) return null;
    const lines: string[] = [];
    let length = 0;
    const add = (line: string): void => {
      lines.push(line);
      length += line.length + 1;
      if (length > longestSource) throw new LecternError('invalid_request', `The schema's grammar has more than ${longestSource} characters.`);
    };
    add(`root ::= ${print(pruned)}`);
    const written = new Set<string>();
    const waiting = [...namesIn(pruned)];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (written.has(name)) continue;
      written.add(name);
      const body = prune(this.#rules.get(name) ?? empty, finishing) ?? empty;
      add(`${name} ::= ${print(body)}`);
      waiting.push(...namesIn(body));
    }
    return `${lines.join('\n')}\n`;
  }

  /** Names of the rules from which some text can be written to its end. Each is checked again when one that it names turns out to be among them. */
  #finishing(): ReadonlySet<string> {
    const finishing = new Set<string>();
    const users = new Map<string, string[]>();
    for (const [name, body] of this.#rules) {
      for (const used of namesIn(body)) {
        const known = users.get(used);
        if (known === undefined) users.set(used, [name]);
        else known.push(name);
      }
    }
    const waiting = [...this.#rules.keys()];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (finishing.has(name) || !finishes(this.#rules.get(name) ?? empty, finishing)) continue;
      finishing.add(name);
      waiting.push(...users.get(name) ?? []);
    }
    return finishing;
  }
}

function namesIn(expression: Expression): Set<string> {
  switch (expression.kind) {
    case 'rule': return new Set([expression.name]);
    case 'sequence': return new Set(expression.items.flatMap((item) => [...namesIn(item)]));
    case 'choice': return new Set(expression.options.flatMap((option) => [...namesIn(option)]));
    case 'repeat': return namesIn(expression.item);
    default: return new Set();
  }
}

function finishes(expression: Expression, rules: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'rule': return rules.has(expression.name);
    case 'sequence': return expression.items.every((item) => finishes(item, rules));
    case 'choice': return expression.options.some((option) => finishes(option, rules));
    case 'repeat': return expression.least === 0 || finishes(expression.item, rules);
    default: return true;
  }
}

/** Without the options that never end; null where nothing is left. An empty option makes the others optional. */
function prune(expression: Expression, rules: ReadonlySet<string>): Expression | null {
  switch (expression.kind) {
    case 'rule': return rules.has(expression.name) ? expression : null;
    case 'sequence': {
      const items = expression.items.map((item) => prune(item, rules));
      return items.includes(null) ? null : sequence(...items as Expression[]);
    }
    case 'choice': {
      const options = expression.options.flatMap((option) => prune(option, rules) ?? []);
      const some = options.filter((option) => !isEmpty(option));
      if (options.length === 0) return null;
      return some.length === 0 ? empty : some.length < options.length ? optional(choice(...some)) : choice(...some);
    }
    case 'repeat': {
      const item = prune(expression.item, rules);
      if (item === null) return expression.least === 0 ? empty : null;
      return isEmpty(item) ? empty : repeat(item, expression.least, expression.most);
    }
    default: return expression;
  }
}

function isEmpty(expression: Expression): boolean {
  return expression.kind === 'sequence' && expression.items.length === 0;
}
