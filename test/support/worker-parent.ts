/** A parent that can be killed: its worker computes without end. Prints the worker's process id. */
import { createPool } from '../../src/workers/pool.js';
import { entry } from './workers.js';

const pool = createPool({ command: entry('worker-entry'), size: 1, maxResidentBytes: 2 ** 30, ...(process.argv[2] ? { scratchDirectory: process.argv[2] } : {}) });
await pool.run('loop', null, {
  limits: { silenceMs: 60_000, totalMs: 60_000 },
  onProgress: (progress) => process.stdout.write(`${(progress as { pid: number }).pid}\n`),
});
