/** A vision model on disk. */
import type { VisionNetworks } from '../engine/vision-port.js';

export interface VisionEntry {
  /** Of its directory, or of its file where that says more than `model`. */
  name: string;
  kind: VisionNetworks['kind'];
  /** Of its directory, or of its file. */
  path: string;
  digest: string;
  sizeBytes: number;
  /** What its runs may hold beside the weights; the engine ends a run that wants more with `too_large`. */
  workBytes: number;
  modifiedAt: Date;
  /** Which the text model reads; null: it does not say. */
  languages: string[] | null;
  networks: VisionNetworks;
}
