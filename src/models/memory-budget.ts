/** Counts the memory of one device: the bytes that may be used and those that are reserved. Listeners are called when a reservation ends. */
import type { DeviceInfo } from '../engine/port.js';

export interface Reservation {
  readonly bytes: number;
  /** Calling it again does nothing. */
  release(): void;
}

/** The budget that all models of a device share. It counts bytes and allocates none. */
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

  /** Reserves bytes; null where fewer are free. */
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

  /** Calls the listener whenever a reservation ends. The returned function removes it. */
  onRelease(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Memory of a device that is left to the driver, to other programs and to allocations that no reservation counts: 1 GiB, or 3 % where that is more. */
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
