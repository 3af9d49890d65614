/** Where the results of `lectern convert` go: one name a document, however alike the documents' names are, and never over a document. */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LecternError } from '../errors.js';
import { makeDirectory } from '../platform/make-directory.js';
import { resultEndings } from './result-endings.js';
import type { WrittenOutcome } from './conversion-way.js';
import type { ConvertArguments } from './convert-arguments.js';
import type { Source } from './sources.js';

/**
 * The names of the results of documents without their endings, in the documents' order, below the directory of the results: the file's
 * name without its own ending, with it where that is taken (`x.docx` after `x.pdf`), then with a number.
 */
export function resultNames(sources: Pick<Source, 'path' | 'folder'>[], endings: string[]): string[] {
  const taken = new Set<string>();
  return sources.map(({ path, folder }) => {
    const whole = join(folder, basename(path));
    const isFree = (name: string): boolean => endings.every((ending) => !taken.has(name + ending));
    let name = join(folder, parse(path).name);
    if (!isFree(name)) name = whole;
    for (let count = 2; !isFree(name); count++) name = `${whole}-${count}`;
    for (const ending of endings) taken.add(name + ending);
    return name;
  });
}

/** The names of the results without their endings; where they go to a directory, it is there afterwards. Throws `invalid_request`, `forbidden`. */
export async function prepareResults(sources: Source[], { formats, directory, overwrites, resumes }: ConvertArguments): Promise<string[]> {
  const endings = formats.map((format) => resultEndings[format]);
  const names = resultNames(sources, endings);
  if (directory === null) return names;
  await requireDirectory(directory);
  await requireNoInput(sources.map(({ path }) => path), directory, names.flatMap((name) => endings.map((ending) => name + ending)));
  if (!overwrites) await requireNoneBeside(sources, directory, names, endings, resumes);
  await makeDirectory(directory, 'The directory', 'name another with -o');
  for (const [index, name] of names.entries()) {
    const { path } = sources[index] as Source;
    const usual = parse(path).name;
    if (basename(name) !== usual) process.stderr.write(`lectern: ${path}: the result is ${name}${endings[0]}, since another document's is ${usual}${endings[0]}.\n`);
  }
  return names;
}

/** In the document's own directory a file of the result's name may be the user's: it is replaced only where that is asked for. */
async function requireNoneBeside(sources: Source[], directory: string, names: string[], endings: string[], resumes: boolean): Promise<void> {
  const real = (place: string): Promise<string> => realpath(place).catch(() => place);
  for (const [index, { path, kind }] of sources.entries()) {
    if (kind !== 'file' || await real(dirname(join(directory, names[index] as string))) !== await real(dirname(path))) continue;
    const changed = await stat(path).then(({ mtimeMs }) => mtimeMs, () => Infinity);
    for (const ending of endings) {
      const place = join(directory, (names[index] as string) + ending);
      const there = await stat(place).catch(() => null);
      // A result of the run that goes on.
      if (there !== null && !(resumes && there.mtimeMs >= changed)) throw new LecternError('invalid_request', `${place} is there already, beside the document: --overwrite replaces it, or -o names another directory.`);
    }
  }
}

/** Other programs take a file here, and a directory of that name would be a surprise. */
async function requireDirectory(directory: string): Promise<void> {
  const isFileName = Object.values(resultEndings).some((ending) => directory.endsWith(ending));
  if (!isFileName || await stat(directory).catch(() => null) !== null) return;
  throw new LecternError('invalid_request', `-o names a directory, and ${basename(directory)} would be a file: > ${basename(directory)} writes one.`);
}

/** Whether every result is there and not older than its document: deliver() writes them last, and each whole or not at all. */
export async function isUpToDate(path: string, result: string, { formats, directory }: ConvertArguments): Promise<boolean> {
  if (directory === null) return false;
  const changed = await stat(path).then(({ mtimeMs }) => mtimeMs, () => Infinity);
  const written = await Promise.all(formats.map((format) => stat(join(directory, result + resultEndings[format])).then((there) => (there.isFile() ? there.mtimeMs : -Infinity), () => -Infinity)));
  return written.every((time) => time >= changed);
}

/**
 * Moves the results of one document to their places, or prints the one; returns the paths of what was written. What belongs to a result, as its pictures, is
 * there before it: by the results a later run with `--resume` knows that a document is done.
 */
export async function deliver({ folder }: Source, result: string, scratch: string, outcome: WrittenOutcome, { formats, directory }: ConvertArguments): Promise<string[]> {
  const written: string[] = [];
  const move = async (from: string, to: string): Promise<void> => {
    await moveResult(join(scratch, from), to);
    written.push(to);
  };
  if (directory !== null) for (const artifact of outcome.artifacts) await move(artifact, join(directory, folder, artifact));
  for (const format of formats) {
    const produced = outcome.files[format];
    if (produced === undefined) continue;
    if (directory === null) await print(join(scratch, produced));
    else await move(produced, join(directory, result + resultEndings[format]));
  }
  return written;
}

async function print(path: string): Promise<void> {
  const text = await readFile(path);
  process.stdout.write(text);
  if (text.at(-1) !== 0x0a) process.stdout.write('\n');
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
 * this user's to read. Whole, or as it was before, also after a loss of power. Throws `forbidden`.
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
    await pipeline(createReadStream(from), createWriteStream(fresh, { flush: true, ...(before === null ? {} : { mode: before.mode & 0o777 }) }));
    if (before !== null) await chmod(fresh, before.mode & 0o777);
    await rename(fresh, place);
  } catch (cause) {
    if (fresh !== null) await rm(fresh, { force: true });
    throw new LecternError('forbidden', `${to} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
