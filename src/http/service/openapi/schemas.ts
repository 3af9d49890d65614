/** JSON Schemas as short expressions, for the description of the language routes. */
import type { Components, JsonSchema } from '../../conversion/kinds.js';

export const string: JsonSchema = { type: 'string' };
export const boolean: JsonSchema = { type: 'boolean' };
export const integer: JsonSchema = { type: 'integer' };
export const number: JsonSchema = { type: 'number' };
/** Any object. */
export const object: JsonSchema = { type: 'object', additionalProperties: true };
/** Any value. */
export const anything: JsonSchema = {};

export const between = (least: number, most?: number): JsonSchema => ({ type: 'integer', minimum: least, ...(most === undefined ? {} : { maximum: most }) });
export const numberBetween = (least: number, most: number): JsonSchema => ({ type: 'number', minimum: least, maximum: most });
export const listOf = (items: JsonSchema, most?: number): JsonSchema => ({ type: 'array', items, ...(most === undefined ? {} : { maxItems: most }) });
export const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });
export const oneOf = (...words: string[]): JsonSchema => ({ type: 'string', enum: words });
export const constant = (word: string): JsonSchema => ({ type: 'string', const: word });
export const either = (...schemas: JsonSchema[]): JsonSchema => ({ anyOf: schemas });
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [...(Array.isArray(schema['anyOf']) ? schema['anyOf'] as JsonSchema[] : [schema]), { type: 'null' }] });
export const about = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Fields by name; a name that ends in a question mark may be absent. */
export type Shape = Record<string, JsonSchema>;

/** An object of an answer, which may gain further fields. */
export function shape(fields: Shape): JsonSchema {
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'));
  return { type: 'object', properties: Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema])), ...(required.length > 0 ? { required } : {}) };
}

/** A component of that name, and a reference to it. */
export function component(components: Components, name: string, schema: JsonSchema): JsonSchema {
  components.set(name, { title: name, ...schema });
  return ref(name);
}

/**
 * The body of a request from the names that its reader knows. A field that is null counts as absent. Throws for a name without a schema: every parameter that is read
 * is described.
 */
export function body(names: Iterable<string>, required: readonly string[], schemas: Shape): JsonSchema {
  const properties = Object.fromEntries([...names].map((name) => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`The parameter ${name} has no schema.`);
    return [name, required.includes(name) ? schema : orNull(schema)];
  }));
  return { type: 'object', properties, required: [...required] };
}
