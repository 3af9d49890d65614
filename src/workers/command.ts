/** Starts worker processes: their command line, their environment and their priority. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { isSea } from 'node:sea';
import { packageRoot } from '../platform/package-files.js';
import { confined, type WorkerConfinement, type WorkerDirectories } from './confinement.js';
import type { WorkerCommand } from './worker-command.js';

/** Flags of the parent that a worker gets, too: those that load TypeScript in development, but not those of debuggers. */
const keptFlags = new Set(['--import', '--require', '-r', '--loader', '--experimental-loader', '--conditions', '-C']);

/** The command of this program with another main script, `entry`, and other arguments, `words`. */
export function sameProgram(entry: string, words: string[]): WorkerCommand {
  // A single executable has no main script, and takes all arguments as the program's.
  if (isSea()) return { execPath: process.execPath, args: words };
  const flags: string[] = [];
  for (let i = 0; i < process.execArgv.length; i++) {
    const flag = process.execArgv[i] ?? '';
    if (!keptFlags.has(flag.split('=')[0] ?? '')) continue;
    const [name, value] = flag.includes('=') ? [flag.slice(0, flag.indexOf('=')), flag.slice(flag.indexOf('=') + 1)] : [flag, process.execArgv[++i] ?? ''];
    // Relative paths are resolved, because a worker has another working directory.
    flags.push(name, /^\.{1,2}\//.test(value) ? resolve(value) : /^(--import|--loader|--experimental-loader)$/.test(name) ? import.meta.resolve(value) : value);
  }
  return { execPath: process.execPath, args: [...flags, entry, ...words] };
}

/** The environment of a worker. It has none of the parent's settings and keys, because a worker reads files from strangers; no io_uring, which the filter of system calls refuses; and no configuration of OpenSSL, which may include files from anywhere. libuv gets two threads, and OpenMP one, because workers run side by side. */
function environment(scratchDirectory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH', 'TESSDATA_PREFIX'].includes(name));
  return {
    ...Object.fromEntries(kept),
    HOME: scratchDirectory, CUDA_VISIBLE_DEVICES: '', UV_THREADPOOL_SIZE: '2', UV_USE_IO_URING: '0', OPENSSL_CONF: '/dev/null', MALLOC_ARENA_MAX: '2', OMP_THREAD_LIMIT: '1', NO_COLOR: '1',
  };
}

/**
 * V8's flags for the heap of a worker. Its limit is that of resident memory, in addition to the watch from outside, which also measures memory that V8
 * does not count. V8 does not collect garbage before the heap has a quarter of it: a document lives until it is written, and collections
 * while it grows were a tenth of the work on a large one.
 */
export function heapFlags(residentBytes: number): [bound: string, first: string] {
  const mebibytes = Math.max(64, Math.ceil(residentBytes / 2 ** 20));
  return [`--max-old-space-size=${mebibytes}`, `--initial-heap-size=${mebibytes >> 2}`];
}

/** Starts the process, confined where `confinement` says so, with pipes for standard output and error and the channel at `channelDescriptor`. Without directories of its own it may write nowhere. */
export function startWorker(command: WorkerCommand, residentBytes: number, directories: WorkerDirectories | null, confinement: WorkerConfinement | null): ChildProcess {
  const place = directories?.shared ?? '/';
  const [heap, first] = heapFlags(residentBytes);
  const forSea = isSea() ? { NODE_OPTIONS: heap, LECTERN_UNPACKED: packageRoot() } : {};
  const plain: WorkerCommand = { execPath: command.execPath, args: isSea() ? command.args : [heap, first, ...command.args] };
  const files = confinement?.files ?? null;
  const { execPath, args } = files === null ? plain : confined(plain, files.launcher, files.paths(), directories);
  const child = spawn(execPath, args, {
    // Not the service's working directory: that may be deleted while the service runs, and no thread starts in a directory that does not exist.
    cwd: place,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { ...environment(place), ...forSea }, windowsHide: true,
  });
  if (child.pid !== undefined) yieldTo(child.pid);
  return child;
}

/** Lets the host slow down or kill a worker before the process that holds the models, where it is short of processors or memory. A failure is ignored. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, 5);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '800');
  } catch {
    return;
  }
}
