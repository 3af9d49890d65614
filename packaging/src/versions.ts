/** Unpacked versions of the program side by side: which are in use, and which may go. Read by boot.ts; it can load nothing but Node's own modules. */
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const dayMs = 24 * 3_600_000;
/**
 * Since its time was set. A running process opens scripts of its version whenever it needs them, and no lock shows that across containers:
 * each sets the time at its start and every day, so that only one that stood still for a month could lose its files.
 */
const unusedMs = 30 * dayMs;

/** Marks the version as in use; one that is not there, or is another user's, is left alone. */
export function touchVersion(directory: string, now = new Date()): void {
  try {
    utimesSync(directory, now, now);
  } catch {
    // It is unpacked next, or its owner alone may remove it.
  }
}

/** As long as this process lives, without keeping it alive. */
export function keepVersion(directory: string, everyMs = dayMs): void {
  touchVersion(directory);
  setInterval(() => touchVersion(directory), everyMs).unref();
}

/** Removes the versions beside `own` that have not been used for long. What cannot be removed stays. */
export function removeUnused(root: string, own: string, now = Date.now()): void {
  for (const name of readdirSync(root).filter((entry) => /^[0-9a-f]{32}$/.test(entry) && entry !== own)) {
    try {
      const directory = join(root, name);
      if (now - lstatSync(directory).mtimeMs < unusedMs) continue;
      // Under another name at once: a process that starts that version now finds none, and not half of one.
      const doomed = mkdtempSync(join(root, 'unpacking-'));
      try {
        renameSync(directory, join(doomed, name));
      } finally {
        rmSync(doomed, { recursive: true, force: true });
      }
    } catch {
      continue;
    }
  }
}
