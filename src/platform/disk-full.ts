/** A disk without space, the service's share of it used up, or a directory that cannot be written: no defect, and the client may try again. */
import { LecternError } from '../errors.js';

/** `out_of_memory` by its code, 507 by its status. */
export class DiskFull extends LecternError {
  constructor(message = 'There is no space left for the files of this request.', options?: { cause?: unknown }) {
    super('out_of_memory', message, options);
    this.name = 'DiskFull';
  }

  override get status(): number {
    return 507;
  }
}

/** 503 until the directory is mended. `cause` names it, for the log. */
export class NotWritable extends LecternError {
  constructor(options?: { cause?: unknown }) {
    super('invalid_state', 'The service cannot write to its state directory.', options);
    this.name = 'NotWritable';
  }
}

/** What the file system says when nothing more fits; anything else as it is. */
export function asDiskFull(thrown: unknown): unknown {
  const code = (thrown as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT' ? new DiskFull(undefined, { cause: thrown }) : thrown;
}

const unwritable = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EIO']);

/** The same for what the service itself wants to keep in its state directory, where nothing may be written at all. */
export function asUnkept(thrown: unknown): unknown {
  return unwritable.has((thrown as NodeJS.ErrnoException | null)?.code ?? '') ? new NotWritable({ cause: thrown }) : asDiskFull(thrown);
}
