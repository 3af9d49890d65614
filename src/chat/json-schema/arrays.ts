/** Arrays by their items and counts. */
import { empty, type Expression, nothing, optional, sequence } from '../grammar/expression.js';
import type { Together } from './nodes.js';
import { countedArray } from './counted-arrays.js';
import { countOf, keywordsOf } from './keywords.js';
import type { SchemaNode, SchemaNodes } from './nodes.js';
import type { SchemaContext } from './schema-context.js';

/** The items of one part: the first ones by their places, and the rest; undefined where it says nothing, null where there are none. */
interface Items {
  first: SchemaNode[];
  rest: SchemaNode | null | undefined;
}

export function arrayExpression(context: SchemaContext, together: Together): Expression {
  const { nodes, json } = context;
  const items = together.map((node) => itemsOf(nodes, node));
  const counts = (keyword: string): number[] => together.flatMap((node) => countOf(nodes, node, keyword) ?? []);
  const longest = Math.max(0, ...items.map(({ first }) => first.length));
  const [minimum, maximum] = [counts('minItems'), counts('maxItems')];
  const restOf = items.flatMap(({ rest }) => (rest === undefined ? [] : [rest]));
  // A tuple for which no keyword describes further items has just those that it names.
  const isTuple = longest > 0 && restOf.length === 0;
  const hasRest = !isTuple && !restOf.includes(null);
  const least = Math.max(0, ...minimum, ...(isTuple && minimum.length === 0 ? [Math.min(longest, ...maximum)] : []));
  const most = Math.min(Infinity, ...maximum);
  const partsAt = (index: number): SchemaNode[] => items.flatMap(({ first, rest }) => first[index] ?? rest ?? []);
  const itemAt = (index: number): Expression => {
    const parts = partsAt(index);
    return parts.some(({ schema }) => schema === false) ? nothing : parts.length === 0 ? json.value : context.valueOf(parts);
  };
  const room = Math.min(most, hasRest ? Infinity : longest);
  if (least > room) return nothing;
  const counted = countedArray(context, together, { least, most: room, longest, partsAt, itemAt });
  if (counted !== null) return counted;
  if (room === 0) return json.inBrackets(empty);
  const rest = (from: number): Expression => {
    if (!hasRest || room <= from) return empty;
    return json.grammar.times(json.behindComma(itemAt(Math.max(from, longest))), Math.max(0, least - from), room - from);
  };
  let behind = rest(Math.min(longest, room) || 1);
  for (let index = Math.min(longest, room) - 1; index >= 1; index -= 1) {
    const further = sequence(json.behindComma(itemAt(index)), behind);
    behind = json.grammar.define('items', index < least ? further : optional(further));
  }
  const filled = sequence(itemAt(0), behind, json.space);
  return json.inBrackets(least > 0 ? filled : optional(filled));
}

function itemsOf(nodes: SchemaNodes, node: SchemaNode): Items {
  const { items, prefixItems, additionalItems } = keywordsOf(node);
  if (prefixItems !== undefined && !Array.isArray(prefixItems)) nodes.refuse(node, 'prefixItems', 'must be a list');
  const old = Array.isArray(items);
  const keyword = old ? 'items' : 'prefixItems';
  const first = (old ? items : prefixItems ?? []) as unknown[];
  const others = old ? additionalItems : items;
  return {
    first: first.map((item, index) => nodes.child(node, item, keyword, index)),
    rest: others === undefined ? undefined : others === false ? null : nodes.child(node, others, old ? 'additionalItems' : 'items'),
  };
}
