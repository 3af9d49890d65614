/** Automata as expressions of a grammar, each character as JSON strings spell it. */
import { characters, choice, empty, type Expression, nothing, optional, type Ranges, repeat, sequence, text } from '../grammar/expression.js';
import type { Grammar } from '../grammar/grammar.js';
import type { Automaton } from './automaton.js';
import { complement, intersect, setOf } from './ranges.js';

const quote = 0x22;
const backslash = 0x5c;
const escaped: Ranges = setOf([[0, 0x1f], [quote, quote], [backslash, backslash]]);
const plain = complement(escaped);
/** States that are written where they are used, one inside another: the engine takes expressions up to 200 deep. */
const deepest = 30;

/** Between the quotes; characters are escaped where they must be, and only there. Throws `invalid_request` where the grammar gets too large. */
export function textExpression(grammar: Grammar, automaton: Automaton, hint: string): Expression {
  if (automaton.length === 0) return nothing;
  grammar.spend(automaton.length);
  const uses = automaton.map(() => 0);
  for (const [from, { edges }] of automaton.entries()) for (const to of new Set(edges.map((edge) => edge.to))) if (to !== from) uses[to] = (uses[to] ?? 0) + 1;
  const rules = new Map<number, Expression>();
  const waiting: (() => void)[] = [];

  const use = (state: number, depth: number): Expression => {
    const known = rules.get(state);
    if (known !== undefined) return known;
    if (state !== 0 && uses[state] === 1 && depth < deepest) return body(state, depth + 1);
    const { rule, define } = grammar.declare(hint);
    rules.set(state, rule);
    waiting.push(() => define(body(state, 0)));
    return rule;
  };
  const body = (state: number, depth: number): Expression => {
    const { accepts = false, edges = [] } = automaton[state] ?? {};
    const byTarget = new Map<number, (readonly [number, number])[]>();
    for (const { first, last, to } of edges) {
      const ranges = byTarget.get(to);
      if (ranges === undefined) byTarget.set(to, [[first, last]]);
      else ranges.push([first, last]);
    }
    const loop = byTarget.get(state);
    const options = [...byTarget].flatMap(([to, ranges]) => (to === state ? [] : [sequence(spelled(ranges), use(to, depth))]));
    const onward = options.length === 0 ? empty : accepts ? optional(choice(...options)) : choice(...options);
    return sequence(loop === undefined ? empty : repeat(spelled(loop), 0), onward);
  };

  const start = use(0, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) next();
  return start;
}

function spelled(ranges: Ranges): Expression {
  const set = setOf(ranges);
  const needEscape = intersect(set, escaped).flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
  const options = needEscape.map((point) => text(JSON.stringify(String.fromCharCode(point)).slice(1, -1)));
  const rest = intersect(set, plain);
  const [only] = rest;
  if (only !== undefined && rest.length === 1 && only[0] === only[1] && options.length === 0) return text(String.fromCodePoint(only[0]));
  return choice(...(rest.length > 0 ? [characters(rest)] : []), ...options);
}
