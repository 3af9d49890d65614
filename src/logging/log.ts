/** The log: one JSON line an event, on standard error, never with the content of a document or a prompt. On a terminal the same, for people. */
import { isatty } from 'node:tty';
import { pino } from 'pino';
import { forPeople } from './terminal-format.js';
import { standardErrorLines } from './log-output.js';
import { sourceStack } from '../platform/source-stack.js';

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What rooms log with: what it is about, and a sentence. */
export type Log = Record<LogLevel, (about: object, message: string) => void>;

export function createLog(level: string) {
  const lines = standardErrorLines();
  const place = isatty(2) ? { write: (line: string) => lines.write(forPeople(line)) } : lines;
  // By their names, as the setting has them.
  const formatters = { level: (name: string) => ({ level: name }) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err }, formatters }, place);
}

/** Of defects; pino puts the stacks of an error's causes behind its own. */
function err(thrown: Error): unknown {
  const told: unknown = pino.stdSerializers.err(thrown);
  return told instanceof Object && 'stack' in told && typeof told.stack === 'string' ? { ...told, stack: sourceStack(told.stack) } : told;
}
