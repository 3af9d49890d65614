/** Says the OpenAPI document of 3.1 in the words of 3.0, for clients that know no newer ones. */
import type { OpenApi } from './document.js';

export function toVersion30(document: OpenApi): OpenApi {
  return { ...(convert(document) as OpenApi), openapi: '3.0.3' };
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const made = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, convert(part)])) as Record<string, unknown>;
  return [withoutNull, withoutConst, withoutTuple, withoutExclusive, withoutMediaType].reduce((schema, step) => step(schema), made);
}

type Schema = Record<string, unknown>;

/** A union with null becomes a nullable schema. */
function withoutNull({ anyOf, ...rest }: Schema): Schema {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { ...rest, anyOf };
  const others = anyOf.filter((one: Schema) => one['type'] !== 'null');
  if (others.length === anyOf.length) return { ...rest, anyOf };
  const [only] = others as Schema[];
  if (others.length > 1 || only === undefined) return { ...rest, nullable: true, anyOf: others };
  // Words beside a $ref are not read in 3.0.
  return '$ref' in only ? { ...rest, nullable: true, allOf: [only] } : { ...only, ...rest, nullable: true };
}

function withoutConst({ const: word, ...rest }: Schema): Schema {
  return typeof word === 'string' ? { ...rest, enum: [word] } : { ...rest, ...(word === undefined ? {} : { const: word }) };
}

function withoutTuple({ prefixItems, ...rest }: Schema): Schema {
  return Array.isArray(prefixItems) ? { ...rest, items: prefixItems[0] as unknown } : rest;
}

function withoutExclusive({ exclusiveMinimum, ...rest }: Schema): Schema {
  return typeof exclusiveMinimum === 'number' ? { ...rest, minimum: exclusiveMinimum, exclusiveMinimum: true } : rest;
}

function withoutMediaType({ contentMediaType, ...rest }: Schema): Schema {
  return contentMediaType === 'application/octet-stream' ? { ...rest, format: 'binary' } : rest;
}
