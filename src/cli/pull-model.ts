/** `lectern models pull NAME`: a model from a registry into a directory of models. */
import { LecternError } from '../errors.js';
import { displayName, requireModelName } from '../models/model-name.js';
import { pullModel } from '../models/pull/pull.js';
import type { Catalogue } from '../models/types.js';
import { printLines } from './lines-and-tables.js';
import { interruptible } from './own-directory.js';
import { progressBar } from './progress-bar.js';

export async function pullInto(catalogue: Catalogue, text: string, directory: string, insecure: boolean): Promise<number> {
  const name = requireModelName(text);
  const stop = interruptible();
  const bar = progressBar(process.stderr, displayName(name));
  try {
    await pullModel({ name, directory, insecure: insecure || text.startsWith('http://'), signal: stop.signal, onProgress: bar.show });
  } finally {
    bar.end();
    stop.end();
  }
  const refused = (await catalogue.refused()).find((one) => one.name === displayName(name));
  if (refused !== undefined) throw new LecternError('invalid_model', `${displayName(name)} is there and cannot be used: ${refused.reason}.`);
  printLines([`${displayName(name)} is in ${directory}.`]);
  return 0;
}
