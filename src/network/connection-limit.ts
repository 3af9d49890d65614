/** How many files and connections the system lets this process hold open, and what that leaves of --max-connections. */
import { readFileSync } from 'node:fs';
/** The settings that decide how many files are open at once. */
interface ConnectionSettings {
  listen: readonly unknown[];
  maxConnections: number;
  queueSize: number;
  workers: number;
}

/** Of an idle service 27 are counted; models, listings of their directories and results that are sent come and go. */
const ownFiles = 128;
/** Pipes, and what is handed over. */
const filesOfWorker = 8;

/** Node has raised its soft limit to the hard one before any script runs. Infinity where there is none, or none that can be seen. */
export function openFilesLimit(read = (): string => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(read())?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

export interface CarriedConnections {
  /** On each address. */
  connections: number;
  /** Null where all that the settings ask for are carried. */
  short: { what: string; advice: string } | null;
}

/** One file a connection, and another one for each upload that may be under way. */
export function carriedConnections({ listen, maxConnections, queueSize, workers }: ConnectionSettings, limit = openFilesLimit()): CarriedConnections {
  const own = ownFiles + filesOfWorker * workers;
  const uploads = queueSize + workers;
  const wished = maxConnections * listen.length;
  const needed = own + wished + Math.min(uploads, wished);
  if (needed <= limit) return { connections: maxConnections, short: null };
  const left = limit - own;
  const carried = Math.max(1, Math.floor((left > 2 * uploads ? left - uploads : left / 2) / listen.length));
  return {
    connections: carried,
    short: {
      what: `only ${limit} open files are allowed, and --max-connections ${maxConnections} needs ${needed}: ${carried} are taken on each address`,
      advice: 'allow more (LimitNOFILE of the unit, `ulimit -n`), or lower --max-connections',
    },
  };
}
