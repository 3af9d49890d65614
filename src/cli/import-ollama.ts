/** `lectern models import-ollama`: models of an Ollama store into a directory of Lectern, laid out as such a store. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LecternError } from '../errors.js';
import { requireModelName, displayName } from '../models/model-name.js';
import { blobFilesOf, manifestsOf } from '../models/ollama-store.js';
import type { Catalogue } from '../models/types.js';
import { homeDirectory } from '../platform/home-directory.js';
import { printLines } from './lines-and-tables.js';
import { bringFiles, interruptible } from './own-directory.js';
import { expandHome } from './sources.js';

export interface OllamaImport {
  /** Empty: all. */
  names: string[];
  from: string | undefined;
  directory: string;
  links: boolean;
}

/** Models that are there already, with every blob, are left as they are. */
export async function importOllama(catalogue: Catalogue, { names, from, directory, links }: OllamaImport): Promise<number> {
  const store = from === undefined ? usualStore() : expandHome(from);
  const manifests = (await manifestsOf(store)).filter((one): one is { path: string; name: string } => one.name !== null);
  if (manifests.length === 0) throw new LecternError('not_found', `${store} holds no models: it has no manifests of Ollama.`);
  const wanted = names.map((name) => displayName(requireModelName(name)));
  const missing = wanted.find((name) => !manifests.some((one) => one.name === name));
  if (missing !== undefined) throw new LecternError('model_not_found', `${store} has no model ${missing}, only ${manifests.map(({ name }) => name).join(', ')}.`);
  const stop = interruptible();
  try {
    const failed: string[] = [];
    for (const { path, name } of manifests.filter((one) => wanted.length === 0 || wanted.includes(one.name))) {
      const fault = await faultOf(store, path);
      if (fault !== null) {
        failed.push(`${name} was not imported: ${fault}.`);
        continue;
      }
      const blobs = await blobFilesOf(store, path);
      const isThere = async (file: string): Promise<boolean> => stat(join(directory, relative(store, file))).then(() => true, () => false);
      const files: string[] = [];
      // The manifest last: the model exists from then on.
      for (const file of [...blobs, path]) if (!await isThere(file)) files.push(file);
      if (files.length > 0) await bringFiles(name, files.map((file) => ({ from: file, to: join(directory, relative(store, file)) })), links, stop.signal);
      const refused = (await catalogue.refused()).find((one) => one.name === name);
      printLines([`${name} ${files.length === 0 ? 'was there already' : `is in ${directory}`}${refused === undefined ? '' : `, and cannot be used: ${refused.reason}`}.`]);
    }
    if (failed.length > 0) throw new LecternError('invalid_model', failed.join(' '));
    return 0;
  } finally {
    stop.end();
  }
}

/** Why a model cannot be imported: a manifest that is damaged, a blob that an interrupted pull left out. The others are no reason to stop. */
async function faultOf(store: string, manifest: string): Promise<string | null> {
  try {
    for (const file of await blobFilesOf(store, manifest)) {
      if (await stat(file).catch(() => null) === null) return `its file ${file} is missing; \`ollama pull\` fetches it`;
    }
    return null;
  } catch (thrown) {
    return thrown instanceof LecternError ? thrown.message.replace(/\.$/, '') : String(thrown);
  }
}

/** Where Ollama keeps its models. Throws `not_found`. */
function usualStore(): string {
  const stores = [join(homeDirectory(), '.ollama', 'models'), '/usr/share/ollama/.ollama/models'];
  const found = stores.find((store) => existsSync(join(store, 'manifests')));
  if (found === undefined) throw new LecternError('not_found', `There is no store of Ollama at ${stores.join(' or ')}: --from names another.`);
  return found;
}
