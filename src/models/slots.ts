/** Places where answers are written: who waits, who is next, and what that took. It loads nothing itself. */
import PQueue from 'p-queue';
import { LecternError } from '../errors.js';
import type { Clock, Lease, OwnedSlots, SlotMetrics, SlotUse } from './types.js';

export interface SlotsOptions {
  /** Works at the same time. */
  slots: number;
  /** Requests beside those at work; past it `queue_full`. */
  maxQueue: number;
  clock: Clock;
}

/**
 * Every request asks for its model as soon as it comes, so models load while others write. A free slot goes to the request that
 * came first among those whose model is there.
 */
export function createSlots(options: SlotsOptions): OwnedSlots {
  return new QueuedSlots(options);
}

class QueuedSlots implements OwnedSlots {
  readonly #options: SlotsOptions;
  /**
   * Holds turns, not requests: a turn takes whoever is first until nobody is left, so there are no more of them than slots, and what waits costs nothing
   * here.
   */
  readonly #turns: PQueue;
  /** Turns that are queued or at work. */
  #begun = 0;
  /** Those whose model is there, in the order in which they came. */
  readonly #ready: Waiting[] = [];
  readonly #counts = { served: 0, failed: 0, cancelled: 0, refused: 0, waitMs: 0 };
  #arrivals = 0;
  #inside = 0;
  #working = 0;
  /** Those that do not work yet; of use for turning them away. */
  readonly #outside = new Set<Waiting>();
  #isClosed = false;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#turns = new PQueue({ concurrency: options.slots });
  }

  get waiting(): number {
    return Math.max(0, this.#inside - this.#options.slots);
  }

  metrics(): SlotMetrics {
    return { working: this.#working, ready: this.#ready.length, loading: this.#inside - this.#working - this.#ready.length, ...this.#counts };
  }

  run<T>(use: SlotUse<T>): Promise<T> {
    const { slots, maxQueue, clock } = this.#options;
    if (this.#isClosed) return Promise.reject(stopping());
    if (this.#inside >= slots + maxQueue) {
      this.#counts.refused++;
      return Promise.reject(new LecternError('queue_full'));
    }
    this.#inside++;
    return new Promise<T>((resolve, reject) => {
      const waiting = new Waiting(this.#arrivals++, clock.now(), use, resolve as (value: unknown) => void, reject, this.#leave);
      this.#outside.add(waiting);
      if (use.signal.aborted) return this.#leave(waiting);
      use.signal.addEventListener('abort', waiting, { once: true });
      this.#load(waiting);
    });
  }

  #load(request: Waiting): void {
    const failed = (thrown: unknown): void => {
      if (!request.hasLeft) this.#end(request, 'failed', () => request.reject(thrown));
    };
    try {
      request.use.load().then((lease) => this.#enter(request, lease), failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  /** Its model is there. */
  #enter(request: Waiting, lease: Lease): void {
    if (request.hasLeft) return lease.release();
    request.lease = lease;
    const after = this.#ready.findLastIndex(({ place }) => place < request.place);
    this.#ready.splice(after + 1, 0, request);
    if (this.#begun === this.#options.slots) return;
    this.#begun++;
    void this.#turns.add(this.#takeTurns);
  }

  readonly #takeTurns = async (): Promise<void> => {
    for (let request = this.#ready.shift(); request !== undefined; request = this.#ready.shift()) await this.#work(request);
    this.#begun--;
  };

  async #work(request: Waiting): Promise<void> {
    // From here on the work itself hears the signal: the slot is free when it has ended.
    request.use.signal.removeEventListener('abort', request);
    this.#counts.waitMs += Math.max(0, this.#options.clock.now() - request.came);
    this.#working++;
    this.#outside.delete(request);
    const settle = await request.work(() => this.#isClosed);
    this.#working--;
    this.#end(request, request.use.signal.aborted ? 'cancelled' : settle.outcome, settle.call);
  }

  readonly #leave = (request: Waiting): void => {
    this.#takeOut(request, 'cancelled', new LecternError('cancelled', undefined, { cause: request.use.signal.reason }));
  };

  #takeOut(request: Waiting, outcome: 'cancelled' | 'failed', error: LecternError): void {
    request.hasLeft = true;
    const at = this.#ready.indexOf(request);
    if (at >= 0) this.#ready.splice(at, 1);
    this.#end(request, outcome, () => request.reject(error));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const request of [...this.#outside]) this.#takeOut(request, 'failed', stopping());
    await this.#turns.onIdle();
  }

  #end(request: Waiting, outcome: 'served' | 'failed' | 'cancelled', settle: () => void): void {
    request.use.signal.removeEventListener('abort', request);
    this.#outside.delete(request);
    this.#inside--;
    this.#counts[outcome]++;
    request.lease?.release();
    settle();
  }
}

/** One request from its coming to its end. Listens to its own signal: a thousand may wait, and a closure each would show. */
class Waiting {
  lease: Lease | null = null;
  hasLeft = false;

  constructor(
    readonly place: number,
    readonly came: number,
    readonly use: SlotUse<unknown>,
    readonly resolve: (value: unknown) => void,
    readonly reject: (reason: unknown) => void,
    private readonly onLeave: (request: Waiting) => void,
  ) {}

  handleEvent(): void {
    this.onLeave(this);
  }

  /** Never rejects: says how it went, and how to tell. */
  async work(isStopping: () => boolean): Promise<{ outcome: 'served' | 'failed'; call: () => void }> {
    try {
      const value = await this.use.work(this.lease as Lease);
      return { outcome: 'served', call: () => this.resolve(value) };
    } catch (thrown) {
      // Cancelled, and not by the client: its model was closed under it.
      const wasStopped = isStopping() && !this.use.signal.aborted && thrown instanceof LecternError && thrown.code === 'cancelled';
      return { outcome: 'failed', call: () => this.reject(wasStopped ? stopping() : thrown) };
    }
  }
}

/** Retryable: another instance, or the next one here, will answer. */
function stopping(): LecternError {
  return new LecternError('queue_full', 'The service is stopping.');
}
