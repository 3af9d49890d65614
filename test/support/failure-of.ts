/** What a promise rejects with. */
import { LecternError } from '../../src/errors.js';

/** Throws when it does not reject, or with something else than a LecternError. */
export async function failureOf(promise: Promise<unknown>): Promise<LecternError> {
  const failure = await promise.then(() => undefined, (error: unknown) => error);
  if (failure instanceof LecternError) return failure;
  throw new Error('did not reject with a LecternError', { cause: failure });
}
