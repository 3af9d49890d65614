/** How slowly a body may come before its sender loses the connection: one rule for every body of every route. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** It ends after `stallMs` without a byte, and after `graceMs` and one second for each `bytesPerSecond` that came. */
export interface Patience {
  stallMs: number;
  graceMs: number;
  bytesPerSecond: number;
}

/** Each body holds a connection, and an upload a place in the queue too: a few hundred that trickle would keep everybody else out. */
const usual: Patience = { stallMs: 60_000, graceMs: 30_000, bytesPerSecond: 1000 };
const looksPerGrace = 6;

/** A sender that holds its body open without sending, or sends next to nothing, loses its connection. Ends with the body. */
export function endWhenStalled(request: Pick<IncomingMessage, 'socket' | 'once'>, { stallMs, graceMs, bytesPerSecond }: Patience = usual): void {
  const { socket } = request;
  const [began, before] = [performance.now(), socket.bytesRead];
  let [lastBytes, lastAt] = [before, began];
  const looks = setInterval(() => {
    const now = performance.now();
    if (socket.bytesRead !== lastBytes) [lastBytes, lastAt] = [socket.bytesRead, now];
    const allowedMs = graceMs + ((socket.bytesRead - before) / bytesPerSecond) * 1000;
    if (now - began > allowedMs || now - lastAt > stallMs) socket.destroy();
  }, graceMs / looksPerGrace);
  looks.unref();
  const callOff = (): void => clearInterval(looks);
  request.once('end', callOff);
  request.once('close', callOff);
}

/** Every body of `app` is watched from its head to its end, whether a route reads it or it was answered before. */
export function addPatience(app: FastifyInstance, patience: Patience = usual): void {
  app.addHook('onRequest', async ({ raw }) => {
    const { 'content-length': length, 'transfer-encoding': coding } = raw.headers;
    // After an upgrade the socket carries another protocol.
    if (raw.headers.upgrade !== undefined && raw.method === 'GET') return;
    if (coding !== undefined || Number(length ?? 0) > 0) endWhenStalled(raw, patience);
  });
}
