/** The native addon as TypeScript sees it, and the only place that loads it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Bitmap } from '../bitmap.js';
import { LecternError } from '../errors.js';
import { nativeFile, platformPackages } from '../platform/native-files.js';
import { packageRoot } from '../platform/package-files.js';
import type { DeviceInfo, Embedding, GenerateOptions, GenerateResult, KernelOptions, LineVotes, LineVotesOptions, LoadedModel, MemoryNeed, MetadataValue, ModelDescription, ModelShape, OpenModelOptions, PackedPrompt, PromptPart, ReadPage, ReadTextOptions, RecogniseTextOptions, Relevance } from './port.js';
import type { LayoutRegion, LineClasses, LineItems, OpenVisionOptions, ReadLinesOptions, TableCells } from './vision-port.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the kernel offers to confine a process. */
export interface ConfinementSupport {
  /** The version of Landlock's interface; 0 where it has none, or where it is switched off. */
  landlockAbi: number;
  /** Whether it filters system calls (seccomp). */
  systemCallFilter: boolean;
}

/** Flags that native code reads at every step of a job; an AbortSignal never crosses. */
export interface NativeCancel {
  cancel(): void;
  /** Whether a generation stands still; NativeLanguageModel.wake() makes the model see that it may go on. */
  hold(held: boolean): void;
}

/**
 * Promises reject with an Error that has a `code` of the table in errors.ts. A bitmap is borrowed until the promise
 * settles: its bytes must be neither changed nor transferred before.
 */
export interface NativeEngine {
  deskewAngle(bitmap: Bitmap, cancel?: NativeCancel): Promise<number>;
  tesseractVersion(cancel?: NativeCancel): Promise<string>;
  readText(bitmap: Bitmap, options: Omit<ReadTextOptions, 'signal'>, cancel?: NativeCancel): Promise<ReadPage>;
  recogniseText(bitmap: Bitmap, options: Omit<RecogniseTextOptions, 'signal'>, cancel?: NativeCancel): Promise<ReadPage>;
  lineVotes(bitmap: Bitmap, options: Omit<LineVotesOptions, 'signal'>, cancel?: NativeCancel): Promise<LineVotes>;
  describeModel(path: string, options: { arrays?: boolean }, cancel?: NativeCancel): Promise<NativeDescription>;
  memoryNeed(path: string, shape: ModelShape, cancel?: NativeCancel): Promise<MemoryNeed>;
  countTokens(path: string, texts: readonly string[], cancel?: NativeCancel): Promise<Uint32Array>;
  openModel(path: string, options: Omit<OpenModelOptions, 'signal'>, cancel?: NativeCancel): Promise<NativeLanguageModel>;
  openVision(options: Omit<OpenVisionOptions, 'signal'>, cancel?: NativeCancel): Promise<NativeVisionModel>;
  /** Cancels what runs, settles when the last of it has ended; models stay open. A second call rejects with `invalid_state`. */
  close(): Promise<void>;
}

/** Metadata as pairs: as properties of an object some keys of a hostile file would be none. */
export type NativeDescription = Omit<ModelDescription, 'metadata'> & { metadata: [string, MetadataValue][] };

export type NativePrompt = string | Int32Array | readonly PromptPart[] | PackedPrompt;

/** As LanguageModel in port.ts; a second `close` rejects with `invalid_state`. Callbacks must not throw. */
export interface NativeLanguageModel {
  readonly info: LoadedModel;
  generate(prompt: NativePrompt, options: Omit<GenerateOptions, 'signal' | 'pacing'>, cancel?: NativeCancel): Promise<GenerateResult>;
  /** After a flag has changed on which a held generation waits. */
  wake(): void;
  embed(prompt: NativePrompt, normalise: boolean, cancel?: NativeCancel): Promise<Embedding>;
  /** `mostTokens` 0: the document stays whole. */
  rank(query: string, document: string, mostTokens: number, cancel?: NativeCancel): Promise<Relevance>;
  tokenize(prompt: NativePrompt, addSpecial: boolean, cancel?: NativeCancel): Promise<Int32Array>;
  countTokens(prompt: NativePrompt, addSpecial: boolean, cancel?: NativeCancel): Promise<number>;
  tokenBytes(id: number): Uint8Array;
  close(): Promise<void>;
}

/** As VisionModel in port.ts; a second `close` rejects with `invalid_state`. */
export interface NativeVisionModel {
  readonly weightBytes: number;
  readLines(bitmap: Bitmap, options: Omit<ReadLinesOptions, 'signal'>, cancel?: NativeCancel): Promise<ReadPage>;
  findLayout(bitmap: Bitmap, cancel?: NativeCancel): Promise<LayoutRegion[]>;
  findTableCells(bitmap: Bitmap, cancel?: NativeCancel): Promise<TableCells>;
  classifyLines(items: LineItems, cancel?: NativeCancel): Promise<LineClasses>;
  close(): Promise<void>;
}

export interface NativeAddon {
  Engine: new (options: { log?: (level: LogLevel, message: string) => void; kernels?: KernelOptions; preTokenizer?: string }) => NativeEngine;
  Cancel: new () => NativeCancel;
  /** The codes that native code knows: the same set as errorTable. */
  errorCodes: string[];
  buildInfo(): { version: string; cuda: boolean; instructions: string };
  devices(gpus: boolean): DeviceInfo[];
  whyNoGpu(): string;
  endWithParent(): boolean;
  confinementSupport(): ConfinementSupport;
  /** Throws where the kernel refuses. */
  restrictSystemCalls(programs: boolean): void;
  /** Throws where the datagram cannot be sent. */
  notifySupervisor(address: string, message: string): void;
}

/** The addon of this package; loaded once per thread. Throws LecternError `invalid_state` when it was not built, or may not be loaded. */
export function loadAddon(): NativeAddon {
  const path = nativeFile('lectern.node');
  if (path === null) {
    throw new LecternError('invalid_state', `The native addon is missing: ${join(packageRoot(), 'build', 'native', 'lectern.node')} was not compiled, and no package ${platformPackages().at(-1)} of this version is installed. Run npm install.`);
  }
  // Node keeps what it loaded by path: a second call costs a look-up.
  try {
    return createRequire(import.meta.url)(path) as NativeAddon;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_DLOPEN_FAILED') throw cause;
    const why = `${(cause as Error).message}. A file system that is mounted noexec does that; the single executable unpacks itself elsewhere where XDG_CACHE_HOME says so.`;
    throw new LecternError('invalid_state', `The native addon cannot be loaded: ${why}`, { cause });
  }
}
