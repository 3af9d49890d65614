/** How slowly a body may come, or an answer be taken, before the client loses the connection: one rule for every route. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { offersWebSocket } from './upgrade-offers.js';

/** With a sender it ends after `stallMs` without a byte, and after `graceMs` and one second for each `bytesPerSecond` that came. */
export interface Patience {
  stallMs: number;
  graceMs: number;
  bytesPerSecond: number;
  /** With a reader: after so long without anything that was taken. The kernel shows that in steps, of 1.4 MB where its buffer is the usual one of 4. */
  unreadMs: number;
}

/** Each body holds a connection, and an upload a place in the queue too: a few hundred that trickle would keep everybody else out. Who reads 1,000 bytes a second takes a step within 24 minutes. */
export const usualPatience: Patience = { stallMs: 60_000, graceMs: 30_000, bytesPerSecond: 1000, unreadMs: 1_800_000 };
const looksPerGrace = 6;
/** A connection that is gone is held no longer than this. */
const mostBetweenLooksMs = 1000;

/** A sender that holds its body open without sending, or sends next to nothing, loses its connection. Ends with the body. */
export function endWhenStalled(request: Pick<IncomingMessage, 'socket' | 'once' | 'off'>, { stallMs, graceMs, bytesPerSecond }: Omit<Patience, 'unreadMs'> = usualPatience): void {
  const { socket } = request;
  const [began, before] = [performance.now(), socket.bytesRead];
  let [lastBytes, lastAt] = [before, began];
  const looks = setInterval(() => {
    // Of requests behind each other on one connection only the first gets an event when it is gone.
    if (socket.destroyed) return callOff();
    const now = performance.now();
    if (socket.bytesRead !== lastBytes) [lastBytes, lastAt] = [socket.bytesRead, now];
    const allowedMs = graceMs + ((socket.bytesRead - before) / bytesPerSecond) * 1000;
    if (now - began > allowedMs || now - lastAt > stallMs) socket.destroy();
  }, graceMs / looksPerGrace);
  looks.unref();
  // What waits for its answer keeps nothing of how its body came.
  const callOff = (): void => {
    clearInterval(looks);
    request.off('end', callOff).off('close', callOff);
  };
  request.once('end', callOff);
  request.once('close', callOff);
}

/**
 * A reader that takes nothing holds a connection and what is sent to it, a result's open file for one: for ever, where its system answers for a
 * program that stands still. Where nothing is to be sent, the work takes its time. One look goes over all connections, with nothing kept for a
 * request: a timer of its own and who calls it off are 700 bytes, and a queue is long.
 */
export class UnreadWatch {
  /** With what was taken at the last look of those that have something to take, and since when it is that much. */
  readonly #watched = new Map<Socket, { taken: number; since: number } | null>();
  readonly #looks: NodeJS.Timeout;

  constructor(private readonly unreadMs: number) {
    this.#looks = setInterval(() => this.#look(), Math.min(unreadMs / looksPerGrace, mostBetweenLooksMs));
    this.#looks.unref();
  }

  get size(): number {
    return this.#watched.size;
  }

  add(socket: Socket): void {
    if (!this.#watched.has(socket)) this.#watched.set(socket, null);
  }

  remove(socket: Socket): void {
    this.#watched.delete(socket);
  }

  stop(): void {
    clearInterval(this.#looks);
  }

  #look(): void {
    const now = performance.now();
    for (const [socket, seen] of this.#watched) {
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.destroyed) this.#watched.delete(socket);
      else if (socket.writableLength === 0) this.#watched.set(socket, null);
      else if (seen?.taken !== taken) this.#watched.set(socket, { taken, since: now });
      else if (now - seen.since > this.unreadMs) socket.destroy();
    }
  }
}

/** Every body of `app` is watched from its head to its end, whether a route reads it or it was answered before, and every answer. */
export function addPatience(app: FastifyInstance, patience: Patience): void {
  const unread = new UnreadWatch(patience.unreadMs);
  app.addHook('onClose', async () => unread.stop());
  app.addHook('onRequest', async ({ raw }) => {
    const { 'content-length': length, 'transfer-encoding': coding } = raw.headers;
    // After an upgrade the socket carries another protocol.
    if (offersWebSocket(raw) && raw.method === 'GET') return unread.remove(raw.socket);
    unread.add(raw.socket);
    if (coding !== undefined || Number(length ?? 0) > 0) endWhenStalled(raw, patience);
  });
}
