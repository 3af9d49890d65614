/** `lectern models pull NAME`: a model from a registry into a directory of models. */
import { sep } from 'node:path';
import { LecternError } from '../errors.js';
import { displayName, requireModelName } from '../models/model-name.js';
import { pullModel } from '../models/pull/pull.js';
import type { Catalogue } from '../models/types.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { printLines } from './lines-and-tables.js';
import { progressBar } from './progress-bar.js';

/** The first that is neither the program's own, which is replaced with the program, nor a store of Ollama, which is only read. */
export function pullDirectory(directories: string[]): string {
  const fits = (directory: string): boolean => directory !== shippedModelsDirectory() && !directory.endsWith(`${sep}.ollama${sep}models`);
  const found = directories.find(fits);
  if (found === undefined) throw new LecternError('invalid_request', 'None of the model directories is Lectern\'s to write to; --into DIRECTORY names one.');
  return found;
}

export async function pullInto(catalogue: Catalogue, text: string, directory: string, insecure: boolean): Promise<number> {
  const name = requireModelName(text);
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new LecternError('cancelled'));
  process.once('SIGINT', interrupt);
  const bar = progressBar(process.stderr, displayName(name));
  try {
    await pullModel({ name, directory, insecure: insecure || text.startsWith('http://'), signal: controller.signal, onProgress: bar.show });
  } finally {
    bar.end();
    process.off('SIGINT', interrupt);
  }
  const refused = (await catalogue.refused()).find((one) => one.name === displayName(name));
  if (refused !== undefined) throw new LecternError('invalid_model', `${displayName(name)} is there and cannot be used: ${refused.reason}.`);
  printLines([`${displayName(name)} is in ${directory}.`]);
  return 0;
}
