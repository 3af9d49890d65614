/** What expressions of one schema share. */
import type { Expression } from '../grammar/expression.js';
import type { JsonText } from '../grammar/json-text.js';
import type { SchemaNodes, Together } from './nodes.js';

/** What the expressions of one schema share. */
export interface SchemaContext {
  nodes: SchemaNodes;
  json: JsonText;
  /** The values for which all of `together` hold, as a rule of the grammar. */
  valueOf: (together: Together) => Expression;
}
