/** POST /v1/completions: prompts are continued as they stand. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Answer, type AnswerChoice, type AnswerTokens, countLogprobs, mostLogprobs } from '../../chat/answer.js';
import type { OutputPart, Sampling } from '../../chat/conversation.js';
import { layerSampling } from '../../models/layer-sampling.js';
import type { CatalogueEntry, Lease } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import type { EventStream } from '../event-stream.js';
import { Fields } from '../fields.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { type LanguageServices, requireCapability, takeTurn } from '../language.js';
import { tokenText } from '../token-texts.js';
import { describeTimings, describeUsage, freshId } from './chat-shape.js';
import { type CompletionRequest, readCompletionRequest } from './completion-request.js';
import { echoOf, isTokenIds, promptOf, type PromptValue, refuseStrangeIds } from './prompts.js';
import { refuseStrangeBiases } from './sampling.js';
import { streamEvents } from './stream.js';

type Json = Record<string, unknown>;

/** The contract's default for this route. */
const defaultMaxTokens = 16;

export function addCompletions(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  scope.post('/v1/completions', async (request, reply) => {
    const fields = Fields.of(request.body);
    const asked = readCompletionRequest(fields);
    const entry = await services.catalogue.find(asked.model);
    requireCapability(entry, 'completion', asked.model);
    refuseStrangeIds(asked.prompts, entry.description.vocabularySize, fields, 'prompt');
    refuseStrangeBiases(asked.sampling, entry.description.vocabularySize);
    if (asked.stream) return streamEvents(reply, request, log, (events) => streamCompletion(services, reply, asked, entry, events));
    const pieces = await complete(services, reply, asked, entry, () => undefined, async (lease, answers, echoes) => jsonPieces({
      ...describeHead(services, asked, entry),
      choices: await describeChoices(asked, lease, answers, echoes),
      usage: describeUsage(sum(answers)),
      timings: describeTimings(sum(answers)),
    }));
    return sendPieces(reply, pieces);
  });
}

/** Made when there is something to say: a thousand that wait hold none. */
function describeHead(services: LanguageServices, asked: CompletionRequest, entry: CatalogueEntry): Json {
  return { id: freshId('cmpl-'), object: 'text_completion', created: Math.floor(services.now().getTime() / 1000), model: asked.model, system_fingerprint: `fp_${entry.digest.slice(0, 10)}` };
}

/** `echo` is what stands before the text of the choice. */
type OnParts = (lease: Lease, index: number, parts: OutputPart[], tokens: AnswerTokens, echo: string) => void;

/** All prompts in one turn, one after another; choice c of prompt p has the index p * n + c. */
function complete<T>(
  services: LanguageServices, reply: FastifyReply, asked: CompletionRequest, entry: CatalogueEntry, onParts: OnParts, end: (lease: Lease, answers: Answer[], echoes: string[]) => T | Promise<T>,
): Promise<T> {
  return takeTurn(services, reply, services.slots, {
    entry,
    keepAlive: asked.keepAlive,
    work: async (lease, signal) => {
      const answers: Answer[] = [];
      const echoes: string[] = [];
      // All prompts share it; of a stream nothing is kept.
      let room = asked.stream ? 0 : mostLogprobs;
      const sampling: Sampling = { maxTokens: defaultMaxTokens, ...layerSampling(entry.parameters), ...asked.sampling };
      for (const [p, prompt] of asked.prompts.entries()) {
        const input = await promptOf(lease, prompt, asked);
        const echo = asked.echo ? await echoOf(prompt, lease) : '';
        echoes.push(echo);
        const listener = { onParts: (choice: number, parts: OutputPart[], tokens: AnswerTokens) => onParts(lease, p * asked.choices + choice, parts, tokens, echo) };
        const answer = await services.answer(lease, { input, format: { kind: 'text' }, sampling, choices: asked.choices, logprobRoom: room }, listener, signal);
        answers.push(answer);
        if (!asked.stream) room = Math.max(1, room - answer.choices.reduce((kept, { tokens }) => kept + countLogprobs(tokens.logprobs ?? []), 0));
      }
      return end(lease, answers, echoes);
    },
  });
}

function sum(answers: Answer[]): Answer {
  const total = (name: 'promptTokens' | 'cachedTokens' | 'completionTokens' | 'reasoningTokens' | 'draftTokens' | 'acceptedTokens' | 'prefillMs' | 'decodeMs'): number => answers.reduce((before, answer) => before + answer[name], 0);
  return {
    ...(answers[0] as Answer), promptTokens: total('promptTokens'), cachedTokens: total('cachedTokens'), completionTokens: total('completionTokens'), reasoningTokens: total('reasoningTokens'),
    draftTokens: total('draftTokens'), acceptedTokens: total('acceptedTokens'), prefillMs: total('prefillMs'), decodeMs: total('decodeMs'),
  };
}

function textOf(parts: OutputPart[]): string {
  return parts.map((part) => (part.kind === 'text' || part.kind === 'reasoning' ? part.text : '')).join('');
}

async function describeChoices(asked: CompletionRequest, lease: Lease, answers: Answer[], echoes: string[]): Promise<Json[]> {
  const described: Json[] = [];
  for (const [p, answer] of answers.entries()) {
    const promptIds = asked.wantsIds ? { prompt_token_ids: await idsOf(lease, asked.prompts[p] as PromptValue) } : {};
    for (const [c, choice] of answer.choices.entries()) described.push({ ...describeChoice(asked, lease, choice, p * asked.choices + c, echoes[p] ?? ''), ...promptIds });
  }
  return described;
}

async function idsOf(lease: Lease, prompt: PromptValue): Promise<readonly number[]> {
  return isTokenIds(prompt) ? prompt : lease.model.tokenize(prompt, { addSpecial: true });
}

function describeChoice(asked: CompletionRequest, lease: Lease, choice: AnswerChoice, index: number, echo: string): Json {
  return {
    index,
    text: echo + textOf(choice.parts),
    logprobs: asked.sampling.logprobs === undefined ? null : describeLogprobs(lease, choice.tokens, 0),
    finish_reason: choice.finishReason === 'length' ? 'length' : 'stop',
    ...(asked.wantsIds ? { token_ids: choice.tokens.ids } : {}),
  };
}

/** The route's own form: parallel lists, made as they are written; `offset` counts the characters of the tokens before. */
function describeLogprobs(lease: Lease, { logprobs = [] }: AnswerTokens, offset: number): Record<string, Generator<unknown>> {
  function* each<T>(describe: (token: NonNullable<AnswerTokens['logprobs']>[number]) => T): Generator<T> {
    for (const token of logprobs) yield describe(token);
  }
  let at = offset;
  return {
    tokens: each(({ id }) => tokenText(lease, id)),
    token_logprobs: each(({ logprob }) => logprob),
    top_logprobs: each(({ top }) => Object.fromEntries(top.map(({ id, logprob }) => [tokenText(lease, id), logprob]))),
    text_offset: each(({ id }) => {
      const before = at;
      at += tokenText(lease, id).length;
      return before;
    }),
  };
}

/** Of the few tokens of one event. */
function describeBurst(lease: Lease, tokens: AnswerTokens, offset: number): { lists: Record<string, unknown[]>; offset: number } {
  const lists = Object.fromEntries(Object.entries(describeLogprobs(lease, tokens, offset)).map(([name, items]) => [name, [...items]]));
  return { lists, offset: offset + (lists['tokens'] ?? []).reduce((sum: number, token) => sum + (token as string).length, 0) };
}

async function streamCompletion(
  services: LanguageServices, reply: FastifyReply, asked: CompletionRequest, entry: CatalogueEntry, events: EventStream,
): Promise<void> {
  const offsets = new Map<number, number>();
  const begun = new Set<number>();
  let made: Json | undefined;
  const head = (): Json => (made ??= describeHead(services, asked, entry));
  const chunk = (choice: Json): Json => ({ ...head(), choices: [choice], ...(asked.includeUsage ? { usage: null } : {}) });
  const onParts: OnParts = (lease, index, parts, tokens, echo) => {
    const logprobs = asked.sampling.logprobs === undefined ? null : describeBurst(lease, tokens, offsets.get(index) ?? 0);
    if (logprobs !== null) offsets.set(index, logprobs.offset);
    const ids = asked.wantsIds ? { token_ids: tokens.ids } : {};
    const before = begun.has(index) ? '' : echo;
    begun.add(index);
    events.send(chunk({ index, text: before + textOf(parts), logprobs: logprobs?.lists ?? null, finish_reason: null, ...ids }));
  };
  await complete(services, reply, asked, entry, onParts, (_lease, answers) => {
    for (const [index, choice] of answers.flatMap((answer) => answer.choices).entries()) {
      events.send(chunk({ index, text: '', logprobs: null, finish_reason: choice.finishReason === 'length' ? 'length' : 'stop' }));
    }
    if (asked.includeUsage) events.send({ ...head(), choices: [], usage: describeUsage(sum(answers)), timings: describeTimings(sum(answers)) });
    events.sendText('[DONE]');
  });
}
