/** Routes of the contract that this service answers with a sentence: what they need is not here. */
import type { FastifyInstance } from 'fastify';
import { HttpFailure } from '../error-reply.js';

export const chunkers = ['hybrid', 'hierarchical'] as const;

export function addRefusedRoutes(app: FastifyInstance): void {
  app.post('/v1/convert/source/batch', async () => {
    throw new HttpFailure(422, 'Batch conversion reads from and writes to storage connectors, and this service has none; send the documents to /v1/convert/source/async.');
  });
  for (const chunker of chunkers) {
    for (const from of ['file', 'source']) {
      for (const suffix of ['', '/async']) {
        app.post(`/v1/chunk/${chunker}/${from}${suffix}`, async () => {
          throw new HttpFailure(501, 'This service does not cut documents into chunks; /v1/convert gives the markdown to cut.');
        });
      }
    }
  }
}
