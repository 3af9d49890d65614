/** Numbers by their bounds. */
import type { Expression } from '../grammar/expression.js';
import type { Together } from './compose.js';
import { numberOf } from './keywords.js';
import type { SchemaContext } from './schema.js';

export function numberExpression({ nodes, json }: SchemaContext, together: Together, isInteger: boolean): Expression {
  for (const node of together) {
    for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']) if (numberOf(nodes, node, keyword) !== undefined) nodes.refuse(node, keyword);
  }
  return isInteger ? json.integer : json.number;
}
