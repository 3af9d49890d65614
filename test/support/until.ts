/** Waiting for what another process, thread or connection does in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Far beyond what any machine needs: it is there so that a condition that never holds fails with its name. */
const longestMs = 60_000;

/** Settles when `holds` returns true; rejects after a minute with `what` was awaited. It is asked every `everyMs` milliseconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const begun = performance.now();
  while (!await holds()) {
    if (performance.now() - begun > longestMs) throw new Error(`waited ${longestMs / 1000} s in vain: ${what}`);
    await sleep(everyMs);
  }
}
