/** What large office files cost: made here, converted in a process with the heap of a conversion worker, on one core. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heapFlags } from '../src/workers/command.js';
import { makeLargeDocx, makeLargeXlsx } from '../test/support/office-files.js';
import type { Cost } from './convert-repeatedly.js';

const targetBytes = 10_000_000;
const runs = 5;
/** As `--worker-memory` has it where nothing else is said. */
const workerBytes = 1536 * 2 ** 20;
const script = fileURLToPath(new URL('./convert-repeatedly.js', import.meta.url));

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Prints the size, what came of it and the times of each; wanted are 2 s for 10 MB. */
export function measureFormatsSpeed(): void {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  try {
    for (const [name, make] of [['large.docx', makeLargeDocx], ['large.xlsx', makeLargeXlsx]] as const) {
      const path = join(directory, name);
      const bytes = make(targetBytes);
      writeFileSync(path, bytes);
      const printed = execFileSync(process.execPath, [...heapFlags(workerBytes), script, path, String(runs)], { encoding: 'utf8' });
      const costs = printed.trim().split('\n').map((line) => JSON.parse(line) as Cost);
      for (const { status, seconds, processorSeconds, stages } of costs) {
        console.log(`${name}, ${(bytes.length / 1e6).toFixed(1)} MB: ${status}, ${seconds.toFixed(2)} s, of the processor ${processorSeconds.toFixed(2)} s; `
          + Object.entries(stages).map(([stage, time]) => `${stage} ${time.toFixed(2)}`).join(', '));
      }
      console.log(`${name}, median: ${median(costs.map(({ seconds }) => seconds)).toFixed(2)} s, of the processor ${median(costs.map(({ processorSeconds }) => processorSeconds)).toFixed(2)} s`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
