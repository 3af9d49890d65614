/** A streamed answer of the OpenAI contract from its queue to its end. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../dependencies.js';
import { EventStream } from '../event-stream.js';
import { describeError, expected } from './errors.js';

/** Proxies and clients give up on connections that are silent for longer. */
export const keepAliveMs = 15_000;

/**
 * Runs `write`. While it waits, a comment every 15 s keeps the connection; a failure before anything was sent is thrown, and is
 * so an ordinary answer with its status; a later one becomes an event with `error`.
 */
export async function streamEvents(
  reply: FastifyReply, request: FastifyRequest, log: Log, write: (events: EventStream) => Promise<void>,
): Promise<FastifyReply> {
  const events = new EventStream(reply, 'events');
  const timer = setInterval(() => events.comment('waiting'), keepAliveMs);
  try {
    await write(events);
  } catch (thrown) {
    if (!events.isOpen) throw thrown;
    const error = expected(thrown, log, request);
    if (error.code !== 'cancelled') events.send(describeError(error, request));
  } finally {
    clearInterval(timer);
  }
  events.end();
  return reply;
}
