/** The service as clients meet it: the whole program on a port of its own, with a state directory that goes with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/program/app.js';
import { resolveSettings, type Settings } from '../../src/settings/settings.js';
import { createLog } from '../../src/logging/log.js';

export interface RunningService {
  url: string;
  /** Where tasks and their files lie. */
  state: string;
  close(): Promise<void>;
}

export async function startService(settings: Partial<Settings> = {}, log = createLog('silent')): Promise<RunningService> {
  const state = await mkdtemp(join(tmpdir(), 'lectern-service-'));
  const defaults = resolveSettings([], { HOME: state }).values;
  const app = await createApp({ ...defaults, listen: [{ host: '127.0.0.1', port: 0 }], state, ...settings }, log);
  const [url] = await app.listen();
  return {
    url: url as string,
    state,
    close: async () => {
      await app.close();
      await rm(state, { recursive: true, force: true });
    },
  };
}
