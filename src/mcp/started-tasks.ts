/** The tasks that one connection has started, as resources of the protocol. */

export const scheme = 'lectern://results/';
/** Of one connection; older ones can still be read by their ids. */
const mostListed = 100;

export interface StartedTask {
  id: string;
  name: string;
  kind: 'convert' | 'chunk';
}

export function uriOf(id: string): string {
  return `${scheme}${encodeURIComponent(id)}`;
}

/** The tasks of one connection. */
export class StartedTasks {
  readonly #tasks: StartedTask[] = [];

  add(task: StartedTask): void {
    this.#tasks.push(task);
    if (this.#tasks.length > mostListed) this.#tasks.shift();
  }

  /** Latest first. */
  list(): { uri: string; name: string; description: string; mimeType: string }[] {
    return this.#tasks.map(({ id, name, kind }) => ({
      uri: uriOf(id), name, description: `${kind === 'chunk' ? 'Chunks' : 'Conversion'} of ${name}, task ${id}.`, mimeType: kind === 'chunk' ? 'application/json' : 'text/markdown',
    })).reverse();
  }
}
