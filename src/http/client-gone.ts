/** Whether the client of a request still waits for its answer. No other file decides this. */
import type { FastifyReply } from 'fastify';
import { LecternError } from '../errors.js';
import type { Leaving } from '../models/types.js';

/**
 * Notices when a client disconnects before it has its answer. A waiting request needs no AbortSignal, which takes 900 bytes and more for its listeners, so one
 * is made only where `signal` is read.
 */
export class ClientGone implements Leaving {
  #reason: LecternError | undefined;
  #controller: AbortController | undefined;
  readonly #listeners: { handleEvent(): void }[] = [];

  /**
   * Where a route has answered while the work goes on (a 504), the close that follows is that of a finished answer and is ignored.
   *
   * `request.signal` of Fastify aborts within a millisecond of a POST although the client is there; `close` of the raw reply
   * with an unfinished answer is right.
   */
  constructor({ raw }: FastifyReply) {
    raw.on('close', () => {
      if (!raw.writableFinished) this.#hear();
    });
    if (raw.destroyed && !raw.writableFinished) this.#hear();
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** An AbortSignal that aborts when the client disconnects. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  addEventListener(_type: 'abort', listener: { handleEvent(): void }): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: { handleEvent(): void }): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  #hear(): void {
    if (this.#reason !== undefined) return;
    this.#reason = new LecternError('cancelled', 'The client went away.');
    this.#controller?.abort(this.#reason);
    for (const listener of this.#listeners.splice(0)) listener.handleEvent();
  }
}
