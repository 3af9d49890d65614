/** JSON texts of clients: measured before they are parsed, because the time of whatever follows is proportional to the number of their values. */
import { isUtf8 } from 'node:buffer';
import { LecternError } from '../../errors.js';

/**
 * Values and keys of one body, integers in lists apart. 50,000 take some 20 ms of the event loop from the sandbox to the engine (`npm run bench -- stalls`);
 * 300 tools with long schemas have 20,000, a conversation of 5,000 messages 25,000.
 */
export const mostValues = 50_000;
/** Numbers that are elements of lists: token ids, of which OpenAI takes 300,000 in one request for embeddings. */
export const mostListNumbers = 500_000;
/** Levels of nesting. JSON schemas of published tools have under 20. */
export const deepestNesting = 500;

const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject, minus, digit0, digit9] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d, 0x2d, 0x30, 0x39];

/** The values of all JSON texts of one request: of the body, and of texts in it that are JSON again. */
export class JsonMeasure {
  #values = 0;
  #listNumbers = 0;

  /**
   * Throws `invalid_request` for a text that nests deeper, or with which the request has more values, than the limits allow; in time proportional to its
   * bytes. It does not judge the syntax: the parser does.
   */
  add(bytes: Uint8Array): void {
    /** By level, 1 for a list. */
    const lists = new Uint8Array(deepestNesting + 1);
    let depth = 0;
    let begins = true;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        at = endOfString(bytes, at);
        this.#values += 1;
        begins = false;
      } else if (byte === openList || byte === openObject) {
        this.#values += 1;
        depth += 1;
        if (depth > deepestNesting) throw new LecternError('invalid_request', `The request body nests deeper than ${deepestNesting} levels.`);
        lists[depth] = byte === openList ? 1 : 0;
        begins = true;
      } else if (byte === closeList || byte === closeObject) depth = Math.max(0, depth - 1);
      else if (byte === comma || byte === colon) begins = true;
      else if (begins && byte > 0x20) {
        // A number or a word begins; its other characters are passed over.
        if (lists[depth] === 1 && (byte === minus || (byte >= digit0 && byte <= digit9))) this.#listNumbers += 1;
        else this.#values += 1;
        begins = false;
      }
      if (this.#values > mostValues) throw tooMany(`${mostValues} values`);
      if (this.#listNumbers > mostListNumbers) throw tooMany(`${mostListNumbers} numbers`);
    }
  }
}

/** JsonMeasure of one text alone. */
export function measureJson(bytes: Uint8Array): void {
  new JsonMeasure().add(bytes);
}

function endOfString(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  for (; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
  return at;
}

function tooMany(what: string): LecternError {
  return new LecternError('invalid_request', `The request body holds more than ${what}.`);
}

/** Throws `invalid_request` for bytes that are not UTF-8, no JSON, or beyond the limits of measureJson(). */
export function parseJson(bytes: Uint8Array): unknown {
  measureJson(bytes);
  if (!isUtf8(bytes)) throw new LecternError('invalid_request', 'The request body is not UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    // A byte order mark, as some clients send it, is none of JSON's.
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    throw new LecternError('invalid_request', `The request body is not valid JSON${placeOf(cause as Error)}.`, { cause });
  }
}

/** The parser's own sentence quotes the body, and answers end up in logs. */
function placeOf({ message }: Error): string {
  if (/end of JSON input/.test(message)) return ': it ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `: position ${position}`;
}
