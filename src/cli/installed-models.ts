/** The models of this machine by name: language models, and vision models from elsewhere. Those that ship are in own-networks. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Engine } from '../engine/engine-port.js';
import { LecternError } from '../errors.js';
import { silentLog } from '../logging/lazy-log.js';
import { displayName, parseModelName } from '../models/model-name.js';
import type { Catalogue, CatalogueEntry } from '../models/types.js';
import type { VisionCatalogue } from '../models/vision-catalogue.js';
import type { VisionEntry } from '../models/vision-entry.js';
import { openCatalogue } from '../program/language-half.js';
import type { Settings } from '../settings/settings.js';
import { pullAdvice } from './missing-model.js';
import { isOwnNetwork } from './own-networks.js';
import { isMissing } from './vision-models.js';

/** What the verbs of `lectern models` work with. */
export interface InstalledModels {
  catalogue: Catalogue;
  vision: VisionCatalogue;
  engine: Engine;
  settings: Settings;
}

/** Vision models except those that ship with the program. */
export async function visionFromElsewhere(vision: VisionCatalogue): Promise<VisionEntry[]> {
  return (await vision.list()).filter(({ name }) => !isOwnNetwork(name));
}

/** The model of a GGUF file that need not lie in a directory of the settings; null where `name` is no such file. Throws `invalid_model` with the reason for one that is refused. */
async function findFile(engine: Engine, name: string): Promise<CatalogueEntry | null> {
  const path = resolve(name);
  if (!/\.gguf$/i.test(name) || !existsSync(path)) return null;
  const catalogue = openCatalogue({ models: [dirname(path)], aliases: new Map() }, engine, silentLog);
  const found = (await catalogue.list()).find((entry) => entry.path === path);
  if (found !== undefined) return found;
  const refused = (await catalogue.refused()).find((one) => one.path === path);
  throw new LecternError('invalid_model', `The model file ${name} cannot be used: ${refused?.reason ?? 'it is one part of several, name the first'}.`);
}

/** As findInstalled(), and a GGUF file by its path: for verbs that change nothing. */
export async function findInstalledOrFile(models: Pick<InstalledModels, 'catalogue' | 'vision' | 'engine'>, name: string): ReturnType<typeof findInstalled> {
  const file = await findFile(models.engine, name);
  return file === null ? findInstalled(models, name) : { entry: file };
}

/** A language model goes before a vision model of its name. Throws the failure of the language models' catalogue where neither has it. */
export async function findInstalled({ catalogue, vision }: Pick<InstalledModels, 'catalogue' | 'vision'>, name: string): Promise<{ entry: CatalogueEntry; seeing?: never } | { entry?: never; seeing: VisionEntry }> {
  try {
    return { entry: await findLanguageModel(catalogue, name) };
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    return { seeing: await vision.find(name).catch((other: unknown) => { throw isMissing(other) ? thrown : other; }) };
  }
}

/** Throws `invalid_model` with the reason for one that is there and refused. */
async function findLanguageModel(catalogue: Catalogue, name: string): Promise<CatalogueEntry> {
  return catalogue.find(name).catch(async (thrown: unknown) => {
    const wanted = fullName(name);
    const refused = (await catalogue.refused()).find((one) => fullName(one.name) === wanted);
    if (refused === undefined) throw isMissing(thrown) ? new LecternError('model_not_found', `There is no model "${name}"${pullAdvice(name)}.`, { cause: thrown }) : thrown;
    throw new LecternError('invalid_model', `The model ${name} cannot be used: ${refused.reason} (${refused.path}).`, { cause: thrown });
  });
}

/** Names are equal as in the catalogue: regardless of case, with and without the usual host and tag. */
function fullName(name: string): string {
  const parsed = parseModelName(name);
  return (parsed === undefined ? name : displayName(parsed)).toLowerCase();
}
