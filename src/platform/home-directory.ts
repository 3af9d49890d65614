/** The user's home directory, also where there is none. */
import { homedir } from 'node:os';

/** `/` for a user whom no list of users knows, as a container's may be: Node throws there. */
export function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
