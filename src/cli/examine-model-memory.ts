/** What `lectern doctor` reports of the memory of models: what the settings give them against what the device has, and which fit into it. */
import { engineOptions } from '../settings/kernel-switches.js';
import type { Settings } from '../settings/settings.js';
import { openEngine } from '../engine/engine.js';
import type { DeviceInfo, LanguageEngine } from '../engine/port.js';
import type { Engine } from '../engine/engine-port.js';
import { LecternError } from '../errors.js';
import { openCatalogue } from '../program/language-half.js';
import { contextChooser, placeOf, shortOfNetworks } from '../program/model-memory.js';
import { silentLog } from '../logging/lazy-log.js';
import { describeBytes, fitModel } from '../models/fit.js';
import type { CatalogueEntry } from '../models/types.js';
import type { Finding } from './examine-directories.js';

type MemorySettings = Pick<Settings, 'device' | 'modelMemory' | 'embeddingMemory' | 'workers' | 'workerMemory'>;

/** One line about the budget. Nothing where the device of the settings is missing, which examineDevices reports. */
export function examineBudget(settings: MemorySettings, devices: DeviceInfo[]): Finding[] {
  const { device, modelMemory, workers, workerMemory } = settings;
  if (device !== 'auto' && devices.every(({ kind }) => kind !== device)) return [];
  let place;
  try {
    place = placeOf(settings, devices);
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) throw thrown;
    return [{ state: 'bad', what: `model memory: ${describeBytes(modelMemory ?? 0)} asked for, the service does not start`, advice: thrown.message }];
  }
  const { budgetBytes, device: { kind, name, memoryTotalBytes, memoryFreeBytes } } = place;
  const what = `model memory: models may take ${describeBytes(budgetBytes)} of the ${describeBytes(memoryTotalBytes)} of ${name}`;
  if (kind === 'cuda') {
    return [budgetBytes <= memoryFreeBytes ? { state: 'good', what }
      : { state: 'note', what, advice: `only ${describeBytes(memoryFreeBytes)} are free now, models that need more fail to load (a service that runs holds its models there): lower --model-memory, or end what else uses the GPU` }];
  }
  const all = budgetBytes + workers * workerMemory;
  return [all <= memoryTotalBytes ? { state: 'good', what }
    : { state: 'note', what, advice: `with the conversion processes that is ${describeBytes(all)}, more than there is: lower --model-memory, --workers or --worker-memory` }];
}

/** One line where the networks of conversion workers have less room than they want. */
export function examineNetworks(settings: MemorySettings, devices: DeviceInfo[]): Finding[] {
  const short = shortOfNetworks(settings, devices);
  return short === null ? [] : [{ state: 'note', what: `model memory: ${short.what}`, advice: short.advice }];
}

/** One line for each model that cannot be loaded in the memory that there is, with what it needs. */
export async function examineNeeds(settings: MemorySettings & Pick<Settings, 'slots' | 'kvCache' | 'speculation' | 'contextLength' | 'modelContext'>, engine: Pick<LanguageEngine, 'memoryNeed'>, devices: DeviceInfo[], entries: CatalogueEntry[]): Promise<Finding[]> {
  const { budgetBytes, kind } = placeOf(settings, devices);
  const findings: Finding[] = [];
  for (const entry of entries) {
    const slots = entry.description.embeds ? 1 : settings.slots;
    const request = { device: kind, slots, context: contextChooser(settings)(entry), preferredBytes: budgetBytes, mostBytes: budgetBytes, ...(kind === 'cuda' && settings.kvCache === 'q8_0' ? { kv: 'q8_0' as const } : {}), ...(settings.speculation === 'off' ? { draft: 0 } : {}) };
    try {
      await fitModel(engine, entry, request);
    } catch (thrown) {
      if (!(thrown instanceof LecternError)) throw thrown;
      findings.push({ state: 'note', what: `models: ${entry.name} cannot be loaded here`, advice: thrown.message });
    }
  }
  return findings;
}

/** null where a GPU is there and cannot be used, which examineDevices reports. */
function devicesOf(engine: Pick<Engine, 'devices'>, { device }: Pick<Settings, 'device'>): DeviceInfo[] | null {
  try {
    return engine.devices(device);
  } catch {
    return null;
  }
}

/** Budget and needs as this machine and its models have them. */
export async function examineModelMemory(settings: Settings): Promise<Finding[]> {
  let engine;
  try {
    engine = openEngine(engineOptions(settings, process.env));
  } catch {
    // examineProgram reports it.
    return [];
  }
  try {
    const devices = devicesOf(engine, settings);
    if (devices === null) return [];
    const budget = examineBudget(settings, devices);
    if (budget.length === 0 || budget.some(({ state }) => state === 'bad')) return budget;
    const catalogue = openCatalogue({ models: settings.models, aliases: new Map() }, engine, silentLog);
    return [...budget, ...examineNetworks(settings, devices), ...await examineNeeds(settings, engine, devices, await catalogue.list())];
  } finally {
    await engine.close();
  }
}
