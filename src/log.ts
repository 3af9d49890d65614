/** The log: one JSON line an event, on standard error, never with the content of a document or a prompt. */
import { pino } from 'pino';

export type Log = ReturnType<typeof createLog>;

export function createLog(level: string) {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
