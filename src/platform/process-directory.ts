/** Directories for what a process needs while it lives, named after it: later ones remove what it left where it was killed. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processStart } from './process-start-time.js';

export interface OwnDirectory {
  /** Where it is made. */
  parent: string;
  /** What all of a kind are called. */
  prefix: string;
  /** How long what the dead have left is spared; default: not at all. */
  sparedMs?: number;
}

/** Below a directory that containers may share: a process of another container appears dead here. */
export const sharedSparedMs = 24 * 3_600_000;

/** What processes that were killed left behind. */
function sweep({ parent, prefix, sparedMs = 0 }: OwnDirectory): void {
  for (const name of readdirSync(parent)) {
    const [pid = '', start = ''] = name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1).split('-') : [];
    if (!/^[0-9]+$/.test(pid) || !/^[0-9]+$/.test(start) || processStart(pid) === start) continue;
    const path = join(parent, name);
    try {
      if (sparedMs > 0 && Date.now() - lstatSync(path).mtimeMs < sparedMs) continue;
      rmSync(path, { recursive: true, force: true });
    } catch {
      continue; // another user's
    }
  }
}

/** Makes one, 0700, whose name cannot be predicted. */
export function makeOwnDirectory(kind: OwnDirectory): string {
  sweep(kind);
  return mkdtempSync(join(kind.parent, `${kind.prefix}-${process.pid}-${processStart(process.pid) || '0'}-`));
}
