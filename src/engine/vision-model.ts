/** Networks in memory that see pages: the port's interface over their native handle. */
import type { Bitmap } from '../bitmap.js';
import type { NativeAddon, NativeVisionModel } from './addon.js';
import { callNative } from './native-call.js';
import type { CallOptions, ReadPage } from './port.js';
import type { LayoutRegion, LineClasses, LineItems, ReadLinesOptions, TableCells, VisionModel } from './vision-port.js';

export class AddonVisionModel implements VisionModel {
  readonly weightBytes: number;
  readonly #addon: NativeAddon;
  readonly #native: NativeVisionModel;
  readonly #onClosed: () => void;
  #closing: Promise<void> | undefined;

  constructor(addon: NativeAddon, native: NativeVisionModel, onClosed: () => void) {
    this.#addon = addon;
    this.#native = native;
    this.#onClosed = onClosed;
    this.weightBytes = native.weightBytes;
  }

  readLines(bitmap: Bitmap, options: ReadLinesOptions): Promise<ReadPage> {
    const { signal, ...rest } = options;
    return callNative(this.#addon, signal, (cancel) => this.#native.readLines(bitmap, rest, cancel));
  }

  findLayout(bitmap: Bitmap, options: CallOptions = {}): Promise<LayoutRegion[]> {
    return callNative(this.#addon, options.signal, (cancel) => this.#native.findLayout(bitmap, cancel));
  }

  findTableCells(bitmap: Bitmap, options: CallOptions = {}): Promise<TableCells> {
    return callNative(this.#addon, options.signal, (cancel) => this.#native.findTableCells(bitmap, cancel));
  }

  classifyLines(items: LineItems, options: CallOptions = {}): Promise<LineClasses> {
    return callNative(this.#addon, options.signal, (cancel) => this.#native.classifyLines(items, cancel));
  }

  close(): Promise<void> {
    this.#closing ??= this.#native.close().finally(this.#onClosed);
    return this.#closing;
  }
}
