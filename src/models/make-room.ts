/** Decides which models are loaded next and which are evicted for them (`makeRoom`): the rules of memory as one pure function, which can be tested alone. residency.ts carries the decisions out. */

/** A model that holds memory. */
export interface Holder {
  key: string;
  embeds: boolean;
  bytes: number;
  state: 'loading' | 'loaded' | 'unloading';
  uses: number;
  /** When a use of it last began or ended. */
  touchedAt: number;
  keptForEver: boolean;
}

/** A model that requests wait for and that is not loaded. */
export interface Wanted {
  key: string;
  embeds: boolean;
  bytes: number;
  /** The model fits only into all of the memory, the share of embedding models included. */
  takesAll: boolean;
}

export interface Memory {
  totalBytes: number;
  freeBytes: number;
  /** Bytes that chat models leave to embedding models. */
  embeddingBytes: number;
}

export interface Room<H, W> {
  start: W[];
  /** Idle models to unload now. */
  evict: H[];
  /** Models in use that take no further requests: their memory goes to a wanted model when their requests have ended. */
  drain: Set<H>;
  /** Models that are still loading and whose memory is wanted; residency.ts cancels those for which no request waits. */
  loadingInTheWay: Set<H>;
  /** Wanted models that are loaded already. */
  join: { wanted: W; holder: H }[];
  /** Wanted models that do not fit beside those that may not be unloaded, and the bytes that they could have had. */
  hopeless: { wanted: W; availableBytes: number }[];
}

/**
 * Wanted models are served in the order of `queue`. One takes the memory of idle models, least recently used first (those that are kept for ever last), then waits for
 * models in use. A later one starts earlier only where it takes no memory from those before it. An embedding model takes memory from other embedding models only.
 */
export function makeRoom<H extends Holder, W extends Wanted>(holders: readonly H[], queue: readonly W[], memory: Memory): Room<H, W> {
  const room: Room<H, W> = { start: [], evict: [], drain: new Set(), loadingInTheWay: new Set(), join: [], hopeless: [] };
  const plan = new Plan(holders, memory);
  for (const wanted of queue) {
    const twin = plan.standing('loaded').find((holder) => holder.key === wanted.key);
    if (twin !== undefined) {
      room.join.push({ wanted, holder: twin });
      continue;
    }
    const available = plan.mostFor(wanted);
    if (wanted.bytes > available) {
      room.hopeless.push({ wanted, availableBytes: available });
      continue;
    }
    if (plan.fitsNow(wanted)) {
      plan.start(wanted);
      room.start.push(wanted);
      continue;
    }
    for (const victim of plan.claim(wanted)) {
      if (victim.state === 'loading') room.loadingInTheWay.add(victim);
      else if (victim.uses === 0) room.evict.push(victim);
      else room.drain.add(victim);
    }
  }
  return room;
}

/** The memory that is free now, and that which will be free, after each decision. */
class Plan<H extends Holder> {
  readonly #memory: Memory;
  readonly #standing: Set<H>;
  readonly #chatBytes: number;
  readonly #otherBytes: number;
  #freeNow: number;
  #embeddingNow: number;
  /** Bytes free when all models that are to go are gone, less those promised to wanted models. */
  #freeSoon: number;
  #embeddingSoon: number;

  constructor(holders: readonly H[], memory: Memory) {
    const standing = holders.filter((holder) => holder.state !== 'unloading');
    this.#memory = memory;
    this.#standing = new Set(standing);
    this.#chatBytes = sumBytes(standing.filter((holder) => !holder.embeds));
    this.#otherBytes = memory.totalBytes - memory.freeBytes - sumBytes(holders);
    this.#freeNow = memory.freeBytes;
    this.#embeddingNow = sumBytes(holders.filter((holder) => holder.embeds));
    this.#freeSoon = memory.freeBytes + sumBytes(holders) - sumBytes(standing);
    this.#embeddingSoon = sumBytes(standing.filter((holder) => holder.embeds));
  }

  standing(state: Holder['state']): H[] {
    return [...this.#standing].filter((holder) => holder.state === state);
  }

  /** The most bytes that the model can have, however long it waits. */
  mostFor(wanted: Wanted): number {
    return this.#memory.totalBytes - this.#otherBytes - (wanted.embeds ? this.#chatBytes : 0);
  }

  fitsNow(wanted: Wanted): boolean {
    if (wanted.embeds) return wanted.bytes <= this.#freeNow;
    return wanted.bytes <= this.#freeNow - this.#kept(wanted, this.#embeddingNow) && this.#deficit(wanted) <= 0;
  }

  start(wanted: Wanted): void {
    this.#freeNow -= wanted.bytes;
    if (wanted.embeds) this.#embeddingNow += wanted.bytes;
    this.#promise(wanted);
  }

  /** The models whose memory the wanted one takes; none where enough memory will be free anyway, or where earlier ones have been promised all of it. */
  claim(wanted: Wanted): H[] {
    const before = { free: this.#freeSoon, embedding: this.#embeddingSoon };
    const victims: H[] = [];
    for (const candidate of this.#candidates(wanted)) {
      if (this.#deficit(wanted) <= 0) break;
      if (this.#give(candidate, wanted)) victims.push(candidate);
    }
    if (this.#deficit(wanted) > 0) {
      this.#freeSoon = before.free;
      this.#embeddingSoon = before.embedding;
      return [];
    }
    const needed = this.#spareThose(victims, wanted);
    for (const victim of needed) this.#standing.delete(victim);
    this.#promise(wanted);
    return needed;
  }

  #promise(wanted: Wanted): void {
    this.#freeSoon -= wanted.bytes;
    if (wanted.embeds) this.#embeddingSoon += wanted.bytes;
  }

  #kept(wanted: Wanted, embedding: number): number {
    return wanted.embeds || wanted.takesAll ? 0 : Math.max(0, this.#memory.embeddingBytes - embedding);
  }

  #deficit(wanted: Wanted): number {
    return wanted.bytes + this.#kept(wanted, this.#embeddingSoon) - this.#freeSoon;
  }

  /** Counts the holder's memory as free where that helps the wanted model, and returns whether it does: memory of an embedding model within the share of embedding models stays reserved for the next one. */
  #give(holder: H, wanted: Wanted): boolean {
    const before = this.#deficit(wanted);
    this.#freeSoon += holder.bytes;
    if (holder.embeds) this.#embeddingSoon -= holder.bytes;
    if (this.#deficit(wanted) < before) return true;
    this.#freeSoon -= holder.bytes;
    if (holder.embeds) this.#embeddingSoon += holder.bytes;
    return false;
  }

  /** The models whose memory may be taken, in this order: idle chat models, idle embedding models, idle models that are kept for ever, models in use, models that still load. Within each group the least recently used first. */
  #candidates(wanted: Wanted): H[] {
    const tier = (holder: H): number => {
      if (holder.state === 'loading') return 4;
      if (holder.uses > 0) return 3;
      return holder.keptForEver ? 2 : holder.embeds ? 1 : 0;
    };
    return [...this.#standing].filter((holder) => holder.embeds || !wanted.embeds).sort((a, b) => tier(a) - tier(b) || a.touchedAt - b.touchedAt);
  }

  /** Leaves out models in use or loading that are no longer needed because a later victim was larger. Idle models go in their order, without exception. */
  #spareThose(victims: H[], wanted: Wanted): H[] {
    return victims.filter((victim) => {
      if (victim.uses === 0 && victim.state !== 'loading') return true;
      if (victim.embeds || this.#deficit(wanted) + victim.bytes > 0) return true;
      this.#freeSoon -= victim.bytes;
      return false;
    });
  }
}

function sumBytes(holders: readonly Holder[]): number {
  return holders.reduce((sum, { bytes }) => sum + bytes, 0);
}
