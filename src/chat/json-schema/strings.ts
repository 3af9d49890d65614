/** Strings by length, pattern and format, and the names of properties. */
import { type Expression, nothing, repeat, sequence, text } from '../grammar/expression.js';
import { type Automaton, both, without } from '../pattern/automaton.js';
import { anyText, compileLength, compileTexts } from '../pattern/compile.js';
import { textExpression } from '../pattern/expression.js';
import { alternativesOf } from './compose.js';
import type { Together } from './nodes.js';
import { literalsTogether, typesTogether } from './facets.js';
import { countOf, keywordsOf } from './keywords.js';
import { exclusionOf } from './negation.js';
import { automatonOf, keptOrLeftOut, patternAutomaton } from './pattern-automaton.js';
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
  for (const node of together) left = withoutExcluded(nodes, node, left);
  const { least, most } = lengthsOf(nodes, together);
  const [node] = together;
  if (left === null || node === undefined || (least === 0 && most === Infinity)) return left;
  const patterned = left;
  const counted = together.find((one) => keywordsOf(one)['maxLength'] !== undefined || keywordsOf(one)['minLength'] !== undefined) ?? node;
  return keptOrLeftOut(nodes, counted, keywordsOf(counted)['maxLength'] === undefined ? 'minLength' : 'maxLength', () => both(nodes.effort, patterned, compileLength(nodes.effort, least, most))) ?? patterned;
}

function withoutExcluded(nodes: SchemaNodes, node: SchemaNode, left: Automaton | null): Automaton | null {
  const exclusion = exclusionOf(node);
  if (exclusion === undefined) return left;
  const texts = (exclusion.enum ?? []).filter((value): value is string => typeof value === 'string');
  const excluded = exclusion.pattern === undefined ? texts.length === 0 ? null : compileTexts(nodes.effort, texts) : patternAutomaton(nodes, node, 'not', exclusion.pattern);
  return excluded === null ? left : keptOrLeftOut(nodes, node, 'not', () => without(nodes.effort, left ?? anyText(), excluded)) ?? left;
}

/** A name of a property, quotes included, for which all of `keys` hold, that is none of `taken`, in which all of `found` are found and none of `missing`. */
export function keyExpression({ nodes, json }: SchemaContext, keys: Together, taken: readonly string[], found: readonly Automaton[], missing: readonly Automaton[]): Expression {
  const allowed = keysAllowed(nodes, keys);
  if (allowed === null && taken.length === 0 && found.length === 0 && missing.length === 0) return json.string;
  const node = keys[0] ?? nodes.root;
  const keyword = found.length + missing.length > 0 ? 'patternProperties' : keys.length > 0 ? 'propertyNames' : 'additionalProperties';
  const free = keptOrLeftOut(nodes, node, keyword, () => {
    const named = found.reduce((left, right) => both(nodes.effort, left, right), allowed ?? anyText());
    return missing.reduce((left, right) => without(nodes.effort, left, right), without(nodes.effort, named, compileTexts(nodes.effort, taken)));
  });
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
