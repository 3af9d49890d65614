/** Calls as Python writes them: `get_weather(city="Paris", days=3)`, with literals as arguments. */
import { mismatch } from './cursor.js';
import { type FoundCall, type OfferedTool, type Reading } from './json-calls.js';

/** Modules that models put before the names of their tools. */
const modules = ['default_api.', 'functions.', 'tools.', 'api.'];
const identifier = /[\w.:-]*/y;

/** One call, or a list of them. */
export function readPythonCalls(reading: Reading): void {
  const { cursor } = reading;
  if (cursor.take('[')) {
    do {
      cursor.space();
      reading.calls.push(readCall(reading));
      cursor.space();
    } while (cursor.take(','));
    cursor.expect(']');
    return;
  }
  for (;;) {
    reading.calls.push(readCall(reading));
    const behind = cursor.at;
    cursor.space();
    if (cursor.isAtEnd) return;
    if (cursor.take(';')) cursor.space();
    identifier.lastIndex = cursor.at;
    if ((identifier.exec(cursor.text)?.[0] ?? '') !== '') continue;
    cursor.at = behind;
    return;
  }
}

function readCall(reading: Reading): FoundCall {
  const { cursor, tools } = reading;
  const isPrinted = cursor.text.startsWith('print', cursor.at) && tools.every(({ name }) => name !== 'print');
  if (isPrinted) cursor.expect('print(');
  const tool = readName(reading);
  cursor.expect('(');
  const given = readGiven(reading, tool);
  if (isPrinted) cursor.expect(')');
  return { name: tool.name, arguments: given };
}

function readName({ cursor, tools }: Reading): OfferedTool {
  const isBegun = (begun: string): boolean => [...modules, 'print('].some((word) => word.startsWith(begun) || begun.startsWith(word)) || tools.some(({ name }) => name.startsWith(begun) || `${name}.call`.startsWith(begun));
  const written = cursor.match(identifier, isBegun);
  const bare = modules.reduce((name, module) => (name.startsWith(module) ? name.slice(module.length) : name), written);
  const tool = tools.find(({ name }) => name === written || name === bare || `${name}.call` === bare);
  if (tool === undefined) throw mismatch;
  return tool;
}

/** Up to the bracket that ends them. Arguments without a name take the names of the tool's parameters in order. */
function readGiven({ cursor }: Reading, { parameters }: OfferedTool): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  cursor.space();
  for (let index = 0; !cursor.take(')'); index += 1) {
    const begin = cursor.at;
    const name = cursor.match(/[A-Za-z_]\w*/y);
    cursor.space();
    const isNamed = name !== '' && cursor.take('=');
    if (!isNamed) cursor.at = begin;
    const key = isNamed ? name : parameters[index]?.name;
    cursor.space();
    const value = readLiteral(cursor);
    if (key === undefined || Object.hasOwn(given, key)) throw mismatch;
    Object.defineProperty(given, key, { value, enumerable: true, configurable: true, writable: true });
    cursor.space();
    if (cursor.take(',')) cursor.space();
    else if (cursor.peek() !== ')') throw mismatch;
  }
  return given;
}

const words: Record<string, unknown> = { True: true, true: true, False: false, false: false, None: null, null: null };
const deepest = 100;

function readLiteral(cursor: Reading['cursor'], depth = 0): unknown {
  if (depth > deepest) throw mismatch;
  const first = cursor.peek();
  if (first === '"' || first === "'") return readText(cursor);
  if (first === '[' || first === '(') return readList(cursor, first === '[' ? ']' : ')', depth);
  if (first === '{') return readDictionary(cursor, depth);
  const word = cursor.match(/[\w.+-]*/y);
  if (Object.hasOwn(words, word)) return words[word];
  if (!/^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word)) throw mismatch;
  return Number(word.replaceAll('_', ''));
}

function readList(cursor: Reading['cursor'], end: string, depth: number): unknown[] {
  const items: unknown[] = [];
  cursor.at += 1;
  cursor.space();
  while (!cursor.take(end)) {
    items.push(readLiteral(cursor, depth + 1));
    cursor.space();
    if (cursor.take(',')) cursor.space();
    else if (cursor.peek() !== end) throw mismatch;
  }
  return items;
}

function readDictionary(cursor: Reading['cursor'], depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  cursor.at += 1;
  cursor.space();
  while (!cursor.take('}')) {
    const key = readLiteral(cursor, depth + 1);
    cursor.space();
    cursor.expect(':');
    cursor.space();
    entries.push([String(key), readLiteral(cursor, depth + 1)]);
    cursor.space();
    if (cursor.take(',')) cursor.space();
    else if (cursor.peek() !== '}') throw mismatch;
  }
  return Object.fromEntries(entries);
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', 0: '\0', '\n': '' };

function readText(cursor: Reading['cursor']): string {
  const quote = ['"""', "'''", '"', "'"].find((one) => cursor.take(one)) as string;
  let text = '';
  while (!cursor.take(quote)) {
    if (cursor.isAtEnd) throw mismatch;
    const character = cursor.text.charAt(cursor.at++);
    if (character !== '\\') {
      text += character;
      continue;
    }
    if (cursor.isAtEnd) throw mismatch;
    const letter = cursor.text.charAt(cursor.at++);
    const digits = { x: 2, u: 4 }[letter];
    if (digits === undefined) text += escapes[letter] ?? (/["'\\]/.test(letter) ? letter : `\\${letter}`);
    else text += String.fromCharCode(Number.parseInt(cursor.match(new RegExp(`[0-9a-fA-F]{0,${digits}}`, 'y')) || '0', 16));
  }
  return text;
}
