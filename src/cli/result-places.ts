/** Where the results of `lectern convert` go: one name a document, however alike the documents' names are, and never over a document. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
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

/** The bytes, and none of the rights: what lies in the scratch directory is only this user's to read. Whole, or as it was before. Throws `forbidden`. */
export async function put(from: string, to: string): Promise<void> {
  const fresh = `${to}.${process.pid}.new`;
  try {
    await mkdir(dirname(to), { recursive: true });
    await pipeline(createReadStream(from), createWriteStream(fresh));
    await rename(fresh, to);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw new LecternError('forbidden', `${to} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
