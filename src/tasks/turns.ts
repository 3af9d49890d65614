/** Whose task is next: the tasks that wait, by caller, and the places that callers have reserved for uploads. */
import { LecternError } from '../errors.js';
import { FairQueue, mayTakeAnother, type Queued } from '../platform/fair-queue.js';

export interface Reservation {
  readonly isOpen: boolean;
  /** False when it was given back before. */
  giveBack(): boolean;
}

interface WaitingTask extends Queued {
  /** Whether its listeners want to know its position. */
  readonly isFollowed: boolean;
  readonly ending: boolean;
  notify(): void;
}

export class Turns<T extends WaitingTask> {
  private readonly queue = new FairQueue<T>();
  private readonly reservations = new Map<string, number>();
  private count = 0;

  /** Tasks that wait. */
  get size(): number {
    return this.queue.size;
  }

  /** Places of uploads under way. */
  get reserved(): number {
    return this.count;
  }

  /**
   * Reserves a place for a task to come, while fewer than `most` are taken, `running` ones among them. Throws `queue_full`, also where the caller
   * has its share of the places.
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

  /** The next task, which leaves the queue; its caller holds a worker until end(). undefined where none waits. */
  begin(): T | undefined {
    return this.changing(() => this.queue.take(({ ending }) => !ending));
  }

  end(task: T): void {
    this.changing(() => this.queue.release(task.caller));
  }

  /** It is cancelled. */
  leave(task: T): void {
    this.changing(() => this.queue.remove(task));
  }

  /** From 1; null for a task that does not wait. */
  positionOf(task: T): number | null {
    const rank = this.queue.rankOf(task);
    return rank < 0 ? null : rank + 1;
  }

  /** Tells the followers of all tasks whose position `change` changes. */
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
