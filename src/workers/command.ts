/** How a worker process is started and what of the parent's surroundings it gets. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { isSea } from 'node:sea';
import { packageRoot } from '../platform/package-files.js';
import { confined, type WorkerConfinement, type WorkerDirectories } from './confinement.js';
import type { WorkerCommand } from './worker-command.js';

/** Flags of the parent that a worker needs too: what loads TypeScript in development. Debugger ports and the like are not. */
const keptFlags = new Set(['--import', '--require', '-r', '--loader', '--experimental-loader', '--conditions', '-C']);

/** The program that runs now, with another main script, `entry`, and other words. */
export function sameProgram(entry: string, words: string[]): WorkerCommand {
  // A single executable is its own entry, and takes every word for the program's.
  if (isSea()) return { execPath: process.execPath, args: words };
  const flags: string[] = [];
  for (let i = 0; i < process.execArgv.length; i++) {
    const flag = process.execArgv[i] ?? '';
    if (!keptFlags.has(flag.split('=')[0] ?? '')) continue;
    const [name, value] = flag.includes('=') ? [flag.slice(0, flag.indexOf('=')), flag.slice(flag.indexOf('=') + 1)] : [flag, process.execArgv[++i] ?? ''];
    // A worker has a directory of its own.
    flags.push(name, /^\.{1,2}\//.test(value) ? resolve(value) : /^(--import|--loader|--experimental-loader)$/.test(name) ? import.meta.resolve(value) : value);
  }
  return { execPath: process.execPath, args: [...flags, entry, ...words] };
}

/** Nothing of the parent's settings and keys: a worker reads what strangers sent. No io_uring, which the filter of system calls refuses, and no settings of OpenSSL, which may include files from anywhere. Two threads are enough beside its own, and one for what libraries would spread over all processors. */
function environment(scratchDirectory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH', 'TESSDATA_PREFIX'].includes(name));
  return {
    ...Object.fromEntries(kept),
    HOME: scratchDirectory, CUDA_VISIBLE_DEVICES: '', UV_THREADPOOL_SIZE: '2', UV_USE_IO_URING: '0', OPENSSL_CONF: '/dev/null', MALLOC_ARENA_MAX: '2', OMP_THREAD_LIMIT: '1', NO_COLOR: '1',
  };
}

/**
 * The flags for V8 about a worker's heap. Its own bound is the resident limit, as a second fence: the watch from outside sees also what V8
 * does not count. Up to a quarter of it V8 does not stop to collect: documents live until they are written, and looking through them
 * while they grow was a tenth of the work on a large one.
 */
export function heapFlags(residentBytes: number): [bound: string, first: string] {
  const mebibytes = Math.max(64, Math.ceil(residentBytes / 2 ** 20));
  return [`--max-old-space-size=${mebibytes}`, `--initial-heap-size=${mebibytes >> 2}`];
}

/** Starts the process, confined where that is wished: standard output and error as pipes, the channel at its descriptor. Without directories it has no place to write. */
export function startWorker(command: WorkerCommand, residentBytes: number, directories: WorkerDirectories | null, confinement: WorkerConfinement | null): ChildProcess {
  const place = directories?.shared ?? '/';
  const [heap, first] = heapFlags(residentBytes);
  const forSea = isSea() ? { NODE_OPTIONS: heap, LECTERN_UNPACKED: packageRoot() } : {};
  const plain: WorkerCommand = { execPath: command.execPath, args: isSea() ? command.args : [heap, first, ...command.args] };
  const files = confinement?.files ?? null;
  const { execPath, args } = files === null ? plain : confined(plain, files.launcher, files.paths(), directories);
  const child = spawn(execPath, args, {
    // Not ours: that may be deleted while the service runs, and no thread starts in a directory that is gone.
    cwd: place,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { ...environment(place), ...forSea }, windowsHide: true,
  });
  if (child.pid !== undefined) yieldTo(child.pid);
  return child;
}

/** Where the host runs short, workers go before the process that holds the models; neither is worth failing for. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, 5);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '800');
  } catch {
    return;
  }
}
