/** A JSON schema as a grammar of the documents that are valid for it. */
import { LecternError } from '../../errors.js';
import { choice, type Expression, nothing, sequence, text } from '../grammar/expression.js';
import type { JsonText } from '../grammar/json-text.js';
import { arrayExpression } from './arrays.js';
import { alternativesOf } from './compose.js';
import type { Together } from './nodes.js';
import { literalsTogether, typesTogether } from './facets.js';
import type { TypeName } from './keywords.js';
import { exclusionOf } from './negation.js';
import { SchemaNodes } from './nodes.js';
import { numberExpression } from './numbers.js';
import { objectExpression } from './objects.js';
import type { SchemaContext } from './schema-context.js';
import { stringExpression } from './strings.js';
import { accepts } from './validate.js';

/**
 * Every document of the grammar is valid. Documents that are valid and not of the grammar: those with properties in another order than the schema's, with properties
 * that it does not name where it has `properties` and does not say `additionalProperties`, fewer or more items than `prefixItems` names where nothing says so, values of
 * types that a part without `type` has no keyword for, names beside `patternProperties` where nothing is said of others, multiples of more than 15 digits,
 * spacing beyond JsonText's, escapes where the text is bound to a pattern, numbers beyond some 20 digits.
 * `where` is what the client calls the schema. Throws `invalid_request` for what cannot be kept, with keyword and JSON pointer; `loose` leaves out keywords without which the schema
 * allows more, and a `oneOf` whose members may hold at once is an `anyOf`; `leftOut` then gets them with their places.
 * `simple` leaves out of a loose schema what takes alternatives or counting, too.
 */
export function schemaExpression(json: JsonText, schema: unknown, where: string, loose = false, leftOut: string[] = [], simple = false): Expression {
  const nodes = new SchemaNodes(schema, where, loose, simple);
  const rules = new Map<string, Expression>();
  const flat = new Map<string, Expression>();
  const keyOf = (together: Together): string => together.map(({ id }) => id).join();

  const ruleOf = (made: Map<string, Expression>, together: Together, make: () => Expression): Expression => {
    const key = keyOf(together);
    const found = made.get(key);
    if (found !== undefined) return found;
    const { rule, define } = json.grammar.declare(hintOf(together));
    made.set(key, rule);
    define(make());
    return rule;
  };
  const flatOf = (alternative: Together): Expression => {
    return alternative.length === 0 ? json.value : ruleOf(flat, alternative, () => flatExpression(context, alternative));
  };
  const context: SchemaContext = {
    nodes,
    json,
    valueOf: (together) => {
      const found = rules.get(keyOf(together));
      if (found !== undefined) return found;
      const alternatives = alternativesOf(nodes, together);
      const [only] = alternatives;
      if (alternatives.length === 1 && only !== undefined) return flatOf(only);
      return ruleOf(rules, together, () => choice(...alternatives.map(flatOf)));
    },
  };
  try {
    const made = context.valueOf([nodes.root]);
    leftOut.push(...nodes.leftOut);
    return made;
  } catch (thrown) {
    // Values of `enum` and `const` may nest as deep as they like.
    if (thrown instanceof RangeError) throw new LecternError('invalid_request', `The ${where} nests too deep.`, { cause: thrown });
    throw thrown;
  }
}

/** The place in the schema, for a reader of the grammar. */
function hintOf(together: Together): string {
  return together[0]?.pointer.split('/').filter((step) => !['#', 'properties', '$defs', 'definitions'].includes(step)).join('-') || 'document';
}

function flatExpression(context: SchemaContext, together: Together): Expression {
  const { nodes, json } = context;
  const types = typesTogether(nodes, together);
  const literals = literalsTogether(nodes, together);
  if (literals !== undefined) {
    return choice(...literals.filter((value) => together.every((node) => accepts(nodes, node, value))).map((value) => json.literal(value)));
  }
  const excluded = together.flatMap((node) => exclusionOf(node)?.enum ?? []);
  const named = together.find((node) => exclusionOf(node) !== undefined);
  if (named !== undefined && excluded.some((value) => typeof value === 'object' && value !== null && types.has(Array.isArray(value) ? 'array' : 'object'))) {
    nodes.leaveOut(named, 'not', 'names lists or objects');
  }
  const expressions: Record<TypeName, () => Expression> = {
    null: () => (excluded.includes(null) ? nothing : json.null),
    boolean: () => choice(...[true, false].filter((value) => !excluded.includes(value)).map((value) => text(String(value)))),
    // Whatever is an integer is a number too.
    integer: () => (types.has('number') ? nothing : numberExpression(context, together, true)),
    number: () => numberExpression(context, together, false),
    string: () => sequence(text('"'), stringExpression(context, together), text('"')),
    array: () => arrayExpression(context, together),
    object: () => objectExpression(context, together),
  };
  return choice(...[...types].map((type) => expressions[type]()));
}
