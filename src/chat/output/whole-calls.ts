/** Whole answers that are calls of tools, in whichever family's form a model writes them. */
import type { OutputPart } from '../conversation.js';
import { Cursor, mismatch, unfinished } from './cursor.js';
import { callOf, type FoundCall, type OfferedTool, readArguments, readJsonCalls, type Reading } from './json-calls.js';
import { readPythonCalls } from './python-calls.js';

/** Languages of a Markdown fence around calls. One of `python` shows code to a reader. */
const fenceLanguages = ['', 'json', 'xml', 'tool_call', 'tool_calls', 'tool', 'tool_code'];

/** What stands around calls: Hermes and Qwen, Granite and Phi, others after them, LFM, SmolLM's Python, Llama, Mistral, Phi-4-mini. */
const tags: readonly (readonly [open: string, close: string])[] = [
  ['<tool_call>', '</tool_call>'], ['<|tool_call|>', '<|/tool_call|>'], ['<tool_calls>', '</tool_calls>'], ['<function_call>', '</function_call>'], ['<tools>', '</tools>'],
  ['<|tool_call_start|>', '<|tool_call_end|>'], ['<code>', '</code>'], ['<|python_tag|>', ''], ['[TOOL_CALLS]', ''], ['functools', ''],
];

/** The whole answer, white space around it aside. Throws `mismatch` for any other text, `unfinished` for one that may become such an answer. */
function readAnswer(reading: Reading): void {
  const { cursor } = reading;
  cursor.space();
  const isFenced = cursor.take('```');
  if (isFenced) {
    const language = cursor.match(/[a-z_]*/y, (begun) => fenceLanguages.some((one) => one.startsWith(begun)));
    if (!fenceLanguages.includes(language)) throw mismatch;
    cursor.space();
  }
  readGroups(reading);
  cursor.space();
  if (isFenced && !cursor.isAtEnd) cursor.expect('```');
  cursor.space();
  if (!cursor.isAtEnd) throw mismatch;
}

/** Calls with tags around them, one group behind the other, or calls without any. */
function readGroups(reading: Reading): void {
  const { cursor } = reading;
  let count = 0;
  for (cursor.space(); count === 0 || !cursor.isAtEnd; cursor.space()) {
    if (!readTagged(reading)) break;
    count += 1;
  }
  if (count === 0) readBare(reading);
}

function readTagged(reading: Reading): boolean {
  const { cursor } = reading;
  if (readChannel(reading) || readDeepSeek(reading) || readFunctionTag(reading)) return true;
  const tag = tags.find(([open]) => cursor.take(open));
  if (tag === undefined) return false;
  cursor.space();
  if (!readFunctionTag(reading)) readBare(reading);
  cursor.space();
  // A model may end where the tag that closes would stand.
  if (!cursor.isAtEnd) cursor.take(tag[1]);
  return true;
}

function readBare(reading: Reading): void {
  const { cursor } = reading;
  const next = cursor.peek();
  if (next === '{') return readJsonCalls(reading);
  if (next !== '[') return readNamed(reading);
  const begin = cursor.at;
  cursor.at += 1;
  cursor.space();
  const isJson = cursor.peek() === '{';
  cursor.at = begin;
  return isJson ? readJsonCalls(reading) : readPythonCalls(reading);
}

/** `name(...)` of Python, or Mistral's `name[CALL_ID]id[ARGS]{...}`. */
function readNamed(reading: Reading): void {
  const { cursor, tools } = reading;
  const begin = cursor.at;
  const name = tools.map((tool) => tool.name).filter((one) => cursor.text.startsWith(one, begin)).sort((a, b) => b.length - a.length)[0];
  if (name === undefined) return readPythonCalls(reading);
  cursor.at += name.length;
  if (cursor.take('[CALL_ID]')) cursor.match(/\w*/y);
  if (cursor.take('[ARGS]') || cursor.peek() === '{') return readArguments(reading, name);
  cursor.at = begin;
  return readPythonCalls(reading);
}

/** Harmony's: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{...}<|call|>`. */
function readChannel(reading: Reading): boolean {
  const { cursor } = reading;
  const begun = cursor.take('<|start|>assistant');
  if (!cursor.take('<|channel|>')) {
    if (begun) throw mismatch;
    return false;
  }
  cursor.match(/\w*/y, (word) => ['commentary', 'analysis'].some((one) => one.startsWith(word)));
  cursor.space();
  cursor.expect('to=');
  cursor.take('functions.');
  const name = readToolName(reading);
  cursor.space();
  if (cursor.take('<|constrain|>')) cursor.match(/\w*/y);
  cursor.expect('<|message|>');
  readArguments(reading, name);
  cursor.space();
  if (!cursor.isAtEnd) cursor.take('<|call|>');
  return true;
}

/** DeepSeek's: a name, and its arguments in a fence. */
function readDeepSeek(reading: Reading): boolean {
  const { cursor } = reading;
  if (!cursor.take('<｜tool▁calls▁begin｜>')) return false;
  while (cursor.take('<｜tool▁call▁begin｜>')) {
    cursor.expect('function<｜tool▁sep｜>');
    const name = readToolName(reading);
    cursor.space();
    cursor.expect('```json');
    readArguments(reading, name);
    cursor.space();
    if (!cursor.isAtEnd) cursor.expect('```');
    if (!cursor.isAtEnd) cursor.expect('<｜tool▁call▁end｜>');
    cursor.space();
    if (cursor.isAtEnd) break;
  }
  if (!cursor.isAtEnd) cursor.expect('<｜tool▁calls▁end｜>');
  return true;
}

function readToolName({ cursor, tools }: Reading): string {
  const name = cursor.match(/[\w.:-]*/y, (begun) => tools.some((tool) => tool.name.startsWith(begun)));
  if (tools.every((tool) => tool.name !== name)) throw mismatch;
  return name;
}

/** `<function=name>{...}</function>`, or with `<parameter=key>value</parameter>` for each argument. */
function readFunctionTag(reading: Reading): boolean {
  const { cursor } = reading;
  if (!cursor.take('<function=')) return false;
  const name = readToolName(reading);
  cursor.expect('>');
  cursor.space();
  if (cursor.peek() === '{') readArguments(reading, name);
  else reading.calls.push(callOf(reading, name, readParameters(reading, name)));
  cursor.space();
  if (!cursor.isAtEnd) cursor.expect('</function>');
  return true;
}

function readParameters({ cursor, tools }: Reading, tool: string): Record<string, unknown> {
  const parameters = tools.find(({ name }) => name === tool)?.parameters ?? [];
  const given: [string, unknown][] = [];
  for (cursor.space(); cursor.take('<parameter='); cursor.space()) {
    const key = cursor.match(/[^>\s]*/y);
    cursor.expect('>');
    const end = cursor.text.indexOf('</parameter>', cursor.at);
    if (end < 0) throw cursor.isWhole ? mismatch : unfinished;
    const text = cursor.text.slice(cursor.at, end).replace(/^\n|\n$/g, '');
    given.push([key, parameters.find(({ name }) => name === key)?.isText === true ? text : valueOf(text)]);
    cursor.at = end + '</parameter>'.length;
  }
  return Object.fromEntries(given);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Up to here a text is read again with every piece that comes; a longer one when it has grown by an eighth, so that reading takes time in proportion to it. */
const shortCharacters = 2048;
const growth = 9 / 8;

/** Reads an answer while it is written: it is held back as long as it may become calls as a whole. */
export class WholeCalls {
  #nextLook = 0;

  /** `onlyOne`: of several calls the first counts. */
  constructor(private readonly tools: readonly OfferedTool[], private readonly onlyOne: boolean) {}

  /** Whether a text of so many characters is to be read again. */
  isDue(length: number): boolean {
    return length >= this.#nextLook;
  }

  /** Whether `text`, all of the answer so far, may still become calls and nothing else. */
  mayBecome(text: string): boolean {
    this.#nextLook = text.length < shortCharacters ? 0 : text.length * growth;
    return this.#read(text, false).outcome !== 'mismatch';
  }

  /** The calls that the whole answer is; null where it is something else. Of one that was cut, what there is of its last call, too. */
  read(text: string, isCut: boolean, callId: () => string): OutputPart[] | null {
    const { outcome, calls, begun } = this.#read(text, !isCut);
    const parts = (this.onlyOne ? calls.slice(0, 1) : calls).map((call): OutputPart => ({ kind: 'toolCall', call: { id: callId(), ...call } }));
    if (outcome === 'whole' || (isCut && outcome === 'unfinished' && begun === null)) return parts.length === 0 ? null : parts;
    if (outcome === 'mismatch' || begun === null) return null;
    if (this.onlyOne && parts.length > 0) return parts;
    const written = begun.argumentsAt === null ? '' : text.slice(begun.argumentsAt);
    return [...parts, { kind: 'cutCall', call: { id: callId(), name: begun.name, arguments: written }, source: text }];
  }

  #read(text: string, isWhole: boolean): { outcome: 'whole' | 'unfinished' | 'mismatch'; calls: FoundCall[]; begun: Reading['begun'] } {
    const reading: Reading = { cursor: new Cursor(text, isWhole), tools: this.tools, calls: [], begun: null };
    try {
      readAnswer(reading);
      return { outcome: 'whole', calls: reading.calls, begun: null };
    } catch (thrown) {
      if (thrown !== unfinished && thrown !== mismatch) throw thrown;
      return { outcome: thrown === unfinished ? 'unfinished' : 'mismatch', calls: reading.calls, begun: reading.begun };
    }
  }
}
