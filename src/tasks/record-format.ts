/** The format of `task.json`, the record of a task on disk: its fields, its version, and the check of a record that is read (`parseRecord`). */
import { errorTable, LecternError, type ErrorCode } from '../errors.js';
import type { TaskStatus } from './types.js';

/** The version of the records that this program writes. */
export const recordVersion = 1;

/** One file of a result, as it was when the task ended. */
export interface OutputFile {
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

export interface TaskRecord {
  /** The `recordVersion` of the program that wrote it. */
  version: number;
  /** The lowest version of a program that can read it; absent in records of older programs, which only their own version reads. */
  readableBy?: number;
  id: string;
  /** The place in the order of submission; `createdAt` does not order tasks of the same millisecond. */
  sequence: number;
  kind: string;
  tenant: string;
  /** Absent in records of older versions. */
  owner?: string;
  status: TaskStatus;
  /** How often its work began. */
  attempts: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  meta: unknown;
  summary: unknown;
  failure: { code: ErrorCode; message: string } | null;
  outputBytes: number;
  /** The files of a result by their names; absent in records of older versions. */
  outputs?: Record<string, OutputFile>;
}

/** The record or the result of an accepted task is lost or changed on disk. The message may be sent to the client. */
export class DamagedTask extends LecternError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('internal', message, options);
    this.name = 'DamagedTask';
  }
}

/** The record of a task that waits for its first run. */
export function newRecord(about: Required<Pick<TaskRecord, 'id' | 'sequence' | 'kind' | 'tenant' | 'owner' | 'createdAt'>>): TaskRecord {
  return {
    version: recordVersion, readableBy: recordVersion, ...about, status: 'pending', attempts: 0,
    startedAt: null, endedAt: null, meta: null, summary: null, failure: null, outputBytes: 0,
  };
}

const statuses: ReadonlySet<unknown> = new Set<TaskStatus>(['pending', 'started', 'success', 'failure']);

const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function isOutputFile(value: unknown): boolean {
  return isObject(value) && isCount(value['bytes']) && typeof value['sha256'] === 'string' && /^[0-9a-f]{64}$/.test(value['sha256']);
}

function isFailure(value: unknown): boolean {
  return value === null || (isObject(value) && typeof value['message'] === 'string' && Object.hasOwn(errorTable, String(value['code'])));
}

/** The names of fields with a value that no program of this version writes. */
function wrongFields(record: Record<string, unknown>, id: string): string[] {
  const hasEnded = record['status'] === 'success' || record['status'] === 'failure';
  const checks: Record<string, boolean> = {
    id: record['id'] === id,
    sequence: Number.isSafeInteger(record['sequence']),
    kind: typeof record['kind'] === 'string',
    tenant: typeof record['tenant'] === 'string',
    owner: record['owner'] === undefined || typeof record['owner'] === 'string',
    status: statuses.has(record['status']),
    attempts: isCount(record['attempts']),
    createdAt: isTime(record['createdAt']),
    startedAt: record['startedAt'] === null || isTime(record['startedAt']),
    endedAt: hasEnded ? isTime(record['endedAt']) : record['endedAt'] === null,
    failure: isFailure(record['failure']) && (record['status'] === 'failure') === (record['failure'] !== null),
    outputBytes: isCount(record['outputBytes']),
    outputs: record['outputs'] === undefined || (isObject(record['outputs']) && Object.values(record['outputs']).every(isOutputFile)),
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

/** Throws DamagedTask, whose message says why, for a text that is no record of this task, or one that only newer programs can read. */
export function parseRecord(text: string, id: string): TaskRecord {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    throw new DamagedTask(text === '' ? 'its record is empty' : 'its record is no JSON', { cause });
  }
  if (!isObject(record)) throw new DamagedTask('its record is no JSON object');
  const { version, readableBy = version } = record;
  if (!isCount(version) || !isCount(readableBy)) throw new DamagedTask('its record does not say its version');
  if ((readableBy as number) > recordVersion) {
    throw new DamagedTask(`its record is of version ${String(version)}, for programs that read version ${String(readableBy)}; this one reads version ${recordVersion}`);
  }
  const wrong = wrongFields(record, id);
  if (wrong.length > 0) throw new DamagedTask(`in its record these fields are wrong: ${wrong.join(', ')}`);
  return record as unknown as TaskRecord;
}
