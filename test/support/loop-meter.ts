/**
 * How long single turns of a service's main loop compute, in processor time: what /health waits on a machine with nothing else to do. The time on the
 * clock also has what other processes take; on a machine with much other work that is most of it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Shorter turns are not written. */
const shortestMs = 2;

/** Runs in the service before its program. Its timer comes once in every turn of the loop; `schedstat` counts the nanoseconds that the thread computed. */
const script = `
import { openSync, readSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const bytes = Buffer.alloc(100);
const begin = (file) => {
  const [counts, turns] = [openSync('/proc/self/task/' + process.pid + '/schedstat', 'r'), openSync(file, 'a')];
  const computed = () => Number(bytes.toString('latin1', 0, readSync(counts, bytes, 0, 100, 0)).split(' ')[0]) / 1e6;
  let last = computed();
  setInterval(() => {
    const now = computed();
    if (now - last > ${shortestMs}) writeSync(turns, process.hrtime.bigint() / 1000n + ' ' + (now - last) + '\\n');
    last = now;
  }, 1).unref();
};
if (isMainThread) try { begin(process.env.LOOP_METER_FILE); } catch { /* The kernel does not count. */ }
`;

/** Variables of the environment for the service. `file` is made; turns are written into it. */
export function meterTurns(file: string): Record<string, string> {
  writeFileSync(file, '');
  return { LOOP_METER_FILE: file, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Microseconds of the clock that all processes share. */
export function sharedClock(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Milliseconds of the longest turn that ended since then, 0 for a shorter one than is written; null where the kernel does not count. */
export function longestTurn(file: string, since: number): number | null {
  const turns = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => line.split(' ').map(Number) as [number, number]);
  // The start of every program has long turns.
  if (turns.length === 0) return null;
  return turns.reduce((longest, [end, ms]) => (end >= since ? Math.max(longest, ms) : longest), 0);
}
