/** What large office files cost: made here, converted in this process, on one core. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLargeDocx, makeLargeXlsx } from '../test/support/office-files.js';
import { convertHere } from './convert-here.js';

const targetBytes = 10_000_000;

/** Prints size, unpacked or not, and the time of each; wanted are 2 s for 10 MB. */
export async function measureFormatsSpeed(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  try {
    for (const [name, make] of [['large.docx', makeLargeDocx], ['large.xlsx', makeLargeXlsx]] as const) {
      const path = join(directory, name);
      const bytes = make(targetBytes);
      writeFileSync(path, bytes);
      const times: number[] = [];
      let status = '';
      for (let run = 0; run < 3; run++) {
        const { outcome, processorMs } = await convertHere({ pdf: path, password: null });
        status = outcome.status;
        times.push(outcome.processingTimeS);
        console.log(`${name}, ${(bytes.length / 1e6).toFixed(1)} MB: ${status}, ${outcome.processingTimeS.toFixed(2)} s, of the processor ${(processorMs / 1000).toFixed(2)} s; `
          + Object.entries(outcome.timings).map(([stage, { times: [time = 0] }]) => `${stage} ${time.toFixed(2)}`).join(', '));
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
