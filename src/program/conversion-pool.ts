/** The processes in which documents are converted: how they are started and confined, how many there are, and their bound of memory. */
import { createPageImages, type PageImages } from '../convert/task/page-images.js';
import type { Log } from '../logging/log.js';
import type { Settings } from '../settings/settings.js';
import { createPool } from '../workers/pool.js';
import type { WorkerPool } from '../workers/types.js';
import type { WorkerCommand } from '../workers/worker-command.js';
import { removeOfficeSockets } from './office-sockets.js';
import { workerCommand } from './worker-command.js';
import { confinementFor } from './worker-confinement.js';

export interface ConversionPoolOptions {
  /** That are kept started while others work. */
  spareWorkers: number;
  /** How a worker is started; default: as this program's own. */
  command?: WorkerCommand | undefined;
  /** For the files of jobs; default: the temporary directory. */
  filesDirectory?: string | undefined;
  /** How workers are confined is logged. */
  logsConfinement: boolean;
}

/** Tasks, and workers for them, beyond the setting: for callers that would else wait for other callers' long documents. */
export const guestWorkers = 1;

export function openConversionPool(settings: Settings, log: Log, { spareWorkers, command = workerCommand(), filesDirectory, logsConfinement }: ConversionPoolOptions): WorkerPool {
  const confinement = confinementFor(settings, command, logsConfinement ? log : null);
  const pool = createPool({
    command,
    confinement,
    ...(filesDirectory === undefined ? {} : { filesDirectory }),
    size: settings.workers,
    guests: guestWorkers,
    spare: spareWorkers,
    maxResidentBytes: settings.workerMemory,
    log: (level, message) => log[level]({ room: 'workers' }, message),
  });
  return confinement === null ? pool : withoutOfficeSockets(pool);
}

const sweepMs = 60 * 60 * 1000;

/** LibreOffice in a confined worker makes a socket for each document and cannot remove it. */
function withoutOfficeSockets(pool: WorkerPool): WorkerPool {
  const sweep = setInterval(() => void removeOfficeSockets(), sweepMs).unref();
  return {
    run: (verb, request, options) => pool.run(verb, request, options),
    counts: () => pool.counts(),
    residentBytes: () => pool.residentBytes(),
    close: async () => {
      clearInterval(sweep);
      await pool.close();
      await removeOfficeSockets();
    },
  };
}

/** Draws single pages of documents in a pool of these. */
export function openPageImages(pool: WorkerPool, settings: Settings): PageImages {
  return createPageImages(pool, { pageMs: settings.pageTimeout * 1000 });
}
