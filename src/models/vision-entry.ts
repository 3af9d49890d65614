/** A vision model on disk. */
import type { VisionNetworks } from '../engine/vision-port.js';

export interface VisionEntry {
  /** The name of its directory, or of its file where that is not just `model`. */
  name: string;
  kind: VisionNetworks['kind'];
  /** The path of its directory or file. */
  path: string;
  digest: string;
  sizeBytes: number;
  /** Bytes that a run may take beside the weights; the engine rejects a run that needs more with `too_large`. */
  workBytes: number;
  modifiedAt: Date;
  /** The languages that a text model reads; null where its card does not say. */
  languages: string[] | null;
  networks: VisionNetworks;
}
