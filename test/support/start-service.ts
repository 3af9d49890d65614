/** The service as clients meet it: a real port, the real task table, workers and converter. Only the native engine is left out. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConversionServices, runConversionTask } from '../../src/convert/job.js';
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../../src/convert/task.js';
import { createServer } from '../../src/http/server.js';
import type { HttpSettings } from '../../src/http/settings.js';
import { createTaskTable } from '../../src/tasks/table.js';
import { sameProgram } from '../../src/workers/command.js';
import { createPool } from '../../src/workers/pool.js';
import { testSettings } from './http-service.js';

export interface RunningService {
  url: string;
  close(): Promise<void>;
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const engine = { deskewAngle: async () => 0, resizeImage: async () => new Float32Array() };

export async function startService(settings: Partial<HttpSettings> = {}): Promise<RunningService> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-service-'));
  const self = import.meta.url;
  const main = fileURLToPath(new URL(`../../src/main${self.slice(self.lastIndexOf('.'))}`, self));
  const pool = createPool({ command: sameProgram(main, ['worker']), size: 2, maxResidentBytes: 1536 * 2 ** 20 });
  const services: ConversionServices = {
    pool, engine,
    limits: { pageMs: 60_000, documentMs: 600_000, graceMs: 5000, maxLostPages: 8 },
    log: () => undefined,
  };
  const tasks = await createTaskTable<ConversionPayload, ConversionMeta, ConversionSummary>({
    directory, concurrency: 2, maxQueued: 50, keepMs: 3_600_000, maxEnded: 1000,
    run: (task, context) => runConversionTask(task, context, services),
  });
  const app = createServer({
    settings: { ...testSettings, maxFileSize: 100 * 2 ** 20, ...settings },
    tasks, log: silent, version: '0.0.0-test',
    abilities: { textRecognition: false, formulas: false, code: false },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    close: async () => {
      await app.close();
      await tasks.close();
      await pool.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
