/** Bearer keys as the access list holds them. */
import { createHash } from 'node:crypto';

/** Keys are 256 random bits, so that one round of a fast hash is enough. */
export function hashKey(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
