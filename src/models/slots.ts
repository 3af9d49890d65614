/** Slots, in which requests are generated: which requests wait, whose turn is next, and how long they waited. Models are loaded by residency.ts. */
import { LecternError } from '../errors.js';
import { FairQueue, mayTakeAnother, type Queued } from '../platform/fair-queue.js';
import { Turn } from './turn.js';
import type { Clock, Lease, OwnedSlots, SlotMetrics, SlotUse } from './types.js';

export interface SlotsOptions {
  /** Requests that are generated at the same time. */
  slots: number;
  /** Requests that may wait beside these; a further one is rejected with `queue_full`. */
  maxQueue: number;
  /** Tokens after which a request gives its slot to a waiting request of another caller. Absent: it keeps the slot to its end. */
  turnTokens?: number;
  clock: Clock;
}

/** Least time in ms between two reports of a queue position, which clients show to people. */
const positionEveryMs = 100;

/**
 * Every request asks for its model when it arrives, so that models load while other requests are generated. A free slot goes to the caller whose turn it
 * is among those that have a request with a loaded model, and to the first such request of that caller.
 *
 * With `turnTokens`, a request is paused for another caller's. A paused request keeps its KV cache in a spare slot of the model (LoadedModel.slots counts them); where the model
 * has none free, the request keeps its slot to its end.
 */
export function createSlots(options: SlotsOptions): OwnedSlots {
  return new FairSlots(options);
}

class FairSlots implements OwnedSlots {
  readonly #options: SlotsOptions;
  /** The requests without a slot: their model is not loaded, no slot is free, or they are paused. */
  readonly #outside = new FairQueue<Request>();
  readonly #working = new Set<Request>();
  readonly #counts = { served: 0, failed: 0, cancelled: 0, refused: 0, waitMs: 0, pauses: 0 };
  #arrivals = 0;
  #isClosed = false;
  /** Called when no request has a slot and none is paused. */
  #onIdle: () => void = () => undefined;
  #isReporting = false;
  /** The number of requests without a slot that have a listener for their position. */
  #listening = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return Math.max(0, this.#outside.size - this.#free);
  }

  get #free(): number {
    return this.#options.slots - this.#working.size;
  }

  metrics(): SlotMetrics {
    const outside = [...this.#outside];
    const paused = outside.filter(({ turn }) => turn !== null).length;
    const loading = outside.filter(({ lease }) => lease === null).length;
    return { working: this.#working.size, ready: outside.length - paused - loading, loading, paused, ...this.#counts };
  }

  positionsOf(caller: string): number[] {
    return [...this.#outside].filter((request) => request.caller === caller).map((request) => this.#positionOf(request));
  }

  run<T>(use: SlotUse<T>): Promise<T> {
    const { slots, maxQueue, clock } = this.#options;
    if (this.#isClosed) return Promise.reject(stopping());
    const { caller = '' } = use;
    const free = slots + maxQueue - this.#working.size - this.#outside.size;
    if (free <= 0 || !mayTakeAnother(this.#outside.ownedBy(caller), free)) {
      this.#counts.refused++;
      return Promise.reject(new LecternError('queue_full', free <= 0 ? undefined : 'This caller has as many requests waiting as one may have; the remaining places are for others.'));
    }
    return new Promise<T>((resolve, reject) => {
      const request = new Request(this.#arrivals++, clock.now(), use, resolve as (value: unknown) => void, reject, this.#leave);
      if (use.signal.aborted) return reject(this.#cancelled(request));
      this.#enqueue(request);
      this.#load(request);
      request.report(this.#positionOf(request));
      use.signal.addEventListener('abort', request, { once: true });
    });
  }

  #load(request: Request): void {
    const failed = (thrown: unknown): void => {
      if (!request.hasLeft) this.#takeOut(request, 'failed', thrown);
    };
    try {
      request.use.load().then((lease) => this.#enter(request, lease), failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  /** To be called when the model of the request is loaded. */
  #enter(request: Request, lease: Lease): void {
    if (request.hasLeft) return lease.release();
    request.lease = lease;
    this.#fill();
  }

  /** Gives free slots to requests while there are both. */
  #fill(): void {
    while (this.#free > 0) {
      const request = this.#outside.take(({ lease }) => lease !== null);
      if (request === undefined) break;
      this.#begin(request);
    }
    this.#reportSoon();
  }

  /** Starts a request, or resumes a paused one, that was taken out of the queue. */
  #begin(request: Request): void {
    if (request.use.onPosition !== undefined) this.#listening--;
    this.#working.add(request);
    request.report(0);
    if (request.turn !== null) request.turn.resume();
    else void this.#work(request);
  }

  async #work(request: Request): Promise<void> {
    const { clock, turnTokens } = this.#options;
    const lease = request.lease as Lease;
    // From here on the work itself listens to the signal, and the slot is free when the work has ended.
    request.use.signal.removeEventListener('abort', request);
    this.#counts.waitMs += Math.max(0, clock.now() - request.came);
    request.turn = new Turn(turnTokens ?? Infinity, () => this.#yield(request));
    lease.turn = request.turn;
    const settle = await request.work(() => this.#isClosed);
    this.#counts[request.use.signal.aborted ? 'cancelled' : settle.outcome]++;
    // A request may end while it is paused, when its last tokens had been generated before.
    if (this.#working.delete(request)) this.#outside.release(request.caller);
    else this.#dequeue(request);
    lease.release();
    settle.call();
    this.#fill();
    this.#tellIdle();
  }

  /** Pauses a request that has written `turnTokens`, if the next turn is another caller's. */
  #yield(request: Request): void {
    const { model } = request.lease as Lease;
    const hasRoom = this.#pausedOn(model) < model.info.slots - this.#options.slots;
    this.#working.delete(request);
    this.#outside.release(request.caller);
    this.#enqueue(request);
    // Without a spare slot, the next request may only be one that is paused on the same model: it leaves the spare slot that this one takes.
    const next = this.#outside.peek((other) => other === request || (other.lease !== null && (hasRoom || (other.turn !== null && other.lease.model === model))));
    if (next === undefined || next.caller === request.caller) {
      this.#dequeue(request, true);
      this.#working.add(request);
      return;
    }
    this.#counts.pauses++;
    request.turn?.pause();
    this.#fill();
  }

  #pausedOn(model: Lease['model']): number {
    let count = 0;
    for (const { turn, lease } of this.#outside) if (turn !== null && lease?.model === model) count++;
    return count;
  }

  #enqueue(request: Request): void {
    this.#outside.add(request);
    if (request.use.onPosition !== undefined) this.#listening++;
  }

  /** `takesPlace`: the request goes on in a slot, and counts as one of its caller's. */
  #dequeue(request: Request, takesPlace = false): void {
    if (takesPlace) this.#outside.hold(request);
    else if (!this.#outside.remove(request)) return;
    if (request.use.onPosition !== undefined) this.#listening--;
  }

  readonly #leave = (request: Request): void => {
    request.hasLeft = true;
    this.#dequeue(request);
    request.lease?.release();
    request.reject(this.#cancelled(request));
    this.#reportSoon();
  };

  #cancelled({ use }: Request): LecternError {
    this.#counts.cancelled++;
    return new LecternError('cancelled', undefined, { cause: use.signal.reason });
  }

  #takeOut(request: Request, outcome: 'failed', error: unknown): void {
    request.hasLeft = true;
    request.use.signal.removeEventListener('abort', request);
    this.#dequeue(request);
    this.#counts[outcome]++;
    request.lease?.release();
    request.reject(error);
    this.#reportSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = new Promise<void>((resolve) => { this.#onIdle = resolve; });
    for (const request of [...this.#outside]) if (request.turn === null) this.#takeOut(request, 'failed', stopping());
    this.#tellIdle();
    await ended;
  }

  #tellIdle(): void {
    if (this.#working.size === 0 && [...this.#outside].every(({ turn }) => turn === null)) this.#onIdle();
  }

  #positionOf(request: Request): number {
    return Math.max(0, this.#outside.rankOf(request) + 1 - this.#free);
  }

  #reportSoon(): void {
    if (this.#isReporting || this.#listening === 0) return;
    this.#isReporting = true;
    this.#options.clock.after(positionEveryMs, () => {
      this.#isReporting = false;
      for (const request of this.#outside) if (request.use.onPosition !== undefined) request.report(this.#positionOf(request));
    });
  }
}

/** One request from its arrival to its end. It is itself the listener of its signal: a thousand requests may wait, and a closure for each would take memory. */
class Request implements Queued {
  lease: Lease | null = null;
  /** Null until the request has had a slot. */
  turn: Turn | null = null;
  hasLeft = false;
  /** The position that was last reported. */
  #position = -1;

  constructor(
    readonly place: number,
    readonly came: number,
    readonly use: SlotUse<unknown>,
    readonly resolve: (value: unknown) => void,
    readonly reject: (reason: unknown) => void,
    private readonly onLeave: (request: Request) => void,
  ) {}

  get caller(): string {
    return this.use.caller ?? '';
  }

  handleEvent(): void {
    this.onLeave(this);
  }

  report(position: number): void {
    if (this.use.onPosition === undefined || position === this.#position) return;
    this.#position = position;
    this.use.onPosition(position);
  }

  /** Runs the request. Never rejects: resolves with the outcome and with the call that reports it to the requester. */
  async work(isStopping: () => boolean): Promise<{ outcome: 'served' | 'failed'; call: () => void }> {
    try {
      const value = await this.use.work(this.lease as Lease);
      return { outcome: 'served', call: () => this.resolve(value) };
    } catch (thrown) {
      // Cancelled, but not by the client: its model was closed because the service stops.
      const wasStopped = isStopping() && !this.use.signal.aborted && thrown instanceof LecternError && thrown.code === 'cancelled';
      return { outcome: 'failed', call: () => this.reject(wasStopped ? stopping() : thrown) };
    }
  }
}

/** An error after which the client may try again, with another instance or with the next one here. */
function stopping(): LecternError {
  return new LecternError('queue_full', 'The service is stopping.');
}
