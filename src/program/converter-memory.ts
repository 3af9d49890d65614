/** Where vision models and the networks of workers take their memory: beside the language models of the service, or in a residency of their own. */
import { LecternError } from '../errors.js';
import type { Log } from '../logging/log.js';
import type { DistantResidency, VisionResidency } from '../models/types.js';
import type { Settings } from '../settings/settings.js';
import { type ModelEngine, type ModelMemory, openMemory } from './model-memory.js';

/** The residency that language models are in, too. */
export interface SharedMemory {
  vision: VisionResidency;
  workers: DistantResidency;
}

export interface ConverterMemory {
  /** From now on memory is taken there. */
  share(memory: SharedMemory): void;
  /** Throws where the settings of devices or memory cannot be met. */
  vision(): VisionResidency;
  workers(): DistantResidency;
  /** Unloads what is in the residencies of its own. */
  close(): Promise<void>;
}

/** Residencies of its own are opened by the first page that wants one. */
export function converterMemory(settings: Settings, models: ModelEngine, hostDevices: () => ReturnType<ModelEngine['devices']>, log: Log): ConverterMemory {
  let shared: SharedMemory | undefined;
  let own: ModelMemory | undefined;
  let onHost: ModelMemory | undefined;
  const ownMemory = (): ModelMemory => (own ??= openMemory(settings, models, log));
  // The networks of workers are on the processor: what is wrong with a GPU, or with the memory of models, is no reason to convert nothing.
  const ownWorkers = (): DistantResidency => {
    if (onHost !== undefined) return onHost.workers;
    try {
      return ownMemory().workers;
    } catch (thrown) {
      if (!(thrown instanceof LecternError)) throw thrown;
      log.warn({ room: 'models' }, `No vision model can be used: ${thrown.message}`);
      onHost = openMemory({ ...settings, device: 'cpu', modelMemory: null, embeddingMemory: null }, { ...models, devices: hostDevices }, log);
      return onHost.workers;
    }
  };
  return {
    share: (memory) => { shared = memory; },
    vision: () => shared?.vision ?? ownMemory().models,
    workers: () => shared?.workers ?? ownWorkers(),
    close: async () => { await Promise.all([own?.close(), onHost?.close()]); },
  };
}
