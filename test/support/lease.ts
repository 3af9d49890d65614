/** A lease on nothing, which counts how often it was released. */
import type { LanguageModel } from '../../src/engine/port.js';
import type { CatalogueEntry, Lease } from '../../src/models/types.js';

export interface CountedLease extends Lease {
  releases: number;
}

export function countedLease(): CountedLease {
  const lease: CountedLease = { entry: {} as CatalogueEntry, model: {} as LanguageModel, loadMs: 0, releases: 0, release: () => { lease.releases++; } };
  return lease;
}

/** Everything that is due without more time passing. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
