/** Strings by length, pattern and format, and the names of properties. */
import { type Expression, nothing, repeat, sequence, text } from '../grammar/expression.js';
import { type Automaton, both, without } from '../pattern/automaton.js';
import { anyText, compileLength, compilePattern, compileTexts } from '../pattern/compile.js';
import { textExpression } from '../pattern/expression.js';
import { PatternRefusal } from '../pattern/parse.js';
import { alternativesOf } from './compose.js';
import type { Together } from './nodes.js';
import { literalsTogether, typesTogether } from './facets.js';
import { formatPattern } from './formats.js';
import { countOf, keywordsOf, stringOf } from './keywords.js';
import type { SchemaNode, SchemaNodes } from './nodes.js';
import type { SchemaContext } from './schema-context.js';

/** Between the quotes. */
export function stringExpression({ nodes, json }: SchemaContext, together: Together): Expression {
  const { least, most } = lengthsOf(nodes, together);
  const automaton = patternsOf(nodes, together);
  if (automaton !== null) return textExpression(json.grammar, automaton, 'text');
  return least === 0 && most === Infinity ? repeat(json.character, 0) : json.grammar.times(json.character, least, most);
}

function lengthsOf(nodes: SchemaNodes, together: Together): { least: number; most: number } {
  const counts = (keyword: string): number[] => together.flatMap((node) => countOf(nodes, node, keyword) ?? []);
  return { least: Math.max(0, ...counts('minLength')), most: Math.min(Infinity, ...counts('maxLength')) };
}

/** The texts that all patterns and formats allow, lengths with them; null where there are none. */
function patternsOf(nodes: SchemaNodes, together: Together): Automaton | null {
  let left: Automaton | null = null;
  for (const node of together) {
    for (const keyword of ['pattern', 'format'] as const) {
      const automaton = automatonOf(nodes, node, keyword);
      if (automaton === null) continue;
      const before: Automaton | null = left;
      left = before === null ? automaton : keptOrLeftOut(nodes, node, keyword, () => both(nodes.effort, before, automaton)) ?? before;
    }
  }
  const { least, most } = lengthsOf(nodes, together);
  const [node] = together;
  if (left === null || node === undefined || (least === 0 && most === Infinity)) return left;
  const patterned = left;
  const counted = together.find((one) => keywordsOf(one)['maxLength'] !== undefined || keywordsOf(one)['minLength'] !== undefined) ?? node;
  return keptOrLeftOut(nodes, counted, keywordsOf(counted)['maxLength'] === undefined ? 'minLength' : 'maxLength', () => both(nodes.effort, patterned, compileLength(nodes.effort, least, most))) ?? patterned;
}

const compiled = new Map<string, Automaton>();
const mostCompiled = 64;

/** Null where the part has no such keyword, a format that every text has, or one that is left out. */
export function automatonOf(nodes: SchemaNodes, node: SchemaNode, keyword: 'pattern' | 'format'): Automaton | null {
  const value = stringOf(nodes, node, keyword);
  if (value === undefined) return null;
  const pattern = keyword === 'pattern' ? value : formatPattern(value);
  if (pattern === null) nodes.leaveOut(node, keyword, `'${value.slice(0, 100)}' is not supported`);
  if (pattern === null || keyword === 'format' && pattern === '') return null;
  return keptOrLeftOut(nodes, node, keyword, () => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const automaton = compilePattern(nodes.effort, pattern);
    const [oldest] = compiled.keys();
    if (compiled.size >= mostCompiled && oldest !== undefined) compiled.delete(oldest);
    compiled.set(pattern, automaton);
    return automaton;
  });
}

function keptOrLeftOut(nodes: SchemaNodes, node: SchemaNode, keyword: string, make: () => Automaton): Automaton | null {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof PatternRefusal)) throw thrown;
    nodes.leaveOut(node, keyword, thrown.message);
    return null;
  }
}

/** A name of a property, quotes included, for which all of `keys` hold and that is none of `taken`. */
export function keyExpression({ nodes, json }: SchemaContext, keys: Together, taken: readonly string[]): Expression {
  const allowed = keysAllowed(nodes, keys);
  if (allowed === null && taken.length === 0) return json.string;
  const node = keys[0] ?? nodes.root;
  const free = keptOrLeftOut(nodes, node, keys.length > 0 ? 'propertyNames' : 'additionalProperties', () => without(nodes.effort, allowed ?? anyText(), compileTexts(nodes.effort, taken)));
  if (free === null) return json.string;
  return free.length === 0 ? nothing : sequence(text('"'), textExpression(json.grammar, free, 'key'), text('"'));
}

/** Null for any. */
function keysAllowed(nodes: SchemaNodes, keys: Together): Automaton | null {
  if (keys.length === 0) return null;
  const [node] = keys as [SchemaNode];
  const alternatives = alternativesOf(nodes, keys).filter((together) => together.length === 0 || typesTogether(nodes, together).has('string'));
  const [together] = alternatives;
  if (alternatives.length > 1) {
    nodes.leaveOut(node, 'anyOf', 'is not supported for names of properties');
    return null;
  }
  if (together === undefined) return [];
  const literals = literalsTogether(nodes, together);
  if (literals !== undefined) return compileTexts(nodes.effort, literals.filter((value): value is string => typeof value === 'string'));
  const { least, most } = lengthsOf(nodes, together);
  const patterned = patternsOf(nodes, together);
  return patterned ?? (least === 0 && most === Infinity ? null : keptOrLeftOut(nodes, node, 'maxLength', () => compileLength(nodes.effort, least, most)));
}
