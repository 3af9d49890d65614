/** One HTTP request to a checked destination: connects to the address that was checked, ends within its time, follows redirects only if told. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { LecternError } from '../../errors.js';
import { type Destination, findDestination, type ResolveHost, systemResolver } from './destination.js';

export interface OutboundRules {
  /** Hosts that may be asked, in the settings' notation. */
  hosts: readonly string[];
  resolveHost?: ResolveHost;
  /** For everything together, redirects and body included. */
  timeoutMs: number;
  maxRedirects: number;
}

export interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** PEM of a certificate authority to trust beside none else. */
  certificateAuthority?: string;
}

/** Headers that say how bytes travel are ours to write. */
const ownHeaders = new Set([
  'host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer', 'keep-alive', 'proxy-connection', 'accept-encoding',
]);

/**
 * Hands the answer to `use` and settles as it does. Rejects with `forbidden` where the destination is not allowed, `timeout`,
 * `not_found` and the like for what went wrong on the way; the messages are fit for the client.
 */
export async function outbound<T>(
  address: string, message: OutboundRequest, rules: OutboundRules, signal: AbortSignal, use: (answer: IncomingMessage, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(rules.timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await follow(address, message, rules, either, use);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (limit.aborted) throw new LecternError('timeout', `The host took longer than ${rules.timeoutMs / 1000} seconds.`, { cause: thrown });
    throw thrown;
  }
}

async function follow<T>(
  address: string, message: OutboundRequest, rules: OutboundRules, signal: AbortSignal, use: (answer: IncomingMessage, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let next = address;
  let headers = message.headers;
  for (let hop = 0; ; hop++) {
    const destination = await findDestination(next, rules.hosts, rules.resolveHost ?? systemResolver);
    signal.throwIfAborted();
    const answer = await sendTo(destination, { ...message, headers }, signal);
    const status = answer.statusCode ?? 0;
    const location = answer.headers.location;
    if (status < 300 || status > 399 || location === undefined) return await use(answer, signal);
    answer.destroy();
    if (hop >= rules.maxRedirects) throw new LecternError('forbidden', 'The host redirects, and no further redirect is followed.');
    if (!URL.canParse(location, destination.url.href)) throw new LecternError('forbidden', 'The host redirects to something that is no URL.');
    const target = new URL(location, destination.url.href);
    if (destination.url.protocol === 'https:' && target.protocol === 'http:') {
      throw new LecternError('forbidden', 'The host redirects from https to http, which is not followed.');
    }
    // What the client sent along may be a secret for the first host only.
    if (target.origin !== destination.url.origin) headers = {};
    next = target.href;
  }
}

/** To the address that was checked, under the name that was asked for. Rejects `not_found` when no answer came. */
export function sendTo(destination: Destination, message: OutboundRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, address, family } = destination;
  const headers = Object.fromEntries(Object.entries(message.headers).filter(([name]) => !ownHeaders.has(name.toLowerCase())));
  const options: RequestOptions & { ca?: string } = {
    method: message.method,
    headers: { 'user-agent': 'lectern', accept: '*/*', ...headers, 'accept-encoding': 'identity' },
    // A connection of an agent might have been opened to another address under the same name.
    agent: false,
    signal,
    // The name was resolved and checked; it is not looked up a second time.
    lookup: (_hostname, asked, callback) => {
      if (asked.all === true) (callback as (error: null, all: { address: string; family: number }[]) => void)(null, [{ address, family }]);
      else callback(null, address, family);
    },
    ...(message.certificateAuthority ? { ca: message.certificateAuthority } : {}),
  };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new LecternError('not_found', `The host '${url.host}' could not be asked: ${reasonOf(cause)}.`, { cause }));
    try {
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, resolve);
      request.on('error', fail);
      request.end(message.body);
    } catch (thrown) {
      // Node refuses headers with characters that a header cannot hold.
      fail(thrown as Error);
    }
  });
}

function reasonOf(cause: Error): string {
  return (cause as NodeJS.ErrnoException).code ?? cause.name;
}
