/** What the rest of the program may ask of the native engine. The addon and the fake of the tests both implement it. */
import type { Bitmap } from '../bitmap.js';

export interface CallOptions {
  signal?: AbortSignal;
}

export interface ResizeOptions extends CallOptions {
  width: number;
  height: number;
  /** Per channel (R, G, B) on the 0..1 scale: out = (in - mean) / std. */
  mean: [number, number, number];
  std: [number, number, number];
}

export interface DeviceInfo {
  kind: 'cpu' | 'cuda';
  name: string;
  memoryTotalBytes: number;
  memoryFreeBytes: number;
}

/** Verbs on bitmaps; a worker process has the same interface, answered by the main process. */
export interface VisionEngine {
  /** Degrees, counter-clockwise positive, by which the text lines of a page lean; 0 where the page has none. */
  deskewAngle(bitmap: Bitmap, options?: CallOptions): Promise<number>;
  /** Planar float RGB, shape (3, height, width), area-averaged when shrinking. */
  resizeImage(bitmap: Bitmap, options: ResizeOptions): Promise<Float32Array>;
}

export interface Engine extends VisionEngine {
  devices(): DeviceInfo[];
  /** What the addon was built with and which instructions it uses: for `/version` and the log. */
  buildInfo(): { version: string; cuda: boolean; instructions: string };
  close(): Promise<void>;
}
