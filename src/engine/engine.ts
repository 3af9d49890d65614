/** The engine of this process: the port's interface over the native addon. */
import type { Bitmap } from '../bitmap.js';
import { LecternError } from '../errors.js';
import { loadAddon, type LogLevel, type NativeAddon, type NativeEngine } from './addon.js';
import { AddonLanguageModel } from './language-model.js';
import { atTheSeam, callNative } from './native-call.js';
import { AddonVisionModel } from './vision-model.js';
import type { CallOptions, DeviceInfo, KernelOptions, LanguageModel, LineVotes, LineVotesOptions, MemoryNeed, ModelDescription, ModelShape, OpenModelOptions, ReadPage, ReadTextOptions, RecogniseTextOptions } from './port.js';
import type { Engine } from './engine-port.js';
import type { OpenVisionOptions, VisionModel } from './vision-port.js';

export interface EngineOptions {
  /** What native code has to say; it prints nothing itself. */
  log?: (level: LogLevel, message: string) => void;
  /** Debug switches of the CUDA kernels. They hold for the whole process, and have to be given before a model is opened. */
  kernels?: KernelOptions;
  /** The pre-tokenizer (a name that files have) for files whose own one is not known; empty: they are refused. It holds for the whole process. */
  preTokenizer?: string;
}

/** Starts the engine. Throws LecternError `invalid_state` when the addon was not built. Close it, or its threads stay. */
export function openEngine(options: EngineOptions = {}): Engine {
  const addon = loadAddon();
  return atTheSeam(() => new AddonEngine(addon, new addon.Engine(options)));
}

class AddonEngine implements Engine {
  readonly #addon: NativeAddon;
  readonly #native: NativeEngine;
  /** Open, or about to be: they end with the engine. */
  readonly #models = new Set<Promise<LanguageModel | VisionModel>>();
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(addon: NativeAddon, native: NativeEngine) {
    this.#addon = addon;
    this.#native = native;
  }

  deskewAngle(bitmap: Bitmap, options: CallOptions = {}): Promise<number> {
    return callNative(this.#addon, options.signal, (cancel) => this.#native.deskewAngle(bitmap, cancel));
  }

  tesseractVersion(): Promise<string> {
    return callNative(this.#addon, undefined, (cancel) => this.#native.tesseractVersion(cancel));
  }

  readText(bitmap: Bitmap, options: ReadTextOptions): Promise<ReadPage> {
    const { signal, ...rest } = options;
    return callNative(this.#addon, signal, (cancel) => this.#native.readText(bitmap, rest, cancel));
  }

  recogniseText(bitmap: Bitmap, options: RecogniseTextOptions): Promise<ReadPage> {
    const { signal, ...rest } = options;
    return callNative(this.#addon, signal, (cancel) => this.#native.recogniseText(bitmap, rest, cancel));
  }

  lineVotes(bitmap: Bitmap, options: LineVotesOptions): Promise<LineVotes> {
    const { signal, ...rest } = options;
    return callNative(this.#addon, signal, (cancel) => this.#native.lineVotes(bitmap, rest, cancel));
  }

  async describeModel(path: string, options: CallOptions & { arrays?: boolean } = {}): Promise<ModelDescription> {
    const { signal, ...rest } = options;
    const description = await callNative(this.#addon, signal, (cancel) => this.#native.describeModel(path, rest, cancel));
    return { ...description, metadata: Object.fromEntries(description.metadata) };
  }

  memoryNeed(path: string, shape: ModelShape): Promise<MemoryNeed> {
    return callNative(this.#addon, undefined, (cancel) => this.#native.memoryNeed(path, shape, cancel));
  }

  countTokens(path: string, texts: readonly string[], options: CallOptions = {}): Promise<Uint32Array> {
    return callNative(this.#addon, options.signal, (cancel) => this.#native.countTokens(path, texts, cancel));
  }

  async openModel(path: string, options: OpenModelOptions = {}): Promise<LanguageModel> {
    return this.#keep((onClosed) => this.#open(path, options, onClosed));
  }

  async openVision(options: OpenVisionOptions): Promise<VisionModel> {
    return this.#keep((onClosed) => this.#openVision(options, onClosed));
  }

  /** Closing the engine closes what `open` gives, too. */
  async #keep<Model extends LanguageModel | VisionModel>(open: (onClosed: () => void) => Promise<Model>): Promise<Model> {
    if (this.#closing) throw new LecternError('invalid_state', 'The engine is closed.');
    const opening: Promise<Model> = open(() => this.#models.delete(opening));
    this.#models.add(opening);
    const model = await opening.catch((thrown: unknown) => {
      this.#models.delete(opening);
      throw thrown;
    });
    // Closing the engine closes this model too.
    if (this.#closing) throw new LecternError('invalid_state', 'The engine is closed.');
    return model;
  }

  async #open(path: string, options: OpenModelOptions, onClosed: () => void): Promise<LanguageModel> {
    const { signal, onProgress, ...shape } = options;
    const either = signal ? AbortSignal.any([signal, this.#ending.signal]) : this.#ending.signal;
    const native = await callNative(
      this.#addon, either,
      (cancel, guard) => this.#native.openModel(path, onProgress ? { ...shape, onProgress: guard(onProgress) } : shape, cancel),
      (unwanted) => unwanted.close(),
    );
    return new AddonLanguageModel(this.#addon, native, onClosed);
  }

  async #openVision({ signal, ...options }: OpenVisionOptions, onClosed: () => void): Promise<VisionModel> {
    const either = signal ? AbortSignal.any([signal, this.#ending.signal]) : this.#ending.signal;
    const native = await callNative(this.#addon, either, (cancel) => this.#native.openVision(options, cancel), (unwanted) => unwanted.close());
    return new AddonVisionModel(this.#addon, native, onClosed);
  }

  devices(wanted: 'auto' | DeviceInfo['kind'] = 'auto'): DeviceInfo[] {
    return atTheSeam(() => this.#addon.devices(wanted !== 'cpu'));
  }

  whyNoGpu(): string {
    return atTheSeam(() => this.#addon.whyNoGpu());
  }

  buildInfo(): { version: string; cuda: boolean; instructions: string } {
    return this.#addon.buildInfo();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    const models = [...this.#models].map((opening) => opening.then((model) => model.close(), () => undefined));
    await Promise.all([this.#native.close(), ...models]);
  }
}
