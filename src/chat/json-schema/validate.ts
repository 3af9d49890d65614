/** Whether a value that a schema spells out (`enum`, `const`) is valid for another part of it. */
import { accepts as matches } from '../pattern/automaton.js';
import { spell } from './facets.js';
import { countOf, isObject, keywordsOf, listOf, numberOf, objectOf, type TypeName, typesOf } from './keywords.js';
import { isMultiple } from './multiples.js';
import type { SchemaNode, SchemaNodes } from './nodes.js';
import { automatonOf, patternAutomaton } from './pattern-automaton.js';

/** Throws `invalid_request` where a keyword is malformed. */
export function accepts(nodes: SchemaNodes, node: SchemaNode, value: unknown): boolean {
  const { schema } = node;
  nodes.spend(1);
  if (schema === false) return false;
  const all = (keyword: string): boolean => (listOf(nodes, node, keyword) ?? []).every((member, index) => accepts(nodes, nodes.child(node, member, keyword, index), value));
  const count = (keyword: string): number => (listOf(nodes, node, keyword) ?? []).filter((member, index) => accepts(nodes, nodes.child(node, member, keyword, index), value)).length;
  const types = typesOf(nodes, node);
  if (types !== undefined && !kindsOf(value).some((kind) => types.has(kind))) return false;
  const listed = listOf(nodes, node, 'enum');
  if (listed !== undefined && !spellingsOf(nodes, listed).has(spell(value))) return false;
  if (Object.hasOwn(schema, 'const') && spell(schema['const']) !== spell(value)) return false;
  if (schema['$ref'] !== undefined && !accepts(nodes, nodes.resolve(node, schema['$ref']), value)) return false;
  if (!all('allOf') || (schema['anyOf'] !== undefined && count('anyOf') === 0) || (schema['oneOf'] !== undefined && count('oneOf') !== 1)) return false;
  if (!logicFits(nodes, node, value)) return false;
  if (typeof value === 'number') return numberFits(nodes, node, value);
  if (typeof value === 'string') return stringFits(nodes, node, value);
  if (Array.isArray(value)) return arrayFits(nodes, node, value);
  return !isObject(value) || objectFits(nodes, node, value);
}

function logicFits(nodes: SchemaNodes, node: SchemaNode, value: unknown): boolean {
  const { not, if: test, then, else: other } = keywordsOf(node);
  const fits = (schema: unknown, keyword: string): boolean => accepts(nodes, nodes.child(node, schema, keyword), value);
  if (not !== undefined && fits(not, 'not')) return false;
  if (test === undefined || (then === undefined && other === undefined)) return true;
  return fits(test, 'if') ? then === undefined || fits(then, 'then') : other === undefined || fits(other, 'else');
}

const spelled = new WeakMap<unknown[], ReadonlySet<string>>();

/** Of a list that every value of it is held against. */
function spellingsOf(nodes: SchemaNodes, list: unknown[]): ReadonlySet<string> {
  const known = spelled.get(list);
  if (known !== undefined) return known;
  nodes.spend(list.length);
  const spellings = new Set(list.map(spell));
  spelled.set(list, spellings);
  return spellings;
}

function kindsOf(value: unknown): TypeName[] {
  if (value === null) return ['null'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return Array.isArray(value) ? ['array'] : [typeof value as TypeName];
}

function within(nodes: SchemaNodes, node: SchemaNode, count: number, least: string, most: string): boolean {
  return count >= (countOf(nodes, node, least) ?? 0) && count <= (countOf(nodes, node, most) ?? Infinity);
}

function numberFits(nodes: SchemaNodes, node: SchemaNode, value: number): boolean {
  const bound = (keyword: string): number | undefined => numberOf(nodes, node, keyword);
  const step = bound('multipleOf');
  if (step !== undefined && !isMultiple(value, step)) return false;
  return value >= (bound('minimum') ?? -Infinity) && value <= (bound('maximum') ?? Infinity) && value > (bound('exclusiveMinimum') ?? -Infinity) && value < (bound('exclusiveMaximum') ?? Infinity);
}

function stringFits(nodes: SchemaNodes, node: SchemaNode, value: string): boolean {
  const automata = [automatonOf(nodes, node, 'pattern'), automatonOf(nodes, node, 'format')];
  return within(nodes, node, [...value].length, 'minLength', 'maxLength') && automata.every((automaton) => automaton === null || matches(automaton, value));
}

function arrayFits(nodes: SchemaNodes, node: SchemaNode, value: unknown[]): boolean {
  const { items, prefixItems, additionalItems } = keywordsOf(node);
  if (!within(nodes, node, value.length, 'minItems', 'maxItems')) return false;
  if (keywordsOf(node)['uniqueItems'] === true && new Set(value.map(spell)).size < value.length) return false;
  if (!containsFits(nodes, node, value)) return false;
  const old = Array.isArray(items);
  const keyword = old ? 'items' : 'prefixItems';
  const first = (old ? items : Array.isArray(prefixItems) ? prefixItems : []) as unknown[];
  const others = old ? additionalItems : items;
  return value.every((item, index) => {
    if (index < first.length) return accepts(nodes, nodes.child(node, first[index], keyword, index), item);
    return others === undefined || accepts(nodes, nodes.child(node, others, old ? 'additionalItems' : 'items'), item);
  });
}

function containsFits(nodes: SchemaNodes, node: SchemaNode, value: unknown[]): boolean {
  const { contains } = keywordsOf(node);
  if (contains === undefined) return true;
  const count = value.filter((item) => accepts(nodes, nodes.child(node, contains, 'contains'), item)).length;
  return count >= (countOf(nodes, node, 'minContains') ?? 1) && count <= (countOf(nodes, node, 'maxContains') ?? Infinity);
}

function dependenciesFit(nodes: SchemaNodes, node: SchemaNode, value: Record<string, unknown>): boolean {
  return (['dependentRequired', 'dependentSchemas', 'dependencies'] as const).every((keyword) => Object.entries(objectOf(nodes, node, keyword) ?? {}).every(([name, wanted]) => {
    if (!Object.hasOwn(value, name)) return true;
    return Array.isArray(wanted) ? wanted.every((other) => Object.hasOwn(value, String(other))) : accepts(nodes, nodes.child(node, wanted, keyword, name), value);
  }));
}

function objectFits(nodes: SchemaNodes, node: SchemaNode, value: Record<string, unknown>): boolean {
  const { additionalProperties, propertyNames } = keywordsOf(node);
  const properties = objectOf(nodes, node, 'properties') ?? {};
  const keys = Object.keys(value);
  if (!within(nodes, node, keys.length, 'minProperties', 'maxProperties')) return false;
  if (!(listOf(nodes, node, 'required') ?? []).every((name) => typeof name === 'string' && Object.hasOwn(value, name))) return false;
  if (!dependenciesFit(nodes, node, value)) return false;
  const patterns = Object.entries(objectOf(nodes, node, 'patternProperties') ?? {}).map(([pattern, schema]) => ({ names: patternAutomaton(nodes, node, 'patternProperties', pattern), part: nodes.child(node, schema, 'patternProperties', pattern) }));
  return keys.every((key) => {
    const found = patterns.filter(({ names }) => names !== null && matches(names, key));
    if (!found.every(({ part }) => accepts(nodes, part, value[key]))) return false;
    if (propertyNames !== undefined && !accepts(nodes, nodes.child(node, propertyNames, 'propertyNames'), key)) return false;
    if (Object.hasOwn(properties, key)) return accepts(nodes, nodes.child(node, properties[key], 'properties', key), value[key]);
    return found.length > 0 || additionalProperties === undefined || accepts(nodes, nodes.child(node, additionalProperties, 'additionalProperties'), value[key]);
  });
}
