/** A model in memory: the port's interface over its native handle. */
import { LecternError } from '../errors.js';
import type { NativeAddon, NativeCancel, NativeLanguageModel, NativePrompt } from './addon.js';
import { atTheSeam, callNative } from './native-call.js';
import type { CallOptions, EmbedOptions, Embedding, GenerateOptions, GenerateResult, LanguageModel, LoadedModel, Pacing, Prompt, RankOptions, Relevance, TokenChunk } from './port.js';

export class AddonLanguageModel implements LanguageModel {
  readonly info: LoadedModel;
  readonly #addon: NativeAddon;
  readonly #native: NativeLanguageModel;
  readonly #onClosed: () => void;
  #closing: Promise<void> | undefined;

  constructor(addon: NativeAddon, native: NativeLanguageModel, onClosed: () => void) {
    this.#addon = addon;
    this.#native = native;
    this.#onClosed = onClosed;
    this.info = native.info;
  }

  async generate(prompt: Prompt, options: GenerateOptions = {}): Promise<GenerateResult> {
    const { signal, pacing, onTokens, ...rest } = options;
    const asked = { ...rest, seed: rest.seed ?? Math.floor(Math.random() * 2 ** 53) };
    const hear = pacing === undefined ? onTokens : (chunk: TokenChunk): void => {
      onTokens?.(chunk);
      pacing.wrote(chunk.ids.length);
    };
    return callNative(this.#addon, signal, async (cancel, guard) => {
      const stop = pacing === undefined ? undefined : this.#pace(cancel, pacing, signal);
      try {
        return await this.#native.generate(toNative(prompt), hear ? { ...asked, onTokens: guard(hear) } : asked, cancel);
      } finally {
        stop?.();
      }
    });
  }

  /** Until the returned function is called. A generation that is held does not read its cancel flag by itself. */
  #pace(cancel: NativeCancel, pacing: Pacing, signal: AbortSignal | undefined): () => void {
    const wake = (): void => {
      if (this.#closing === undefined) this.#native.wake();
    };
    const change = (): void => {
      cancel.hold(pacing.paused);
      if (!pacing.paused) wake();
    };
    if (pacing.paused) cancel.hold(true);
    const stopListening = pacing.onChange(change);
    signal?.addEventListener('abort', wake, { once: true });
    return () => {
      stopListening();
      signal?.removeEventListener('abort', wake);
    };
  }

  embed(input: Prompt, options: EmbedOptions = {}): Promise<Embedding> {
    const { signal, normalise = true } = options;
    return callNative(this.#addon, signal, async (cancel) => this.#native.embed(toNative(input), normalise, cancel));
  }

  rank(query: string, document: string, options: RankOptions = {}): Promise<Relevance> {
    const { signal, mostTokens = 0 } = options;
    return callNative(this.#addon, signal, async (cancel) => this.#native.rank(query, document, mostTokens, cancel));
  }

  async tokenize(prompt: Prompt, options: CallOptions & { addSpecial?: boolean } = {}): Promise<number[]> {
    const { signal, addSpecial = true } = options;
    return listOf(await callNative(this.#addon, signal, async (cancel) => this.#native.tokenize(toNative(prompt), addSpecial, cancel)));
  }

  countTokens(prompt: Prompt, options: CallOptions & { addSpecial?: boolean } = {}): Promise<number> {
    const { signal, addSpecial = true } = options;
    return callNative(this.#addon, signal, async (cancel) => this.#native.countTokens(toNative(prompt), addSpecial, cancel));
  }

  tokenBytes(id: number): Uint8Array {
    return atTheSeam(() => this.#native.tokenBytes(id));
  }

  close(): Promise<void> {
    this.#closing ??= this.#native.close().finally(this.#onClosed);
    return this.#closing;
  }
}

/** Ids cross as one block of memory; text and its parts as they are. */
function toNative(prompt: Prompt): NativePrompt {
  return Array.isArray(prompt) && typeof (prompt as readonly unknown[])[0] !== 'object' ? idsToNative(prompt as readonly number[]) : prompt as NativePrompt;
}

/** Throws `invalid_request` for what a vocabulary of any size has no token for: an Int32Array would silently make a number of it. */
function idsToNative(ids: readonly number[]): Int32Array {
  if (!Array.isArray(ids)) throw new LecternError('invalid_request', 'Token ids must be an array of numbers.');
  const native = new Int32Array(ids.length);
  for (const [place, id] of ids.entries()) {
    if (!Number.isInteger(id) || id < 0 || id > 0x7fffffff) throw new LecternError('invalid_request', `The prompt's entry ${place} is no token id.`);
    native[place] = id;
  }
  return native;
}

/** As Array.from, in a fifth of its time: a long prompt has a million ids, which would take 100 ms of the event loop. */
function listOf(ids: Int32Array): number[] {
  const list = new Array<number>(ids.length);
  for (let at = 0; at < ids.length; at += 1) list[at] = ids[at] as number;
  return list;
}
