/** Files on their way into a worker's own directories and out of them: a worker that is confined opens no others. */
import { constants } from 'node:fs';
import { copyFile, cp, link, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LecternError } from '../errors.js';
import type { WorkerDirectories } from './confinement.js';

/** The files of one job, by names of the caller's choosing: letters, digits, `-`. */
export interface JobFiles {
  /** Existing files. */
  inputs: Readonly<Record<string, string>>;
  /** Where what the job writes comes to lie when it has succeeded. A directory is made for it; at its place there may be an empty one. */
  outputs: Readonly<Record<string, { path: string; kind: 'file' | 'directory' }>>;
  /** Called with the directory in which the job writes meanwhile. */
  onWriting?: (directory: string) => void;
}

/** Other file systems, and files of other users, have no links: `protected_hardlinks` of the kernel refuses them with EPERM. */
const linkless = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A second name for the file, or a copy where it can have none. */
async function lend(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (thrown: NodeJS.ErrnoException) => {
    if (!linkless.has(thrown.code ?? '')) throw thrown;
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  });
}

async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EXDEV') throw thrown;
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    await rm(from, { recursive: true, force: true });
  });
}

/** Throws where a worker has made something else than files and directories: a link could lead the parent to files that a worker may not read. */
async function requirePlain(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) for (const name of await readdir(path)) await requirePlain(join(path, name));
  else if (!found.isFile()) throw new LecternError('internal', undefined, { cause: new Error('A worker has made something that is neither a file nor a directory.') });
}

export class LentFiles {
  private readonly inputs: string;
  private readonly outputs: string;

  /** Of one job; its number is of this worker alone. */
  constructor(directories: WorkerDirectories, job: number, private readonly files: JobFiles) {
    this.inputs = join(directories.inputs, String(job));
    this.outputs = join(directories.outputs, String(job));
  }

  /** Where the worker finds, or writes, what has this name. */
  at(name: string): string {
    if (Object.hasOwn(this.files.inputs, name)) return join(this.inputs, name);
    if (Object.hasOwn(this.files.outputs, name)) return join(this.outputs, name);
    throw new Error(`The job has no file ${name}.`);
  }

  /** Rejects with the file system's error. */
  async place(): Promise<void> {
    for (const directory of [this.inputs, this.outputs]) await mkdir(directory, { mode: 0o700 });
    for (const [name, from] of Object.entries(this.files.inputs)) await lend(from, join(this.inputs, name));
    for (const [name, { kind }] of Object.entries(this.files.outputs)) if (kind === 'directory') await mkdir(join(this.outputs, name), { mode: 0o700 });
    this.files.onWriting?.(this.outputs);
  }

  /** Moves what the job has written to where it belongs: out of the worker's reach first, looked through then. Rejects with `internal` for what is no plain file. */
  async collect(): Promise<void> {
    for (const [name, { path }] of Object.entries(this.files.outputs)) {
      await move(join(this.outputs, name), path);
      await requirePlain(path).catch(async (thrown: unknown) => {
        await rm(path, { recursive: true, force: true });
        throw thrown;
      });
    }
  }

  async remove(): Promise<void> {
    for (const directory of [this.inputs, this.outputs]) await rm(directory, { recursive: true, force: true });
  }
}
