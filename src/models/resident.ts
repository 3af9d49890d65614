/** One model from the first request for it to the end of its unloading: its state, its leases and the requests that wait for it. residency.ts has the rules. */
import type { LanguageModel } from '../engine/port.js';
import type { VisionModel } from '../engine/vision-port.js';
import type { Fit } from './fit.js';
import type { Reservation } from './memory-budget.js';
import type { CatalogueEntry, DistantEntry, KeepAlive, Lease, ResidentModel } from './types.js';
import type { VisionEntry } from './vision-entry.js';

export type AnyEntry = CatalogueEntry | VisionEntry | DistantEntry;
export type AnyModel = LanguageModel | VisionModel | Pick<DistantEntry, 'close'>;
/** A lease of a model of any kind; entry and model are of the same kind. */
export type AnyLease = Lease<AnyEntry, AnyModel>;

export function seesPages(entry: AnyEntry): entry is VisionEntry {
  return 'networks' in entry;
}

export function isDistant(entry: AnyEntry): entry is DistantEntry {
  return 'close' in entry;
}

/** Whether the entry is a language model. */
export function speaks(entry: AnyEntry): entry is CatalogueEntry {
  return 'capabilities' in entry;
}

export interface Waiter {
  entry: AnyEntry;
  since: number;
  grant(lease: AnyLease): void;
  fail(error: unknown): void;
}

/** `fitting`: the memory that it needs is being computed. `waiting`: it waits for memory. */
export type ResidentState = 'fitting' | 'waiting' | 'loading' | 'loaded' | 'unloading' | 'gone';

export class Resident {
  readonly key: string;
  readonly entry: AnyEntry;
  /** Whether it is one of the models to which chat models leave a part of the memory. */
  readonly embeds: boolean;
  readonly waiters = new Set<Waiter>();
  readonly abort = new AbortController();
  state: ResidentState = 'fitting';
  /** It is in use, and its memory is promised to another model: it takes no further requests. */
  draining = false;
  progress = 0;
  uses = 0;
  touchedAt: number;
  startedAt = 0;
  keepAlive: KeepAlive;
  expiresAt: Date | null = null;
  fit: Fit | null = null;
  reservation: Reservation | null = null;
  model: AnyModel | null = null;
  /** Resolves when the loading or unloading under way has ended; never rejects. */
  work: Promise<void> = Promise.resolve();
  stopTimer: () => void = () => {};

  constructor(key: string, entry: AnyEntry, keepAlive: KeepAlive, now: number) {
    this.key = key;
    this.entry = entry;
    this.embeds = !speaks(entry) || entry.capabilities.includes('embedding');
    this.keepAlive = keepAlive;
    this.touchedAt = now;
  }

  get keptForEver(): boolean {
    return this.keepAlive === Infinity;
  }

  get bytes(): number {
    return this.reservation?.bytes ?? this.fit?.bytes ?? 0;
  }

  get takesAll(): boolean {
    return this.fit?.takesAll ?? false;
  }

  get takesUses(): boolean {
    return this.state === 'loaded' && !this.draining;
  }

  /** Whether it is not loaded yet, but will be. */
  get isComing(): boolean {
    return this.state === 'fitting' || this.state === 'waiting' || this.state === 'loading';
  }

  get holdsMemory(): boolean {
    return this.state === 'loading' || this.state === 'loaded' || this.state === 'unloading';
  }

  clearTimer(): void {
    this.stopTimer();
    this.stopTimer = () => {};
  }

  describe(onDevice: boolean): ResidentModel<AnyEntry> {
    return {
      entry: this.entry,
      state: this.state as ResidentModel['state'],
      progress: this.progress,
      context: this.model !== null && 'info' in this.model ? this.model.info.context : this.fit?.context ?? 0,
      bytes: this.bytes,
      onDevice,
      expiresAt: this.expiresAt,
      keepAlive: this.keepAlive,
      uses: this.uses,
    };
  }
}

const blobName = /^sha256-[0-9a-f]{64}$/;

/** Entries with the same key are loaded once. Several names of a store may share a blob; a plain file that was replaced is another model. */
export function residentKey(entry: AnyEntry, context: number): string {
  const file = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  return JSON.stringify([entry.path, blobName.test(file) ? '' : entry.digest, context]);
}
