/** `lectern models show NAME`: one model at length. */
import { describeBytes } from '../models/fit.js';
import type { CatalogueEntry } from '../models/types.js';
import { contextChooser, placeOf } from '../program/model-memory.js';
import { findInstalled, type InstalledModels } from './installed-models.js';
import { printLines, tableLines } from './lines-and-tables.js';
import { describeOwnNetwork, isOwnNetwork } from './own-networks.js';
import { describeVision } from './vision-models.js';

export async function showModel(models: InstalledModels, name: string): Promise<number> {
  if (isOwnNetwork(name)) {
    printLines(tableLines(await describeOwnNetwork(name)));
    return 0;
  }
  const { entry, seeing } = await findInstalled(models, name);
  printLines(tableLines(entry === undefined ? await describeVision(seeing) : await describe(entry, models)));
  return 0;
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
