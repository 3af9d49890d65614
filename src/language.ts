/** The language half of the service: catalogue, residency and slots over one engine, and how it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseGo } from './chat/prompt/go-template/parser.js';
import type { Settings } from './config.js';
import type { DeviceInfo, LanguageEngine } from './engine/port.js';
import type { VisionLoader } from './engine/vision-port.js';
import { sizeOfShipped } from './convert/installed.js';
import { LecternError } from './errors.js';
import type { LanguageServices } from './http/language.js';
import { LanguageMeter } from './http/service/language-metrics.js';
import type { Log } from './log.js';
import { createCatalogue } from './models/catalogue.js';
import { describeBytes, visionBytes } from './models/fit.js';
import { chooseDevice, MemoryBudget } from './models/memory-budget.js';
import { createResidency } from './models/residency.js';
import { createSlots } from './models/slots.js';
import { shippedModelsDirectory } from './package-files.js';
import type { Catalogue, CatalogueEntry, Clock, DistantResidency, ModelsLog, Residency, VisionResidency } from './models/types.js';

export type LanguageSettings = Pick<Settings,
  'models' | 'aliases' | 'slots' | 'embeddingSlots' | 'modelQueue' | 'keepAlive' | 'contextLength' | 'modelContext' | 'device' | 'threads' | 'kvCache' | 'modelMemory' | 'embeddingMemory' | 'workers'>;

export interface Language {
  services: LanguageServices;
  /** Vision models share the memory of the language models. */
  vision: VisionResidency;
  /** So do the networks of conversion workers, where models live in the host's memory; on a GPU they have half of the host's. */
  workers: DistantResidency;
  /** Prometheus text. */
  metrics(): string;
  /** Takes nothing new, gives answers under way up to `waitMs`, ends the rest and, once `pagesDone` has settled, unloads all models: until then pages have theirs. */
  close(waitMs: number, pagesDone?: Promise<unknown>): Promise<void>;
}

const clock: Clock = {
  now: () => Date.now(),
  after: (delayMs, call) => {
    // The system's timers are no longer than this; whoever waits longer asks again.
    const timer = setTimeout(call, Math.min(delayMs, 2 ** 31 - 1));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export function openCatalogue({ models, aliases }: Pick<LanguageSettings, 'models' | 'aliases'>, engine: Pick<LanguageEngine, 'describeModel'>, log: Log): Catalogue {
  return createCatalogue({ directories: models, aliases, engine, checkTemplate: parseGo, log: modelsLog(log) });
}

type ModelEngine = LanguageEngine & Partial<VisionLoader> & { devices(): DeviceInfo[] };

export interface LanguageParts {
  engine: ModelEngine;
  answer: LanguageServices['answer'];
  log: Log;
}

/** Throws `invalid_request` where the settings ask for a device that is not there. */
export function createLanguage(settings: LanguageSettings, { engine, answer, log }: LanguageParts): Language {
  let isClosing = false;
  // A look at the models that the end of the service cuts off finds nothing wrong with them.
  const told = modelsLog(log);
  const catalogue = createCatalogue({
    directories: settings.models, aliases: settings.aliases, engine, checkTemplate: parseGo, log: (level, message, cause) => { if (!isClosing) told(level, message, cause); },
  });
  const memory = openMemory(settings, engine, log);
  const { models: residency, workers } = memory;
  const slots = createSlots({ slots: settings.slots, maxQueue: settings.modelQueue, clock });
  const embeddingSlots = createSlots({ slots: settings.embeddingSlots, maxQueue: settings.modelQueue, clock });
  const meter = new LanguageMeter();
  return {
    vision: residency,
    workers,
    services: { catalogue, residency, vision: { listVision: () => residency.listVision(), listDistant: () => workers.listDistant() }, slots, embeddingSlots, answer: meter.measured(answer), now: () => new Date() },
    metrics: () => meter.lines({ slots, embeddingSlots, residency, workers, devices: () => engine.devices() }),
    close: async (waitMs, pagesDone = Promise.resolve()) => {
      isClosing = true;
      const drained = Promise.all([slots.close(), embeddingSlots.close()]);
      const enough = new AbortController();
      await Promise.race([drained, sleep(waitMs, undefined, { signal: enough.signal }).catch(() => undefined)]);
      enough.abort();
      await pagesDone.catch(() => undefined);
      // Closing a model ends what is still written with it.
      await memory.close();
      await drained;
    },
  };
}

/** What chat models leave where the settings do not say: an eighth, and what the networks of conversion workers take up to a quarter, where that holds one worker's: so pages are read beside any chat. */
function leftToEmbeddings(budgetBytes: number, workers: number): number {
  const ofWorker = visionBytes(sizeOfShipped(shippedModelsDirectory()));
  const ofWorkers = ofWorker <= budgetBytes / 4 ? Math.min(workers * ofWorker, budgetBytes / 4) : 0;
  return Math.max(Math.min(budgetBytes / 8, 3 * 2 ** 30), ofWorkers);
}

/** What is loaded, in the memory that the settings give. Throws as placeOf(). */
function openResidency(settings: LanguageSettings, engine: ModelEngine, log: Log): ReturnType<typeof createResidency> {
  const { kind, budgetBytes } = placeOf(settings, engine.devices());
  const embeddingBytes = Math.min(settings.embeddingMemory ?? leftToEmbeddings(budgetBytes, settings.workers), budgetBytes);
  log.info({ room: 'models', device: kind, directories: settings.models }, `Models may take ${describeBytes(budgetBytes)}, of which ${describeBytes(embeddingBytes)} are for embeddings.`);
  const keepAliveMs = settings.keepAlive * 1000;
  return createResidency({
    engine, device: kind, budget: new MemoryBudget(budgetBytes), embeddingBytes, slots: settings.slots, contextOf: contextChooser(settings), keepAliveOf: () => keepAliveMs, clock, log: modelsLog(log),
    ...(settings.threads === null ? {} : { threads: settings.threads }),
    // The processor keeps f16 whatever a host with a GPU is told.
    ...(kind === 'cuda' && settings.kvCache === 'q8_0' ? { kv: 'q8_0' as const } : {}),
  });
}

/** What is loaded, wherever that is. */
export interface ModelMemory {
  models: ReturnType<typeof createResidency>;
  /** The same where models are in the host's memory; on a GPU half of the host's. */
  workers: DistantResidency & Pick<Residency, 'close'>;
  close(): Promise<void>;
}

/** Throws as placeOf(). */
export function openMemory(settings: LanguageSettings, engine: ModelEngine, log: Log): ModelMemory {
  const models = openResidency(settings, engine, log);
  const onHost = placeOf(settings, engine.devices()).kind === 'cpu';
  const workers = onHost ? models : openResidency({ ...settings, device: 'cpu', modelMemory: null, embeddingMemory: null }, engine, log);
  return { models, workers, close: async () => { await Promise.all([...new Set([models, workers])].map((one) => one.close())); } };
}

function modelsLog(log: Log): ModelsLog {
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
