/**
 * A language engine without native code: its tokens are bytes, its answers what a test says. test/support/language-contract.ts
 * holds it against the real one.
 */
import { LecternError } from '../../src/errors.js';
import type {
  CallOptions, EmbedOptions, Embedding, GenerateOptions, GenerateResult, LanguageEngine, LanguageModel, LoadedModel, MemoryNeed, MetadataValue, ModelDescription,
  ModelShape, OpenModelOptions, Pacing, Prompt, PromptPart, RankOptions, Relevance, TokenLogprob,
} from '../../src/engine/port.js';
import { isPacked, unpacked } from './unpacked.js';

export interface FakeModel {
  embeds?: boolean;
  /** It scores pairs; then it embeds, too, in the sense of LoadedModel. */
  ranks?: boolean;
  /** Tokens it was trained for. Default 2048. */
  context?: number;
  /** Of a decoder: the whole answer to a prompt. Default: a text that depends on prompt and seed and is longer than any context. */
  answer?: (prompt: string, options: GenerateOptions) => string;
  /** What one token takes. Default 0. */
  tokenMs?: number;
  loadMs?: number;
  /** Rejects the loading. */
  loadFailure?: LecternError;
  weightBytes?: number;
  unsupported?: string;
  metadata?: Record<string, MetadataValue>;
  /** The file is no model. */
  damaged?: boolean;
}

export interface FakeLanguageEngine extends LanguageEngine {
  /** Models that are open now. */
  readonly open: ReadonlySet<LanguageModel>;
  /** Every openModel, in order. */
  readonly opened: { path: string; options: OpenModelOptions }[];
  /** Every generate, in order. */
  readonly generated: { path: string; prompt: string; options: GenerateOptions }[];
}

/** Control tokens behind the 256 bytes. The first two end an answer. */
export const fakeSpecials = ['<|im_end|>', '<|endoftext|>', '<|im_start|>'];

const embeddingLength = 32;
const generateKeys = new Set([
  'signal', 'addSpecial', 'maxTokens', 'temperature', 'topK', 'topP', 'minP', 'typicalP', 'repeatPenalty', 'repeatLastN', 'presencePenalty',
  'frequencyPenalty', 'logitBias', 'topNSigma', 'xtcProbability', 'xtcThreshold', 'dynatempRange', 'dynatempExponent', 'mirostat', 'mirostatTau', 'mirostatEta', 'dryMultiplier', 'dryBase', 'dryAllowedLength', 'dryPenaltyLastN', 'drySequenceBreakers', 'seed', 'stop', 'ignoreEnd', 'logprobs', 'grammar', 'grammarTriggers', 'grammarRequired', 'reuse', 'onTokens', 'pacing',
]);
/** Positions that a later prompt may take over come in tiles. */
const tile = 64;

/** `models` by path. */
export function fakeLanguageEngine(models: Record<string, FakeModel>): FakeLanguageEngine {
  const open = new Set<LanguageModel>();
  const opened: FakeLanguageEngine['opened'] = [];
  const generated: FakeLanguageEngine['generated'] = [];

  function find(path: string): FakeModel {
    const model = models[path];
    if (!model) throw new LecternError('model_not_found', `The model file ${path} cannot be opened.`);
    if (model.damaged) throw new LecternError('invalid_model', `The file ${path} is no GGUF model.`);
    return model;
  }

  return {
    open,
    opened,
    generated,
    describeModel: async (path, options = {}) => {
      if (options.signal) throwIfAborted(options.signal);
      return describe(find(path), options.arrays ?? false);
    },
    memoryNeed: async (path, shape) => memoryNeed(find(path), shape),
    openModel: async (path, options = {}) => {
      const model = find(path);
      opened.push({ path, options });
      options.onProgress?.(0.5);
      await pause(model.loadMs ?? 0, options.signal);
      if (model.unsupported) throw new LecternError('unsupported_format', model.unsupported);
      if (model.loadFailure) throw model.loadFailure;
      options.onProgress?.(1);
      const loaded = new FakeLanguageModel(model, options, (prompt, asked) => generated.push({ path, prompt, options: asked }), () => open.delete(loaded));
      open.add(loaded);
      return loaded;
    },
  };
}

class FakeLanguageModel implements LanguageModel {
  readonly info: LoadedModel;
  readonly #model: FakeModel;
  readonly #onGenerate: (prompt: string, options: GenerateOptions) => void;
  readonly #onClosed: () => void;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  readonly #earlier: number[][] = [];
  #free: number;

  constructor(model: FakeModel, shape: ModelShape, onGenerate: (prompt: string, options: GenerateOptions) => void, onClosed: () => void) {
    this.#model = model;
    this.#onGenerate = onGenerate;
    this.#onClosed = onClosed;
    const trained = contextOf(model);
    if ((shape.context ?? 1) > trained) throw new LecternError('invalid_request', `The model was made for ${trained} tokens, not for ${shape.context}.`);
    const slots = model.embeds || model.ranks ? 1 : shape.slots ?? 2;
    this.#free = slots;
    this.info = {
      embeds: model.embeds ?? model.ranks ?? false, ranks: model.ranks ?? false, slots, context: shape.context ?? trained, vocabularySize: 256 + fakeSpecials.length, embeddingLength,
      need: memoryNeed(model, shape), endTokens: [256, 257],
    };
  }

  generate(prompt: Prompt, options: GenerateOptions = {}): Promise<GenerateResult> {
    return this.#call(options.signal, async (signal) => {
      if (this.info.embeds) throw new LecternError('invalid_request', 'This model computes embeddings and cannot generate text.');
      checkOptions(options, this.info.vocabularySize);
      const ids = encode(prompt, this.info.vocabularySize);
      if (ids.length === 0) throw new LecternError('invalid_request', 'The prompt has no tokens.');
      this.#mustFit(ids.length, this.info.context - 1);
      this.#onGenerate(decode(ids), options);
      const asked = performance.now();
      await this.#takeSlot(signal);
      try {
        return await this.#write(ids, options, signal, performance.now() - asked);
      } finally {
        this.#giveSlot();
      }
    });
  }

  embed(input: Prompt, options: EmbedOptions = {}): Promise<Embedding> {
    return this.#call(options.signal, async () => {
      if (!this.info.embeds || this.info.ranks) throw new LecternError('invalid_request', 'This model gives no embeddings.');
      if (!['boolean', 'undefined'].includes(typeof options.normalise)) throw new LecternError('invalid_request', 'normalise must be true or false.');
      const ids = encode(input, this.info.vocabularySize);
      if (ids.length === 0) throw new LecternError('invalid_request', 'There is nothing to embed: the text is empty.');
      this.#mustFit(ids.length, this.info.context);
      const vector = new Float32Array(embeddingLength);
      for (const [place, id] of ids.entries()) vector[(id * 7 + place) % embeddingLength]! += 1 + id / 256;
      const length = options.normalise === false ? 1 : Math.hypot(...vector);
      return { vector: vector.map((value) => value / length), promptTokens: ids.length };
    });
  }

  /** The score counts the words of the query that are in the document, less those that are not. */
  rank(query: string, document: string, options: RankOptions = {}): Promise<Relevance> {
    return this.#call(options.signal, async () => {
      if (!this.info.ranks) throw new LecternError('invalid_request', 'This model scores no pairs of texts.');
      const overhead = encode(query, this.info.vocabularySize).length + 3;
      const ids = encode(document, this.info.vocabularySize).slice(0, Math.max(0, (options.mostTokens ?? Infinity) - overhead));
      this.#mustFit(overhead + ids.length, this.info.context);
      const kept = decode(ids).toLowerCase().split(/\W+/);
      const score = query.toLowerCase().split(/\W+/).reduce((sum, word) => sum + (kept.includes(word) ? 1 : -1), 0);
      return { score, promptTokens: overhead + ids.length };
    });
  }

  tokenize(prompt: Prompt, options: CallOptions = {}): Promise<number[]> {
    return this.#call(options.signal, async () => encode(prompt, this.info.vocabularySize));
  }

  countTokens(prompt: Prompt, options: CallOptions = {}): Promise<number> {
    return this.#call(options.signal, async () => encode(prompt, this.info.vocabularySize).length);
  }

  tokenBytes(id: number): Uint8Array {
    if (this.#closing.signal.aborted) throw new LecternError('invalid_state', 'The model is closed.');
    return bytesOf(encode([id], this.info.vocabularySize));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    this.#onClosed();
  }

  async #call<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new LecternError('invalid_state', 'The model is closed.');
    const either = AbortSignal.any(signal ? [signal, this.#closing.signal] : [this.#closing.signal]);
    throwIfAborted(either);
    const running = Promise.resolve().then(() => work(either));
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  #mustFit(count: number, most: number): void {
    if (count > most) throw new LecternError('context_overflow', `The prompt has ${count} tokens and the model's context holds ${this.info.context}.`);
  }

  async #takeSlot(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const gone = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(new LecternError('cancelled'));
      };
      this.#waiting.push(turn);
      signal.addEventListener('abort', gone, { once: true });
    });
  }

  #giveSlot(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  async #write(ids: number[], options: GenerateOptions, signal: AbortSignal, queueMs: number): Promise<GenerateResult> {
    const cachedTokens = this.#cached(ids, options.reuse ?? 'computed');
    const room = Math.min(options.maxTokens ?? Infinity, this.info.context - ids.length);
    const text = (this.#model.answer ?? endlessAnswer)(decode(ids), options);
    const written = firstBytes(text, room);
    const cut = firstStop(written, options.stop ?? []);
    let completionTokens = 0;
    const begun = performance.now();
    const tell = (point: string, isShown: boolean): void => {
      const pointIds = [...Buffer.from(point)];
      completionTokens += pointIds.length;
      const logprobs = options.logprobs === undefined ? {} : { logprobs: isShown ? pointIds.map((id) => logprobOf(id, options.logprobs ?? 0)) : [] };
      options.onTokens?.({ text: isShown ? point : '', ids: pointIds, ...logprobs });
    };
    for (const point of written.slice(0, cut.at)) {
      await pause(this.#model.tokenMs ?? 0, signal);
      await unlessPaused(options.pacing, signal);
      tell(point, true);
      options.pacing?.wrote(Buffer.byteLength(point));
    }
    for (const point of cut.stop ?? '') tell(point, false);
    const isWhole = written.length === text.length && completionTokens < room;
    return {
      finishReason: isWhole || cut.stop !== null ? 'stop' : 'length', stopString: cut.stop, promptTokens: ids.length, cachedTokens,
      completionTokens, draftTokens: 0, acceptedTokens: 0, queueMs, prefillMs: 0, decodeMs: performance.now() - begun,
    };
  }

  #cached(ids: number[], reuse: NonNullable<GenerateOptions['reuse']>): number {
    const common = this.#earlier.map((earlier) => {
      const differs = ids.findIndex((id, place) => id !== earlier[place]);
      return Math.min(differs < 0 ? ids.length : differs, ids.length - 1);
    });
    this.#earlier.push(ids);
    return reuse === 'none' ? 0 : Math.floor(Math.max(0, ...common) / tile) * tile;
  }
}

function contextOf(model: FakeModel): number {
  return model.context ?? 2048;
}

function describe(model: FakeModel, arrays: boolean): ModelDescription {
  const metadata: Record<string, MetadataValue> = {
    'general.architecture': model.embeds ? 'bert' : 'llama',
    'tokenizer.ggml.tokens': Array.from({ length: 256 + fakeSpecials.length }, (_, id) => fakeSpecials[id - 256] ?? String.fromCharCode(id)),
    ...model.metadata,
  };
  const weightBytes = model.weightBytes ?? 1 << 20;
  return {
    architecture: String(metadata['general.architecture']), unsupported: model.unsupported ?? null, embeds: model.embeds ?? model.ranks ?? false, ranks: model.ranks ?? false,
    parameterCount: weightBytes / 2, weightBytes, context: contextOf(model), embeddingLength, vocabularySize: 256 + fakeSpecials.length,
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, Array.isArray(value) && !arrays ? null : value])),
    tensors: [{ name: 'token_embd.weight', type: 'F16', shape: [embeddingLength, 256 + fakeSpecials.length] }],
  };
}

function memoryNeed(model: FakeModel, shape: ModelShape): MemoryNeed {
  if (shape.kv === 'q8_0' && shape.device !== 'cuda') throw new LecternError('unsupported_format', 'This device does not keep keys and values as Q8_0.');
  const positions = (shape.context ?? contextOf(model)) * (model.embeds || model.ranks ? 1 : shape.slots ?? 2);
  return { weightBytes: model.weightBytes ?? 1 << 20, kvBytes: positions * ({ f32: 1024, f16: 512, q8_0: 272 })[shape.kv ?? 'f16'], workBytes: 1 << 16 };
}

function checkOptions(options: GenerateOptions, vocabularySize: number): void {
  for (const [key, value] of Object.entries(options)) {
    if (!generateKeys.has(key)) throw new LecternError('invalid_request', `options.${key} is not a known key.`);
    if (Number.isNaN(value)) throw new LecternError('invalid_request', `options.${key} must be a finite number.`);
  }
  const range = (key: 'temperature' | 'topP' | 'minP' | 'typicalP' | 'maxTokens' | 'logprobs', most: number): void => {
    const value = options[key];
    if (value !== undefined && !(value >= 0 && value <= most)) throw new LecternError('invalid_request', `options.${key} must be from 0 to ${most}.`);
  };
  range('temperature', 1e6);
  range('topP', 1);
  range('minP', 1);
  range('maxTokens', 2 ** 31);
  range('logprobs', 20);
  if ((options.stop?.length ?? 0) > 1024) throw new LecternError('invalid_request', 'There are more than 1024 stop strings.');
  if (options.stop?.includes('')) throw new LecternError('invalid_request', 'A stop string is empty.');
  if (options.logitBias?.some(([token]) => typeof token === 'number' && token >= vocabularySize)) throw new LecternError('invalid_request', 'logitBias has an id outside the vocabulary.');
}

function encode(prompt: Prompt, vocabularySize: number): number[] {
  if (typeof prompt === 'string') return [...Buffer.from(prompt)];
  if (isPacked(prompt)) return encode(unpacked(prompt), vocabularySize);
  if (!Array.isArray(prompt)) throw new LecternError('invalid_request', 'prompt must be a string, token ids or an array of parts.');
  return (prompt as readonly (number | PromptPart)[]).flatMap((entry) => {
    if (typeof entry === 'object') return entry.special ? encodeSpecial(entry.text) : [...Buffer.from(entry.text)];
    if (!Number.isInteger(entry) || entry < 0 || entry >= vocabularySize) throw new LecternError('invalid_request', `The token id ${entry} is outside the vocabulary.`);
    return [entry];
  });
}

function encodeSpecial(text: string): number[] {
  return text.split(/(<\|im_end\|>|<\|endoftext\|>|<\|im_start\|>)/).flatMap((piece) => {
    const special = fakeSpecials.indexOf(piece);
    return special < 0 ? [...Buffer.from(piece)] : [256 + special];
  });
}

function bytesOf(ids: readonly number[]): Uint8Array {
  return Uint8Array.from(ids.flatMap((id) => (id < 256 ? [id] : [...Buffer.from(fakeSpecials[id - 256] ?? '')])));
}

function decode(ids: readonly number[]): string {
  return Buffer.from(bytesOf(ids)).toString();
}

function endlessAnswer(prompt: string, options: GenerateOptions): string {
  let state = [...prompt].reduce((hash, point) => Math.imul(hash, 31) + (point.codePointAt(0) ?? 0), (options.temperature === 0 ? 0 : options.seed ?? Math.random() * 2 ** 31) | 0);
  return Array.from({ length: 4096 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join('');
}

/** The points that fit into `room` bytes. */
function firstBytes(text: string, room: number): string {
  let end = 0;
  let bytes = 0;
  for (const point of text) {
    bytes += Buffer.byteLength(point);
    if (bytes > room) break;
    end += point.length;
  }
  return text.slice(0, end);
}

function firstStop(text: string, stops: readonly string[]): { at: number; stop: string | null } {
  let best: { at: number; stop: string | null } = { at: text.length, stop: null };
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at >= 0 && at < best.at) best = { at, stop };
  }
  return best;
}

function logprobOf(id: number, count: number): TokenLogprob {
  return { id, logprob: -0.1, top: Array.from({ length: count }, (_, place) => ({ id: (id + place) % 256, logprob: -0.1 - place })) };
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new LecternError('cancelled', undefined, { cause: signal.reason });
}

/** At least one turn of the event loop, as any native call takes. */
async function unlessPaused(pacing: Pacing | undefined, signal: AbortSignal): Promise<void> {
  while (pacing?.paused === true) {
    await new Promise<void>((resolve) => {
      const stop = pacing.onChange(() => go());
      const go = (): void => {
        stop();
        signal.removeEventListener('abort', go);
        resolve();
      };
      signal.addEventListener('abort', go, { once: true });
    });
    throwIfAborted(signal);
  }
}

async function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal) throwIfAborted(signal);
  await new Promise<void>((resolve) => {
    const timer = durationMs > 0 ? setTimeout(ended, durationMs) : undefined;
    const immediate = durationMs > 0 ? undefined : setImmediate(ended);
    function ended(): void {
      clearTimeout(timer);
      clearImmediate(immediate);
      signal?.removeEventListener('abort', ended);
      resolve();
    }
    signal?.addEventListener('abort', ended, { once: true });
  });
  if (signal) throwIfAborted(signal);
}
