/** Whose vocabulary counts tokens where no model is asked for an answer: chunks of documents are measured for the model that embeds them. */
import { LecternError } from '../errors.js';
import type { Catalogue, CatalogueEntry } from './types.js';

/** The model of this name, or of the last part of it, as `BAAI/bge-m3` is bge-m3 here; null where there is none. */
export async function namedTokenizer(catalogue: Catalogue, name: string): Promise<CatalogueEntry | null> {
  for (const candidate of new Set([name, name.slice(name.lastIndexOf('/') + 1)])) {
    try {
      return await catalogue.find(candidate);
    } catch (thrown) {
      if (!(thrown instanceof LecternError) || thrown.code !== 'model_not_found') throw thrown;
    }
  }
  return null;
}

/**
 * The model whose tokens count: the one that is named, where it is there, else the latest embedding model, else what ships with the
 * program. Throws `model_not_found` where there is no model at all.
 */
export async function chooseTokenizer(catalogue: Catalogue, name: string | null): Promise<CatalogueEntry> {
  const named = name === null ? null : await namedTokenizer(catalogue, name);
  if (named !== null) return named;
  const all = await catalogue.list();
  const found = all.find(({ capabilities }) => capabilities.includes('embedding')) ?? await namedTokenizer(catalogue, 'lectern-demo') ?? all[0];
  if (found === undefined) throw new LecternError('model_not_found', 'There is no model whose vocabulary could count tokens.');
  return found;
}
