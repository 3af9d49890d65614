/** Calls across the seam: an AbortSignal becomes a native flag, a native failure a LecternError with a stack of ours. */
import { LecternError, errorTable, type ErrorCode } from '../errors.js';
import type { NativeAddon, NativeCancel } from './addon.js';

/** Makes a callback safe to hand over: what it throws cancels the call, which then rejects with that. */
export type Guard = <Told>(callback: (told: Told) => void) => (told: Told) => void;

/**
 * Waits for one native call, lets `signal` cancel it, and gives its failure a stack of this side. `discard` takes what the call
 * answered when a guarded callback had thrown meanwhile.
 */
export async function callNative<T>(
  addon: NativeAddon, signal: AbortSignal | undefined, start: (cancel: NativeCancel, guard: Guard) => Promise<T>,
  discard?: (answer: T) => Promise<void>,
): Promise<T> {
  if (signal?.aborted) throw new LecternError('cancelled', undefined, { cause: signal.reason });
  const cancel = new addon.Cancel();
  const thrown: unknown[] = [];
  const guard: Guard = (callback) => (told) => {
    if (thrown.length > 0) return;
    try {
      callback(told);
    } catch (failure) {
      thrown.push(failure);
      cancel.cancel();
    }
  };
  const onAbort = (): void => cancel.cancel();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const answer = await start(cancel, guard);
    if (thrown.length === 0) return answer;
    await discard?.(answer);
  } catch (failure) {
    if (thrown.length === 0) throw fromNative(failure);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  throw thrown[0];
}

/** The same for what native code answers at once. */
export function atTheSeam<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw fromNative(thrown);
  }
}

/** The native error's code and sentence with a stack of this side; the native error stays as `cause`. */
function fromNative(thrown: unknown): LecternError {
  if (thrown instanceof LecternError) return thrown;
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
