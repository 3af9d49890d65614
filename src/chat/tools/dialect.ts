/** How models write calls of tools, known by their chat templates. */
import { choice, empty, type Expression, optional, repeat, sequence, text } from '../grammar/expression.js';
import type { JsonText } from '../grammar/json-text.js';

/** `bare`: `{"name": ..., "parameters": ...}` is the answer. `tagged`: each call between two tags. `list`: one list behind a token. */
export interface ToolDialect {
  form: 'bare' | 'tagged' | 'list';
  /** What stands before the first call; empty for bare ones. */
  opener: string;
  argumentsKey: 'arguments' | 'parameters';
  /** The template takes no more than one call in an answer. */
  single: boolean;
}

/** Null for a template that tells the model of no tools, or in a form that is not known. */
export function dialectOf(source: string): ToolDialect | null {
  const single = /only supports single tool-?calls/i.test(source);
  const known = { argumentsKey: 'arguments', single } as const;
  if (source.includes('<tool_call>')) return { ...known, form: 'tagged', opener: '<tool_call>' };
  for (const opener of ['[TOOL_CALLS]', '<|tool_call|>']) if (source.includes(opener)) return { ...known, form: 'list', opener };
  if (/"name": function name, "parameters"|"parameters": dictionary of arg|<\|python_tag\|>|\{\\?"name\\?": \\?".{1,60}\\?"parameters\\?": /.test(source)) {
    return { ...known, form: 'bare', opener: '', argumentsKey: 'parameters' };
  }
  return null;
}

/** In one answer. */
const mostCalls = 32;

/** What follows the opener: `call` once, or more often. */
export function callsBehindOpener(dialect: ToolDialect, json: JsonText, call: Expression, onlyOne: boolean): Expression {
  const more = onlyOne || dialect.single ? 0 : mostCalls - 1;
  const line = optional(text('\n'));
  switch (dialect.form) {
    case 'bare': return sequence(call, onlyOne ? empty : moreBareCalls(dialect, call));
    case 'tagged': {
      const tagged = sequence(line, call, line, text('</tool_call>'));
      return sequence(tagged, repeat(sequence(line, text(dialect.opener), tagged), 0, more));
    }
    case 'list': return sequence(optional(text(' ')), json.inBrackets(sequence(call, repeat(json.behindComma(call), 0, more), json.space)));
  }
}

/** What may follow one bare call. */
export function moreBareCalls({ single }: ToolDialect, call: Expression): Expression {
  return repeat(sequence(choice(text('\n'), text('; ')), call), 0, single ? 0 : mostCalls - 1);
}
