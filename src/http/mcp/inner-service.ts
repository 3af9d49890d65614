/** The service as one of its own callers has it: requests over a connection within the process, so that every rule of access, queue and ownership holds for them, too. */
import { request as send, type IncomingMessage, type Server } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Fetcher, Service } from '../../client/service.js';

/** Only names the host: nothing is resolved. */
const innerAddress = 'http://lectern.localhost';

/** Headers of the outer request that are about its own connection and body; all others say who the caller is. */
const ownHeaders = /^(?:accept.*|connection|content-.*|transfer-encoding|expect|upgrade|host|origin|referer|sec-.*|mcp-.*|last-event-id|te|trailer|keep-alive|if-.*|range)$/;

/** With the rights of the caller of `outer`: its headers and the address that it came from. */
export function innerService(server: Server, outer: FastifyRequest): Service {
  const { remoteAddress } = outer.raw.socket;
  const headers = Object.fromEntries(Object.entries(outer.headers).filter(([name, value]) => value !== undefined && !ownHeaders.test(name))) as Record<string, string | string[]>;
  return new Service(innerAddress, innerFetch(server, remoteAddress, headers));
}

function innerFetch(server: Server, remoteAddress: string | undefined, callerHeaders: Record<string, string | string[]>): Fetcher {
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const whole = new Request(url, { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' as const }) });
    const [near, far] = duplexPair();
    Object.assign(far, { remoteAddress });
    // Each end learns of the other's death, as over a network: that is how work is cancelled.
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    server.emit('connection', far);
    const asked = send({
      method, path: url.pathname + url.search, createConnection: () => near,
      headers: { ...callerHeaders, host: url.host, ...Object.fromEntries(whole.headers), connection: 'close' },
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve);
      asked.once('error', reject);
    });
    if (whole.body === null) asked.end();
    else Readable.fromWeb(whole.body as Parameters<typeof Readable.fromWeb>[0]).on('error', (cause) => asked.destroy(cause)).pipe(asked);
    const answer = await answered;
    answer.once('close', () => near.destroy());
    return new Response(hasBody(answer) ? Readable.toWeb(answer) as ReadableStream<Uint8Array> : null, { status: answer.statusCode ?? 500, headers: headersOf(answer) });
  };
}

function hasBody({ statusCode = 500 }: IncomingMessage): boolean {
  return statusCode !== 204 && statusCode !== 304;
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
}
