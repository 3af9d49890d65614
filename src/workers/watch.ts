/** Measures a busy worker from outside (resident memory, time since its last message, total time), and reports the first limit that it breaks. */
import { readFileSync } from 'node:fs';
import type { BrokenLimit, JobLimits } from './types.js';

/** Resident memory of a process in bytes; null where the process is gone or the system has no /proc. */
export function residentBytesOf(pid: number): number | null {
  try {
    // `status`, because the shorter `statm` counts in pages, whose size differs between machines.
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

export class Watch {
  /** The largest resident memory measured, in bytes. */
  peakBytes = 0;
  private silentMs = 0;
  private totalMs = 0;
  private lastLook = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly pid: number,
    private readonly limits: Required<JobLimits>,
    private readonly everyMs: number,
    private readonly isWaiting: () => boolean,
    private readonly onBroken: (limit: BrokenLimit) => void,
  ) {
    this.timer = setInterval(() => this.look(), everyMs);
    this.timer.unref();
  }

  heard(): void {
    this.silentMs = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    // After a delay of its own event loop the parent has not yet read the worker's messages of that time, so at most two intervals of it count.
    const passedMs = Math.min(now - this.lastLook, 2 * this.everyMs);
    this.lastLook = now;
    this.totalMs += passedMs;
    this.silentMs = this.isWaiting() ? 0 : this.silentMs + passedMs;
    const bytes = residentBytesOf(this.pid) ?? 0;
    this.peakBytes = Math.max(this.peakBytes, bytes);
    const broken = bytes > this.limits.residentBytes ? 'resident'
      : this.totalMs > this.limits.totalMs ? 'total'
      : this.silentMs > this.limits.silenceMs ? 'silence' : null;
    if (!broken) return;
    this.stop();
    this.onBroken(broken);
  }
}
