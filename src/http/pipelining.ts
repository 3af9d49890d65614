/** Requests sent behind each other on one connection, without waiting for the responses (HTTP pipelining): how many may be under way. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Unanswered requests of one connection. Node hands over all requests of what it reads in the same turn of the main loop, up to 2 MB: 20,000
 * requests of 25 bytes kept other callers waiting for 7 s. Clients that pipeline at all keep fewer than 20 under way.
 */
export const mostPipelined = 64;

/** Requests behind others of their connection that one turn of the main loop begins: 300 connections with 60 requests each kept others waiting for 10 s. */
const mostInTurn = 16;

/**
 * Destroys a connection with more than `mostPipelined` unanswered requests; those that were read already are dropped before they are routed. What
 * stands behind another request of its connection is begun in a later turn of the main loop, so that other connections come between.
 */
export function limitPipelining(server: Server): void {
  const underWay = new WeakMap<Socket, number>();
  // One function for all responses: a closure for each would be memory of every request that waits.
  function ended(this: ServerResponse): void {
    const { socket } = this.req;
    underWay.set(socket, (underWay.get(socket) ?? 1) - 1);
  }
  const later: [IncomingMessage, ServerResponse][] = [];
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.socket.destroyed) return;
    for (const handler of handlers) handler.call(server, request, response);
  };
  const beginSome = (): void => {
    for (const waiting of later.splice(0, mostInTurn)) begin(...waiting);
    if (later.length > 0) setImmediate(beginSome);
  };
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > mostPipelined) {
      socket.destroy();
      return;
    }
    underWay.set(socket, count);
    response.on('finish', ended);
    if (count === 1) return begin(request, response);
    if (later.push([request, response]) === 1) setImmediate(beginSome);
  });
}
