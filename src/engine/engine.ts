/** The engine of this process: the port's interface over the native addon. */
import type { Bitmap } from '../bitmap.js';
import { LecternError, errorTable, type ErrorCode } from '../errors.js';
import { loadAddon, type LogLevel, type NativeAddon, type NativeCancel, type NativeEngine } from './addon.js';
import type { CallOptions, DeviceInfo, Engine, ResizeOptions } from './port.js';

export interface EngineOptions {
  /** What native code has to say; it prints nothing itself. */
  log?: (level: LogLevel, message: string) => void;
}

/** Starts the engine. Throws LecternError `invalid_state` when the addon was not built. Close it, or its threads stay. */
export function openEngine(options: EngineOptions = {}): Engine {
  const addon = loadAddon();
  return atTheSeam(() => new AddonEngine(addon, new addon.Engine(options)));
}

class AddonEngine implements Engine {
  readonly #addon: NativeAddon;
  readonly #native: NativeEngine;
  #closing: Promise<void> | undefined;

  constructor(addon: NativeAddon, native: NativeEngine) {
    this.#addon = addon;
    this.#native = native;
  }

  deskewAngle(bitmap: Bitmap, options: CallOptions = {}): Promise<number> {
    return this.#call(options.signal, (cancel) => this.#native.deskewAngle(bitmap, cancel));
  }

  resizeImage(bitmap: Bitmap, options: ResizeOptions): Promise<Float32Array> {
    const { signal, ...size } = options;
    return this.#call(signal, (cancel) => this.#native.resizeImage(bitmap, size, cancel));
  }

  devices(): DeviceInfo[] {
    return atTheSeam(() => this.#addon.devices());
  }

  buildInfo(): { version: string; cuda: boolean; instructions: string } {
    return this.#addon.buildInfo();
  }

  /** Cancels what runs and frees its threads and memory. Calling it again waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#native.close();
    return this.#closing;
  }

  /** Waits for one native call, lets `signal` cancel it, and gives its failure a stack of ours. */
  async #call<T>(signal: AbortSignal | undefined, start: (cancel: NativeCancel) => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new LecternError('cancelled', undefined, { cause: signal.reason });
    const cancel = new this.#addon.Cancel();
    const onAbort = (): void => cancel.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await start(cancel);
    } catch (thrown) {
      throw fromNative(thrown);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

function atTheSeam<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw fromNative(thrown);
  }
}

/** The native error's code and sentence with a stack of this side; the native error stays as `cause`. */
function fromNative(thrown: unknown): LecternError {
  if (thrown instanceof Error && 'code' in thrown && isErrorCode(thrown.code)) {
    // The text of a defect is for the log, where `cause` shows it, not for a client.
    const message = thrown.code === 'internal' ? undefined : thrown.message;
    return new LecternError(thrown.code, message, { cause: thrown });
  }
  return new LecternError('internal', undefined, { cause: thrown });
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorTable, value);
}
