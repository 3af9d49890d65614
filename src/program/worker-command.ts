/** How a conversion worker of this program is started. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sameProgram } from '../workers/command.js';
import type { WorkerCommand } from '../workers/worker-command.js';

/** `words` are arguments of the worker besides its own. */
export function workerCommand(words: string[] = []): WorkerCommand {
  const self = fileURLToPath(import.meta.url);
  // In the bundle the worker's script lies beside this one, in the tree of sources one level above.
  const places = [dirname(self), dirname(dirname(self))].map((directory) => join(directory, 'worker' + extname(self)));
  return sameProgram(places.find((place) => existsSync(place)) ?? places[1]!, ['worker', ...words]);
}
