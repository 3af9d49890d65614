/** Exit codes by the names of BSD's sysexits.h; `docs/cli.md` documents them. */
import type { ErrorCode } from '../errors.js';

export const exitCodes = {
  ok: 0,
  /** Done, but not all is as it should be: parts of a document are missing, a check failed, a service became slower. */
  findings: 1,
  usage: 64,
  dataError: 65,
  noInput: 66,
  unavailable: 69,
  software: 70,
  osError: 71,
  temporaryFailure: 75,
  noPermission: 77,
  /** 128 + the number of SIGINT, as shells report a program that the signal ended. */
  interrupted: 130,
} as const;

const exitOf: Record<ErrorCode, number> = {
  invalid_request: exitCodes.usage,
  invalid_state: exitCodes.temporaryFailure,
  invalid_document: exitCodes.dataError,
  password_required: exitCodes.dataError,
  unsupported_format: exitCodes.dataError,
  too_large: exitCodes.dataError,
  not_found: exitCodes.noInput,
  model_not_found: exitCodes.noInput,
  invalid_model: exitCodes.dataError,
  context_overflow: exitCodes.dataError,
  out_of_memory: exitCodes.osError,
  queue_full: exitCodes.temporaryFailure,
  timeout: exitCodes.temporaryFailure,
  cancelled: exitCodes.interrupted,
  worker_crashed: exitCodes.temporaryFailure,
  device_lost: exitCodes.unavailable,
  forbidden: exitCodes.noPermission,
  internal: exitCodes.software,
};

export function exitCodeOf(code: ErrorCode): number {
  return exitOf[code];
}
