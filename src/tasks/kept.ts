/** The tasks that have ended, oldest first: what goes when by time, by count and by bytes. */
import type { Task } from './task.js';
import type { Clock } from './types.js';

/** The system clock may be set: the due time of a timer is checked again against the clock. */
const lookMs = 60_000;

export class KeptTasks<Meta, Summary> {
  private readonly tasks = new Map<string, Task<Meta, Summary>>();
  private stopTimer: (() => void) | null = null;
  private closed = false;
  bytes = 0;

  constructor(
    /** Their bytes may change: `trim` counts them again. */
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

  /** False when it was not kept. */
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

  /** Nothing goes by itself any more. */
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

  /** Forgets what is over by now. */
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

  /** Not the oldest alone: what ended after the clock was set back expires before them. */
  private look(): void {
    for (const task of this.tasks.values()) {
      if (!this.hasExpired(task)) continue;
      this.drop(task.id);
      this.forget(task);
    }
    this.trim();
  }
}
