/** Language services whose model repeats its prompt: for the HTTP routes, with everything they were asked kept. */
import type { Answer, AnswerListener, AnswerRequest } from '../../src/chat/answer.js';
import type { OutputPart } from '../../src/chat/conversation.js';
import type { LanguageModel, ModelDescription } from '../../src/engine/port.js';
import { LecternError } from '../../src/errors.js';
import type { LanguageServices } from '../../src/http/language.js';
import type { CatalogueEntry, Lease, ResidentModel, Slots, SlotUse } from '../../src/models/types.js';
import { directSandbox } from './direct-sandbox.js';

export interface FakeLanguage extends LanguageServices {
  asked: AnswerRequest[];
  keepAlives: (number | undefined)[];
  unloaded: string[];
  /** Texts that were being embedded at the same time, the most of them. */
  embeddedAtOnce: number;
  /** Signals of the answers that were begun. */
  signals: AbortSignal[];
}

const description = (embeds: boolean): ModelDescription => ({
  architecture: embeds ? 'bert' : 'llama', unsupported: null, embeds, ranks: false, parameterCount: 1234, weightBytes: 5678, context: 64, embeddingLength: 4, vocabularySize: 256,
  metadata: { 'general.architecture': embeds ? 'bert' : 'llama', 'general.name': 'Hidden', 'llama.context_length': 64, 'tokenizer.ggml.tokens': null, big: 2n ** 40n },
  tensors: [{ name: 'token_embd.weight', type: 'F32', shape: [4, 256] }],
});

export function fakeEntry(name: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    name, path: `/models/${name}.gguf`, digest: 'ab'.repeat(32), sizeBytes: 9000, modifiedAt: new Date('2026-01-02T03:04:05Z'),
    details: { parentModel: '', format: 'gguf', family: 'llama', families: ['llama'], parameterSize: '1.2K', quantizationLevel: 'Q8_0' },
    capabilities: ['completion', 'tools'], description: description(false), chatTemplate: '{{ messages }}', goTemplate: null, system: null,
    parameters: {}, messages: [], licenses: [], ...more,
  };
}

const entries = [
  fakeEntry('talker:latest', { parameters: { stop: ['<|eot|>'], temperature: 0.25 }, licenses: ['Free for all'], system: 'Be kind.', messages: [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'Hello,\nyou.' }] }),
  fakeEntry('plain:1b', { capabilities: ['completion'] }),
  fakeEntry('bert-vectors:latest', { capabilities: ['embedding'], description: { ...description(true), metadata: { 'tokenizer.ggml.model': 'bert' } } }),
  fakeEntry('vectors:latest', { capabilities: ['embedding'], description: description(true) }),
  fakeEntry('wide:latest', { description: { ...description(false), context: 128 } }),
  fakeEntry('anna/story:latest', { capabilities: ['completion'] }),
  fakeEntry('warm:latest', { capabilities: ['completion', 'thinking'] }),
];

/** One byte a token. */
const bytesOf = (prompt: unknown): number[] => {
  const text = typeof prompt === 'string' ? prompt : (prompt as { text?: string }[]).map((part) => (typeof part === 'number' ? 'x' : part.text ?? '')).join('');
  return [...Buffer.from(text)];
};

/** `onEmbedding` hears how many texts are being embedded. */
function fakeModel(onEmbedding: (count: number) => void): LanguageModel {
  let embedding = 0;
  return {
    info: { embeds: false, ranks: false, slots: 2, context: 64, vocabularySize: 256, embeddingLength: 4, need: { weightBytes: 1, kvBytes: 1, workBytes: 1 }, endTokens: [0] },
    generate: async () => { throw new Error('the use case is a fake too'); },
    embed: async (input, { normalise = true } = {}) => {
      onEmbedding(++embedding);
      await new Promise(setImmediate);
      embedding--;
      const ids = bytesOf(input);
      if (ids.length === 0) throw new LecternError('invalid_request', 'There is nothing to embed.');
      if (ids.length > 64) throw new LecternError('context_overflow', `The text has ${ids.length} tokens and the model takes 64.`);
      return { vector: Float32Array.of(0.5, 0.5, 0.5, 0.5).map((value) => value * (normalise ? 1 : 4)), promptTokens: ids.length };
    },
    // The longer a document that has the query in it, the better it fits; others do not at all.
    rank: async (query, document, { mostTokens = Infinity } = {}) => {
      const kept = document.slice(0, Math.max(0, mostTokens - query.length));
      if (query.length + kept.length > 64) throw new LecternError('context_overflow', `The text has ${query.length + kept.length} tokens and the model takes 64.`);
      return { score: kept.includes(query) ? kept.length / 10 : -4, promptTokens: query.length + kept.length };
    },
    tokenize: async (prompt) => bytesOf(prompt),
    countTokens: async (prompt) => bytesOf(prompt).length,
    tokenBytes: (id) => Uint8Array.of(id),
    close: async () => undefined,
  };
}

/** Slots for everyone, unless `waiting` says that others stand before. */
function openSlots(waiting: number): Slots {
  return {
    waiting,
    positionsOf: () => (waiting > 0 ? [waiting] : []),
    run: async <T>({ load, work, onPosition }: SlotUse<T>) => {
      onPosition?.(waiting);
      const lease = await load();
      try {
        return await work(lease);
      } finally {
        lease.release();
      }
    },
  };
}

/** What the model says: the last message word by word; `!think`, `!call`, `!hang`, `!fail`, `!long` and such in it change the course. */
function scriptOf({ input }: AnswerRequest): string {
  if (input.kind === 'messages') return input.messages.at(-1)?.content ?? '';
  const { prompt } = input;
  return typeof prompt === 'string' ? prompt : prompt.map((part) => (typeof part === 'number' ? String.fromCharCode(part) : part.text)).join('');
}

async function answer(language: FakeLanguage, request: AnswerRequest, listener: AnswerListener, signal: AbortSignal): Promise<Answer> {
  language.asked.push(request);
  language.signals.push(signal);
  const script = scriptOf(request);
  if (script.includes('!long')) throw new LecternError('context_overflow', 'The prompt has 100 tokens and the model\'s context holds 64.');
  if (script.includes('!defect')) throw new TypeError('a secret of the inside');
  listener.onStart?.(7);
  const choices = Array.from({ length: request.choices ?? 1 }, (_, choice) => {
    const parts = partsOf(script);
    for (const part of parts) listener.onParts?.(choice, [part], { ids: [65], ...logprobs(request) });
    return { parts, reasoningTokens: script.includes('!think') ? 1 : 0, tokens: { ids: [...parts.map(() => 65), ...(script.includes('!stopped') ? [66] : [])], logprobs: parts.flatMap(() => logprobs(request).logprobs ?? []) }, finishReason: script.includes('!call') ? 'toolCalls' as const : /!cut|!half/.test(script) ? 'length' as const : 'stop' as const, stopString: null };
  });
  if (script.includes('!late')) throw new LecternError('device_lost');
  if (script.includes('!hang')) {
    await new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new LecternError('cancelled')), { once: true }));
  }
  return {
    choices, promptTokens: 7, cachedTokens: 3, completionTokens: choices.reduce((sum, { parts }) => sum + parts.length, 0), reasoningTokens: choices.reduce((sum, { reasoningTokens }) => sum + reasoningTokens, 0), droppedMessages: script.includes('!drop') ? 2 : 0,
    ...(request.wantsPromptIds ? { promptIds: [1, 2, 3] } : {}), draftTokens: 4, acceptedTokens: 3, prefillMs: 1.5, decodeMs: 2.5,
  };
}

function partsOf(script: string): OutputPart[] {
  const words = script.split(/(?<= )/).map((text): OutputPart => ({ kind: 'text', text }));
  if (script.includes('!think')) words.unshift({ kind: 'reasoning', text: 'Let me see.' });
  const call: OutputPart = { kind: 'toolCall', call: { id: 'call_1', name: 'add', arguments: { a: 1 } } };
  if (script.includes('!half')) return [{ kind: 'cutCall', call: { id: 'call_1', name: 'add', arguments: '{"a":' }, source: '{"name":"add","arguments":{"a":' }];
  if (script.includes('!call')) return script.includes('!twice') ? [call, call] : [call];
  return words;
}

function logprobs({ sampling }: AnswerRequest): { logprobs?: { id: number; logprob: number; top: { id: number; logprob: number }[] }[] } {
  if (sampling.logprobs === undefined) return {};
  const top = [{ id: 65, logprob: -0.5 }, { id: 66, logprob: -1.5 }].slice(0, sampling.logprobs);
  return { logprobs: [{ id: 65, logprob: -0.5, top }] };
}

export function fakeLanguage({ waiting = 0 } = {}): FakeLanguage {
  const find = (name: string): CatalogueEntry => {
    const found = entries.find((entry) => entry.name === name || entry.name === `${name}:latest`);
    if (found === undefined) throw new LecternError('model_not_found', `The model '${name}' does not exist.`);
    return found;
  };
  const resident: ResidentModel[] = [];
  const model = fakeModel((count) => { language.embeddedAtOnce = Math.max(language.embeddedAtOnce, count); });
  const language: FakeLanguage = {
    asked: [], keepAlives: [], unloaded: [], signals: [], embeddedAtOnce: 0,
    catalogue: { list: async () => entries, refused: async () => [], aliases: async () => [['gpt-4o', find('talker')]], find: async (name) => find(name), describeWhole: async (entry) => ({ ...entry.description, metadata: { ...entry.description.metadata, 'tokenizer.ggml.tokens': ['a', 'b'] } }) },
    residency: {
      lend: async (entry, options): Promise<Lease> => {
        language.keepAlives.push(options.keepAlive);
        if (!resident.some((one) => one.entry === entry)) resident.push({ entry, state: 'loaded', progress: 1, context: 64, bytes: 500, onDevice: false, expiresAt: new Date('2026-01-02T03:09:05Z'), keepAlive: 300_000, uses: 0 });
        return { entry, model, loadMs: entry.name.startsWith('warm') ? 0 : 12, release: () => undefined };
      },
      list: () => resident,
      unload: (entry) => {
        language.unloaded.push(entry.name);
        const at = resident.findIndex((one) => one.entry.path === entry.path);
        if (at >= 0) resident.splice(at, 1);
      },
      close: async () => undefined,
    },
    vision: { listVision: () => [], listDistant: () => [] },
    slots: openSlots(waiting),
    embeddingSlots: openSlots(0),
    readJson: directSandbox.readJson,
    embedsTokenIds: false, responses: null,
    promptTokens: async (_lease, { messages }) => bytesOf(messages.map(({ content }) => content).join('')),
    countPrompt: async (_lease, { messages, tools }) => {
      const texts = messages.map(({ content }) => content).join('');
      if (texts.includes('!refused')) throw new LecternError('invalid_request', 'The template refuses this.');
      return texts.length + tools.length;
    },
    answer: (_lease, request, listener, signal) => answer(language, request, listener, signal),
    now: () => new Date('2026-01-02T03:04:05Z'),
  };
  return language;
}
