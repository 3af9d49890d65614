/** A route of the contract that this service answers with a sentence: what it needs is not here. */
import type { FastifyInstance } from 'fastify';
import { HttpFailure } from '../error-reply.js';
import { askedDocumentVersion } from './document-version.js';

export function addRefusedRoutes(app: FastifyInstance): void {
  app.post('/v1/convert/source/batch', async (request) => {
    askedDocumentVersion(request);
    throw new HttpFailure(422, 'Batch conversion reads from and writes to storage connectors, and this service has none; send the documents to /v1/convert/source/async.');
  });
}
