/** Files of settings that are looked at again while the service runs. */
import type { LecternError } from './errors.js';

/**
 * Calls `look` every `everyMs`; what it throws is told to `onFailure`, once as long as it stays the same. Answers the way to stop.
 * The timer keeps no process alive.
 */
export function lookAgain(look: () => void, onFailure: (error: LecternError) => void, everyMs: number): () => void {
  let failed = '';
  const timer = setInterval(() => {
    try {
      look();
      failed = '';
    } catch (thrown) {
      const error = thrown as LecternError;
      if (error.message !== failed) onFailure(error);
      failed = error.message;
    }
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
