/** Which web pages may call the service: CORS as docling-serve answers it, and defences against DNS rebinding and against requests from pages of other origins. access-gate.ts decides which callers may. */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LecternError } from '../errors.js';
import { isLoopback, isLoopbackHost, parseNetworkAddress } from '../network/address.js';
import { noteRefusal } from './refusal.js';
import type { HttpSettings } from './settings.js';

const methods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
const exposedHeaders = 'mcp-session-id, x-lectern-cleared, x-lectern-failed-documents, x-lectern-ignored-options, x-lectern-schema-valid, x-lectern-task-id, x-queue-position, x-request-id, retry-after';

export function addAccessRules(app: FastifyInstance, settings: HttpSettings): void {
  const loopbackOnly = settings.listen.length > 0 && settings.listen.every(({ host }) => isLoopbackHost(host));
  const named = new Set([hostname().toLowerCase(), ...(settings.allowedHosts ?? [])]);
  app.decorateRequest('refusal');
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    return noteRefusal(request, () => {
      if (loopbackOnly || comesFromThisHost(request)) refuseForeignHost(request, named);
      return request.headers.origin === undefined ? undefined : answerOrigin(request, reply, settings.corsOrigins);
    });
  });
}

/**
 * The request comes from a program of this host: it may be a browser, or a proxy in front of one. The access list would treat a page in that browser as an administrator; and where
 * a proxy of this host is trusted, such a page could pretend to be any caller, because pages can set the header that proxies set.
 */
function comesFromThisHost({ raw }: FastifyRequest): boolean {
  const peer = parseNetworkAddress(raw.socket.remoteAddress ?? '');
  return peer !== undefined && isLoopback(peer);
}

/** Names of multicast DNS, of this host and of private networks: no stranger owns one. */
const localNames = /\.(?:localhost|local|internal)$/;

/** Pages of this host, and programs that are pages to their own browser: desktop programs, editors and extensions. No page of the web has such an origin. */
const localOrigins = /^(?:https?:\/\/(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?|(?:app|file|tauri|vscode-webview|vscode-file|chrome-extension|moz-extension|safari-web-extension):\/\/[^/]*)$/;

/**
 * Refuses host names that are not the service's. A stranger's web page can point its own name at 127.0.0.1 (DNS rebinding) and is then of the same origin as the service, but its requests
 * carry that name as their host. Numeric addresses cannot be rebound, and neither can names that strangers do not own.
 */
function refuseForeignHost(request: FastifyRequest, named: Set<string>): void {
  const host = (request.headers.host ?? '').toLowerCase();
  const name = host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  if (name === '' || name === 'localhost' || localNames.test(name) || isIP(name) !== 0) return;
  if (named.has(name) || named.has(host)) return;
  throw new LecternError('forbidden', `To programs and proxies of its own host the service is not known as '${name.slice(0, 100)}'; the setting allowed-hosts can name it.`);
}

/** Answers the CORS part of a request with an origin. Throws `forbidden` for an origin that is not allowed: the form of such a page needs no preflight, and would be served otherwise. */
function answerOrigin(request: FastifyRequest, reply: FastifyReply, allowed: string[]): FastifyReply | undefined {
  const origin = request.headers.origin as string;
  const welcome = allowed.includes('*') || allowed.includes(origin) || localOrigins.test(origin) || isSameOrigin(request, origin);
  void reply.header('vary', 'Origin');
  if (welcome) {
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': exposedHeaders,
    });
  }
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) return preflight(request, reply, welcome);
  if (!welcome) throw new LecternError('forbidden', 'This web origin may not call the service; the setting cors-origins names those that may.');
  return undefined;
}

/**
 * Refuses a GET that changes something (docling-serve's contract has such routes) when a page of another origin causes it: a picture or a link needs no permission, and its request has no origin. Browsers
 * say where such a request comes from: in `sec-fetch-site` on trusted connections (https, localhost), in `referer` where the page
 * does not forbid it. A browser's request that says neither is refused. Throws `forbidden`.
 */
export function refuseStrangePage(request: FastifyRequest, allowed: string[]): void {
  const { 'sec-fetch-site': site, referer, 'user-agent': agent = '', 'accept-language': languages } = request.headers;
  // Requests with an origin were checked when they arrived.
  if (request.headers.origin !== undefined || allowed.includes('*')) return;
  const isBrowser = agent.startsWith('Mozilla/') && languages !== undefined;
  const isWelcome = site !== undefined ? site === 'same-origin' || site === 'none'
    : referer !== undefined ? allowed.includes(originOf(referer)) || isSameOrigin(request, originOf(referer))
      : !isBrowser;
  if (!isWelcome) throw new LecternError('forbidden', 'This address changes something, and a page of another web origin seems to ask for it; programs and the service\'s own pages may.');
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : '';
}

function preflight(request: FastifyRequest, reply: FastifyReply, welcome: boolean): FastifyReply {
  void reply.header('content-type', 'text/plain; charset=utf-8');
  if (!welcome) return reply.code(400).send('Disallowed CORS origin');
  const asked = request.headers['access-control-request-headers'];
  if (asked !== undefined) void reply.header('access-control-allow-headers', asked);
  return reply.code(200).headers({ 'access-control-allow-methods': methods, 'access-control-max-age': '600' }).send('OK');
}

function isSameOrigin(request: FastifyRequest, origin: string): boolean {
  return request.headers.host !== undefined && (origin === `http://${request.headers.host}` || origin === `https://${request.headers.host}`);
}
