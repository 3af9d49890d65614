/** `lectern models show NAME`: one model at length. */
import { describeBytes } from '../models/fit.js';
import type { CatalogueEntry } from '../models/types.js';
import { contextChooser, placeOf } from '../program/model-memory.js';
import { findInstalledOrFile, type InstalledModels } from './installed-models.js';
import { printJson, printLines, tableLines } from './lines-and-tables.js';
import { describeOwnNetwork, isOwnNetwork } from './own-networks.js';
import { describeVision } from './vision-models.js';

export async function showModel(models: InstalledModels, name: string, json: boolean): Promise<number> {
  const rows = isOwnNetwork(name) ? await describeOwnNetwork(name) : await describeInstalled(models, name);
  if (json) printJson(Object.fromEntries(rows));
  else printLines(tableLines(rows));
  return 0;
}

async function describeInstalled(models: InstalledModels, name: string): Promise<[string, string][]> {
  const { entry, seeing } = await findInstalledOrFile(models, name);
  return entry === undefined ? describeVision(seeing) : describe(entry, models);
}

async function describe(entry: CatalogueEntry, { engine, settings }: InstalledModels): Promise<[string, string][]> {
  const { description, details } = entry;
  const slots = description.embeds ? 1 : settings.slots;
  const wanted = contextChooser(settings)(entry);
  const context = Math.min(wanted, description.context || wanted);
  const need = await engine.memoryNeed(entry.path, { device: placeOf(settings, engine.devices(settings.device)).kind, slots, context });
  return [
    ['name', entry.name], ['file', entry.path], ['size', describeBytes(entry.sizeBytes)], ['digest', entry.digest],
    ['architecture', details.family], ['parameters', details.parameterSize], ['weights', details.quantizationLevel],
    ['context', `${description.context} tokens`], ['embedding', `${description.embeddingLength} numbers`], ['can do', entry.capabilities.join(', ')],
    ['memory', `${describeBytes(need.weightBytes + need.kvBytes + need.workBytes)} with ${context} tokens in ${slots === 1 ? 'one slot' : `${slots} slots`}`],
    ['template', entry.goTemplate !== null ? 'of the store' : entry.chatTemplate !== null ? 'of the file' : 'none'],
    ...entry.licenses.map((license): [string, string] => ['license', license.split('\n').find((line) => line.trim() !== '')?.trim() ?? '']),
  ];
}
