/** Entries that wait for places, in a line for each caller: callers have turns in rotation, and within a line the first comes first. */

export interface Queued {
  /** Whose it is: a name that callers do not choose themselves. */
  readonly caller: string;
  /** Rises from entry to entry; a line is in this order. */
  readonly place: number;
}

interface Line<T> {
  readonly entries: T[];
  /** Places that the caller holds. */
  held: number;
  /** When the caller was served last, or came: a count that rises. Smaller is earlier in the rotation. */
  since: number;
}

/** How many times as much as is free a caller may hold, in a queue with a bound. */
const mostOfFree = 15;

/**
 * Whether a caller that holds `own` of a bounded number of places may take another one while `free` are left (a dynamic threshold: Choudhury and
 * Hahne, 1998). One caller alone may take 15 of 16 places, two that fill in turn may take 15 of 31 each: some are left for the next caller. Of 16
 * places or fewer one caller may take all.
 */
export function mayTakeAnother(own: number, free: number): boolean {
  return own < mostOfFree * free;
}

/**
 * A free place goes to the caller that holds the fewest, then to the one that was served longest ago. So a caller with one entry waits at most for one
 * turn of each other caller, however many entries these have.
 */
export class FairQueue<T extends Queued> {
  readonly #lines = new Map<string, Line<T>>();
  #count = 0;
  #size = 0;

  /** Entries that wait. */
  get size(): number {
    return this.#size;
  }

  /** Entries of the caller that wait, and places that it holds. */
  ownedBy(caller: string): number {
    const line = this.#lines.get(caller);
    return line === undefined ? 0 : line.entries.length + line.held;
  }

  /** Places that the caller holds. */
  heldBy(caller: string): number {
    return this.#lines.get(caller)?.held ?? 0;
  }

  add(entry: T): void {
    let line = this.#lines.get(entry.caller);
    if (line === undefined) {
      line = { entries: [], held: 0, since: ++this.#count };
      this.#lines.set(entry.caller, line);
    }
    const after = line.entries.findLastIndex(({ place }) => place < entry.place);
    line.entries.splice(after + 1, 0, entry);
    this.#size++;
  }

  /** False where it does not wait. */
  remove(entry: T): boolean {
    const line = this.#lines.get(entry.caller);
    const at = line?.entries.indexOf(entry) ?? -1;
    if (line === undefined || at < 0) return false;
    line.entries.splice(at, 1);
    this.#size--;
    this.#dropIfIdle(entry.caller, line);
    return true;
  }

  /** Whose turn is next among those that `canBegin`; it goes on waiting. */
  peek(canBegin: (entry: T) => boolean = () => true): T | undefined {
    let best: { line: Line<T>; entry: T } | undefined;
    for (const line of this.#lines.values()) {
      if (best !== undefined && !precedes(line, best.line)) continue;
      const entry = line.entries.find(canBegin);
      if (entry !== undefined) best = { line, entry };
    }
    return best?.entry;
  }

  /** Takes the next one out; its caller holds a place from now on, until release(). */
  take(canBegin?: (entry: T) => boolean): T | undefined {
    const entry = this.peek(canBegin);
    if (entry !== undefined) this.hold(entry);
    return entry;
  }

  /** Takes this one out, as take() does. */
  hold(entry: T): void {
    const line = this.#lines.get(entry.caller);
    if (line === undefined) return;
    line.held++;
    line.since = ++this.#count;
    this.remove(entry);
  }

  /** The caller gives a place back. */
  release(caller: string): void {
    const line = this.#lines.get(caller);
    if (line === undefined) return;
    line.held--;
    line.since = ++this.#count;
    this.#dropIfIdle(caller, line);
  }

  /** How many that wait would begin before this one if nothing else came; -1 where it does not wait. */
  rankOf(entry: T): number {
    const own = this.#lines.get(entry.caller);
    const index = own?.entries.indexOf(entry) ?? -1;
    if (own === undefined || index < 0) return -1;
    const level = own.held + index;
    let before = index;
    for (const line of this.#lines.values()) {
      if (line === own) continue;
      // A caller begins one entry more with each place that it holds. Of two with as many places the one that held more before was served earlier.
      const sooner = Math.min(Math.max(level - line.held, 0), line.entries.length);
      const isLevel = level >= line.held && level - line.held < line.entries.length;
      const isFirst = line.held === own.held ? line.since < own.since : line.held > own.held;
      before += sooner + (isLevel && isFirst ? 1 : 0);
    }
    return before;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const line of this.#lines.values()) yield* line.entries;
  }

  #dropIfIdle(caller: string, line: Line<T>): void {
    if (line.held === 0 && line.entries.length === 0) this.#lines.delete(caller);
  }
}

function precedes<T>(line: Line<T>, other: Line<T>): boolean {
  return line.held === other.held ? line.since < other.since : line.held < other.held;
}
