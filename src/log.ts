/** The log: one JSON line an event, on standard error, never with the content of a document or a prompt. */
import { pino } from 'pino';
import { standardErrorLines } from './log-lines.js';
import { sourceStack } from './source-stack.js';

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What rooms are told with: what it is about, and a sentence. */
export type Log = Record<LogLevel, (about: object, message: string) => void>;

export function createLog(level: string) {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err } }, standardErrorLines());
}

/** Of defects; pino puts the stacks of an error's causes behind its own. */
function err(thrown: Error): unknown {
  const told: unknown = pino.stdSerializers.err(thrown);
  return told instanceof Object && 'stack' in told && typeof told.stack === 'string' ? { ...told, stack: sourceStack(told.stack) } : told;
}
