/** The engine and the workers that convert, and the memory of their networks: all that `lectern convert` needs, and the half of the service that knows documents. */
import { sizeOfShipped } from '../convert/shipped-networks.js';
import type { ConversionServices } from '../convert/task/conversion-task.js';
import { openEngine } from '../engine/engine.js';
import type { Log } from '../logging/log.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { engineOptions } from '../settings/kernel-switches.js';
import type { Settings } from '../settings/settings.js';
import type { WorkerPool } from '../workers/types.js';
import type { WorkerCommand } from '../workers/worker-command.js';
import { openConversionPool, openPageImages } from './conversion-pool.js';
import { converterMemory, type SharedMemory } from './converter-memory.js';
import { type DeviceWatch, watchDevice } from './device-loss.js';
import { type ModelEngine, modelsLog } from './model-memory.js';
import { createPageReaders, lazyVisionCatalogue } from './page-readers.js';
import { createWorkerNetworks } from './worker-networks.js';

/** What a converter gets past its time to hand over what it has, in ms. */
const graceMs = 5_000;
/** Pages that may cost their worker before a document is given up. */
const maxLostPages = 8;

export interface Converter {
  services: ConversionServices;
  pool: WorkerPool;
  /** What opens models, on the device of the settings. */
  models: ModelEngine;
  /** Whether that is still there. */
  device: DeviceWatch;
  /** The installed vision models. */
  pages: ReturnType<typeof createPageReaders>;
  /** Draws single pages of documents, in the workers. */
  pageImages: ReturnType<typeof openPageImages>;
  /** Vision models, and the networks of workers, take their memory there from now on; without it they have a residency of their own, made by the first page that wants one. */
  shareMemory(residency: SharedMemory): void;
  close(): Promise<void>;
}

export interface ConverterOptions {
  /** That are kept started while others work; the first one starts at once. */
  spareWorkers?: number;
  /** Vision models that are left out are logged, and how workers are confined. */
  logsModels?: boolean;
  /** How a worker is started. */
  command?: WorkerCommand;
  /** For the files of jobs, on the file system of the tasks; default: the temporary directory. */
  filesDirectory?: string;
}

export function createConverter(settings: Settings, log: Log, { spareWorkers = 1, logsModels = true, command, filesDirectory }: ConverterOptions = {}): Converter {
  // Before the workers: where the addon is missing, nothing is left running.
  const engine = openEngine({ log: (level, message) => log[level]({ room: 'engine' }, message), ...engineOptions(settings, process.env) });
  const pool = openConversionPool(settings, log, { spareWorkers, command, filesDirectory, logsConfinement: logsModels });
  const device = watchDevice(engine);
  const models: ModelEngine = { ...device.engine, devices: () => device.look(() => engine.devices(settings.device)), whyNoGpu: () => engine.whyNoGpu() };
  const memory = converterMemory(settings, models, () => engine.devices('cpu'), log);
  const pages = createPageReaders(lazyVisionCatalogue(settings.models, logsModels ? modelsLog(log) : undefined), memory.vision);
  const services: ConversionServices = {
    pool,
    readers: pages,
    networks: createWorkerNetworks(sizeOfShipped(shippedModelsDirectory()), memory.workers),
    limits: { pageMs: settings.pageTimeout * 1000, documentMs: settings.documentTimeout * 1000, graceMs, maxLostPages, byRelations: settings.relations === 'on' },
    log: (message, cause) => log.warn({ room: 'convert', err: cause }, message),
  };
  return {
    services, pool, models, device, pages,
    pageImages: openPageImages(pool, settings),
    shareMemory: memory.share,
    close: async () => {
      await pool.close();
      await memory.close();
      await engine.close();
    },
  };
}
