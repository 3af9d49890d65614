/** Comments on event streams that wait: proxies and clients give up on connections that are silent for longer. One timer for all streams. */
import type { EventStream } from '../event-stream.js';

const tickMs = 1_000;
/** A stream hears of it after 14 to 15 s, and then every 15. */
const ticksBetween = 15;

/** Those that are open and the tick at which each gets its next comment, the first due first. */
const due = new Map<EventStream, number>();
let ticks = 0;
let timer: NodeJS.Timeout | undefined;

/** Until release(). */
export function keepAlive(events: EventStream): void {
  due.set(events, ticks + ticksBetween);
  timer ??= setInterval(tick, tickMs);
}

export function release(events: EventStream): void {
  due.delete(events);
  if (due.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function tick(): void {
  ticks++;
  for (const [events, at] of due) {
    if (at > ticks) return;
    due.delete(events);
    due.set(events, ticks + ticksBetween);
    events.comment('waiting');
  }
}
