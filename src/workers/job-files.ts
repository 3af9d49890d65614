/** Places the input files of a job in its worker's own directories, and collects its output files: a confined worker opens no others. */
import { constants } from 'node:fs';
import { copyFile, cp, link, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LecternError } from '../errors.js';
import type { WorkerDirectories } from './confinement.js';

/** The files of one job, by names of the caller's choosing: letters, digits, `-`. */
export interface JobFiles {
  /** Existing files. */
  inputs: Readonly<Record<string, string>>;
  /** The paths to which the job's outputs are moved when it has succeeded. The worker finds an output directory made; at `path` there may be an empty directory. */
  outputs: Readonly<Record<string, { path: string; kind: 'file' | 'directory' }>>;
  /** Called with the directory in which the job writes until then. */
  onWriting?: (directory: string) => void;
}

/** Error codes of link() where a hard link is impossible: across file systems, and (EPERM, by the kernel's `protected_hardlinks`) to files of other users. */
const linkless = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Places a file at `to`, by a hard link or, where that is impossible, by a copy. */
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

/** Throws where a worker has made anything but files and directories: by a link, the parent would read files that the worker may not. */
async function requirePlain(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) for (const name of await readdir(path)) await requirePlain(join(path, name));
  else if (!found.isFile()) throw new LecternError('internal', undefined, { cause: new Error('A worker has made something that is neither a file nor a directory.') });
}

export class LentFiles {
  private readonly inputs: string;
  private readonly outputs: string;

  /** The files of one job. `job` is its number in this worker. */
  constructor(directories: WorkerDirectories, job: number, private readonly files: JobFiles) {
    this.inputs = join(directories.inputs, String(job));
    this.outputs = join(directories.outputs, String(job));
  }

  /** The path at which the worker reads or writes the file of this name. */
  at(name: string): string {
    if (Object.hasOwn(this.files.inputs, name)) return join(this.inputs, name);
    if (Object.hasOwn(this.files.outputs, name)) return join(this.outputs, name);
    throw new Error(`The job has no file ${name}.`);
  }

  /** Makes the directories of the job and places its inputs. Rejects with the file system's error. */
  async place(): Promise<void> {
    for (const directory of [this.inputs, this.outputs]) await mkdir(directory, { mode: 0o700 });
    for (const [name, from] of Object.entries(this.files.inputs)) await lend(from, join(this.inputs, name));
    for (const [name, { kind }] of Object.entries(this.files.outputs)) if (kind === 'directory') await mkdir(join(this.outputs, name), { mode: 0o700 });
    this.files.onWriting?.(this.outputs);
  }

  /** Moves the job's outputs to their paths, out of the worker's reach, and checks them there. Rejects with `internal` where an output holds anything but files and directories. */
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
