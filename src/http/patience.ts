/** How slowly a body may come, or an answer be taken, before the client loses the connection: one rule for every route. */
import type { IncomingMessage, ServerResponse } from 'node:http';
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
const usual: Patience = { stallMs: 60_000, graceMs: 30_000, bytesPerSecond: 1000, unreadMs: 1_800_000 };
const looksPerGrace = 6;
/** A connection that is gone is held no longer than this. */
const mostBetweenLooksMs = 30_000;

/** A sender that holds its body open without sending, or sends next to nothing, loses its connection. Ends with the body. */
export function endWhenStalled(request: Pick<IncomingMessage, 'socket' | 'once'>, { stallMs, graceMs, bytesPerSecond }: Omit<Patience, 'unreadMs'> = usual): void {
  const { socket } = request;
  const [began, before] = [performance.now(), socket.bytesRead];
  let [lastBytes, lastAt] = [before, began];
  const looks = setInterval(() => {
    // Of requests behind each other on one connection only the first is told that it is gone.
    if (socket.destroyed) return callOff();
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

/**
 * A reader that takes nothing holds a connection and what is sent to it, a result's open file for one: for ever, where its system answers for a
 * program that stands still. Where nothing is to be sent, the work takes its time.
 */
function endWhenUnread({ raw: { socket }, reply }: { raw: Pick<IncomingMessage, 'socket'>; reply: Pick<ServerResponse, 'once'> }, { unreadMs }: Patience): void {
  let [lastTaken, lastAt] = [-1, performance.now()];
  const looks = setInterval(() => {
    if (socket.destroyed) return callOff();
    const [now, taken] = [performance.now(), socket.bytesWritten - socket.writableLength];
    if (taken !== lastTaken || socket.writableLength === 0) [lastTaken, lastAt] = [taken, now];
    else if (now - lastAt > unreadMs) socket.destroy();
  }, Math.min(unreadMs / looksPerGrace, mostBetweenLooksMs));
  looks.unref();
  const callOff = (): void => clearInterval(looks);
  reply.once('close', callOff);
}

/** Every body of `app` is watched from its head to its end, whether a route reads it or it was answered before, and every answer. */
export function addPatience(app: FastifyInstance, patience: Patience = usual): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    const { 'content-length': length, 'transfer-encoding': coding } = raw.headers;
    // After an upgrade the socket carries another protocol.
    if (offersWebSocket(raw) && raw.method === 'GET') return;
    endWhenUnread({ raw, reply: reply.raw }, patience);
    if (coding !== undefined || Number(length ?? 0) > 0) endWhenStalled(raw, patience);
  });
}
