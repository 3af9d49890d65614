/** Calls of a request's tools as grammar: each tool's name with arguments of its own schema. */
import { LecternError } from '../../errors.js';
import type { Tool, ToolChoice } from '../conversation.js';
import { characters, choice, empty, type Expression, optional, repeat, sequence, text } from '../grammar/expression.js';
import type { JsonText } from '../grammar/json-text.js';
import { schemaExpression } from '../json-schema/schema.js';
import type { OfferedTool } from '../output/json-calls.js';
import type { CalledTools } from './called-tools.js';
import { callsBehindOpener, moreBareCalls, type ToolDialect } from './dialect.js';

export class ToolCalls {
  readonly #json: JsonText;
  readonly #dialect: ToolDialect;
  readonly #onlyOne: boolean;
  #call: Expression | undefined;
  readonly #called: readonly Tool[];
  readonly #tools: { name: string; arguments: Expression }[];
  /** Of each called tool, the keywords of its schema that the grammar does not hold. */
  readonly unenforced: Readonly<Record<string, readonly string[]>>;

  /** Throws `invalid_request` for a schema that no grammar keeps, with the tool's name; of tools that are not strict it keeps what can be, and less where `simple`. */
  constructor(json: JsonText, dialect: ToolDialect, tools: readonly Tool[], toolChoice: ToolChoice, onlyOne: boolean, simple = false) {
    this.#json = json;
    this.#dialect = dialect;
    this.#onlyOne = onlyOne || typeof toolChoice === 'object';
    const called = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
    if (called.length === 0) throw new LecternError('invalid_request', 'tool_choice asks for a call, and there is no such tool.');
    this.#called = called;
    const unenforced: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
    this.#tools = called.map(({ name, parameters, strict }) => {
      unenforced[name] = [];
      return { name, arguments: schemaExpression(json, objectSchema(parameters), `parameters of the tool '${name}'`, strict !== true, unenforced[name], simple) };
    });
    this.unenforced = unenforced;
  }

  /** By what an answer's calls are read. */
  get called(): CalledTools {
    return { tools: this.#called.map(offered), argumentsKey: this.#dialect.argumentsKey };
  }

  /** Behind the opener. */
  get calls(): Expression {
    return callsBehindOpener(this.#dialect, this.#json, this.#anyCall(), this.#onlyOne);
  }

  #anyCall(): Expression {
    const options = this.#tools.map(({ name, arguments: values }) => {
      const named = this.#json.pair(text('"name"'), text(JSON.stringify(name)));
      const given = this.#json.pair(text(`"${this.#dialect.argumentsKey}"`), values);
      return this.#json.inBraces(sequence(named, this.#json.behindComma(given), this.#json.space));
    });
    this.#call ??= this.#json.grammar.define('call', choice(...options));
    return this.#call;
  }

  /** The arguments of the one tool that there is. */
  get onlyArguments(): Expression | null {
    return this.#tools.length === 1 ? this.#tools[0]?.arguments ?? null : null;
  }

  get callsWithOpener(): Expression {
    return sequence(text(this.#dialect.opener), this.calls);
  }

  /** How an answer of bare calls begins, as models space it. */
  get bareBeginnings(): string[] {
    return this.#tools.flatMap(({ name }) => beginningsOf(name));
  }

  /**
   * Calls, or any text that does not begin like one: a model whose calls are bare JSON may also answer with JSON of its own.
   * The beginnings of all tools form a tree; where the text leaves it, it is free from there on.
   */
  get callsOrText(): Expression {
    const anything = this.#json.grammar.define('anything', repeat(characters([[0, 0xd7ff], [0xe000, 0x10ffff]]), 0));
    const more = this.#onlyOne ? empty : moreBareCalls(this.#dialect, this.#anyCall());
    const ends = new Map(this.#tools.flatMap(({ name, arguments: values }) => {
      const rest = sequence(this.#json.space, this.#json.pair(text(`"${this.#dialect.argumentsKey}"`), values), this.#json.space, text('}'), more);
      return beginningsOf(name).map((beginning) => [beginning, rest] as const);
    }));
    return this.#branch([...ends.keys()], 0, ends, anything);
  }

  #branch(beginnings: string[], depth: number, ends: ReadonlyMap<string, Expression>, anything: Expression): Expression {
    const [first = ''] = beginnings;
    if (beginnings.length === 1 && first.length === depth) return ends.get(first) ?? anything;
    const next = [...new Set(beginnings.map((beginning) => beginning.charCodeAt(depth)))].sort((a, b) => a - b);
    const leaving: [number, number][] = [];
    let from = 0;
    for (const point of next) {
      if (point > from) leaving.push([from, point - 1]);
      from = point + 1;
    }
    leaving.push([from, 0xd7ff], [0xe000, 0x10ffff]);
    const staying = next.map((point) => {
      const inside = beginnings.filter((beginning) => beginning.charCodeAt(depth) === point);
      return sequence(text(String.fromCharCode(point)), this.#json.grammar.define('beginning', this.#branch(inside, depth + 1, ends, anything)));
    });
    return optional(choice(...staying, sequence(characters(leaving), anything)));
  }
}

function offered({ name, parameters: { properties } }: Tool): OfferedTool {
  const entries = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  return { name, parameters: entries.map(([key, schema]) => ({ name: key, isText: (schema as { type?: unknown } | null)?.type === 'string' })) };
}

function beginningsOf(name: string): string[] {
  return [`{"name": ${JSON.stringify(name)},`, `{"name":${JSON.stringify(name)},`];
}

/** Arguments are an object, whether the schema says so or not. */
function objectSchema(parameters: Record<string, unknown>): Record<string, unknown> {
  return parameters['type'] === undefined ? { ...parameters, type: 'object' } : parameters;
}
