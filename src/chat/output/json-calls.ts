/** Calls as JSON: `{"name": ..., "arguments": {...}}`, several of them, or a list, with the names of keys that models use. whole-calls.ts decides whether an answer is calls. */
import { type Cursor, mismatch, unfinished } from './cursor.js';

/** A tool that an answer may call. */
export interface OfferedTool {
  name: string;
  /** In the order of its schema. `isText`: its values are strings, so that a bare word is none of another type. */
  parameters: { name: string; isText: boolean }[];
}

export interface FoundCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What is known of calls while they are read. */
export interface Reading {
  cursor: Cursor;
  tools: readonly OfferedTool[];
  calls: FoundCall[];
  /** Of the object that is being read: its tool, and where its arguments begin. */
  begun: { name: string; argumentsAt: number | null } | null;
}

const nameKeys = ['name', 'tool', 'tool_name'];
const argumentKeys = ['arguments', 'parameters', 'args'];
/** They may stand beside these and mean nothing here. */
const otherKeys = ['type', 'id', 'index', 'call_id'];
const knownKeys = [...nameKeys, ...argumentKeys, ...otherKeys, 'function'];

/** One object, several one after another, or a list of them. */
export function readJsonCalls(reading: Reading): void {
  const { cursor } = reading;
  if (cursor.take('[')) {
    do {
      cursor.space();
      reading.calls.push(readObject(reading));
      cursor.space();
    } while (cursor.take(','));
    cursor.expect(']');
    return;
  }
  for (;;) {
    reading.calls.push(readObject(reading));
    const behind = cursor.at;
    cursor.space();
    if (cursor.isAtEnd) return;
    if (cursor.take(',') || cursor.take(';')) cursor.space();
    if (cursor.peek() === '{') continue;
    cursor.at = behind;
    return;
  }
}

/** An object of arguments behind the tool's name. */
export function readArguments(reading: Reading, name: string): void {
  const { cursor } = reading;
  cursor.space();
  if (cursor.peek() !== '{') throw mismatch;
  reading.begun = { name, argumentsAt: cursor.at };
  reading.calls.push(callOf(reading, name, readValue(cursor)));
  reading.begun = null;
}

/** `{"name": ..., "arguments": ...}` in any order, or OpenAI's object around it. Fails with the first key or name that no call has. */
function readObject(reading: Reading, isInner = false): FoundCall {
  const { cursor } = reading;
  let [name, values]: [string | undefined, unknown] = [undefined, undefined];
  let inner: FoundCall | undefined;
  cursor.expect('{');
  do {
    cursor.space();
    const key = readWord(cursor, knownKeys);
    cursor.space();
    cursor.expect(':');
    cursor.space();
    if (key === 'function' && !isInner && cursor.peek() === '{') inner = readObject(reading, true);
    else if (nameKeys.includes(key) || key === 'function') {
      name = readWord(cursor, reading.tools.map((tool) => tool.name));
      reading.begun = { name, argumentsAt: reading.begun?.argumentsAt ?? null };
    } else {
      if (argumentKeys.includes(key) && reading.begun !== null) reading.begun.argumentsAt = cursor.at;
      const value = readValue(cursor);
      if (argumentKeys.includes(key)) values = value;
    }
    cursor.space();
  } while (cursor.take(','));
  cursor.expect('}');
  reading.begun = null;
  if (inner !== undefined) return inner;
  if (name === undefined || values === undefined) throw mismatch;
  return callOf(reading, name, values);
}

/** A string that is one of `words`. */
function readWord(cursor: Cursor, words: readonly string[]): string {
  cursor.expect('"');
  const begin = cursor.at;
  const found = cursor.match(/[^"\\]*(?:\\.[^"\\]*)*/y, (begun) => words.some((word) => word.startsWith(begun)));
  cursor.expect('"');
  const word = parsed(cursor.text.slice(begin - 1, begin + found.length + 1));
  if (typeof word !== 'string' || !words.includes(word)) throw mismatch;
  return word;
}

/** Any value of JSON. */
function readValue(cursor: Cursor): unknown {
  const begin = cursor.at;
  const first = cursor.peek();
  if (first === '{' || first === '[' || first === '"') skipNested(cursor);
  else if (cursor.match(/[\w.+-]*/y) === '') throw mismatch;
  return parsed(cursor.text.slice(begin, cursor.at));
}

const notable = /["{}[\]]/g;
const stringEnd = /[^"\\]*(?:\\.[^"\\]*)*"/ys;

/** Moves behind the string, object or list that begins here. */
function skipNested(cursor: Cursor): void {
  const { text } = cursor;
  let depth = 0;
  do {
    notable.lastIndex = cursor.at;
    const found = notable.exec(text);
    if (found === null) throw cursor.isWhole ? mismatch : unfinished;
    cursor.at = found.index + 1;
    if (found[0] === '"') {
      stringEnd.lastIndex = cursor.at;
      if (stringEnd.exec(text) === null) throw cursor.isWhole ? mismatch : unfinished;
      cursor.at = stringEnd.lastIndex;
    } else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
  } while (depth > 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw mismatch;
  }
}

/** Arguments are an object, or the text of one. A tool's own description has the same keys, and a schema where the arguments are. */
export function callOf({ tools }: Pick<Reading, 'tools'>, name: string, values: unknown): FoundCall {
  const given = typeof values === 'string' ? parsed(values) : values;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw mismatch;
  const tool = tools.find((one) => one.name === name);
  const isSchema = Object.hasOwn(given, 'properties') && Object.hasOwn(given, 'type') && tool?.parameters.every((parameter) => parameter.name !== 'properties') === true;
  if (tool === undefined || isSchema) throw mismatch;
  return { name, arguments: given as Record<string, unknown> };
}
