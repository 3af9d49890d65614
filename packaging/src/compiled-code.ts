/** What V8 has compiled of a worker's program once it has converted what users convert: kept beside the bundle, so that no worker compiles that again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { resolveSettings } from '../../src/settings/settings.js';
import { convertDocumentInPool } from '../../src/convert/task/document-attempts.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { createConverter } from '../../src/program/converter.js';
import { workerCommand } from '../../src/program/worker-command.js';
import { createLog } from '../../src/logging/log.js';

/** Converts the documents by one worker of the bundled program, which then keeps its code. Throws LecternError where the program cannot convert. */
export async function keepCompiledCode(documents: string[]): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'lectern-compile-'));
  // The worker of this one run writes beside the program, and opens no document from outside.
  const settings = { ...resolveSettings([], {}).values, workers: 1, workerSandbox: 'off' as const };
  const converter = createConverter(settings, createLog('warn'), { spareWorkers: 0, logsModels: false, command: workerCommand(['--keep-code']) });
  try {
    const { services, pool } = converter;
    for (const [index, inputPath] of documents.entries()) {
      await convertDocumentInPool({ inputPath, filename: basename(inputPath), outputDirectory: join(scratch, String(index)), options: defaultConvertOptions }, { ...services, signal: new AbortController().signal, onProgress: () => undefined });
    }
    await pool.run('keepCode', {}, { limits: { silenceMs: 60_000, totalMs: 60_000 } });
  } finally {
    await converter.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}
