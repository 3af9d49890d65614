/** A directory and those above it, made level by level: Node's recursive mkdir never ends below file systems that make no directories, such as /proc. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** `path` is absolute. Throws the file system's own error. */
export function makeDirectoryTree(path: string, mode: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectoryTree(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    // Another one has made it meanwhile.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}
