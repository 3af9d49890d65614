/** Errors as messages between parent and worker: code and message are kept, and a defect also keeps its stack, for the log. */
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import { LecternError, errorTable, type ErrorCode } from '../errors.js';
import { stackOf } from '../platform/source-stack.js';
import type { WireError } from './messages.js';

export function toWire(raw: unknown): WireError {
  const thrown = asDiskFull(raw);
  if (thrown instanceof DiskFull) return { code: thrown.code, message: thrown.message, isDiskFull: true };
  if (thrown instanceof LecternError) return { code: thrown.code, message: thrown.message };
  return { code: 'internal', message: errorTable.internal.sentence, stack: stackOf(thrown) };
}

export function fromWire(error: WireError): LecternError {
  if (error.isDiskFull === true) return new DiskFull(String(error.message));
  const code: ErrorCode = Object.hasOwn(errorTable, error.code) ? error.code as ErrorCode : 'internal';
  const cause = error.stack === undefined ? undefined : { cause: new Error(error.stack) };
  return new LecternError(code, String(error.message), cause);
}
