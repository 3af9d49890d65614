/** Whether the service's cache can be taken by who runs the program: nothing that stands in its place, or cannot be written, keeps it from another one. */
import { accessSync, constants, lstatSync } from 'node:fs';

export function isOwnCache(path: string, uid: number | undefined): boolean {
  try {
    const found = lstatSync(path);
    // A unit or a container may show it read-only.
    accessSync(path, constants.W_OK);
    return found.isDirectory() && found.uid === uid;
  } catch {
    return false;
  }
}
