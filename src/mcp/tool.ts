/** What a tool gets beside its input, and what it gives. */
import type { Service } from '../client/service.js';
import type { StartedTasks } from './started-tasks.js';

export interface McpToolCall {
  /** Aborted when the client cancels the call or leaves. */
  signal: AbortSignal;
  /** Absent where the client does not want progress. `total` may not be known yet. */
  progress?: ((done: number, total: number | undefined, message: string) => void) | undefined;
}

/** Texts of the result, the main one first. */
export type ToolText = [string, ...string[]];

/** What the tools of one connection work with. */
export interface ToolHost {
  service: Service;
  /** A tool server on the user's own machine; the service itself never reads a path that a client names. */
  readsFiles: boolean;
  results: StartedTasks;
}
