/** Errors across the process border: the code and the sentence stay, a defect keeps its stack for the log. */
import { LecternError, errorTable, type ErrorCode } from '../errors.js';
import type { WireError } from './messages.js';

export function toWire(thrown: unknown): WireError {
  if (thrown instanceof LecternError) return { code: thrown.code, message: thrown.message };
  const stack = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  return { code: 'internal', message: errorTable.internal.sentence, stack };
}

export function fromWire(error: WireError): LecternError {
  const code: ErrorCode = Object.hasOwn(errorTable, error.code) ? error.code as ErrorCode : 'internal';
  const cause = error.stack === undefined ? undefined : { cause: new Error(error.stack) };
  return new LecternError(code, String(error.message), cause);
}
