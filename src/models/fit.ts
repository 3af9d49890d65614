/** The size in which a model is loaded: the context that was asked for, reduced to what the model was trained for and to what fits into memory. */
import type { DeviceInfo, LanguageEngine } from '../engine/port.js';
import { LecternError } from '../errors.js';
import type { CatalogueEntry, DistantEntry } from './types.js';
import type { VisionEntry } from './vision-entry.js';

/** The smallest context, in tokens, to which a lack of memory reduces a model: a smaller one holds no conversation. */
const leastContext = 2048;

export interface FitRequest {
  device: DeviceInfo['kind'];
  slots: number;
  /** Further slots, for paused sequences: as many of them as fit beside the whole context. Default 0. */
  spareSlots?: number;
  kv?: 'f16' | 'q8_0';
  draft?: number;
  /** Tokens per slot. */
  context: number;
  /** The bytes that the model should fit into, and the most that it may take where it does not. */
  preferredBytes: number;
  mostBytes: number;
}

export interface Fit {
  /** Slots of the KV cache, those for paused sequences included; 0 for a model without a KV cache. */
  slots: number;
  /** Tokens per slot. */
  context: number;
  bytes: number;
  takesAll: boolean;
  /** Why the context is smaller than what was asked for, or null. */
  cut: string | null;
}

/** Halves the context until the model fits. Throws `out_of_memory` with need and limit, and what the engine throws for the file. */
export async function fitModel(engine: Pick<LanguageEngine, 'memoryNeed'>, entry: CatalogueEntry, request: FitRequest): Promise<Fit> {
  const trained = entry.description.context;
  const wanted = trained > 0 ? Math.min(request.context, trained) : request.context;
  const { device, kv, draft, slots, spareSlots = 0 } = request;
  const bytesOf = async (context: number, slots: number): Promise<number> => {
    const { weightBytes, kvBytes, workBytes } = await engine.memoryNeed(entry.path, { device, slots, context, ...(kv === undefined ? {} : { kv }), ...(draft === undefined ? {} : { draft }) });
    return weightBytes + kvBytes + workBytes;
  };
  for (let spare = spareSlots; spare > 0; spare--) {
    const bytes = await bytesOf(wanted, slots + spare);
    if (bytes <= request.preferredBytes) return { slots: slots + spare, context: wanted, bytes, takesAll: false, cut: cutSentence(entry, request, wanted) };
  }
  const needs: { slots: number; context: number; bytes: number }[] = [];
  for (const context of halves(wanted)) {
    const bytes = await bytesOf(context, slots);
    if (bytes <= request.preferredBytes) return { slots, context, bytes, takesAll: false, cut: cutSentence(entry, request, context) };
    needs.push({ slots, context, bytes });
  }
  const fitting = needs.find(({ bytes }) => bytes <= request.mostBytes);
  if (fitting !== undefined) return { ...fitting, takesAll: true, cut: cutSentence(entry, request, fitting.context) };
  const least = needs.at(-1) as { context: number; bytes: number };
  const shape = `${least.context} tokens of context in ${request.slots === 1 ? 'one slot' : `${request.slots} slots`}`;
  throw new LecternError('out_of_memory', `The model ${entry.name} needs ${describeBytes(least.bytes)} with ${shape}, and only ${describeBytes(request.mostBytes)} can be had.`);
}

function halves(context: number): number[] {
  const found = [context];
  while ((found.at(-1) as number) > leastContext) found.push(Math.max(leastContext, Math.floor((found.at(-1) as number) / 2)));
  return found;
}

function cutSentence(entry: CatalogueEntry, request: FitRequest, context: number): string | null {
  if (context >= request.context) return null;
  if (context === entry.description.context) return `it was trained for ${context} tokens`;
  return `memory allows ${context} tokens per slot instead of ${Math.min(request.context, entry.description.context || request.context)}`;
}

/** "45.2 GiB", for people. */
export function describeBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

/** Weights are kept as the file has them and once more as the kernels read them. */
export function visionBytes({ sizeBytes, workBytes }: Pick<VisionEntry | DistantEntry, 'sizeBytes' | 'workBytes'>): number {
  return 2 * sizeBytes + workBytes;
}

/** Rejects with `out_of_memory`, need and limit in its sentence. */
export async function fitVision(entry: VisionEntry | DistantEntry, mostBytes: number): Promise<Fit> {
  const bytes = visionBytes(entry);
  if (bytes > mostBytes) throw new LecternError('out_of_memory', `The model ${entry.name} needs ${describeBytes(bytes)}, and only ${describeBytes(mostBytes)} can be had.`);
  return { slots: 0, context: 0, bytes, takesAll: false, cut: null };
}
