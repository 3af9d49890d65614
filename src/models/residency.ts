/** Which models are loaded: leases on them, their unloading when the time to live after the last lease is over (`#rest`, `#expireIn`), and the memory budget that they share. make-room.ts decides which model is evicted for another. */
import type { DeviceInfo, LanguageEngine } from '../engine/port.js';
import type { VisionLoader, VisionModel } from '../engine/vision-port.js';
import { LecternError, asLecternError } from '../errors.js';
import { describeBytes, type Fit, fitModel, fitVision } from './fit.js';
import { makeRoom } from './make-room.js';
import type { MemoryBudget } from './memory-budget.js';
import { type AnyEntry, type AnyLease, type AnyModel, isDistant, Resident, residentKey, seesPages, speaks, type Waiter } from './resident.js';
import type { CatalogueEntry, Clock, DistantEntry, DistantResidency, KeepAlive, Lease, Leaving, ModelsLog, Residency, ResidencyMetrics, ResidentModel, VisionResidency } from './types.js';
import type { VisionEntry } from './vision-entry.js';

export interface ResidencyOptions {
  engine: Pick<LanguageEngine, 'memoryNeed' | 'openModel'> & Partial<VisionLoader>;
  /** The device on which models are loaded. Where they do not fit, no other device is used in its place. */
  device: DeviceInfo['kind'];
  budget: MemoryBudget;
  /** Bytes that chat models leave to embedding models, which never unload a chat model. */
  embeddingBytes: number;
  /** Requests that one model generates at the same time. */
  slots: number;
  /** KV cache slots beside these, for requests that are paused, where the memory allows. Default 0. */
  spareSlots?: number;
  /** Threads of a model that runs on the CPU; absent: one per processor. */
  threads?: number;
  /** The type of the KV cache; absent: f16. */
  kv?: 'f16' | 'q8_0';
  /** Tokens of a draft that a pass may verify for each slot; absent: the engine's number. */
  draft?: number;
  /** Tokens per slot that are wanted for a model. */
  contextOf(entry: CatalogueEntry): number;
  keepAliveOf(entry: AnyEntry): KeepAlive;
  clock: Clock;
  log: ModelsLog;
}

/** Milliseconds for which a model goes on loading when no request waits for it any more, unless its memory is wanted: a client that gave up on a long load may come again at once. */
const abandonedGraceMs = 30_000;
/** Longest delay in ms of a timer: JavaScript fires timers with longer ones at once. */
const longestTimerMs = 2 ** 31 - 1;

export function createResidency(options: ResidencyOptions): Residency & VisionResidency & DistantResidency & { metrics(): ResidencyMetrics; need(entry: CatalogueEntry): Promise<Pick<Fit, 'bytes' | 'context'>> } {
  return new BudgetedResidency(options);
}

class BudgetedResidency implements Residency, VisionResidency, DistantResidency {
  readonly #options: ResidencyOptions;
  /** In the order in which they were first requested. */
  readonly #residents = new Set<Resident>();
  readonly #stopListening: () => void;
  readonly #counts = { loads: 0, failedLoads: 0, cancelledLoads: 0, loadMs: 0, evictions: 0, expirations: 0 };
  #arranging = false;
  #lastOfDistant = '';
  #closing: Promise<void> | null = null;

  constructor(options: ResidencyOptions) {
    this.#options = options;
    this.#stopListening = options.budget.onRelease(() => this.#arrangeSoon());
  }

  lend(entry: CatalogueEntry, options: { keepAlive?: KeepAlive; signal?: Leaving }): Promise<Lease> {
    return this.#lend(entry, options) as Promise<Lease>;
  }

  lendVision(entry: VisionEntry, options: { keepAlive?: KeepAlive; signal?: Leaving }): Promise<Lease<VisionEntry, VisionModel>> {
    return this.#lend(entry, options) as Promise<Lease<VisionEntry, VisionModel>>;
  }

  lendDistant(entry: DistantEntry, options: { signal?: Leaving }): Promise<Lease<DistantEntry, Pick<DistantEntry, 'close'>>> {
    return this.#lend(entry, options) as Promise<Lease<DistantEntry, Pick<DistantEntry, 'close'>>>;
  }

  #lend(entry: AnyEntry, { keepAlive, signal }: { keepAlive?: KeepAlive; signal?: Leaving }): Promise<AnyLease> {
    if (this.#closing !== null) return Promise.reject(new LecternError('cancelled', 'The service is stopping.'));
    if (signal?.aborted) return Promise.reject(new LecternError('cancelled', undefined, { cause: signal.reason }));
    const key = residentKey(entry, speaks(entry) ? this.#options.contextOf(entry) : 0);
    const there = [...this.#residents].find((one) => one.key === key && (one.takesUses || (one.isComing && !one.abort.signal.aborted)));
    const resident = there ?? this.#want(key, entry);
    if (keepAlive !== undefined) resident.keepAlive = keepAlive;
    if (resident.takesUses) return Promise.resolve(this.#grant(resident, entry, 0));
    return this.#wait(resident, entry, signal);
  }

  list(): ResidentModel[] {
    return this.#list().filter((one): one is ResidentModel => speaks(one.entry));
  }

  listVision(): ResidentModel<VisionEntry>[] {
    return this.#list().filter((one): one is ResidentModel<VisionEntry> => seesPages(one.entry));
  }

  listDistant(): ResidentModel<DistantEntry>[] {
    return this.#list().filter((one): one is ResidentModel<DistantEntry> => isDistant(one.entry));
  }

  #list(): ResidentModel<AnyEntry>[] {
    const onDevice = this.#options.device !== 'cpu';
    return [...this.#residents].filter((one) => one.holdsMemory).map((one) => one.describe(onDevice));
  }

  metrics(): ResidencyMetrics {
    const all = [...this.#residents];
    return {
      ...this.#counts,
      loadedModels: all.filter((one) => one.state === 'loaded').length,
      loadingModels: all.filter((one) => one.state === 'loading').length,
      waitingModels: all.filter((one) => one.state === 'fitting' || one.state === 'waiting').length,
      bytes: all.reduce((sum, { reservation }) => sum + (reservation?.bytes ?? 0), 0),
      budgetBytes: this.#options.budget.totalBytes,
    };
  }

  unload(entry: Pick<AnyEntry, 'path'>): void {
    for (const one of this.#residents) {
      if (one.entry.path !== entry.path) continue;
      one.keepAlive = 0;
      if (one.isComing && one.waiters.size === 0) this.#giveUp(one);
      else if (one.state === 'loaded' && one.uses === 0) this.#expire(one);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#stopListening();
    for (const one of this.#residents) {
      for (const waiter of [...one.waiters]) waiter.fail(new LecternError('cancelled', 'The service is stopping.'));
      one.clearTimer();
      if (one.isComing) this.#giveUp(one);
      else if (one.state === 'loaded') this.#unload(one);
    }
    await Promise.all([...this.#residents].map((one) => one.work));
  }

  #want(key: string, entry: AnyEntry): Resident {
    const { clock, keepAliveOf } = this.#options;
    const resident = new Resident(key, entry, keepAliveOf(entry), clock.now());
    this.#residents.add(resident);
    resident.work = this.#fit(resident);
    return resident;
  }

  #wait(resident: Resident, entry: AnyEntry, signal: Leaving | undefined): Promise<AnyLease> {
    resident.clearTimer();
    return new Promise((resolve, reject) => {
      const leave = { handleEvent: (): void => waiter.fail(new LecternError('cancelled', undefined, { cause: signal?.reason })) };
      const settle = (): void => {
        // The waiter may have moved to another resident, where a model that was to go has stayed.
        for (const one of this.#residents) if (one.waiters.delete(waiter) && one.waiters.size === 0 && one.isComing) this.#abandon(one);
        signal?.removeEventListener('abort', leave);
      };
      const waiter: Waiter = {
        entry,
        since: this.#options.clock.now(),
        grant: (lease) => { settle(); resolve(lease); },
        fail: (error) => { settle(); reject(error); },
      };
      resident.waiters.add(waiter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #grant(resident: Resident, entry: AnyEntry, loadMs: number): AnyLease {
    resident.clearTimer();
    resident.uses++;
    resident.touchedAt = this.#options.clock.now();
    resident.expiresAt = null;
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      resident.uses--;
      resident.touchedAt = this.#options.clock.now();
      if (resident.uses === 0) this.#rest(resident);
    };
    return { entry, model: resident.model as AnyModel, loadMs, release };
  }

  /** Starts the time to live of a model whose last lease has ended. */
  #rest(resident: Resident): void {
    if (resident.state !== 'loaded') return;
    if (resident.keepAlive <= 0) this.#expire(resident);
    else if (Number.isFinite(resident.keepAlive)) this.#expireIn(resident, resident.keepAlive);
    else this.#arrangeSoon();
  }

  #expireIn(resident: Resident, leftMs: number): void {
    const { clock } = this.#options;
    resident.expiresAt = new Date(clock.now() + leftMs);
    // Only timers count the time: a system clock that is set back would keep the model for longer.
    const waitMs = Math.min(leftMs, longestTimerMs);
    resident.stopTimer = clock.after(waitMs, () => (waitMs < leftMs ? this.#expireIn(resident, leftMs - waitMs) : this.#expire(resident)));
    this.#arrangeSoon();
  }

  #expire(resident: Resident): void {
    this.#counts.expirations++;
    this.#unload(resident);
  }

  #unload(resident: Resident): void {
    resident.clearTimer();
    resident.state = 'unloading';
    resident.expiresAt ??= new Date(this.#options.clock.now());
    resident.work = this.#closeModel(resident, resident.model as AnyModel);
  }

  async #closeModel(resident: Resident, model: AnyModel): Promise<void> {
    const { log } = this.#options;
    try {
      await model.close();
      log('info', `Unloaded ${resident.entry.name}.`);
    } catch (thrown) {
      log('error', `Unloading ${resident.entry.name} failed.`, thrown);
    }
    this.#forget(resident);
  }

  #forget(resident: Resident): void {
    resident.state = 'gone';
    resident.clearTimer();
    this.#residents.delete(resident);
    resident.reservation?.release();
    this.#arrangeSoon();
  }

  #fail(resident: Resident, error: unknown): void {
    const waiters = [...resident.waiters];
    this.#forget(resident);
    // The waiting requests fail; the next request tries again.
    for (const waiter of waiters) waiter.fail(error);
  }

  /** Logs a warning. Networks of conversion workers are requested for each page, so that the same warning about them is logged once in a row. A lack of memory is logged without a stack. */
  #warn(entry: AnyEntry, sentence: string, thrown?: unknown): void {
    if (isDistant(entry) && sentence === this.#lastOfDistant) return;
    if (isDistant(entry)) this.#lastOfDistant = sentence;
    const expected = thrown instanceof LecternError && thrown.code === 'out_of_memory';
    this.#options.log('warn', sentence, expected ? undefined : thrown);
  }

  async #fit(resident: Resident): Promise<void> {
    const { budget, log } = this.#options;
    const { entry } = resident;
    // Models can be unloaded for another; memory that others hold cannot be had.
    const mostBytes = budget.freeBytes + this.metrics().bytes;
    try {
      resident.fit = await (speaks(entry) ? this.#fitLanguage(entry, resident.embeds, mostBytes) : fitVision(entry, mostBytes));
    } catch (thrown) {
      this.#warn(entry, `${entry.name} cannot be loaded: ${asLecternError(thrown).message}`, thrown);
      this.#counts.failedLoads++;
      return this.#fail(resident, thrown);
    }
    if (resident.abort.signal.aborted) return this.#fail(resident, new LecternError('cancelled'));
    if (resident.fit.cut !== null) log('info', `${entry.name} gets ${resident.fit.context} tokens of context: ${resident.fit.cut}.`);
    resident.state = 'waiting';
    this.#arrangeSoon();
  }

  /** What the model would take with all memory of the budget. Rejects as fitModel() does. */
  need(entry: CatalogueEntry): Promise<Pick<Fit, 'bytes' | 'context'>> {
    return this.#fitLanguage(entry, entry.description.embeds, this.#options.budget.totalBytes);
  }

  #fitLanguage(entry: CatalogueEntry, embeds: boolean, mostBytes: number): Promise<Fit> {
    const { engine, device, slots, spareSlots = 0, kv, draft, contextOf, embeddingBytes } = this.#options;
    return fitModel(engine, entry, {
      device,
      slots: embeds ? 1 : slots,
      spareSlots: embeds ? 0 : spareSlots,
      ...(kv === undefined ? {} : { kv }),
      ...(draft === undefined ? {} : { draft }),
      context: contextOf(entry),
      preferredBytes: embeds ? mostBytes : mostBytes - embeddingBytes,
      mostBytes,
    });
  }

  #arrangeSoon(): void {
    if (this.#arranging || this.#closing !== null) return;
    this.#arranging = true;
    queueMicrotask(() => {
      this.#arranging = false;
      if (this.#closing === null) this.#arrange();
    });
  }

  #arrange(): void {
    const { budget, embeddingBytes, log } = this.#options;
    const all = [...this.#residents];
    const holders = all.filter((one) => one.holdsMemory) as (Resident & { state: 'loading' | 'loaded' | 'unloading' })[];
    const queue = all.filter((one) => one.state === 'waiting');
    const memory = { totalBytes: budget.totalBytes, freeBytes: budget.freeBytes, embeddingBytes };
    const room = makeRoom(holders, queue, memory);
    for (const holder of holders) holder.draining = room.drain.has(holder);
    for (const { wanted, holder } of room.join) this.#join(wanted, holder);
    for (const { wanted, availableBytes } of room.hopeless) {
      const sentence = `The model ${wanted.entry.name} needs ${describeBytes(wanted.bytes)}, and only ${describeBytes(availableBytes)} can be had beside what is loaded.`;
      this.#warn(wanted.entry, sentence);
      this.#fail(wanted, new LecternError('out_of_memory', sentence));
    }
    for (const holder of room.evict) {
      this.#counts.evictions++;
      log('info', `${holder.entry.name} makes room for another model.`);
      this.#unload(holder);
    }
    for (const holder of room.loadingInTheWay) if (holder.waiters.size === 0) this.#giveUp(holder);
    for (const wanted of room.start) wanted.work = this.#load(wanted);
  }

  /** Serves the requests that waited for a model to be loaded again, because the loaded one was not unloaded after all. */
  #join(wanted: Resident, holder: Resident): void {
    const waiters = [...wanted.waiters];
    holder.keepAlive = wanted.keepAlive;
    this.#forget(wanted);
    this.#serve(holder, waiters);
  }

  #serve(resident: Resident, waiters: Waiter[]): void {
    for (const waiter of waiters) waiter.grant(this.#grant(resident, waiter.entry, this.#options.clock.now() - waiter.since));
    resident.waiters.clear();
  }

  async #load(resident: Resident): Promise<void> {
    const { budget, clock, log } = this.#options;
    const { entry, fit, abort } = resident;
    resident.state = 'loading';
    resident.reservation = budget.reserve(resident.bytes);
    resident.startedAt = clock.now();
    log('info', `Loading ${entry.name}: ${describeBytes(resident.bytes)}${speaks(entry) ? `, ${fit?.context} tokens of context in each slot` : ''}.`);
    try {
      resident.model = await this.#open(resident);
    } catch (thrown) {
      const wasGivenUp = abort.signal.aborted;
      this.#counts[wasGivenUp ? 'cancelledLoads' : 'failedLoads']++;
      if (wasGivenUp) log('info', `Loading ${entry.name} was given up: no request waits for it.`);
      else log('error', `Loading ${entry.name} failed: ${asLecternError(thrown).message}`, thrown);
      return this.#fail(resident, thrown);
    }
    const tookMs = clock.now() - resident.startedAt;
    this.#counts.loads++;
    this.#counts.loadMs += tookMs;
    resident.progress = 1;
    resident.touchedAt = clock.now();
    if (abort.signal.aborted) {
      // It was too late to cancel; no waiting request can have been added since.
      resident.state = 'unloading';
      return this.#closeModel(resident, resident.model);
    }
    log('info', `Loaded ${entry.name} in ${(tookMs / 1000).toFixed(1)} s.`);
    resident.state = 'loaded';
    resident.clearTimer();
    this.#serve(resident, [...resident.waiters]);
    if (resident.uses === 0) this.#rest(resident);
    this.#arrangeSoon();
  }

  async #open(resident: Resident): Promise<AnyModel> {
    const { engine, device, threads, kv, draft } = this.#options;
    const { entry, fit, abort } = resident;
    const place = { device, ...(threads === undefined ? {} : { threads }), signal: abort.signal };
    // The process that asked for it opens it.
    if (isDistant(entry)) return entry;
    if (seesPages(entry)) {
      if (engine.openVision === undefined) throw new LecternError('invalid_state', 'This engine opens no vision models.');
      return engine.openVision({ ...entry.networks, ...place, workBytes: entry.workBytes });
    }
    const shape = { slots: fit?.slots as number, context: fit?.context as number, ...(kv === undefined ? {} : { kv }), ...(draft === undefined ? {} : { draft }) };
    return engine.openModel(entry.path, { ...place, ...shape, onProgress: (fraction) => this.#progress(resident, fraction) });
  }

  #progress(resident: Resident, fraction: number): void {
    const before = Math.floor(resident.progress * 4);
    resident.progress = Math.min(1, Math.max(resident.progress, fraction));
    const quarter = Math.floor(resident.progress * 4);
    if (quarter > before && quarter < 4) this.#options.log('info', `Loading ${resident.entry.name}: ${quarter * 25} %.`);
  }

  #abandon(resident: Resident): void {
    if (this.#closing !== null || resident.state !== 'loading') return this.#giveUp(resident);
    resident.stopTimer = this.#options.clock.after(abandonedGraceMs, () => this.#giveUp(resident));
    this.#arrangeSoon();
  }

  /** Cancels the loading of a model for which no request waits. */
  #giveUp(resident: Resident): void {
    resident.clearTimer();
    resident.abort.abort();
    if (resident.state === 'waiting') this.#forget(resident);
  }
}
