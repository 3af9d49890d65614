/** The latest requests that failed, for the administrators' page: they find a request of which a user gives the id without a search in the log. */

export interface FailedRequest {
  /** Milliseconds since 1970. */
  at: number;
  requestId: string;
  taskId: string | null;
  caller: string;
  method: string;
  /** As declared, never the client's path. */
  route: string;
  status: number;
  ms: number;
  /** Why the access list refused it; null for any other failure. */
  refusal: string | null;
}

const mostKept = 200;

export class RecentFailures {
  readonly #kept: FailedRequest[] = [];

  add(request: FailedRequest): void {
    this.#kept.push(request);
    if (this.#kept.length > mostKept) this.#kept.shift();
  }

  /** The newest first. */
  list(): FailedRequest[] {
    return [...this.#kept].reverse();
  }
}
