/** Where the results of `lectern convert` go: one name a document, however alike the documents' names are, and never over a document. */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
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

let lastFresh = 0;

/** What a result is written over: through links, also one that leads to nothing yet. */
function behindLinks(path: string): Promise<string> {
  return realpath(path).catch(() => readlink(path).then((target) => resolve(dirname(path), target), () => path));
}

/**
 * The bytes with the rights of the file that they replace, and none of those of `from`: what lies in the scratch directory is only
 * this user's to read. Whole, or as it was before. Throws `forbidden`.
 */
export async function moveResult(from: string, to: string): Promise<void> {
  let fresh: string | null = null;
  try {
    await mkdir(dirname(to), { recursive: true });
    const place = await behindLinks(to);
    const before = await stat(place).catch(() => null);
    // A device or a pipe is not to be replaced.
    if (before !== null && !before.isFile()) {
      await pipeline(createReadStream(from), createWriteStream(place));
      return;
    }
    // Short, since the result's own name may be as long as names can be.
    fresh = join(dirname(place), `.${process.pid}.${++lastFresh}.new`);
    await pipeline(createReadStream(from), createWriteStream(fresh, before === null ? {} : { mode: before.mode & 0o777 }));
    if (before !== null) await chmod(fresh, before.mode & 0o777);
    await rename(fresh, place);
  } catch (cause) {
    if (fresh !== null) await rm(fresh, { force: true });
    throw new LecternError('forbidden', `${to} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
