/** JSON of values that may be large, made and sent in pieces: other requests come between them. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Other requests come between the pieces of a long answer that take so long. */
const longestTurnMs = 5;
/** Characters of a text that are written at once: a millisecond at most, with every character escaped. */
const longestText = 64 * 1024;

/**
 * The JSON of `value`: of plain objects, lists, texts, numbers, words, and of iterators, which become lists. An iterator makes its items when they are
 * written, each of them small; so the parts of a long list need not exist at the same time. What is undefined is left out, as JSON.stringify does.
 */
export async function jsonPieces(value: unknown): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  let began = performance.now();
  for (const part of partsOf(value)) {
    text += part;
    if (performance.now() - began < longestTurnMs) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await nextTurn();
    began = performance.now();
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

/** A 200 with the JSON that was made; its pieces are not joined. */
export function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): FastifyReply {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return reply.code(200).headers({ 'content-type': 'application/json', 'content-length': String(length) })
    .send(pieces.length === 1 ? pieces[0] : Readable.from(pieces));
}

function* partsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* textParts(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* listParts(value, partsOf);
  else if (Symbol.iterator in value) yield* listParts(value as Iterable<unknown>, whole);
  else yield* objectParts(value);
}

function* whole(item: unknown): Generator<string> {
  yield JSON.stringify(item) ?? 'null';
}

function* listParts(items: Iterable<unknown>, partsOfItem: (item: unknown) => Generator<string>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* partsOfItem(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* objectParts(value: object): Generator<string> {
  let before = '{';
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    if (item === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(item);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* textParts(text: string): Generator<string> {
  if (text.length <= longestText) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + longestText);
    // The two halves of a character stay together: alone each would be escaped.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
