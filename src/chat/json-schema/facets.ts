/** What parts that hold together say of one value: its types, its only values, the shape of an object. */
import { accepts, type Automaton } from '../pattern/automaton.js';
import { patternAutomaton } from './pattern-automaton.js';
import type { Together } from './nodes.js';
import { countOf, impliedTypes, intersectTypes, keywordsOf, listOf, objectOf, type TypeName, typeNames, typesOf } from './keywords.js';
import type { SchemaNode, SchemaNodes } from './nodes.js';

/** Without a type those that the keywords speak of; without any keyword all. */
export function typesTogether(nodes: SchemaNodes, together: Together): ReadonlySet<TypeName> {
  const named = together.flatMap((node) => typesOf(nodes, node) ?? []);
  if (named.length > 0) return named.reduce((left, right) => intersectTypes(left, right));
  const implied = together.flatMap((node) => [...impliedTypes(node) ?? []]);
  return new Set(implied.length > 0 ? implied : typeNames);
}

/** The values that `enum` and `const` leave, undefined without them. */
export function literalsTogether(nodes: SchemaNodes, together: Together): unknown[] | undefined {
  let left: unknown[] | undefined;
  for (const node of together) {
    const keywords = keywordsOf(node);
    const lists = [listOf(nodes, node, 'enum'), Object.hasOwn(keywords, 'const') ? [keywords['const']] : undefined];
    for (const list of lists) {
      if (list === undefined) continue;
      nodes.spend(list.length);
      const spelled = new Map(list.map((value) => [spell(value), value]));
      left = left === undefined ? [...spelled.values()] : left.filter((value) => spelled.has(spell(value)));
    }
  }
  return left;
}

/** Equal for equal JSON values, in whatever order their keys are. */
export function spell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spell).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => `${JSON.stringify(key)}:${spell(item)}`).join()}}`;
}

/** `patternProperties` of one part: the values of names in which a pattern is found, in place of its `additionalProperties`. */
export interface Patterned {
  of: SchemaNode;
  names: Automaton;
  value: SchemaNode;
}

export interface ObjectShape {
  /** In the order of the schema; null for one that no value fits. */
  properties: Map<string, Together | null>;
  required: ReadonlySet<string>;
  /** Names by patterns, beside `properties`. */
  patterned: readonly Patterned[];
  /** Of properties that are not named and of which no pattern is found in the name; null where there are none. Where `properties` are given, were it none, and nothing is said of others, there are none either. */
  additional: Together | null;
  /** The schema itself forbids others. */
  isClosed: boolean;
  least: number;
  most: number;
}

export function shapeOf(nodes: SchemaNodes, together: Together): ObjectShape {
  const named = together.map((node) => [node, objectOf(nodes, node, 'properties') ?? {}] as const);
  const required = new Set(together.flatMap((node) => requiredOf(nodes, node)));
  const names = new Set([...named.flatMap(([, properties]) => Object.keys(properties)), ...required]);
  nodes.spend(names.size * together.length);
  const others = together.map((node) => additionalOf(nodes, node));
  const patterned = patternsTogether(nodes, together);
  const isClosed = others.some((other) => other?.schema === false);
  const namesSome = together.some((node) => !node.isMade && keywordsOf(node)['properties'] !== undefined) || patterned.length > 0;
  const isOpen = !isClosed && (!namesSome || others.some((other) => other !== undefined));
  const of = (name: string): Together | null => {
    const parts = named.flatMap(([node, properties], index): SchemaNode[] => {
      const own = Object.hasOwn(properties, name) ? [nodes.child(node, properties[name], 'properties', name)] : [];
      const found = patterned.flatMap((one) => (one.of === node && accepts(one.names, name) ? [one.value] : []));
      const other = others[index];
      return own.length > 0 || found.length > 0 || other === undefined ? [...own, ...found] : [other];
    });
    return parts.some(({ schema }) => schema === false) ? null : parts;
  };
  const counts = (keyword: string): number[] => together.flatMap((node) => countOf(nodes, node, keyword) ?? []);
  return {
    properties: new Map([...names].map((name) => [name, of(name)])),
    required,
    patterned,
    additional: isOpen ? others.flatMap((other) => other ?? []) : null,
    isClosed,
    least: Math.max(0, ...counts('minProperties')),
    most: Math.min(Infinity, ...counts('maxProperties')),
  };
}

function additionalOf(nodes: SchemaNodes, node: SchemaNode): SchemaNode | undefined {
  const { additionalProperties } = keywordsOf(node);
  return additionalProperties === undefined ? undefined : nodes.child(node, additionalProperties, 'additionalProperties');
}

/** Of one object: each subset of them is found in names of its own. */
const mostPatterns = 4;

function patternsTogether(nodes: SchemaNodes, together: Together): Patterned[] {
  const made: Patterned[] = [];
  for (const node of together) {
    for (const [pattern, value] of nodes.isSimple ? [] : Object.entries(objectOf(nodes, node, 'patternProperties') ?? {})) {
      const names = patternAutomaton(nodes, node, 'patternProperties', pattern);
      if (names === null) continue;
      if (made.length < mostPatterns) made.push({ of: node, names, value: nodes.child(node, value, 'patternProperties', pattern) });
      else nodes.leaveOut(node, 'patternProperties', `has more than ${mostPatterns} patterns, together with what stands beside it`);
    }
  }
  return made;
}

function requiredOf(nodes: SchemaNodes, node: SchemaNode): string[] {
  const names = listOf(nodes, node, 'required') ?? [];
  if (!names.every((name) => typeof name === 'string')) nodes.refuse(node, 'required', 'must be a list of names');
  return names;
}
