/** Strings by length, and the names of properties. */
import { type Expression, repeat, sequence, text } from '../grammar/expression.js';
import type { Together } from './compose.js';
import { countOf, keywordsOf } from './keywords.js';
import type { SchemaContext } from './schema.js';

/** Between the quotes. */
export function stringExpression({ nodes, json }: SchemaContext, together: Together): Expression {
  for (const node of together) for (const keyword of ['pattern', 'format']) if (keywordsOf(node)[keyword] !== undefined) nodes.refuse(node, keyword);
  const counts = (keyword: string): number[] => together.flatMap((node) => countOf(nodes, node, keyword) ?? []);
  const least = Math.max(0, ...counts('minLength'));
  const most = Math.min(Infinity, ...counts('maxLength'));
  return least === 0 && most === Infinity ? repeat(json.character, 0) : json.grammar.times(json.character, least, most);
}

/** A name of a property, quotes included, that is none of `taken`. */
export function keyExpression({ nodes, json }: SchemaContext, keys: Together, taken: readonly string[]): Expression {
  for (const node of keys) if (Object.keys(keywordsOf(node)).some((keyword) => keyword !== 'type')) nodes.refuse(node, Object.keys(keywordsOf(node))[0] ?? '');
  if (taken.length > 0) nodes.refuse(nodes.root, 'additionalProperties', 'is not supported beside named properties');
  return sequence(text('"'), repeat(json.character, 0), text('"'));
}
