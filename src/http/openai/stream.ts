/** A streamed answer of the OpenAI contract from its queue to its end. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../dependencies.js';
import { EventStream } from '../event-stream.js';
import { followQueue } from '../language.js';
import { describeError, expected } from './errors.js';
import { keepAlive, release } from './kept-alive.js';

/**
 * Runs `write`. A request that waits for a slot gets its headers at once, and a comment at every change of its place; a comment every 15 s keeps the
 * connection. A failure before anything was sent is thrown, and is so an ordinary answer with its status; a later one becomes an event with `error`.
 */
export async function streamEvents(
  reply: FastifyReply, request: FastifyRequest, log: Log, write: (events: EventStream) => Promise<void>,
): Promise<FastifyReply> {
  const events = new EventStream(reply, 'events');
  keepAlive(events);
  followQueue(reply, (position) => events.queuePosition(position));
  try {
    await write(events);
  } catch (thrown) {
    if (!events.isOpen) throw thrown;
    const error = expected(thrown, log, request);
    if (error.code !== 'cancelled') events.send(describeError(error, request));
  } finally {
    release(events);
  }
  events.end();
  return reply;
}
