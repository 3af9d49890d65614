/** `lectern models list`: the models that are there, and the files that are left out. */
import { existsSync } from 'node:fs';
import { describeBytes } from '../models/fit.js';
import { visionFromElsewhere, type InstalledModels } from './installed-models.js';
import { printJson, printLines, tableLines } from './lines-and-tables.js';
import { brokenOwnNetworks, ownNetworkRows } from './own-networks.js';
import { visionRows } from './vision-models.js';

export async function listModels({ catalogue, vision, settings: { models: directories } }: InstalledModels, json: boolean): Promise<number> {
  const entries = await catalogue.list();
  const refused = [...await catalogue.refused(), ...await vision.refused(), ...await brokenOwnNetworks()];
  if (json) {
    const models = entries.map(({ name, path, sizeBytes, details, description, capabilities, modifiedAt, digest }) => ({
      name, path, size: sizeBytes, digest, architecture: details.family, parameters: details.parameterSize, weights: details.quantizationLevel, context: description.context, capabilities, modified: modifiedAt.toISOString(),
    }));
    printJson({ models, vision: (await vision.list()).map(({ name }) => name), left_out: refused });
    return 0;
  }
  const missing = directories.filter((directory) => !existsSync(directory));
  const rows = entries.map(({ name, sizeBytes, details, description, capabilities, modifiedAt }) => [
    name, describeBytes(sizeBytes), details.family, details.parameterSize, details.quantizationLevel, String(description.context), capabilities.join(' '), modifiedAt.toISOString().slice(0, 10),
  ]);
  if (rows.length > 0) printLines(tableLines([['NAME', 'SIZE', 'FAMILY', 'PARAMETERS', 'WEIGHTS', 'CONTEXT', 'CAN DO', 'MODIFIED'], ...rows]));
  else if (missing.length === 0) printLines(['There is no model yet; `lectern models pull NAME` fetches one.']);
  const seeing = [...visionRows(await visionFromElsewhere(vision)), ...await ownNetworkRows()];
  if (seeing.length > 0) printLines(['', ...tableLines([['NAME', 'SIZE', 'CAN DO', 'KNOWS', 'MODIFIED'], ...seeing])]);
  for (const directory of missing) printLines([`The directory ${directory} does not exist yet.`]);
  if (refused.length > 0) printLines(['', 'Left out:', ...refused.flatMap(({ name, path, reason }) => [`  ${name}: ${reason}`, `      ${path}`])]);
  return 0;
}
