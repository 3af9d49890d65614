/** What confines a worker process, and how its command is started with it. */
import type { WorkerCommand } from './worker-command.js';

/** Which files a worker may open. What is in none of the lists stays closed to it; so do TCP ports. */
export interface AllowedPaths {
  readable: string[];
  /** Programs, and their interpreters. */
  runnable: string[];
  writable: string[];
}

export interface WorkerConfinement {
  /** Null where the kernel cannot restrict files. */
  files: {
    /** The program that restricts itself and becomes the worker. */
    launcher: string;
    /** Of every worker, beside its own directories; asked for at each start. */
    paths: () => AllowedPaths;
  } | null;
  /** Null where the kernel cannot filter system calls. `programs`: readers of documents start programs of the system. */
  systemCalls: { programs: boolean } | null;
}

/** The directories of one worker, which it shares with the parent and with no other worker. */
export interface WorkerDirectories {
  /** In memory where there is room: bitmaps. */
  shared: string;
  /** Inputs of its jobs: it only reads here. */
  inputs: string;
  /** What its jobs write. */
  outputs: string;
  /** Its temporary files. */
  temporary: string;
}

/** The same command, confined to its directories, where it has any, and to `paths`. */
export function confined(command: WorkerCommand, launcher: string, paths: AllowedPaths, own: WorkerDirectories | null): WorkerCommand {
  const [inputs, written] = own === null ? [[], []] : [[own.inputs], [own.shared, own.outputs, own.temporary]];
  const rules = [
    ...[...paths.readable, ...inputs].flatMap((path) => ['--read', path]),
    ...[command.execPath, ...paths.runnable].flatMap((path) => ['--run', path]),
    ...[...paths.writable, ...written].flatMap((path) => ['--write', path]),
  ];
  return { execPath: launcher, args: [...rules, '--', command.execPath, ...command.args] };
}
