/** What confines a worker process, and how its command is started with it. */
import type { WorkerCommand } from './worker-command.js';

/** The paths that a worker may open; all others, and TCP ports, are closed to it. */
export interface AllowedPaths {
  readable: string[];
  /** Programs, and their interpreters. */
  runnable: string[];
  writable: string[];
  /** Directories in which local sockets may be made, and nothing else. */
  socketDirectories: string[];
}

export interface WorkerConfinement {
  /** Null where the kernel cannot restrict files. */
  files: {
    /** The program that restricts itself and becomes the worker. */
    launcher: string;
    /** The paths of every worker beside its own directories; called at each start of a worker. */
    paths: () => AllowedPaths;
  } | null;
  /** Null where the kernel cannot filter system calls. `programs`: whether a worker may start programs of the system, as some readers of documents do. */
  systemCalls: { programs: boolean } | null;
}

/** The directories of one worker, which it shares with the parent and with no other worker. */
export interface WorkerDirectories {
  /** For bitmaps; in memory where there is room. */
  shared: string;
  /** The inputs of its jobs, which it may only read. */
  inputs: string;
  /** The files that its jobs write. */
  outputs: string;
  /** Its temporary files. */
  temporary: string;
}

/** The command that starts the process by the launcher, which confines it to its own directories, where it has any, and to `paths`. */
export function confined(command: WorkerCommand, launcher: string, paths: AllowedPaths, own: WorkerDirectories | null): WorkerCommand {
  const [inputs, written] = own === null ? [[], []] : [[own.inputs], [own.shared, own.outputs, own.temporary]];
  const rules = [
    ...[...paths.readable, ...inputs].flatMap((path) => ['--read', path]),
    ...[command.execPath, ...paths.runnable].flatMap((path) => ['--run', path]),
    ...[...paths.writable, ...written].flatMap((path) => ['--write', path]),
    ...paths.socketDirectories.flatMap((path) => ['--bind-sockets', path]),
  ];
  return { execPath: launcher, args: [...rules, '--', command.execPath, ...command.args] };
}
