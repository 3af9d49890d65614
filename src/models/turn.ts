/** One request's use of a slot. It can be paused between two tokens, while its KV cache is kept, when other requests wait. */
import type { Pacing } from '../engine/port.js';

export class Turn implements Pacing {
  /** Tokens written since the request last got a slot. */
  #tokens = 0;
  #paused = false;
  readonly #listeners = new Set<() => void>();

  /** `onDue` is called with each burst of tokens once `tokens` were written; it may call pause(). */
  constructor(private readonly tokens: number, private readonly onDue: () => void) {}

  get paused(): boolean {
    return this.#paused;
  }

  wrote(tokens: number): void {
    this.#tokens += tokens;
    if (this.#tokens >= this.tokens && !this.#paused) this.onDue();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  pause(): void {
    this.#set(true);
  }

  resume(): void {
    this.#tokens = 0;
    this.#set(false);
  }

  #set(paused: boolean): void {
    this.#paused = paused;
    for (const listener of [...this.#listeners]) listener();
  }
}
