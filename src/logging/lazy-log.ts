/** Logs of commands: most end without a line, and reading the log's package takes 20 ms. */
import type { Log } from './log.js';

async function openLog(level: string): Promise<Log> {
  return (await import('./log.js')).createLog(level);
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Opened by its first line of `level` or above. A line that comes while `isQuiet` is not logged, nor the last words before a process.exit. */
export function createLateLog(level: string, isQuiet: () => boolean, open = openLog): Log {
  let opened: Promise<Log> | undefined;
  const tell = (kind: keyof Log) => (about: object, message: string): void => {
    if (levels.indexOf(kind) < levels.indexOf(level) || isQuiet()) return;
    opened ??= open(level);
    void opened.then((log) => log[kind](about, message));
  };
  return { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') };
}

const nothing = (): void => undefined;

/** For commands that print their findings themselves. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
