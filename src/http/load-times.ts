/** How long models took to load since the service was started, from which the next load is estimated. */

interface Seen { bytes: number; seconds: number; at: number }

/** Requests that came during one load are granted together; the earliest waited for all of it. */
const sameLoadMs = 1000;

export class LoadTimes {
  readonly #seen = new Map<string, Seen>();

  /** `bytes`: of the model's file. `ms`: what one request waited for the load. */
  note(name: string, bytes: number, ms: number, now = performance.now()): void {
    const before = this.#seen.get(name);
    const longest = before !== undefined && now - before.at < sameLoadMs ? Math.max(before.seconds, ms / 1000) : ms / 1000;
    this.#seen.set(name, { bytes, seconds: longest, at: now });
  }

  /** Seconds: of the model's last load, or by the bytes a second of all models that were seen; null before the first load. */
  expected(name: string, bytes: number): number | null {
    const own = this.#seen.get(name);
    if (own !== undefined) return own.seconds;
    const all = [...this.#seen.values()];
    const seconds = all.reduce((sum, one) => sum + one.seconds, 0);
    return seconds === 0 ? null : bytes * seconds / all.reduce((sum, one) => sum + one.bytes, 0);
  }
}
