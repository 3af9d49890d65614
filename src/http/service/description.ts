/** The service describes itself: OpenAPI documents, which page/routes.ts shows to people, and its icon. */
import type { FastifyInstance } from 'fastify';
import type { HttpDependencies } from '../dependencies.js';
import { icon } from './icon.js';
import { describeApi } from './openapi/document.js';
import { toVersion30 } from './openapi/version-3-0.js';

/** HEAD is answered on the description, and nowhere else: clients look there whether the service is one of theirs. */
const readable = ['GET', 'HEAD'];

export function addDescriptionRoutes(app: FastifyInstance, { language }: Pick<HttpDependencies, 'language'>): void {
  const api = describeApi(language !== undefined);
  const documents = { '/openapi.json': JSON.stringify(api), '/openapi-3.0.json': JSON.stringify(toVersion30(api)) };
  for (const [url, text] of Object.entries(documents)) {
    const body = Buffer.from(text);
    app.route({
      url,
      method: url === '/openapi.json' ? readable : 'GET',
      handler: async (_request, reply) => reply.header('content-type', 'application/json').send(body),
    });
  }
  app.get('/favicon.ico', async (_request, reply) => reply.code(307).header('location', 'favicon.svg').send());
  app.get('/favicon.svg', async (_request, reply) => reply.header('content-type', 'image/svg+xml').send(icon));
}
