/** One answer over Ollama's contract, as JSON lines or as one object: what chat and generate share. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, AnswerRequest, AnswerTokens } from '../../chat/answer.js';
import type { OutputPart } from '../../chat/conversation.js';
import { LecternError } from '../../errors.js';
import type { CatalogueEntry, KeepAlive, Lease } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { sendJson } from '../error-reply.js';
import { EventStream } from '../event-stream.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { checkKeepAlive, followQueue, type LanguageServices, takeTurn } from '../language.js';
import { describeLogprobs } from '../logprobs.js';
import { addCheckHeader, describeCheck } from '../schema-check.js';
import { describeError, expected } from './errors.js';

type Json = Record<string, unknown>;

export interface Asked {
  entry: CatalogueEntry;
  /** As the client wrote it. */
  model: string;
  stream: boolean;
  keepAlive: KeepAlive | undefined;
  context: number | undefined;
  answer: AnswerRequest;
}

/** How a contract's route writes what became of an answer. */
export interface Shape {
  /** Fields of one line, for one part or for tokens whose text is held back. */
  part(part: OutputPart | null): Json;
  /** Fields of the whole answer in one object. */
  whole(parts: OutputPart[]): Json;
  /** Beside the metrics of the last line. */
  last(answer: Answer): Json;
}

export interface LanguageRoute {
  services: LanguageServices;
  log: Log;
}

export async function answerOllama(route: LanguageRoute, request: FastifyRequest, reply: FastifyReply, asked: Asked, shape: Shape): Promise<FastifyReply> {
  const began = performance.now();
  const head = (): Json => ({ model: asked.model, created_at: route.services.now().toISOString() });
  if (!asked.stream) {
    const pieces = await run(route, reply, asked, () => undefined, (lease, answer, loadMs) => {
      const choice = answer.choices[0];
      const logprobs = choice !== undefined && hasLogprobs(choice.tokens) ? { logprobs: describeLogprobs(lease, choice.tokens) } : {};
      addCheckHeader(reply, answer);
      return jsonPieces({ ...head(), ...shape.whole(choice?.parts ?? []), ...logprobs, ...ending(answer, began, loadMs), ...shape.last(answer) });
    });
    await untilUnloaded(route.services, asked);
    return sendPieces(reply, pieces);
  }
  const lines = new EventStream(reply, 'lines');
  followQueue(reply, (position) => lines.queuePosition(position));
  try {
    const last = await run(route, reply, asked, (lease, parts, tokens) => {
      const logprobs = hasLogprobs(tokens) ? { logprobs: [...describeLogprobs(lease, tokens)] } : {};
      const shown = parts.length > 0 ? parts.map((part) => shape.part(part)) : 'logprobs' in logprobs ? [shape.part(null)] : [];
      shown.forEach((fields, index) => lines.send({ ...head(), ...fields, ...(index === 0 ? logprobs : {}), done: false }));
    }, (_lease, answer, loadMs) => ({ ...shape.part(null), ...ending(answer, began, loadMs), ...shape.last(answer) }));
    await untilUnloaded(route.services, asked);
    lines.send({ ...head(), ...last });
  } catch (thrown) {
    if (!lines.isOpen) throw thrown;
    const error = expected(thrown, route.log, request);
    if (error.code !== 'cancelled') lines.send(describeError(error));
  }
  lines.end();
  return reply;
}

function hasLogprobs({ logprobs = [] }: AnswerTokens): boolean {
  return logprobs.length > 0;
}

function run<T>(
  { services }: LanguageRoute, reply: FastifyReply, asked: Asked,
  onParts: (lease: Lease, parts: OutputPart[], tokens: AnswerTokens) => void, end: (lease: Lease, answer: Answer, loadMs: number) => T | Promise<T>,
): Promise<T> {
  return takeTurn(services, reply, services.slots, {
    entry: asked.entry,
    keepAlive: asked.keepAlive,
    work: async (lease, signal, loadMs) => {
      refuseLargerContext(asked.context, lease);
      const answer = await services.answer(lease, asked.stream ? { ...asked.answer, logprobRoom: 0 } : asked.answer, { onParts: (_choice, parts, tokens) => onParts(lease, parts, tokens) }, signal);
      return end(lease, answer, loadMs);
    },
  });
}

/** A smaller num_ctx never reloads a model; a larger one cannot be had. */
export function refuseLargerContext(context: number | undefined, lease: Lease): void {
  const { context: loaded } = lease.model.info;
  if (context === undefined || context <= loaded) return;
  throw new LecternError('invalid_request', `num_ctx ${context} is more than the ${loaded} tokens that this model is loaded with; the setting model-context, or context-length where that does not name the model, raises it where the model and the memory allow.`);
}

/** Durations of the contract are whole nanoseconds. */
export function nanoseconds(ms: number): number {
  return Math.round(ms * 1e6);
}

function ending(answer: Answer, began: number, loadMs: number): Json {
  return {
    done: true,
    done_reason: answer.choices[0]?.finishReason === 'length' ? 'length' : 'stop',
    total_duration: nanoseconds(performance.now() - began),
    load_duration: nanoseconds(loadMs),
    prompt_eval_count: answer.promptTokens,
    prompt_eval_duration: nanoseconds(answer.prefillMs),
    eval_count: answer.completionTokens,
    eval_duration: nanoseconds(answer.decodeMs),
    ...(answer.cachedTokens > 0 ? { prompt_cached_count: answer.cachedTokens } : {}),
    ...describeCheck(answer.choices[0]),
    ...(answer.droppedMessages > 0 ? { prompt_truncated: true, dropped_messages: answer.droppedMessages } : {}),
  };
}

/** How often an unloading model is looked up, and for how long: tens of gigabytes of a GPU are freed in under a second. */
const lookMs = 10;
const longestUnloadMs = 30_000;

/**
 * With keep_alive 0 the end of an answer is sent when the model is gone: clients load another one then, or ask what is loaded. Requests that still use the model
 * keep it, and so does one that asks for another time to live.
 */
export async function untilUnloaded({ residency }: LanguageServices, { entry: { path }, keepAlive: asked }: Pick<Asked, 'entry' | 'keepAlive'>): Promise<void> {
  if (asked !== 0) return;
  const end = performance.now() + longestUnloadMs;
  while (performance.now() < end && residency.list().some(({ entry, keepAlive, uses }) => entry.path === path && keepAlive === 0 && uses === 0)) await sleep(lookMs);
}

/** An empty prompt loads the model, or with keep_alive 0 unloads it. */
export async function loadOrUnload(route: LanguageRoute, reply: FastifyReply, asked: Omit<Asked, 'answer' | 'stream'>, fields: Json): Promise<FastifyReply> {
  const { services } = route;
  const body = (reason: 'load' | 'unload'): Json => ({ model: asked.model, created_at: services.now().toISOString(), ...fields, done: true, done_reason: reason });
  if (asked.keepAlive === 0) {
    checkKeepAlive(reply, 0);
    services.residency.unload(asked.entry);
    await untilUnloaded(services, asked);
    return sendJson(reply, 200, body('unload'));
  }
  const slots = asked.entry.description.embeds ? services.embeddingSlots : services.slots;
  await takeTurn(services, reply, slots, { entry: asked.entry, keepAlive: asked.keepAlive, work: async (lease) => refuseLargerContext(asked.context, lease) });
  return sendJson(reply, 200, body('load'));
}
