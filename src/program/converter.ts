/** The engine and the workers that convert, and the memory of their networks: all that `lectern convert` needs, and the half of the service that knows documents. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../settings/settings.js';
import type { ConversionServices } from '../convert/task/conversion-task.js';
import { sizeOfShipped } from '../convert/shipped-networks.js';
import { type DeviceWatch, watchDevice } from './device-loss.js';
import { openEngine } from '../engine/engine.js';
import type { VisionEngine } from '../engine/port.js';
import type { PageReaders } from '../engine/vision-port.js';
import { LecternError } from '../errors.js';
import type { Log } from '../logging/log.js';
import { type ModelEngine, type ModelMemory, modelsLog, openMemory } from './model-memory.js';
import type { DistantResidency, ModelsLog, VisionResidency } from '../models/types.js';
import type { VisionCatalogue } from '../models/vision-catalogue.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { createPageReaders } from './page-readers.js';
import { createWorkerNetworks } from './worker-networks.js';
import { sameProgram } from '../workers/command.js';
import { createPool } from '../workers/pool.js';
import type { WorkerCommand, WorkerPool } from '../workers/types.js';

/** What a converter gets past its time to hand over what it has, in ms. */
const graceMs = 5_000;
/** Pages that may cost their worker before a document is given up. */
const maxLostPages = 8;

/** Where language models are, too. */
export interface SharedMemory {
  vision: VisionResidency;
  workers: DistantResidency;
}

export interface Converter {
  services: ConversionServices;
  pool: WorkerPool;
  /** What opens models, on the device of the settings. */
  models: ModelEngine;
  /** Whether that is still there. */
  device: DeviceWatch;
  /** The installed vision models. */
  pages: PageReaders;
  /** Vision models, and the networks of workers, take their memory there from now on; without it they have a residency of their own, made by the first page that wants one. */
  shareMemory(residency: SharedMemory): void;
  close(): Promise<void>;
}

export interface ConverterOptions {
  /** That are kept started while others work; the first one starts at once. */
  spareWorkers?: number;
  /** The log hears of vision models that are left out. */
  tellsOfModels?: boolean;
  /** How a worker is started. */
  command?: WorkerCommand;
}

/** How a worker of this program is started, with words of its own besides. */
export function workerCommand(words: string[] = []): WorkerCommand {
  const self = fileURLToPath(import.meta.url);
  // In the bundle the worker's script lies beside this one, in the tree of sources one level above.
  const places = [dirname(self), dirname(dirname(self))].map((directory) => join(directory, 'worker' + extname(self)));
  return sameProgram(places.find((place) => existsSync(place)) ?? places[1]!, ['worker', ...words]);
}

export function createConverter(settings: Settings, log: Log, { spareWorkers = 1, tellsOfModels = true, command = workerCommand() }: ConverterOptions = {}): Converter {
  // Before the workers: where the addon is missing, nothing is left running.
  const engine = openEngine({ log: (level, message) => log[level]({ room: 'engine' }, message) });
  const pool = createPool({
    command,
    size: settings.workers,
    spare: spareWorkers,
    maxResidentBytes: settings.workerMemory,
    log: (level, message) => log[level]({ room: 'workers' }, message),
  });
  const device = watchDevice(engine);
  let shared: SharedMemory | undefined;
  let own: ModelMemory | undefined;
  const models: ModelEngine = { ...device.engine, devices: () => device.look(() => engine.devices(settings.device)), whyNoGpu: () => engine.whyNoGpu() };
  const ownMemory = (): ModelMemory => (own ??= openMemory(settings, models, log));
  let onHost: ModelMemory | undefined;
  // Their networks are on the processor: what is wrong with a GPU, or with the memory of models, is no reason to convert nothing.
  const ownWorkers = (): DistantResidency => {
    if (onHost !== undefined) return onHost.workers;
    try {
      return ownMemory().workers;
    } catch (thrown) {
      if (!(thrown instanceof LecternError)) throw thrown;
      log.warn({ room: 'models' }, `No vision model can be used: ${thrown.message}`);
      onHost = openMemory({ ...settings, device: 'cpu', modelMemory: null, embeddingMemory: null }, { ...models, devices: () => engine.devices('cpu') }, log);
      return onHost.workers;
    }
  };
  const pages = createPageReaders(visionCatalogue(settings.models, tellsOfModels ? modelsLog(log) : undefined), () => shared?.vision ?? ownMemory().models);
  const services: ConversionServices = {
    pool,
    engine: withPages(engine, pages),
    networks: createWorkerNetworks(sizeOfShipped(shippedModelsDirectory()), () => shared?.workers ?? ownWorkers()),
    limits: { pageMs: settings.pageTimeout * 1000, documentMs: settings.documentTimeout * 1000, graceMs, maxLostPages },
    log: (message, cause) => log.warn({ room: 'convert', err: cause }, message),
  };
  return {
    services, pool, models, device, pages,
    shareMemory: (residency) => { shared = residency; },
    close: async () => {
      await pool.close();
      await Promise.all([own?.close(), onHost?.close()]);
      await engine.close();
    },
  };
}

/** All that a worker may ask of this process. */
function withPages(engine: VisionEngine, pages: PageReaders): VisionEngine & PageReaders {
  return { deskewAngle: (bitmap, options) => engine.deskewAngle(bitmap, options), resizeImage: (bitmap, options) => engine.resizeImage(bitmap, options), ...pages };
}

/** Read, and its readers loaded, when somebody asks for it: a born-digital document does not. */
function visionCatalogue(directories: readonly string[], log: ModelsLog | undefined): VisionCatalogue {
  let opened: Promise<VisionCatalogue> | undefined;
  const open = (): Promise<VisionCatalogue> => (opened ??= import('../models/vision-catalogue.js').then(({ createVisionCatalogue }) => createVisionCatalogue({ directories, ...(log && { log }) })));
  return { list: async () => (await open()).list(), refused: async () => (await open()).refused(), find: async (name) => (await open()).find(name) };
}
