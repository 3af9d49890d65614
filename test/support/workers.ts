/** Pools of the test worker, and checks of processes from outside. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { sameProgram } from '../../src/workers/command.js';
import { createPool } from '../../src/workers/pool.js';
import type { PoolOptions, WorkerPool } from '../../src/workers/types.js';
import type { WorkerCommand } from '../../src/workers/worker-command.js';

const compiled = import.meta.url.endsWith('.js');

/** A script as a worker's program: compiled ones need none of the loaders that the test itself runs under. */
export function program(script: URL, words: string[] = []): WorkerCommand {
  const path = fileURLToPath(script);
  return compiled ? { execPath: process.execPath, args: [path, ...words] } : sameProgram(path, words);
}

/** A test module beside this one, compiled or not as this one is. */
export function entry(name: string): WorkerCommand {
  return program(new URL(`./${name}.${compiled ? 'js' : 'ts'}`, import.meta.url));
}

export const mebibyte = 2 ** 20;
export const calm = { silenceMs: 20_000, totalMs: 60_000 };

export function openPool(t: Test, over: Partial<PoolOptions> = {}): { pool: WorkerPool; lines: string[] } {
  const lines: string[] = [];
  const pool = createPool({
    command: entry('worker-entry'), size: 1, maxResidentBytes: 400 * mebibyte, watchMs: 20,
    log: (level, message) => lines.push(`${level} ${message}`), ...over,
  });
  t.teardown(() => pool.close());
  return { pool, lines };
}

/** Alive, and no zombie. */
export function lives(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}
