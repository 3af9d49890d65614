/** The layout network that ships with the program. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineNetwork } from './network.js';

/** The network in `directory`, or null where there is none. Throws LecternError `invalid_model`. */
export function findLayoutNetwork(directory: string): LineNetwork | null {
  const path = join(directory, 'lectern-layout.json');
  return existsSync(path) ? new LineNetwork(readFileSync(path, 'utf8')) : null;
}
