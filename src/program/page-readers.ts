/** The installed vision models as verbs: found by name, lent by the residency for the time of one call. */
import type { PageReaders, VisionModel } from '../engine/vision-port.js';
import { LecternError } from '../errors.js';
import type { VisionResidency } from '../models/types.js';
import type { VisionCatalogue, VisionEntry } from '../models/vision-catalogue.js';

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
    findLayout: (bitmap, { model, ...options }) => use('layout', model, options.signal, (finder) => finder.findLayout(bitmap, options)),
    findTableCells: (bitmap, { model, ...options }) => use('table', model, options.signal, (finder) => finder.findTableCells(bitmap, options)),
  };
}
