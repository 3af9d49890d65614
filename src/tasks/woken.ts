/** Waiting for a task without polling. */
import type { Clock } from './types.js';

/** Resolves when the listener given to `onWake` is called, after `timeoutMs`, or when `signal` aborts. `onWake` returns the function that removes its listener. */
export function wokenWithin(onWake: (listener: () => void) => () => void, clock: Clock, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise<void>((resolve) => {
    const stopTimer = clock.after(timeoutMs, go);
    const stopWaking = onWake(go);
    signal?.addEventListener('abort', go, { once: true });
    function go(): void {
      stopTimer();
      stopWaking();
      signal?.removeEventListener('abort', go);
      resolve();
    }
  });
}
