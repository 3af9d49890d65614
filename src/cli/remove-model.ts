/** `lectern models rm NAME`: removes a model from a directory of Lectern, and blobs that no other model there needs. */
import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { LecternError } from '../errors.js';
import { describeBytes } from '../models/fit.js';
import { blobFilesOf, manifestsOf } from '../models/ollama-store.js';
import { plainModelsOf } from '../models/plain-files.js';
import { findInstalled, type InstalledModels } from './installed-models.js';
import { printLines } from './lines-and-tables.js';
import { isOwnDirectory } from './own-directory.js';
import { isOwnNetwork } from './own-networks.js';

/** Asks on a terminal; elsewhere `--yes` must say that it is meant. */
export async function removeModel(models: InstalledModels, name: string, isMeant: boolean): Promise<number> {
  if (isOwnNetwork(name)) throw new LecternError('invalid_request', `${name} is a part of the program.`);
  const refused = (await models.catalogue.refused()).find((one) => one.name === name);
  const { entry, seeing } = refused === undefined ? await findInstalled(models, name) : { entry: { name, path: refused.path, sizeBytes: await sizeOf(refused.path) } };
  if (entry === undefined) throw new LecternError('invalid_request', `${seeing.name} is a vision model: remove its directory ${dirname(seeing.path)}.`);
  const directory = models.settings.models.filter((one) => entry.path.startsWith(one + sep)).sort((a, b) => b.length - a.length)[0];
  if (directory === undefined || !isOwnDirectory(directory)) throw new LecternError('invalid_request', `${entry.name} lies in ${dirname(entry.path)}, which is not Lectern's to change.`);
  const files = await filesOf(entry.name, entry.path, directory);
  if (!isMeant) await requireConsent(`Remove ${entry.name} (${describeBytes(entry.sizeBytes)}, ${files.length === 1 ? files[0] as string : `${files.length} files in ${directory}`})?`);
  for (const file of files) await rm(file, { force: true });
  printLines([`${entry.name} is removed from ${directory}.`]);
  return 0;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(({ size }) => size, () => 0);
}

/** The manifest first: without it the model is gone, whatever becomes of the blobs. */
async function filesOf(name: string, path: string, directory: string): Promise<string[]> {
  if (basename(dirname(path)) !== 'blobs') {
    const plain = (await plainModelsOf(directory)).find((one) => one.path === path);
    return plain?.parts ?? [path];
  }
  const store = dirname(dirname(path));
  const manifests = await manifestsOf(store);
  const own = manifests.find((one) => one.name === name);
  if (own === undefined) throw new LecternError('model_not_found', `${join(store, 'manifests')} has no ${name}.`);
  const kept = new Set((await Promise.all(manifests.filter((one) => one !== own).map((one) => blobFilesOf(store, one.path).catch((cause: unknown) => {
    throw new LecternError('invalid_model', `Nothing was removed: the manifest ${one.path} cannot be read, and may need the same files.`, { cause });
  })))).flat());
  return [own.path, ...(await blobFilesOf(store, own.path)).filter((file) => !kept.has(file))];
}

async function requireConsent(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new LecternError('invalid_request', 'Nothing was removed: there is no terminal to ask; --yes removes without asking.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${question} [y/N] `);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new LecternError('cancelled', 'Nothing was removed.');
}
