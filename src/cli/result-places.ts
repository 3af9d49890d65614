/** Where the results of `lectern convert` go: one name a document, however alike the documents' names are, and never over a document. */
import { stat } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { LecternError } from '../errors.js';

/**
 * The names of the results of `files` without their endings, in the files' order: the file's name without its own ending, with it
 * where that is taken (`x.docx` after `x.pdf`), then with a number.
 */
export function resultNames(files: string[], endings: string[]): string[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const whole = basename(file);
    const isFree = (name: string): boolean => endings.every((ending) => !taken.has(name + ending));
    let name = parse(whole).name;
    if (!isFree(name)) name = whole;
    for (let count = 2; !isFree(name); count++) name = `${whole}-${count}`;
    for (const ending of endings) taken.add(name + ending);
    return name;
  });
}

/** Throws `invalid_request` where a result would be written over one of the documents, by whatever path or link. */
export async function requireNoInput(files: string[], directory: string, results: string[]): Promise<void> {
  const identity = (path: string): Promise<string | null> => stat(path).then(({ dev, ino }) => `${dev}:${ino}`, () => null);
  const inputs = new Set(await Promise.all(files.map(identity)));
  for (const result of results) {
    const path = join(directory, result);
    const there = await identity(path);
    if (there !== null && inputs.has(there)) throw new LecternError('invalid_request', `The result ${path} would overwrite a document that is to be converted: name another directory with -o.`);
  }
}
