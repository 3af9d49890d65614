/** Keywords of one part of a schema, read with their kinds checked. */
import type { SchemaNode, SchemaNodes, SchemaObject } from './nodes.js';

export const typeNames = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type TypeName = (typeof typeNames)[number];

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function keywordsOf(node: SchemaNode): SchemaObject {
  return node.schema === false ? {} : node.schema;
}

/** Throws `invalid_request` for what is no count. */
export function countOf(nodes: SchemaNodes, node: SchemaNode, keyword: string): number | undefined {
  const value = keywordsOf(node)[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) nodes.refuse(node, keyword, 'must be a whole number that is not negative');
  return value;
}

export function numberOf(nodes: SchemaNodes, node: SchemaNode, keyword: string): number | undefined {
  const value = keywordsOf(node)[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) nodes.refuse(node, keyword, 'must be a number');
  return value;
}

export function listOf(nodes: SchemaNodes, node: SchemaNode, keyword: string): unknown[] | undefined {
  const value = keywordsOf(node)[keyword];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) nodes.refuse(node, keyword, 'must be a list');
  return value;
}

export function objectOf(nodes: SchemaNodes, node: SchemaNode, keyword: string): SchemaObject | undefined {
  const value = keywordsOf(node)[keyword];
  if (value === undefined) return undefined;
  if (!isObject(value)) nodes.refuse(node, keyword, 'must be an object');
  return value;
}

export function stringOf(nodes: SchemaNodes, node: SchemaNode, keyword: string): string | undefined {
  const value = keywordsOf(node)[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') nodes.refuse(node, keyword, 'must be a string');
  return value;
}

/** Undefined where the part names none. */
export function typesOf(nodes: SchemaNodes, node: SchemaNode): ReadonlySet<TypeName> | undefined {
  const { type, nullable } = keywordsOf(node);
  if (type === undefined) return undefined;
  const named: unknown[] = Array.isArray(type) ? type : [type];
  for (const name of named) if (!typeNames.includes(name as TypeName)) nodes.refuse(node, 'type', `must be of ${typeNames.join(', ')}`);
  return new Set([...named as TypeName[], ...(nullable === true ? ['null' as const] : [])]);
}

const families: ReadonlyMap<string, TypeName> = new Map(Object.entries<TypeName>({
  properties: 'object', required: 'object', additionalProperties: 'object', propertyNames: 'object', minProperties: 'object', maxProperties: 'object',
  items: 'array', prefixItems: 'array', additionalItems: 'array', minItems: 'array', maxItems: 'array', uniqueItems: 'array',
  minLength: 'string', maxLength: 'string', pattern: 'string', format: 'string',
  minimum: 'number', maximum: 'number', exclusiveMinimum: 'number', exclusiveMaximum: 'number', multipleOf: 'number',
}));

/** What the author of a part without a type must have meant: the types that its keywords speak of. Undefined where they speak of none. */
export function impliedTypes(node: SchemaNode): ReadonlySet<TypeName> | undefined {
  const implied = Object.keys(keywordsOf(node)).flatMap((keyword) => families.get(keyword) ?? []);
  return implied.length === 0 ? undefined : new Set(implied);
}

/** Both sets; an integer is a number. */
export function intersectTypes(left: ReadonlySet<TypeName>, right: ReadonlySet<TypeName>): Set<TypeName> {
  const both = new Set<TypeName>();
  for (const name of left) {
    if (right.has(name) || (name === 'integer' && right.has('number'))) both.add(name);
    else if (name === 'number' && right.has('integer')) both.add('integer');
  }
  return both;
}
