/** The service as one of its own callers has it: requests over a connection within the process, so that every rule of access, queue and ownership holds for them, too. */
import { request as send, type IncomingMessage, type Server } from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Fetcher, Service } from '../../client/service.js';
import { LecternError } from '../../errors.js';

/** Only names the host: nothing is resolved. */
const innerAddress = 'http://lectern.localhost';

/** Headers of the outer request that are about its own connection and body; all others say who the caller is. */
const ownHeaders = /^(?:accept.*|connection|content-.*|transfer-encoding|expect|upgrade|host|origin|referer|sec-.*|mcp-.*|last-event-id|te|trailer|keep-alive|if-.*|range)$/;

/** Requests within the process that one caller may have under way: they are no connections that the network's limits count. */
const mostPerCaller = 32;
/** Bytes of an answer that is parsed here: 4 MiB take the main loop some 40 ms, and no model reads more. */
const mostAnswerBytes = 4 * 2 ** 20;

/** Counts the requests of each caller. */
export class InnerRequests {
  readonly #counts = new Map<string, number>();

  /** Throws `queue_full`. The returned function is called once, at the end. */
  begin(caller: string): () => void {
    const count = this.#counts.get(caller) ?? 0;
    if (count >= mostPerCaller) throw new LecternError('queue_full', `At most ${mostPerCaller} calls of tools may be under way.`);
    this.#counts.set(caller, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#counts.get(caller) ?? 1) - 1;
      if (left === 0) this.#counts.delete(caller);
      else this.#counts.set(caller, left);
    };
  }
}

/** With the rights of the caller of `outer`: its headers and the address that it came from. */
export function innerService(server: Server, outer: FastifyRequest, requests: InnerRequests): Service {
  const { remoteAddress } = outer.raw.socket;
  const caller = outer.caller.identity;
  const headers = Object.fromEntries(Object.entries(outer.headers).filter(([name, value]) => value !== undefined && !ownHeaders.test(name))) as Record<string, string | string[]>;
  return new Service(innerAddress, innerFetch(server, remoteAddress, headers, () => requests.begin(caller)));
}

function innerFetch(server: Server, remoteAddress: string | undefined, callerHeaders: Record<string, string | string[]>, begin: () => () => void): Fetcher {
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const whole = new Request(url, { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' as const }) });
    const end = begin();
    const [near, far] = duplexPair();
    Object.defineProperties(far, { remoteAddress: { value: remoteAddress }, bytesRead: { get: countWritten(near) }, bytesWritten: { get: countWritten(far) } });
    near.once('close', end);
    // Each end learns of the other's death, as over a network: that is how work is cancelled.
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    server.emit('connection', far);
    const asked = send({
      method, path: url.pathname + url.search, createConnection: () => near,
      headers: { ...callerHeaders, host: url.host, ...Object.fromEntries(whole.headers), connection: 'close' },
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    asked.once('close', end);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve);
      asked.once('error', reject);
    });
    if (whole.body === null) asked.end();
    else Readable.fromWeb(whole.body as Parameters<typeof Readable.fromWeb>[0]).on('error', (cause) => asked.destroy(cause)).pipe(asked);
    const answer = await answered;
    answer.once('close', () => near.destroy());
    return new Response(hasBody(answer) ? bounded(Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null, { status: answer.statusCode ?? 500, headers: headersOf(answer) });
  };
}

/** Bytes that were written to one end, for the watch over stalled connections. */
function countWritten(end: Duplex): () => number {
  let written = 0;
  const write = end._write.bind(end);
  end._write = (chunk: Buffer, encoding, done) => {
    written += chunk.length;
    write(chunk, encoding, done);
  };
  return () => written;
}

/** The same bytes; fails with `too_large` beyond mostAnswerBytes. */
function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > mostAnswerBytes) controller.error(new LecternError('too_large', `The answer has more than ${mostAnswerBytes / 2 ** 20} MiB, which tools over HTTP do not carry: ask for fewer pages at a time, or fetch the result from /v1/result.`));
      else controller.enqueue(chunk);
    },
  }));
}

function hasBody({ statusCode = 500 }: IncomingMessage): boolean {
  return statusCode !== 204 && statusCode !== 304;
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
}
