/** A clock that stands still until the test moves it. */
import type { Clock } from '../../src/tasks/types.js';

export class ManualClock implements Clock {
  private time = 1_700_000_000_000;
  private readonly timers = new Set<{ at: number; call: () => void }>();

  now(): number {
    return this.time;
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { at: this.time + delayMs, call };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Timers that are due fire in their order, before this returns. */
  advance(ms: number): void {
    this.time += ms;
    for (const timer of [...this.timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.time || !this.timers.delete(timer)) continue;
      timer.call();
    }
  }

  /** Sets the clock: timers run on by the time that passes. */
  set(ms: number): void {
    this.time += ms;
    for (const timer of this.timers) timer.at += ms;
  }

  get pending(): number {
    return this.timers.size;
  }
}
