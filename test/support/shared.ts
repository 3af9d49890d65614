/** The papers and samples that lie beside a checkout, where they do. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-files.js';

/** The path below ../shared, or null with a line that says so: such a test then has nothing to hold the code against. */
export function sharedPath(path: string): string | null {
  const full = join(packageRoot(), '..', 'shared', path);
  if (existsSync(full)) return full;
  console.log(`# skipped: ../shared/${path} is not beside this checkout`);
  return null;
}
