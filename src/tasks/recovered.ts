/** The unfinished tasks of an earlier process, with their payloads, until a caller takes them. */
import type { Task } from './task.js';
import type { TaskView } from './types.js';

export class Recovered<Payload, Meta, Summary> {
  private readonly found: { task: Task<Meta, Summary>; payload: Payload }[] = [];

  /** Adds a task; to be called before the task can end, which deletes its payload. A task whose payload cannot be read is left out; it fails when it runs. */
  async add(task: Task<Meta, Summary>): Promise<void> {
    const payload = await task.folder.readPayload().catch(() => null) as Payload | null;
    if (payload !== null) this.found.push({ task, payload });
  }

  /** Returns the tasks for which `isThere` holds, and empties the list. */
  take(isThere: (task: Task<Meta, Summary>) => boolean): { task: TaskView<Meta, Summary>; payload: Payload }[] {
    return this.found.splice(0).filter(({ task }) => isThere(task)).map(({ task, payload }) => ({ task: task.view(), payload }));
  }
}
