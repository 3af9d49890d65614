/** The memory that the settings give to models, and what is loaded in it: language models, vision models, the networks of conversion workers. */
import { existsSync } from 'node:fs';
import type { Settings } from '../settings/settings.js';
import { sizeOfShipped } from '../convert/shipped-networks.js';
import type { DeviceInfo, LanguageEngine } from '../engine/port.js';
import type { VisionLoader } from '../engine/vision-port.js';
import { LecternError } from '../errors.js';
import type { Log } from '../logging/log.js';
import { describeBytes, visionBytes } from '../models/fit.js';
import { chooseDevice, MemoryBudget } from '../models/memory-budget.js';
import { createResidency } from '../models/residency.js';
import type { CatalogueEntry, DistantResidency, ModelsLog, Residency } from '../models/types.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { systemClock } from '../tasks/clock.js';

export type LanguageSettings = Pick<Settings,
  'models' | 'aliases' | 'slots' | 'turnTokens' | 'pausedAnswers' | 'embeddingSlots' | 'embedTokenIds' | 'storedResponses' | 'state' | 'modelQueue' | 'keepAlive' | 'contextLength' | 'modelContext' | 'device' | 'threads' | 'kvCache' | 'speculation' | 'modelMemory' | 'embeddingMemory' | 'workers'>;

export type BudgetSettings = Pick<Settings, 'device' | 'modelMemory' | 'embeddingMemory' | 'workers'>;

/** What models are loaded by. Devices are those that the settings allow; asking throws `device_lost` where a GPU is there and cannot be used. */
export type ModelEngine = LanguageEngine & Partial<VisionLoader> & { devices(): DeviceInfo[]; whyNoGpu?(): string };

/** What chat models leave where the settings do not say: an eighth, and what the networks of conversion workers take up to a quarter, where that holds one worker's: so pages are read beside any chat. */
function leftToEmbeddings(budgetBytes: number, workers: number): number {
  const ofWorker = visionBytes(sizeOfShipped(shippedModelsDirectory()));
  const ofWorkers = ofWorker <= budgetBytes / 4 ? Math.min(workers * ofWorker, budgetBytes / 4) : 0;
  return Math.max(Math.min(budgetBytes / 8, 3 * 2 ** 30), ofWorkers);
}

/** All that models may take, and what of it chat models leave. Throws as placeOf(). */
function budgetOf(settings: BudgetSettings, devices: DeviceInfo[]): { kind: DeviceInfo['kind']; budgetBytes: number; embeddingBytes: number } {
  const { kind, budgetBytes } = placeOf(settings, devices);
  return { kind, budgetBytes, embeddingBytes: Math.min(settings.embeddingMemory ?? leftToEmbeddings(budgetBytes, settings.workers), budgetBytes) };
}

/** As the networks of conversion workers have them: where models are on a GPU, half of the host's memory. */
function settingsOfWorkers<S extends BudgetSettings>(settings: S, devices: DeviceInfo[]): S {
  return placeOf(settings, devices).kind === 'cpu' ? settings : { ...settings, device: 'cpu', modelMemory: null, embeddingMemory: null };
}

/**
 * What comes of memory in which the networks of conversion workers have less room than they want, and what to do about it; null where they have enough. Throws as placeOf().
 * Advice names settings with their least values.
 */
export function shortOfNetworks(settings: BudgetSettings, devices: DeviceInfo[], each = visionBytes(sizeOfShipped(shippedModelsDirectory()))): { what: string; advice: string } | null {
  const { workers } = settings;
  const ofWorkers = settingsOfWorkers(settings, devices);
  const { budgetBytes, embeddingBytes } = budgetOf(ofWorkers, devices);
  // Beside a GPU no setting gives them more of the host: its half is what it is.
  const give = (name: string, bytes: number): string | null => (ofWorkers === settings ? `give ${name} ${Math.ceil(bytes / 2 ** 20)}MiB or more` : null);
  const noHost = 'the host has too little memory beside its GPU: give it more';
  if (each > budgetBytes) {
    return {
      what: `the networks of a conversion worker want ${describeBytes(each)}, and models may take ${describeBytes(budgetBytes)}: scans and pictures of text fail, tables and layout are found by geometry alone`,
      advice: give('--model-memory', each * workers) ?? noHost,
    };
  }
  const rooms = Math.floor(budgetBytes / each);
  if (rooms < workers) {
    return {
      what: `there is room for the networks of ${rooms} of ${workers} conversion workers (${describeBytes(each)} each): documents that need them take turns of some seconds, and scans side by side take longer`,
      advice: [give('--model-memory', each * workers), 'lower --workers'].filter((way) => way !== null).join(', or '),
    };
  }
  // Chat models are elsewhere then.
  if (embeddingBytes >= each || ofWorkers !== settings) return null;
  return {
    what: `chat models may take all but ${describeBytes(embeddingBytes)}, and the networks of a conversion worker want ${describeBytes(each)}: beside a chat model so large scans fail, and tables and layout are found by geometry alone`,
    advice: give('--embedding-memory', each) ?? noHost,
  };
}

/** What is loaded, in the memory that the settings give. Throws as placeOf(). */
function openResidency(settings: LanguageSettings, engine: ModelEngine, devices: DeviceInfo[], log: Log): ReturnType<typeof createResidency> {
  const { kind, budgetBytes, embeddingBytes } = budgetOf(settings, devices);
  log.info({ room: 'models', device: kind, directories: settings.models }, `Models may take ${describeBytes(budgetBytes)}, of which ${describeBytes(embeddingBytes)} are for embeddings.`);
  const keepAliveMs = settings.keepAlive * 1000;
  return createResidency({
    engine, device: kind, budget: new MemoryBudget(budgetBytes), embeddingBytes, slots: settings.slots, spareSlots: settings.turnTokens > 0 ? settings.pausedAnswers : 0, contextOf: contextChooser(settings), keepAliveOf: () => keepAliveMs, clock: systemClock, log: modelsLog(log),
    ...(settings.threads === null ? {} : { threads: settings.threads }),
    // The processor keeps f16 whatever the setting of a host with a GPU is.
    ...(kind === 'cuda' && settings.kvCache === 'q8_0' ? { kv: 'q8_0' as const } : {}),
    ...(settings.speculation === 'off' ? { draft: 0 } : {}),
  });
}

function sentenceOf({ what, advice }: { what: string; advice: string }): string {
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}; ${advice}.`;
}

/** What is loaded, wherever that is. */
export interface ModelMemory {
  models: ReturnType<typeof createResidency>;
  /** The same where models are in the host's memory; on a GPU half of the host's. */
  workers: DistantResidency & Pick<Residency, 'close'>;
  /** What shortOfNetworks() says of it, a sentence, or null. */
  short: string | null;
  close(): Promise<void>;
}

/** Throws as placeOf(), and `device_lost` where a GPU is there, cannot be used, and the settings do not leave it alone. */
export function openMemory(settings: LanguageSettings, engine: ModelEngine, log: Log): ModelMemory {
  const devices = usableDevices(settings, engine, log);
  const models = openResidency(settings, engine, devices, log);
  const ofWorkers = settingsOfWorkers(settings, devices);
  const workers = ofWorkers === settings ? models : openResidency(ofWorkers, engine, devices, log);
  const short = shortOfNetworks(settings, devices);
  return { models, workers, short: short === null ? null : sentenceOf(short), close: async () => { await Promise.all([...new Set([models, workers])].map((one) => one.close())); } };
}

/** Says why where no GPU is among them and one was hoped for. */
function usableDevices({ device }: LanguageSettings, engine: ModelEngine, log: Log): DeviceInfo[] {
  let devices;
  try {
    devices = engine.devices();
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) throw thrown;
    throw new LecternError(thrown.code, `${thrown.message} --device cpu does without it.`, { cause: thrown });
  }
  if (device === 'cpu' || devices.some(({ kind }) => kind === 'cuda')) return devices;
  const why = engine.whyNoGpu?.() ?? '';
  if (device === 'cuda') throw new LecternError('invalid_request', `--device cuda asks for a GPU, and none can be used${why === '' ? '' : `: ${why}`}.`);
  // Where the kernel has the driver, a GPU was meant to be used.
  if (why !== '') log[existsSync('/proc/driver/nvidia') ? 'warn' : 'info']({ room: 'models' }, `The processor does the work of models: ${why}.`);
  return devices;
}

/** What rooms of models say, in the program's log. */
export function modelsLog(log: Log): ModelsLog {
  return (level, message, cause) => log[level](cause === undefined ? { room: 'models' } : { room: 'models', err: cause }, message);
}

/**
 * Where models are loaded and how much they may take there. Throws `invalid_request` where the settings ask for a device that is not there, or for
 * more memory than it has: nothing would be refused in time then, and what loads would take the machine down.
 */
export function placeOf({ device, modelMemory }: Pick<LanguageSettings, 'device' | 'modelMemory'>, devices: DeviceInfo[]): { kind: DeviceInfo['kind']; device: DeviceInfo; budgetBytes: number } {
  const chosen = chooseDevice(device === 'auto' ? devices : devices.filter(({ kind }) => kind === device));
  if (chosen === undefined) throw new LecternError('invalid_request', `The setting device asks for ${device}, and there is none here.`);
  const { kind, name, memoryTotalBytes } = chosen.device;
  if (modelMemory !== null && modelMemory > memoryTotalBytes) {
    throw new LecternError('invalid_request', `--model-memory asks for ${describeBytes(modelMemory)}, and ${name} has ${describeBytes(memoryTotalBytes)}: lower it, or leave it at auto.`);
  }
  return { kind, device: chosen.device, budgetBytes: modelMemory ?? chosen.budgetBytes };
}

/** The tokens of context per slot that are wanted for a model. Names of the setting mean what they mean in requests: letters of either case, `latest` may be left out. */
export function contextChooser({ contextLength, modelContext }: Pick<LanguageSettings, 'contextLength' | 'modelContext'>): (entry: CatalogueEntry) => number {
  const plain = (name: string): string => name.toLowerCase().replace(/:latest$/, '');
  const byName = new Map([...modelContext].map(([name, context]) => [plain(name), context]));
  return ({ name }) => byName.get(plain(name)) ?? contextLength;
}
