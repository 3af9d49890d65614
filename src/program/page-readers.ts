/** The installed vision models as verbs: found by name, lent by the residency for the time of one call. */
import type { PageReaders, VisionModel } from '../engine/vision-port.js';
import { LecternError } from '../errors.js';
import type { ModelsLog, VisionResidency } from '../models/types.js';
import type { VisionCatalogue } from '../models/vision-catalogue.js';
import type { VisionEntry } from '../models/vision-entry.js';

export function createPageReaders(catalogue: VisionCatalogue, residency: () => VisionResidency): PageReaders {
  const use = async <T>(kind: VisionEntry['kind'], name: string, signal: AbortSignal | undefined, work: (model: VisionModel) => Promise<T>): Promise<T> => {
    const entry = await catalogue.find(name);
    if (entry.kind !== kind) throw new LecternError('invalid_request', `The model ${JSON.stringify(entry.name)} is one of the kind ${entry.kind}, not ${kind}.`);
    const lease = await residency().lendVision(entry, signal === undefined ? {} : { signal });
    try {
      return await work(lease.model);
    } finally {
      lease.release();
    }
  };
  return {
    textModels: async () => (await catalogue.list()).filter(({ kind }) => kind === 'text').map(({ name, languages }) => ({ name, languages })),
    readLines: (bitmap, { model, ...options }) => use('text', model, options.signal, (reader) => reader.readLines(bitmap, options)),
  };
}

/** Its files are read, and the readers of their formats loaded, by the first call: a born-digital document makes none. */
export function lazyVisionCatalogue(directories: readonly string[], log: ModelsLog | undefined): VisionCatalogue {
  let opened: Promise<VisionCatalogue> | undefined;
  const open = (): Promise<VisionCatalogue> => (opened ??= import('../models/vision-catalogue.js').then(({ createVisionCatalogue }) => createVisionCatalogue({ directories, ...(log && { log }) })));
  return { list: async () => (await open()).list(), refused: async () => (await open()).refused(), find: async (name) => (await open()).find(name) };
}
