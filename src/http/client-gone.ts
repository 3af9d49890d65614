/** Whether the client of a request still waits for its answer: the one place that knows how to tell. */
import type { FastifyReply } from 'fastify';
import { LecternError } from '../errors.js';
import type { Leaving } from '../models/types.js';

/**
 * A client that leaves before it has its answer. An AbortSignal takes 900 bytes and its listeners more, which no request needs while it
 * waits for its turn: it is made when it is asked for.
 */
export class ClientGone implements Leaving {
  #reason: LecternError | undefined;
  #controller: AbortController | undefined;
  readonly #listeners: { handleEvent(): void }[] = [];

  /**
   * A route that answers without ending the work (a 504) stops listening first: the close that follows means nothing then.
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

  /** The same as a signal, for work that wants one. */
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
