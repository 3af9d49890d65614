/** What a measurement was made of and on: written beside every baseline. */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { packageRoot } from '../src/platform/package-files.js';

export interface MachineNote {
  /** `2026-01-05`. */
  date: string;
  /** Short commit id, with `+` where the tree had changes; empty outside a checkout. */
  commit: string;
  processor: string;
  cores: number;
  node: string;
}

export function machine(): MachineNote {
  const git = (args: string[]): string => {
    try {
      return execFileSync('git', args, { cwd: packageRoot(), stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
    } catch {
      return '';
    }
  };
  const changed = git(['status', '--porcelain', '--untracked-files=no', '--', 'src']) === '' ? '' : '+';
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10), commit: git(['rev-parse', '--short', 'HEAD']) + changed,
    processor: processors[0]?.model.trim() ?? '', cores: processors.length, node: process.version,
  };
}
