/** The syntax tree of a Jinja template: calls that the package answers otherwise than Python are led to functions of ours. */
import { parse, tokenize } from '@huggingface/jinja';

/** Loosely typed: the package exports no types of its tree. */
export interface Node {
  type: string;
  [key: string]: unknown;
}

export interface Found {
  words: ReadonlySet<string>;
  sought: readonly string[];
}

/** Our function instead of a string's method or a filter. A space before the name: no template can write it. */
const ourNames: ReadonlySet<string> = new Set(['strip', 'lstrip', 'rstrip', 'replace', 'split', 'trim', 'join', 'indent']);
/** No control token is spelled so. */
const wordlike = /^[A-Za-z_][\w .-]*$/;
const searches: ReadonlySet<string> = new Set(['in', 'not in', '==', '!=']);

export function isNode(value: unknown, type?: string): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string' && (type === undefined || (value as Node).type === type);
}

/** Changes `program` in place; tells its words and what it seeks inside of strings. */
export function rewriteCalls(program: unknown): Found {
  const words = new Set<string>();
  const sought = new Set<string>();
  rewrite(program, { words, sought });
  return { words, sought: [...sought].filter((literal) => literal.trim() !== '' && !wordlike.test(literal)).sort((one, other) => other.length - one.length) };
}

function rewrite(value: unknown, found: { words: Set<string>; sought: Set<string> }): unknown {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = rewrite(item, found);
    return value;
  }
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [rewrite(key, found), rewrite(item, found)]));
  if (!isNode(value)) return value;
  note(value, found);
  for (const key of Object.keys(value)) value[key] = rewrite(value[key], found);
  return ledToOurs(value) ?? value;
}

function note(node: Node, { words, sought }: { words: Set<string>; sought: Set<string> }): void {
  if ((node.type === 'Identifier' || node.type === 'StringLiteral') && wordlike.test(String(node.value))) words.add(String(node.value));
  const seek = (operand: unknown): void => {
    if (isNode(operand, 'StringLiteral')) sought.add(String(operand.value));
  };
  if (node.type === 'BinaryExpression' && searches.has(String((node.operator as { value?: unknown }).value))) [node.left, node.right].forEach(seek);
  if (node.type === 'CallExpression' && isNode(node.callee, 'MemberExpression')) (node.args as unknown[]).forEach(seek);
}

function ledToOurs(node: Node): Node | null {
  if (node.type === 'CallExpression' && isNode(node.callee, 'MemberExpression') && node.callee.computed !== true) {
    const { object, property } = node.callee;
    const name = isNode(property, 'Identifier') ? String(property.value) : '';
    return name !== 'trim' && name !== 'join' && ourNames.has(name) ? callOf(name, [object, ...(node.args as unknown[])]) : null;
  }
  if (node.type !== 'FilterExpression') return null;
  const { filter, operand } = node;
  if (isNode(filter, 'Identifier') && ourNames.has(String(filter.value))) return callOf(String(filter.value), [operand]);
  if (!isNode(filter, 'CallExpression') || !isNode(filter.callee, 'Identifier') || !ourNames.has(String(filter.callee.value))) return null;
  return callOf(String(filter.callee.value), [operand, ...(filter.args as unknown[])]);
}

function callOf(name: string, args: unknown[]): Node {
  const made = parse(tokenize('{{ name() }}')).body[0] as unknown as Node;
  (made.callee as Node).value = ` ${name}`;
  made.args = args;
  return made;
}
