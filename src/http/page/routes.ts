/** The page for people at /ui, and the API reference at /docs: files that were built with the program, under a policy that lets nothing in from elsewhere. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpFailure } from '../error-reply.js';
import { PageFiles } from './files.js';

/** Scripts and styles are files of this service; images are also made in the page from what the service sent. */
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
/** The library of the reference writes styles into its elements. */
const referencePolicy = pagePolicy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

const notBuilt = 'The page was not built with this program: npm run compile builds it.';
/** Names of built files contain the hash of their contents. */
const hashed = /-[A-Za-z0-9_-]{8}\.(?:js|css)$/;

export function addPageRoutes(app: FastifyInstance): void {
  const files = new PageFiles();
  const send = (request: FastifyRequest, reply: FastifyReply, name: string, policy: string): FastifyReply => {
    const file = files.get(name);
    if (file === undefined) throw new HttpFailure(404, files.get('index.html') === undefined ? notBuilt : 'Not Found');
    const packs = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return reply.headers({
      'content-type': file.mediaType, 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin', 'cross-origin-opener-policy': 'same-origin',
      'cache-control': hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache', vary: 'accept-encoding, origin', ...(packs ? { 'content-encoding': 'gzip' } : {}),
    }).send(packs ? file.packed : file.bytes);
  };
  // The files of the page lie below it.
  app.get('/ui', async (_request, reply) => reply.code(307).header('location', 'ui/').send());
  app.get('/ui/', async (request, reply) => send(request, reply, 'index.html', pagePolicy));
  app.get<{ Params: { name: string } }>('/ui/:name', async (request, reply) => send(request, reply, request.params.name, pagePolicy));
  for (const url of ['/docs', '/swagger', '/scalar']) {
    app.route({ url, method: url === '/scalar' ? 'GET' : ['GET', 'HEAD'], handler: async (request, reply) => send(request, reply, 'reference.html', referencePolicy) });
  }
}

/** Whether the request is a browser's that opens an address as a page: programs ask for JSON or for anything. */
export function asksForPage({ headers }: FastifyRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;|,|$)/.test(headers.accept ?? '');
}
