/** The use case of this room: from a conversation, or a prompt as it stands, to the answers of a loaded model. */
import type { GenerateOptions, GenerateResult, TokenChunk, TokenLogprob } from '../engine/port.js';
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';
import { type Answer, type AnswerChoice, type AnswerListener, type AnswerRequest, type AnswerTokens, countLogprobs, mostLogprobs } from './answer.js';
import { checkChoice } from './check.js';
import type { OutputPart } from './conversation.js';
import { ControlMarkers } from './output/control-markers.js';
import { AnswerReader, joined } from './output/reader.js';
import { type PreparedPrompt, type Preparer, prepare } from './prepare.js';
import { longestMs } from './sandbox/verbs.js';

const mostSeed = 2 ** 53;

/**
 * Rendered, seen to fit, written by one call of the engine a choice, taken apart. Rejects with `context_overflow` (both counts), `invalid_request` (what the
 * template or the grammar of the answer refuses, by name), `too_large` (more log probabilities than the answer may keep), `cancelled`, and what the engine throws.
 */
export async function complete(
  sandbox: Preparer, lease: Lease, request: AnswerRequest, listener: AnswerListener, signal: AbortSignal, now: () => Date = () => new Date(),
): Promise<Answer> {
  const prepared = await prepare(sandbox, lease, request, signal, now());
  listener.onStart?.(prepared.ids.length);
  const results: GenerateResult[] = [];
  const choices: AnswerChoice[] = [];
  let checkedMs = 0;
  const room = new LogprobRoom(request.logprobRoom ?? mostLogprobs);
  for (let choice = 0; choice < (request.choices ?? 1); choice += 1) {
    const written = await write(lease, request, prepared, choice, listener, room, signal);
    results.push(written.result);
    // The model's slot is held meanwhile: the checks of all choices together take no longer than one may.
    const began = performance.now();
    const check = checkedMs < longestMs ? await checkChoice(sandbox, prepared.checks, written.choice.parts) : null;
    checkedMs += performance.now() - began;
    choices.push(check === null ? written.choice : { ...written.choice, check });
  }
  const sum = (key: 'completionTokens' | 'draftTokens' | 'acceptedTokens' | 'prefillMs' | 'decodeMs'): number => results.reduce((before, result) => before + result[key], 0);
  return {
    choices,
    promptTokens: prepared.ids.length,
    cachedTokens: results[0]?.cachedTokens ?? 0,
    completionTokens: sum('completionTokens'),
    draftTokens: sum('draftTokens'),
    acceptedTokens: sum('acceptedTokens'),
    reasoningTokens: choices.reduce((before, choice) => before + choice.reasoningTokens, 0),
    droppedMessages: prepared.droppedMessages,
    ...(request.wantsPromptIds === true ? { promptIds: prepared.ids } : {}),
    prefillMs: sum('prefillMs'),
    decodeMs: sum('decodeMs'),
  };
}

async function write(
  lease: Lease, request: AnswerRequest, prepared: PreparedPrompt, index: number, listener: AnswerListener, room: LogprobRoom, signal: AbortSignal,
): Promise<{ choice: AnswerChoice; result: GenerateResult }> {
  const markers = new ControlMarkers(lease.model, prepared.controlMarkers);
  const reader = new AnswerReader(prepared.syntax);
  const parts: OutputPart[] = [];
  const tokens: AnswerTokens = { ids: [], ...(request.sampling.logprobs === undefined || !room.keeps ? {} : { logprobs: [] }) };
  const show = (made: OutputPart[], burst: AnswerTokens): void => {
    parts.push(...made);
    for (const id of burst.ids) tokens.ids.push(id);
    if (tokens.logprobs !== undefined) room.take(burst.logprobs ?? []);
    for (const logprob of burst.logprobs ?? []) tokens.logprobs?.push(logprob);
    if (made.length > 0 || burst.ids.length > 0 || (burst.logprobs ?? []).length > 0) listener.onParts?.(index, made, burst);
  };
  const onTokens = (burst: TokenChunk): void => {
    show(reader.push(markers.push(burst)), { ids: burst.ids, ...(burst.logprobs === undefined ? {} : { logprobs: burst.logprobs }) });
  };
  const result = await lease.model.generate(prepared.ids, { ...optionsOf(request, prepared, index, signal, onTokens), ...(lease.turn === undefined ? {} : { pacing: lease.turn }) });
  show(joined([...reader.push(markers.end()), ...reader.end(result.finishReason === 'length')]), { ids: [] });
  const called = parts.some(({ kind }) => kind === 'toolCall');
  return {
    choice: {
      parts: joined(parts), tokens, reasoningTokens: tokensWithin(lease, tokens.ids, reader.thoughtBytes, prepared.controlMarkers),
      finishReason: result.finishReason === 'length' ? 'length' : called ? 'toolCalls' : 'stop',
      // What ends a message in the template's form is no stop string of the client.
      stopString: result.stopString !== null && request.sampling.stop?.includes(result.stopString) ? result.stopString : null,
    },
    result,
  };
}

/** What an answer may still keep of log probabilities, in all its choices. */
class LogprobRoom {
  readonly keeps: boolean;
  #left: number;

  constructor(most: number) {
    this.keeps = most > 0;
    this.#left = most;
  }

  /** Throws `too_large`, which ends the generation. */
  take(logprobs: readonly TokenLogprob[]): void {
    this.#left -= countLogprobs(logprobs);
    if (this.#left < 0) throw new LecternError('too_large', `A response that is not streamed holds at most ${mostLogprobs} log probabilities, those of alternatives included: set stream, fewer alternatives, or fewer tokens.`);
  }
}

/** How many tokens begin within the first `bytes` of an answer's text, in which control markers stand for themselves. */
function tokensWithin({ model }: Lease, ids: readonly number[], bytes: number, markers: ReadonlyMap<number, string>): number {
  if (bytes === Infinity) return ids.length;
  let count = 0;
  for (let before = 0; before < bytes && count < ids.length; count += 1) {
    const id = ids[count] as number;
    const marker = markers.get(id);
    before += marker === undefined ? model.tokenBytes(id).length : Buffer.byteLength(marker);
  }
  return count;
}

function optionsOf(request: AnswerRequest, prepared: PreparedPrompt, index: number, signal: AbortSignal, onTokens: (burst: TokenChunk) => void): GenerateOptions {
  const { seed, stop = [] } = request.sampling;
  const stops = [...new Set([...stop, ...prepared.stops])];
  return {
    ...request.sampling,
    ...(seed === undefined ? {} : { seed: (seed + index) % mostSeed }),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...(prepared.grammar === null ? {} : { grammar: prepared.grammar }),
    ...(prepared.grammarTriggers.length === 0 ? {} : { grammarTriggers: prepared.grammarTriggers, grammarRequired: prepared.grammarRequired }),
    signal,
    onTokens,
  };
}
