/** Chat templates in Jinja, as GGUF files carry them: read once, rendered within bounds, for they are a stranger's program. */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { LecternError } from '../../errors.js';
import { type FunctionWords, functionsFor } from './jinja-functions.js';
import { isNode, rewriteCalls } from './jinja-syntax.js';

/** What is used of the package, whose declarations name their neighbours in a way that Node's resolution does not find. */
interface Scope {
  set(name: string, value: unknown): unknown;
}
interface Evaluated {
  value: unknown;
}
interface Evaluator {
  run(program: unknown): Evaluated;
  evaluate(statement: unknown, scope: Scope): Evaluated;
}
const PlainInterpreter = Interpreter as new (scope: Scope) => Evaluator;
const GlobalScope = Environment as new () => Scope;

export interface JinjaTemplate {
  source: string;
  program: unknown;
  /** Words that the template compares its input with: literals and names. */
  words: ReadonlySet<string>;
  /** Literals that it searches inside strings: `'</think>' in content`. Longest first; words are left out. */
  sought: readonly string[];
}

/** Characters; the longest published ones have 30,000. */
export const longestSource = 1 << 19;

/** Throws `invalid_model` for what is no template or too long for one. */
export function readJinja(source: string): JinjaTemplate {
  if (source.length > longestSource) throw new LecternError('invalid_model', `The chat template has ${source.length} characters; at most ${longestSource} are read.`);
  try {
    const program: unknown = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
    const found = rewriteCalls(program);
    return { source, program, ...found };
  } catch (thrown) {
    throw new LecternError('invalid_model', `The chat template cannot be read: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * `inputSize`: characters and values in `variables`, which set how long the template may run and how much it may write.
 * Throws `invalid_request` with the template's own sentence where it refuses, and where it cannot render this input;
 * `invalid_model` where it runs or writes past its bounds.
 */
export function renderJinja(template: JinjaTemplate, variables: Record<string, unknown>, surroundings: FunctionWords & { inputSize: number }): string {
  const environment = new GlobalScope();
  const globals = { false: false, true: true, none: null, False: false, True: true, None: null, ...functionsFor(surroundings), ...variables };
  try {
    for (const [name, value] of Object.entries(globals)) environment.set(name, value);
    const value = new BoundedInterpreter(environment, surroundings.inputSize).run(template.program).value;
    return String(value);
  } catch (thrown) {
    if (thrown instanceof LecternError) throw thrown;
    throw new LecternError('invalid_request', `The model's chat template cannot render this conversation: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Counts what a template does, in steps of about a microsecond: evaluations, characters and items made, turns of loops. */
class BoundedInterpreter extends PlainInterpreter {
  #steps: number;
  readonly #longest: number;
  /** A turn of a loop costs the package a scope with a map in it. */
  readonly #looped = new Set<unknown>();

  constructor(environment: Scope, inputSize: number) {
    super(environment);
    this.#steps = 2_000_000 + 2 * inputSize;
    this.#longest = (1 << 22) + 4 * inputSize;
  }

  override evaluate(statement: unknown, environment: Scope): Evaluated {
    this.#spend(1);
    if (isNode(statement, 'For')) this.#looped.add(isNode(statement.iterable, 'SelectExpression') ? statement.iterable.lhs : statement.iterable);
    const result = super.evaluate(statement, environment);
    const { value } = result;
    if (typeof value === 'string') this.#weigh(value.length, value.length >>> 8);
    else if (Array.isArray(value)) this.#weigh(value.length, this.#looped.has(statement) ? 8 * value.length : isNode(statement, 'Identifier') ? 0 : value.length);
    else if (value instanceof Map && isNode(statement, 'FilterExpression')) this.#spend(value.size);
    return result;
  }

  #weigh(size: number, cost: number): void {
    if (size > this.#longest) throw new LecternError('invalid_model', `The model's chat template writes more than ${this.#longest} characters.`);
    this.#spend(cost);
  }

  #spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new LecternError('invalid_model', 'The model\'s chat template runs without end.');
  }
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'it nests too deep or makes too long a text.';
  return thrown instanceof Error ? thrown.message : String(thrown);
}
