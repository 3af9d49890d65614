/** Objects with named fields, and unions of them: built from kinds, read and described like these. */
import type { Issue } from '../error-reply.js';
import { isRecord, type JsonSchema, type Kind, type ValueOf } from './kinds.js';

export interface Field<T> {
  kind: Kind<T>;
  /** Absent: the field is required. */
  default?: T;
  help?: string;
}

export type Fields = Record<string, Field<unknown>>;
export type ModelOf<F> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export interface Model<T> extends Kind<T> {
  name: string;
  fields: Fields;
}

export function field<T>(kind: Kind<T>, help: string, fallback?: T): Field<T> {
  return { kind, help, ...(fallback === undefined ? {} : { default: fallback }) };
}

/** Keys it does not know are passed over. `check` sees the whole and may add issues of its own. */
export function model<F extends Fields>(name: string, help: string, fields: F, check?: (value: ModelOf<F>, issues: Issue[]) => void): Model<ModelOf<F>> {
  return {
    name,
    fields,
    jsonText: true,
    read(value, at, issues) {
      if (!isRecord(value)) {
        issues.push({ type: 'model_attributes_type', loc: at, msg: 'Input should be a valid dictionary or object to extract fields from' });
        return undefined;
      }
      const before = issues.length;
      const entries = Object.entries(fields).map(([key, { kind, default: fallback }]) => {
        if (Object.hasOwn(value, key)) return [key, kind.read(value[key], [...at, key], issues)];
        if (fallback === undefined) issues.push({ type: 'missing', loc: [...at, key], msg: 'Field required' });
        return [key, fallback];
      });
      if (issues.length > before) return undefined;
      const made = Object.fromEntries(entries) as ModelOf<F>;
      const found: Issue[] = [];
      check?.(made, found);
      issues.push(...found.map((issue) => ({ ...issue, loc: [...at, ...issue.loc] })));
      return found.length > 0 ? undefined : made;
    },
    describe(components) {
      if (!components.has(name)) {
        components.set(name, {});
        const properties = Object.entries(fields).map(([key, one]) => [key, describeField(one, components)]);
        const required = Object.entries(fields).filter(([, one]) => one.default === undefined).map(([key]) => key);
        components.set(name, {
          type: 'object', title: name, description: help, properties: Object.fromEntries(properties),
          ...(required.length > 0 ? { required } : {}),
        });
      }
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

export function describeField(one: Field<unknown>, components: Map<string, JsonSchema>): JsonSchema {
  return {
    ...one.kind.describe(components),
    ...(one.help === undefined ? {} : { description: one.help }),
    // Generators of clients take no objects as defaults.
    ...(one.default === undefined || one.default === null || isRecord(one.default) ? {} : { default: one.default }),
  };
}

/** One of several models, told apart by the word at `tag`; the word is part of the location of issues inside. */
export function union<M extends Record<string, Model<unknown>>>(tag: string, members: M): Kind<{ [K in keyof M]: ValueOf<M[K]> }[keyof M]> {
  return {
    jsonText: true,
    read(value, at, issues) {
      if (!isRecord(value)) {
        issues.push({ type: 'model_attributes_type', loc: at, msg: 'Input should be a valid dictionary or object to extract fields from' });
        return undefined;
      }
      const word = value[tag];
      if (word === undefined) {
        issues.push({ type: 'union_tag_not_found', loc: at, msg: `Unable to extract tag using discriminator '${tag}'` });
        return undefined;
      }
      const member = typeof word === 'string' && Object.hasOwn(members, word) ? members[word] : undefined;
      if (member === undefined) {
        const expected = Object.keys(members).map((name) => `'${name}'`).join(', ');
        const found = String(typeof word === 'object' ? JSON.stringify(word) : word).slice(0, 100);
        issues.push({ type: 'union_tag_invalid', loc: at, msg: `Input tag '${found}' found using '${tag}' does not match any of the expected tags: ${expected}` });
        return undefined;
      }
      return member.read(value, [...at, word as string], issues) as { [K in keyof M]: ValueOf<M[K]> }[keyof M] | undefined;
    },
    describe(components) {
      const described = Object.entries(members).map(([word, member]) => [word, member.describe(components)] as const);
      const mapping = Object.fromEntries(described.map(([word, schema]) => [word, schema['$ref']]));
      return { oneOf: described.map(([, schema]) => schema), discriminator: { propertyName: tag, mapping } };
    },
  };
}
