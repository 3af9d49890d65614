/** Objects by their properties, in the order of the schema, and by what is said of others. */
import { choice, empty, type Expression, nothing, optional, repeat, sequence, text } from '../grammar/expression.js';
import type { SchemaNode, Together } from './nodes.js';
import { type ObjectShape, type Patterned, shapeOf } from './facets.js';
import { keywordsOf } from './keywords.js';
import type { SchemaContext } from './schema-context.js';
import { keyExpression } from './strings.js';

export function objectExpression(context: SchemaContext, together: Together): Expression {
  const { json } = context;
  const shape = shapeOf(context.nodes, together);
  if ([...shape.required].some((name) => shape.properties.get(name) === null)) return nothing;
  const named = [...shape.properties].filter((entry): entry is [string, Together] => entry[1] !== null);
  if (shape.most === 0) return shape.least > 0 || shape.required.size > 0 ? nothing : json.inBraces(empty);
  refuseCounts(context, together, shape, named.length);
  const pairs = named.map(([name, parts]) => ({ isRequired: shape.required.has(name), pair: json.pair(text(JSON.stringify(name)), context.valueOf(parts)) }));
  const other = otherPair(context, together, shape, named.map(([name]) => name));
  if (pairs.length === 0) {
    if (other === null) return shape.least > 0 ? nothing : json.inBraces(empty);
    const filled = sequence(other, json.grammar.times(json.behindComma(other), Math.max(0, shape.least - 1), shape.most - 1), json.space);
    return json.inBraces(shape.least > 0 ? filled : optional(filled));
  }
  // From the end: what may follow where something was written before, and where nothing was.
  let behind: Expression = other === null ? empty : repeat(json.behindComma(other), 0);
  let first: Expression = other === null ? empty : optional(sequence(other, behind, json.space));
  for (const { isRequired, pair } of [...pairs].reverse()) {
    const begun = sequence(pair, behind, json.space);
    first = json.grammar.define('properties', isRequired ? begun : first === empty ? optional(begun) : choice(begun, first));
    const further = sequence(json.behindComma(pair), behind);
    behind = json.grammar.define('properties', isRequired ? further : choice(further, behind));
  }
  return json.inBraces(shape.least > 0 && shape.required.size === 0 ? notEmpty(context, pairs, other) : first);
}

/** Like the loop above without the way that writes nothing. */
function notEmpty({ json }: SchemaContext, pairs: { pair: Expression }[], other: Expression | null): Expression {
  let behind: Expression = other === null ? empty : repeat(json.behindComma(other), 0);
  const firsts: Expression[] = other === null ? [] : [sequence(other, behind, json.space)];
  for (const { pair } of [...pairs].reverse()) {
    firsts.unshift(sequence(pair, behind, json.space));
    behind = json.grammar.define('properties', choice(sequence(json.behindComma(pair), behind), behind));
  }
  return choice(...firsts);
}

/** A grammar does not count properties that may or may not be there. */
function refuseCounts({ nodes }: SchemaContext, together: Together, shape: ObjectShape, named: number): void {
  const refuse = (keyword: string, reason: string): void => {
    const node = together.find((one) => keywordsOf(one)[keyword] !== undefined);
    if (node !== undefined) nodes.leaveOut(node, keyword, reason);
  };
  const isFree = shape.additional !== null || shape.patterned.length > 0;
  // The same name may be written twice; so two pairs need not be two properties.
  if (shape.least > Math.max(1, shape.required.size)) refuse('minProperties', 'is only supported up to the number of required properties');
  if (shape.most < named && !(named === 0 && isFree)) refuse('maxProperties', 'is only supported where it allows all properties');
  if (isFree && named > 0 && shape.most < Infinity) refuse('maxProperties', 'is only supported for objects without named or without additional properties');
}

/** A property that the schema does not name, by the patterns that are found in its name; null where there is none. */
function otherPair(context: SchemaContext, together: Together, shape: ObjectShape, names: readonly string[]): Expression | null {
  const { nodes, json } = context;
  const keys = together.flatMap((node) => {
    const { propertyNames } = keywordsOf(node);
    return propertyNames === undefined ? [] : [nodes.child(node, propertyNames, 'propertyNames')];
  });
  const { patterned } = shape;
  const pairs: Expression[] = [];
  // The last has no pattern: what is said of all others.
  for (let region = (1 << patterned.length) - 1; region >= 0; region -= 1) {
    const [found, missing] = [patterned.filter((_, index) => (region >> index) % 2 === 1), patterned.filter((_, index) => (region >> index) % 2 === 0)];
    const values = region === 0 ? shape.additional : [...found.map(({ value }) => value), ...uncovered(context, together, found)];
    if (values === null || values.some(({ schema }) => schema === false)) continue;
    const key = keyExpression(context, keys, names, found.map((one) => one.names), missing.map((one) => one.names));
    if (key !== nothing) pairs.push(json.pair(key, values.length === 0 ? json.value : context.valueOf(values)));
  }
  return pairs.length === 0 ? null : json.grammar.define('property', choice(...pairs));
}

/** What parts say of names in which none of their own patterns is found. */
function uncovered({ nodes }: SchemaContext, together: Together, found: readonly Patterned[]): SchemaNode[] {
  return together.flatMap((node) => {
    const { additionalProperties } = keywordsOf(node);
    return additionalProperties === undefined || found.some(({ of }) => of === node) ? [] : [nodes.child(node, additionalProperties, 'additionalProperties')];
  });
}
