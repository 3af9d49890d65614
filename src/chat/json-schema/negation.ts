/** What holds where a part of a schema does not: `not`, and the other branch of `if`. */
import { countOf, isObject, keywordsOf, listOf, numberOf, objectOf, type TypeName, typeNames, typesOf } from './keywords.js';
import type { SchemaNode, SchemaNodes, SchemaObject } from './nodes.js';

const describing = new Set(['title', 'description', 'default', 'examples', '$schema', '$id', '$comment', '$defs', 'definitions', '$anchor']);
/** Of one part. */
const mostMembers = 64;

/** Parts of which at least one holds just where `node` does not; null where no other keywords say that. Numbers that are no integers are left out beside `type: integer`. */
export function negated(nodes: SchemaNodes, node: SchemaNode): readonly SchemaNode[] | null {
  const known = nodes.negations.get(node);
  if (known !== undefined) return known;
  const made = negate(nodes, node);
  const members = made === null || made.length > mostMembers ? null : made.map((schema) => nodes.make(schema, node.pointer));
  nodes.negations.set(node, members);
  return members;
}

/** A part that holds where `schema`, a part of `node`, does not. */
export function notOf(nodes: SchemaNodes, node: SchemaNode, schema: unknown): SchemaObject | boolean {
  if (typeof schema === 'boolean') return !schema;
  const known = nodes.opposites.get(schema as object);
  if (known !== undefined) return known;
  const made = { not: schema };
  nodes.opposites.set(schema as object, made);
  nodes.at(made, node.pointer);
  return made;
}

type Rule = (nodes: SchemaNodes, node: SchemaNode, schema: SchemaObject) => (SchemaObject | boolean)[] | null;

function bounded(type: TypeName, least: string, most: string): Record<string, Rule> {
  const count = (nodes: SchemaNodes, node: SchemaNode, keyword: string): number => countOf(nodes, node, keyword) ?? 0;
  return {
    [least]: (nodes, node) => (count(nodes, node, least) === 0 ? [] : [{ type, [most]: count(nodes, node, least) - 1 }]),
    [most]: (nodes, node) => [{ type, [least]: count(nodes, node, most) + 1 }],
  };
}

function number(keyword: string, opposite: string): Record<string, Rule> {
  return { [keyword]: (nodes, node) => [{ type: 'number', [opposite]: numberOf(nodes, node, keyword) }] };
}

const rules: Record<string, Rule> = {
  const: (_, __, schema) => [{ not: { enum: [schema['const']] } }],
  enum: (nodes, node) => [{ not: { enum: listOf(nodes, node, 'enum') ?? [] } }],
  type: (nodes, node) => {
    const types = typesOf(nodes, node) ?? new Set<TypeName>();
    return [{ type: typeNames.filter((name) => !types.has(name) && !(name === 'integer' && types.has('number')) && !(name === 'number' && types.has('integer'))) }];
  },
  // Beside `type` alone, which reads it.
  nullable: () => [],
  ...number('minimum', 'exclusiveMaximum'), ...number('exclusiveMinimum', 'maximum'), ...number('maximum', 'exclusiveMinimum'), ...number('exclusiveMaximum', 'minimum'),
  ...bounded('string', 'minLength', 'maxLength'), ...bounded('array', 'minItems', 'maxItems'), ...bounded('object', 'minProperties', 'maxProperties'),
  pattern: (_, __, schema) => [{ type: 'string', not: { pattern: schema['pattern'] } }],
  required: (nodes, node) => (listOf(nodes, node, 'required') ?? []).map((name) => ({ type: 'object', properties: { [String(name)]: false } })),
  properties: (nodes, node) => Object.entries(objectOf(nodes, node, 'properties') ?? {}).map(([name, schema]) => ({ type: 'object', required: [name], properties: { [name]: notOf(nodes, node, schema) } })),
  items: (nodes, node, schema) => (Array.isArray(schema['items']) || schema['prefixItems'] !== undefined ? null : [{ type: 'array', contains: notOf(nodes, node, schema['items']) }]),
  contains: (nodes, node, schema) => (schema['minContains'] !== undefined || schema['maxContains'] !== undefined ? null : [{ type: 'array', items: notOf(nodes, node, schema['contains']) }]),
  allOf: (nodes, node) => (listOf(nodes, node, 'allOf') ?? []).map((member) => notOf(nodes, node, member)),
  anyOf: (nodes, node) => [{ allOf: (listOf(nodes, node, 'anyOf') ?? []).map((member) => notOf(nodes, node, member)) }],
  not: (nodes, node, schema) => [nodes.child(node, schema['not'], 'not').schema],
  $ref: (nodes, node, schema) => {
    const named = nodes.resolve(node, schema['$ref']);
    return [notOf(nodes, named, named.schema)];
  },
};

function negate(nodes: SchemaNodes, node: SchemaNode): (SchemaObject | boolean)[] | null {
  if (node.schema === false) return [true];
  const schema = keywordsOf(node);
  const made: (SchemaObject | boolean)[] = [];
  for (const keyword of Object.keys(schema)) {
    if (describing.has(keyword)) continue;
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    const members = rule?.(nodes, node, schema) ?? null;
    if (members === null) return null;
    nodes.spend(members.length);
    made.push(...members);
  }
  return made;
}

/** Values and texts that a part made by `negated` excludes; undefined for any other part. */
export function exclusionOf({ isMade, schema }: SchemaNode): { enum?: unknown[]; pattern?: string } | undefined {
  const not = isMade && schema !== false ? schema['not'] : undefined;
  return isObject(not) ? not : undefined;
}
