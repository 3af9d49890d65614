/** A disk without space, or the service's share of it used up: no defect, and the client may come again. */
import { LecternError } from './errors.js';

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

/** What the file system says when nothing more fits; anything else as it is. */
export function asDiskFull(thrown: unknown): unknown {
  const code = (thrown as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT' ? new DiskFull(undefined, { cause: thrown }) : thrown;
}
