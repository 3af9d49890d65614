/** The words of this room: a model that exists, a model that is loaded, a lease on one. */
import type { LanguageModel, ModelDescription, Pacing } from '../engine/port.js';
import type { VisionModel } from '../engine/vision-port.js';
import type { VisionEntry } from './vision-entry.js';

export type Capability = 'completion' | 'tools' | 'embedding' | 'rerank' | 'thinking' | 'insert';

/** A model on disk. */
export interface CatalogueEntry {
  /** As people write it and the contracts show it: `qwen2.5:72b`, `lectern-demo`. Always with its tag where an Ollama store gives one. */
  name: string;
  /** Of the (first) GGUF file. */
  path: string;
  /** sha256, 64 hex digits: of the manifest in an Ollama store, else of name, size and time of the files. */
  digest: string;
  sizeBytes: number;
  modifiedAt: Date;
  details: { parentModel: string; format: 'gguf'; family: string; families: string[]; parameterSize: string; quantizationLevel: string };
  capabilities: Capability[];
  description: ModelDescription;
  /** The GGUF's own chat template (Jinja), or null. */
  chatTemplate: string | null;
  /** Layers of an Ollama store: Go template, system message, parameters, messages, licenses. */
  goTemplate: string | null;
  system: string | null;
  parameters: Record<string, unknown>;
  messages: { role: string; content: string }[];
  licenses: string[];
}

/** A file that is there and cannot be used. */
export interface RefusedModel {
  name: string;
  path: string;
  reason: string;
}

export interface Catalogue {
  /** Reads the disk again where it changed. Latest first. */
  list(): Promise<CatalogueEntry[]>;
  refused(): Promise<RefusedModel[]>;
  /** The settings' aliases, as written there, that stand for a model; without those that are names of models themselves. */
  aliases(): Promise<[string, CatalogueEntry][]>;
  /** By name as users write it (tag `latest` may be left out, letters of either case, aliases of the settings). Throws `model_not_found`. */
  find(name: string): Promise<CatalogueEntry>;
  /** Its description with the arrays of the metadata, read from the file each time. */
  describeWhole(entry: CatalogueEntry): Promise<ModelDescription>;
}

/** Milliseconds after the last use; Infinity: for ever; 0: at once. */
export type KeepAlive = number;

export interface Lease<Entry = CatalogueEntry, Model = LanguageModel> {
  readonly entry: Entry;
  readonly model: Model;
  /** What this lease waited for loading; 0 for a model that was there. */
  readonly loadMs: number;
  /** Of a request that has a slot: generations take it with them, and pause when it says so. */
  turn?: Pacing;
  /** Ends the use; the time to live begins anew with the last one. Calling it again does nothing. */
  release(): void;
}

export interface ResidentModel<Entry = CatalogueEntry> {
  entry: Entry;
  state: 'loading' | 'loaded' | 'unloading';
  /** 0..1 while loading. */
  progress: number;
  context: number;
  bytes: number;
  onDevice: boolean;
  /** null while in use or kept for ever: see `uses` and `keepAlive`. */
  expiresAt: Date | null;
  keepAlive: KeepAlive;
  uses: number;
}

export interface Residency {
  /** The loaded model, loading it if need be. Rejects with `out_of_memory` (need and free in its sentence), `cancelled`, what loading throws. */
  lend(entry: CatalogueEntry, options: { keepAlive?: KeepAlive; signal?: Leaving }): Promise<Lease>;
  list(): ResidentModel[];
  /** Unloads it when its last use ends; at once when there is none. */
  unload(entry: CatalogueEntry): void;
  close(): Promise<void>;
}

/** Networks that another process opens by itself: they count here for as long as it has them. */
export interface DistantEntry {
  name: string;
  /** Of that process, and no other's. */
  path: string;
  digest: string;
  sizeBytes: number;
  /** What its runs may hold beside the weights. */
  workBytes: number;
  modifiedAt: Date;
  /** Closes them there; settles when their memory is back. */
  close(): Promise<void>;
}

/** Networks of other processes in the same memory, by the rules for vision models. */
export interface DistantResidency {
  /** As Residency.lend(); the process may open its networks once it has the lease, and keep them when that has ended until it is asked to close them. */
  lendDistant(entry: DistantEntry, options: { signal?: Leaving }): Promise<Lease<DistantEntry, Pick<DistantEntry, 'close'>>>;
  listDistant(): ResidentModel<DistantEntry>[];
  /** As Residency.unload(). */
  unload(entry: Pick<DistantEntry, 'path'>): void;
}

/** Vision models in the same memory. */
export interface VisionResidency {
  /** As Residency.lend(). A vision model takes memory from embedding models and its like alone, and chat models leave a part to them. */
  lendVision(entry: VisionEntry, options: { keepAlive?: KeepAlive; signal?: Leaving }): Promise<Lease<VisionEntry, VisionModel>>;
  listVision(): ResidentModel<VisionEntry>[];
}

/** Since the start, but for what says otherwise. */
export interface ResidencyMetrics {
  loads: number;
  failedLoads: number;
  /** Given up because no request waited any more. */
  cancelledLoads: number;
  /** Milliseconds of all loads that succeeded. */
  loadMs: number;
  /** Unloaded to make room. */
  evictions: number;
  /** Unloaded because their time was over, or because a client asked for it. */
  expirations: number;
  /** Now. */
  loadedModels: number;
  loadingModels: number;
  /** Requests' models that wait for memory, now. */
  waitingModels: number;
  /** Reserved by language models, now. */
  bytes: number;
  budgetBytes: number;
}

/** The running service has the system's; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once after so many milliseconds; the answer takes it back. */
  after(delayMs: number, call: () => void): () => void;
}

/** One sentence an event, never with a prompt in it. */
export type ModelsLog = (level: 'info' | 'warn' | 'error', message: string, cause?: unknown) => void;

/** The part of an AbortSignal that waiting needs: whether the client has left. A listener is called once. */
export interface Leaving {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: { handleEvent(): void }, options: { once: true }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}

/** One use of a slot. */
export interface SlotUse<T> {
  /** Whose request it is: callers have turns in rotation. Absent: all that name none are one caller. */
  caller?: string;
  /** Called with the place in the queue, within run() and at later changes; 0 where the request has a slot, or one is free for it. */
  onPosition?: (position: number) => void;
  /** Leaves the queue, or ends the work, at once. */
  signal: Leaving;
  /** Called once, as soon as the request is taken on: a load takes no slot, and models load while others write. */
  load: () => Promise<Lease>;
  /** Holds a slot until it settles; the lease is released then. */
  work: (lease: Lease) => Promise<T>;
}

/** Since the start, but for the first four. */
export interface SlotMetrics {
  working: number;
  /** Their model is there and the slots are taken. */
  ready: number;
  /** They wait for their model. */
  loading: number;
  /** They gave their slot to another caller's request and wait for their next turn. */
  paused: number;
  served: number;
  failed: number;
  cancelled: number;
  /** Past the bound of the queue. */
  refused: number;
  /** From arrival to the first slot, all requests together. */
  waitMs: number;
  pauses: number;
}

/** Places where requests are generated, shared by callers in rotation. */
export interface Slots {
  /** Requests that wait for a slot, those that wait for their model or are paused among them. */
  readonly waiting: number;
  /** Of the caller's requests that do not work: the places in the queue, in the order in which they came. */
  positionsOf(caller: string): number[];
  /** Settles with what `work` gives. Rejects with `queue_full` at once, `cancelled`, and what load and work throw. */
  run<T>(use: SlotUse<T>): Promise<T>;
}

/** Slots as their owner has them. */
export interface OwnedSlots extends Slots {
  metrics(): SlotMetrics;
  /**
   * Rejects what waits and what comes, with `queue_full`; settles when the last request that has begun has ended. What ends these from outside then
   * counts as the service's stop, too.
   */
  close(): Promise<void>;
}
