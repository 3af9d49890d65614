/** Who starts to load and who must go for it: the rules of memory as one pure function, so that they can be read and tested alone. */

/** A model that holds memory. */
export interface Holder {
  key: string;
  embeds: boolean;
  bytes: number;
  state: 'loading' | 'loaded' | 'unloading';
  uses: number;
  /** When its last use began or ended, whichever is later. */
  touchedAt: number;
  keptForEver: boolean;
}

/** A model that is wanted and not there. */
export interface Wanted {
  key: string;
  embeds: boolean;
  bytes: number;
  /** Fits only into all the memory there is, what is kept for embedding models included. */
  takesAll: boolean;
}

export interface Memory {
  totalBytes: number;
  freeBytes: number;
  /** What chat models leave to embedding models. */
  embeddingBytes: number;
}

export interface Room<H, W> {
  start: W[];
  /** Idle ones that go now. */
  evict: H[];
  /** Busy ones that take no new use: what is wanted gets their memory when they are done. */
  drain: Set<H>;
  /** Loading ones in the way, which may have no waiting request any more. */
  loadingInTheWay: Set<H>;
  /** What is there after all. */
  join: { wanted: W; holder: H }[];
  /** What cannot be loaded beside what may not be unloaded, and how much it could have had. */
  hopeless: { wanted: W; availableBytes: number }[];
}

/**
 * First come, first served: what is wanted first takes idle models' memory, oldest first (those kept for ever last), then waits for busy
 * ones. What comes later starts earlier only where it takes nothing from those before it. An embedding model takes memory from its like only.
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

/** What will be free, as decision follows decision. */
class Plan<H extends Holder> {
  readonly #memory: Memory;
  readonly #standing: Set<H>;
  readonly #chatBytes: number;
  readonly #otherBytes: number;
  #freeNow: number;
  #embeddingNow: number;
  /** When all that was decided has come about. */
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

  /** However long it waits. */
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

  /** Those whose memory it takes; empty where enough is on its way, or where those before it have promised all away. */
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

  /** Whether that helps: what an embedding model within its share gives back is kept for the next one. */
  #give(holder: H, wanted: Wanted): boolean {
    const before = this.#deficit(wanted);
    this.#freeSoon += holder.bytes;
    if (holder.embeds) this.#embeddingSoon -= holder.bytes;
    if (this.#deficit(wanted) < before) return true;
    this.#freeSoon -= holder.bytes;
    if (holder.embeds) this.#embeddingSoon += holder.bytes;
    return false;
  }

  /** Idle ones, chat before embedding, those kept for ever last; then busy ones; then those that still load: by age each. */
  #candidates(wanted: Wanted): H[] {
    const tier = (holder: H): number => {
      if (holder.state === 'loading') return 4;
      if (holder.uses > 0) return 3;
      return holder.keptForEver ? 2 : holder.embeds ? 1 : 0;
    };
    return [...this.#standing].filter((holder) => holder.embeds || !wanted.embeds).sort((a, b) => tier(a) - tier(b) || a.touchedAt - b.touchedAt);
  }

  /** Busy ones that a later, larger victim made needless stay; idle ones go oldest first, without exception. */
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
