/** The clock of the running service; tests bring their own. */
import type { Clock } from './types.js';

/** Beyond this setTimeout fires at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(Math.max(delayMs, 0), longestTimerMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
