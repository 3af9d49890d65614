/** Patterns and formats of a schema as automata, made once. */
import type { Automaton } from '../pattern/automaton.js';
import { compilePattern } from '../pattern/compile.js';
import { PatternRefusal } from '../pattern/parse.js';
import { formatPattern } from './formats.js';
import { stringOf } from './keywords.js';
import type { SchemaNode, SchemaNodes } from './nodes.js';

const compiled = new Map<string, Automaton>();
const mostCompiled = 64;

/** Null where the part has no such keyword, a format that every text has, or one that is left out. */
export function automatonOf(nodes: SchemaNodes, node: SchemaNode, keyword: 'pattern' | 'format'): Automaton | null {
  const value = stringOf(nodes, node, keyword);
  if (value === undefined) return null;
  const pattern = keyword === 'pattern' ? value : formatPattern(value);
  if (pattern === null) nodes.leaveOut(node, keyword, `'${value.slice(0, 100)}' is not supported`);
  if (pattern === null || keyword === 'format' && pattern === '') return null;
  return patternAutomaton(nodes, node, keyword, pattern);
}

/** Null where the pattern is left out, under the name of `keyword`. */
export function patternAutomaton(nodes: SchemaNodes, node: SchemaNode, keyword: string, pattern: string): Automaton | null {
  return keptOrLeftOut(nodes, node, keyword, () => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const automaton = compilePattern(nodes.effort, pattern);
    const [oldest] = compiled.keys();
    if (compiled.size >= mostCompiled && oldest !== undefined) compiled.delete(oldest);
    compiled.set(pattern, automaton);
    return automaton;
  });
}

/** Null where `make` refuses and the keyword is left out. */
export function keptOrLeftOut<Made>(nodes: SchemaNodes, node: SchemaNode, keyword: string, make: () => Made): Made | null {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof PatternRefusal)) throw thrown;
    nodes.leaveOut(node, keyword, thrown.message);
    return null;
  }
}
