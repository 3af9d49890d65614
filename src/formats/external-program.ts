/** Programs of the system that read what no library here does: each in a process group and a directory of its own, bounded in time and output, of which nothing is left afterwards. */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { LecternError } from '../errors.js';
import { makeOwnDirectory, sharedSparedMs } from '../platform/process-directory.js';
import type { ReadOptions } from './format-reader.js';

const aliveMs = 1_000;
const places = ['/usr/bin', '/usr/local/bin', '/opt/libreoffice/program', '/usr/lib/libreoffice/program', '/snap/bin', '/Applications/LibreOffice.app/Contents/MacOS'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of the first of the names that is there: in `path` (as the environment writes it), or where programs usually are; null where none is. */
export function findProgram(names: string[], path: string = process.env['PATH'] ?? ''): string | null {
  const directories = [...path.split(delimiter).filter((directory) => directory.startsWith('/')), ...places];
  for (const directory of directories) {
    for (const name of names) {
      const candidate = join(directory, name);
      if (isProgram(candidate)) return candidate;
    }
  }
  return null;
}

/** Its own bounds, should this process die before it: seconds of the processor, blocks of 512 bytes of a file, KiB of address space. */
const bounded = 'ulimit -t 120; ulimit -f 1048576; ulimit -v 8388608 2>/dev/null || :; exec "$@"';

/** Ends with the program's exit code; null where it had to be ended. Rejects where it cannot be started. */
export function runProgram(program: string, args: string[], home: string, options: Pick<ReadOptions, 'signal' | 'alive'>, limitMs: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    // A group of its own: the program starts another one, and both end together.
    const child = spawn('/bin/sh', ['-c', bounded, 'sh', program, ...args], { cwd: home, stdio: 'ignore', detached: true, env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, LC_ALL: 'C.UTF-8', SAL_USE_VCLPLUGIN: 'svp' } });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself meanwhile.
      }
    };
    const timer = setTimeout(end, limitMs);
    const sign = setInterval(() => options.alive(), aliveMs);
    options.signal.addEventListener('abort', end, { once: true });
    process.once('exit', end);
    // No event comes of a signal that was aborted before.
    if (options.signal.aborted) end();
    const done = (): void => {
      clearTimeout(timer);
      clearInterval(sign);
      options.signal.removeEventListener('abort', end);
      process.off('exit', end);
      end();
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('exit', (code) => {
      done();
      resolve(code);
    });
  });
}

export interface Conversion {
  /** For messages: `pandoc`. */
  name: string;
  program: string;
  /** Names of the files in the program's own directory. */
  input: string;
  /** The first of them that is there. */
  outputs: string[];
  /** Further files that the program reads, by name. */
  beside?: Record<string, string>;
  args: string[];
  /** What the file should be, for the message. */
  kind: string;
}

/** A document of some megabytes is read within seconds by each of them. */
const limitMs = 90_000;
const maximumOutputBytes = 256 * 1024 * 1024;

/** What the program makes of the bytes; rejects with LecternError `invalid_document`, `timeout`, `too_large` or `cancelled`. */
export async function convertByProgram(bytes: Uint8Array, { name, program, input, outputs, beside = {}, args, kind }: Conversion, options: Pick<ReadOptions, 'signal' | 'alive'>): Promise<Uint8Array> {
  const home = makeOwnDirectory({ parent: tmpdir(), prefix: 'lectern-program', sparedMs: sharedSparedMs });
  try {
    await writeFile(join(home, input), bytes, { mode: 0o600 });
    for (const [file, text] of Object.entries(beside)) await writeFile(join(home, file), text, { mode: 0o600 });
    const code = await runProgram(program, args, home, options, limitMs);
    if (options.signal.aborted) throw new LecternError('cancelled');
    if (code === null) throw new LecternError('timeout', `${name} took too long over the document, or needed too much memory.`);
    const made = outputs.map((one) => join(home, one)).find((path) => existsSync(path));
    const file = code !== 0 || made === undefined ? null : await open(made);
    if (file === null) throw new LecternError('invalid_document', `${name} could not read the file as ${kind}.`);
    try {
      if ((await file.stat()).size > maximumOutputBytes) throw new LecternError('too_large', 'The document is larger than can be converted.');
      return await file.readFile();
    } finally {
      await file.close();
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
