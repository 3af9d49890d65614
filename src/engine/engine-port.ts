/** The whole native engine: all its ports together. */
import type { DeviceInfo, LanguageEngine, NetworkReader, TextReader, TokenCounting, VisionEngine } from './port.js';
import type { VisionLoader } from './vision-port.js';

export interface Engine extends VisionEngine, TextReader, NetworkReader, VisionLoader, TokenCounting, LanguageEngine {
  /** The processor first; no GPU is asked for `cpu`, since asking takes memory there. Throws `device_lost` where one is there and cannot be used. */
  devices(wanted?: 'auto' | DeviceInfo['kind']): DeviceInfo[];
  /** Part of a sentence; empty where there is a GPU that models can use. */
  whyNoGpu(): string;
  /** What the addon was built with and which instructions it uses: for `/version` and the log. */
  buildInfo(): { version: string; cuda: boolean; instructions: string };
  /** Cancels what runs, closes the models too and frees threads and memory. Calling it again waits for the same end. */
  close(): Promise<void>;
}
