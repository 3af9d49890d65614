/** Answers that come piece by piece: server-sent events and JSON lines over one reply. */
import type { FastifyReply } from 'fastify';

export type StreamKind = 'events' | 'lines';

const contentTypes: Record<StreamKind, string> = { events: 'text/event-stream; charset=utf-8', lines: 'application/x-ndjson' };

/** More than the longest answer with its probabilities; a client that leaves so much unread has stopped reading. */
const mostUnreadBytes = 64 * 2 ** 20;

/** Between two JSON lines. Of some 30 reads of a client on two busy cores 10 held several lines without a gap, and 1 of 31, 1 of 32 and 8 of 85 with 5 ms. */
const lineGapMs = 5;
/** More lines than these that wait leave without a gap: the model is faster. */
const mostSpaced = 8;

/**
 * The reply is taken over with the first piece, or by open(): until then a failure can still be an ordinary answer with its
 * status. Pieces of one turn of the event loop leave in one write; of JSON lines each leaves in a turn of its own, because there are
 * clients that take whatever they read at a time for one line. A client that reads nothing loses its connection before what is written for it fills the memory.
 */
export class EventStream {
  #open = false;
  #corked = false;
  /** JSON lines whose turn has not come. */
  readonly #lines: string[] = [];
  #isDraining = false;
  #isEnding = false;

  constructor(private readonly reply: FastifyReply, private readonly kind: StreamKind) {}

  get isOpen(): boolean {
    return this.#open;
  }

  /** Sends status 200 and the headers that were set on the reply. */
  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.reply.hijack();
    const headers = this.reply.getHeaders();
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.reply.raw.setHeader(name, value);
    this.reply.raw.writeHead(200, {
      'content-type': contentTypes[this.kind],
      'cache-control': 'no-cache',
      // Asks a proxy in front not to collect what is meant to flow.
      'x-accel-buffering': 'no',
    });
    this.reply.raw.flushHeaders();
  }

  /** One JSON value; `event` names it (events only). */
  send(value: unknown, event?: string): void {
    const json = JSON.stringify(value);
    if (this.kind === 'lines') this.#queue(json + '\n');
    else this.#write(event === undefined ? `data: ${json}\n\n` : `event: ${event}\ndata: ${json}\n\n`);
  }

  /** `data: [DONE]` and such. */
  sendText(data: string): void {
    this.#write(`data: ${data}\n\n`);
  }

  /** Keeps connections alive while nothing can be said; only events have comments. */
  comment(text: string): void {
    if (this.kind === 'events') this.#write(`: ${text}\n\n`);
  }

  /** A request that waits gets its headers at once, and a comment at each change of its place; JSON lines have the headers alone. */
  queuePosition(position: number): void {
    if (position > 0) this.open();
    if (this.#open) this.comment(`queue-position ${position}`);
  }

  end(): void {
    this.open();
    // Node 22 and 24 write the end of the body before what a corked reply still holds, which the client then never sees.
    this.#uncork();
    this.#isEnding = true;
    if (!this.#isDraining) this.#close();
  }

  #close(): void {
    if (!this.reply.raw.destroyed) this.reply.raw.end();
  }

  #queue(line: string): void {
    this.open();
    this.#lines.push(line);
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#drain();
  }

  #drain(): void {
    const line = this.#lines.shift();
    if (line !== undefined) {
      this.#write(line);
      if (this.#lines.length > mostSpaced) setImmediate(() => this.#drain());
      else setTimeout(() => this.#drain(), lineGapMs);
      return;
    }
    this.#isDraining = false;
    if (this.#isEnding) this.#close();
  }

  #write(text: string): void {
    this.open();
    const { raw } = this.reply;
    if (raw.destroyed) return;
    if (this.kind === 'events' && !this.#corked) {
      this.#corked = true;
      raw.cork();
      process.nextTick(() => this.#uncork());
    }
    raw.write(text);
    if (raw.writableLength > mostUnreadBytes) raw.destroy();
  }

  #uncork(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.reply.raw.uncork();
  }
}
