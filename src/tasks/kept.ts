/** The tasks that have ended, oldest first, and the rules by which they are forgotten: by time, by number and by bytes of results. */
import type { Task } from './task.js';
import type { Clock } from './types.js';

/** Longest wait of a timer in ms: the system clock may be set, so expiry is checked against it at least this often. */
const lookMs = 60_000;

export class KeptTasks<Meta, Summary> {
  private readonly tasks = new Map<string, Task<Meta, Summary>>();
  private stopTimer: (() => void) | null = null;
  private closed = false;
  bytes = 0;

  constructor(
    /** The most ended tasks, and the most bytes of their results. The latter may change: `trim` reads it each time. */
    private readonly bounds: { maxEnded: number; maxEndedBytes: () => number },
    private readonly clock: Clock,
    private readonly forget: (task: Task<Meta, Summary>) => void,
  ) {}

  get size(): number { return this.tasks.size; }

  add(task: Task<Meta, Summary>): void {
    this.tasks.set(task.id, task);
    this.bytes += task.outputBytes;
    this.trim();
  }

  /** Takes a task out of the list, without forgetting its files. Returns false where it is not in the list. */
  drop(id: string): boolean {
    const task = this.tasks.get(id);
    if (!task) return false;
    this.tasks.delete(id);
    this.bytes -= task.outputBytes;
    return true;
  }

  [Symbol.iterator](): IterableIterator<Task<Meta, Summary>> {
    return this.tasks.values();
  }

  /** Stops forgetting tasks. */
  close(): void {
    this.closed = true;
    this.stopTimer?.();
  }

  private hasExpired(task: Task<Meta, Summary>): boolean {
    return (task.expiresAt ?? 0) <= this.clock.now();
  }

  private isOver(task: Task<Meta, Summary>): boolean {
    return this.hasExpired(task) || this.tasks.size > this.bounds.maxEnded || (this.bytes > this.bounds.maxEndedBytes() && this.tasks.size > 1);
  }

  /** Forgets the tasks that have expired or exceed the bounds. */
  trim(): void {
    this.stopTimer?.();
    if (this.closed) return;
    for (const task of this.tasks.values()) {
      if (!this.isOver(task)) {
        this.stopTimer = this.clock.after(Math.min((task.expiresAt ?? 0) - this.clock.now(), lookMs), () => this.look());
        return;
      }
      this.drop(task.id);
      this.forget(task);
    }
  }

  /** Forgets all tasks that have expired, wherever they stand: one that ended after the clock was set back expires before older ones. */
  private look(): void {
    for (const task of this.tasks.values()) {
      if (!this.hasExpired(task)) continue;
      this.drop(task.id);
      this.forget(task);
    }
    this.trim();
  }
}
