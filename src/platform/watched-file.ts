/** Files of settings that are read again while the service runs. */
import type { LecternError } from '../errors.js';

export interface LookingAgain {
  /** Whether the last look found what could be used. */
  isCurrent(): boolean;
  stop(): void;
}

/**
 * Calls `look` every `everyMs`; what it throws is passed to `onFailure`, once as long as it stays the same. It returns false where it has
 * not seen enough to judge. The timer keeps no process alive.
 */
export function watchFile(look: () => void | false, onFailure: (error: LecternError) => void, everyMs: number): LookingAgain {
  let failed = '';
  const timer = setInterval(() => {
    try {
      if (look() !== false) failed = '';
    } catch (thrown) {
      const error = thrown as LecternError;
      if (error.message !== failed) onFailure(error);
      failed = error.message;
    }
  }, everyMs);
  timer.unref();
  return { isCurrent: () => failed === '', stop: () => clearInterval(timer) };
}
