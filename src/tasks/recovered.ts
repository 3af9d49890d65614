/** What an earlier process left unfinished, with what it was submitted with, until a caller takes it. */
import type { Task } from './task.js';
import type { TaskView } from './types.js';

export class Recovered<Payload, Meta, Summary> {
  private readonly found: { task: Task<Meta, Summary>; payload: Payload }[] = [];

  /** Before the task can end, which deletes its payload. One that cannot be read fails its task by itself. */
  async add(task: Task<Meta, Summary>): Promise<void> {
    const payload = await task.folder.readPayload().catch(() => null) as Payload | null;
    if (payload !== null) this.found.push({ task, payload });
  }

  /** Once, of those that `isThere` still. */
  take(isThere: (task: Task<Meta, Summary>) => boolean): { task: TaskView<Meta, Summary>; payload: Payload }[] {
    return this.found.splice(0).filter(({ task }) => isThere(task)).map(({ task, payload }) => ({ task: task.view(), payload }));
  }
}
