/** Bodies under way: how many large ones a caller may send at a time. Each holds memory or a file, and a place in a queue. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { HttpFailure } from './error-reply.js';

/** Smaller bodies are read at once, and a program that sends a hundred of them at the same time means no harm. */
const largeBytes = 64 * 1024;

/** Throws 503 for a large body beyond `mostOfCaller`, before any of it is read. Stands behind the hook that finds the caller. */
export function addUploadLimit(app: FastifyInstance, mostOfCaller: number): void {
  const underWay = new Map<string, number>();
  app.addHook('onRequest', async ({ raw, caller: { identity } }) => {
    if (!isLarge(raw)) return;
    const count = underWay.get(identity) ?? 0;
    if (count >= mostOfCaller) {
      throw new HttpFailure(503, `${mostOfCaller} uploads of this caller are under way, and the setting uploads-per-caller allows no more at a time.`, { 'retry-after': '1' });
    }
    underWay.set(identity, count + 1);
    raw.once('close', () => {
      const left = (underWay.get(identity) ?? 1) - 1;
      if (left > 0) underWay.set(identity, left);
      else underWay.delete(identity);
    });
  });
}

/** A body in chunks has no length: it counts as large. */
function isLarge({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) >= largeBytes;
}
