/** What a tool gets beside its input, and what it gives. */

export interface McpToolCall {
  /** Aborted when the client cancels the call or leaves. */
  signal: AbortSignal;
  /** Absent where the client does not want progress. `total` may not be known yet. */
  progress?: ((done: number, total: number | undefined, message: string) => void) | undefined;
}

/** Texts of the result, the main one first. */
export type ToolText = [string, ...string[]];
