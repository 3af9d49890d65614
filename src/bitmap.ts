/** Pixels as they cross rooms, processes and the native seam. */

/** RGBA, 8 bits each, rows from the top. */
export interface Bitmap {
  data: Uint8Array;
  width: number;
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
}
