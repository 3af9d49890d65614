/** How many documents a task has that has not begun: the task table knows no documents, and the work has not spoken yet. */
import type { ConversionTasks, ConversionTaskView } from '../dependencies.js';

/** Holds an entry from the submit until the work begins or the task ends. */
export class WaitingCounts {
  private readonly counts = new Map<string, number>();

  constructor(private readonly tasks: ConversionTasks) {}

  add(task: ConversionTaskView, documentCount: number): void {
    if (task.status !== 'pending') return;
    this.counts.set(task.id, documentCount);
    const stop = this.tasks.subscribe(task.id, task.tenant, ({ status, meta }) => {
      if (status === 'pending' || (status === 'started' && meta === null)) return;
      this.counts.delete(task.id);
      stop();
    });
    // Between the submit and here its work may have begun.
    if (this.tasks.get(task.id, task.tenant).endedAt !== null) this.counts.delete(task.id);
  }

  of(id: string): number | undefined {
    return this.counts.get(id);
  }
}
