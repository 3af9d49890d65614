/** The memory of one device as numbers: what may be used, what is taken, and a call when some comes back. */
import type { DeviceInfo } from '../engine/port.js';

export interface Reservation {
  readonly bytes: number;
  /** Calling it again does nothing. */
  release(): void;
}

/** Shared by everything that lives on the device. It counts; it allocates nothing. */
export class MemoryBudget {
  readonly totalBytes: number;
  readonly #listeners = new Set<() => void>();
  #usedBytes = 0;

  constructor(totalBytes: number) {
    this.totalBytes = totalBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get freeBytes(): number {
    return this.totalBytes - this.#usedBytes;
  }

  /** Null where so much is not free. */
  reserve(bytes: number): Reservation | null {
    if (!(bytes <= this.freeBytes)) return null;
    this.#usedBytes += bytes;
    let held = true;
    return {
      bytes,
      release: () => {
        if (!held) return;
        held = false;
        this.#usedBytes -= bytes;
        for (const listener of this.#listeners) listener();
      },
    };
  }

  /** Called whenever a reservation ends; the answer takes the listener off. */
  onRelease(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Left to the driver, to other programs and to what no reservation counts. */
const deviceReserveBytes = 2 ** 30;
const deviceReserveShare = 0.03;

/**
 * Where models live and how much of it they may take when the settings do not say: a CUDA device's free memory less 3 % (1 GiB at
 * least), or half of the machine's memory. undefined where there is no device.
 */
export function chooseDevice(devices: DeviceInfo[]): { device: DeviceInfo; budgetBytes: number } | undefined {
  const cuda = devices.find((device) => device.kind === 'cuda');
  if (cuda !== undefined) {
    const reserve = Math.max(deviceReserveBytes, cuda.memoryTotalBytes * deviceReserveShare);
    return { device: cuda, budgetBytes: Math.max(0, Math.floor(cuda.memoryFreeBytes - reserve)) };
  }
  const processor = devices.find((device) => device.kind === 'cpu');
  return processor === undefined ? undefined : { device: processor, budgetBytes: Math.floor(processor.memoryTotalBytes / 2) };
}
