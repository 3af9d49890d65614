/** The queue of tasks: those that wait, by caller, the places that callers have reserved for uploads, the order in which callers take turns, and places beyond the usual ones. */
import { LecternError } from '../errors.js';
import { FairQueue, mayTakeAnother, type Queued } from '../platform/fair-queue.js';
import type { Clock } from './types.js';

export interface Reservation {
  readonly isOpen: boolean;
  /** Gives the place back. Returns false where it was given back before. */
  giveBack(): boolean;
}

interface WaitingTask extends Queued {
  /** Whether the task has listeners, which are notified when its position changes. */
  readonly isFollowed: boolean;
  readonly ending: boolean;
  notify(): void;
}

export class Turns<T extends WaitingTask> {
  private readonly queue = new FairQueue<T>();
  private readonly reservations = new Map<string, number>();
  private count = 0;

  /** The number of waiting tasks. */
  get size(): number {
    return this.queue.size;
  }

  /** The number of places reserved for uploads. */
  get reserved(): number {
    return this.count;
  }

  /**
   * Reserves a place for a task while fewer than `most` places are taken, those of `running` tasks included. Throws `queue_full` where none is free, and where the caller
   * has its share of the free places already.
   */
  reserve(caller: string, most: number, running: number): Reservation {
    const free = most - this.count - this.queue.size - running;
    const own = this.reservations.get(caller) ?? 0;
    if (free <= 0) throw new LecternError('queue_full');
    if (!mayTakeAnother(own + this.queue.ownedBy(caller), free)) {
      throw new LecternError('queue_full', 'This caller has as many tasks waiting as one may have; the remaining places are for others.');
    }
    this.count++;
    this.reservations.set(caller, own + 1);
    let isOpen = true;
    return {
      get isOpen() { return isOpen; },
      giveBack: () => {
        if (!isOpen) return false;
        isOpen = false;
        this.count--;
        const left = (this.reservations.get(caller) ?? 1) - 1;
        if (left > 0) this.reservations.set(caller, left);
        else this.reservations.delete(caller);
        return true;
      },
    };
  }

  add(task: T): void {
    this.changing(() => this.queue.add(task));
  }

  /** Takes the next task out of the queue; it counts as one of its caller's running tasks until end(). Returns undefined where none waits. */
  begin(): T | undefined {
    return this.changing(() => this.queue.take(({ ending }) => !ending));
  }

  /** As begin(), but only for a caller that has no running task, and a task for which `mayBegin` holds. */
  beginGuest(mayBegin: (task: T) => boolean): T | undefined {
    return this.changing(() => this.queue.take((task) => !task.ending && this.queue.heldBy(task.caller) === 0 && mayBegin(task)));
  }

  end(task: T): void {
    this.changing(() => this.queue.release(task.caller));
  }

  /** Takes a cancelled task out of the queue. */
  leave(task: T): void {
    this.changing(() => this.queue.remove(task));
  }

  /** The queue position, from 1; null for a task that does not wait. */
  positionOf(task: T): number | null {
    const rank = this.queue.rankOf(task);
    return rank < 0 ? null : rank + 1;
  }

  /** Runs `change`, and notifies the listeners of all tasks whose position it has changed. */
  private changing<R>(change: () => R): R {
    const followed = [...this.queue].filter(({ isFollowed }) => isFollowed).map((task) => ({ task, position: this.positionOf(task) }));
    const result = change();
    for (const { task, position } of followed) {
      const now = this.positionOf(task);
      if (now !== null && now !== position) task.notify();
    }
    return result;
  }
}

/** A caller with no running task waits so many ms for a usual place. Most documents are converted in less; an additional process costs memory. */
export const guestWaitMs = 5_000;

/** Places beyond the usual ones, for callers that would else wait for the long tasks of other callers: nothing ends or pauses a task that runs. */
export class GuestPlaces {
  private taken = 0;

  /** `begin` starts the next task that may take a guest's place and resolves when it has ended; null where there is none. */
  constructor(private readonly most: number, private readonly clock: Clock, private readonly begin: () => Promise<void> | null) {}

  /** To be called for each task that begins to wait. */
  arrived(): void {
    if (this.most > 0) this.clock.after(guestWaitMs, () => this.offer());
  }

  private offer(): void {
    while (this.taken < this.most) {
      const work = this.begin();
      if (work === null) return;
      this.taken++;
      void work.finally(() => {
        this.taken--;
        this.offer();
      });
    }
  }
}
