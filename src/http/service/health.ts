/** Whether the service lives and takes work, and what it is: the routes that probes and clients ask first. */
import { arch, platform, release } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { HttpDependencies } from '../dependencies.js';
import { HttpFailure, sendJson } from '../error-reply.js';
import { capabilities } from './capabilities.js';

/** The release of docling-serve whose contract this service keeps; clients ask for it by name. */
export const contractVersion = '1.38.2';
/** The release of docling-core whose documents it writes. */
const documentVersion = '2.104.0';

export function addHealthRoutes(app: FastifyInstance, { settings, version, notReady, textModels }: HttpDependencies): void {
  for (const path of ['/health', '/api']) {
    app.get(path, async (_request, reply) => sendJson(reply, 200, { status: 'ok' }));
  }
  for (const path of ['/ready', '/readyz', '/livez']) {
    app.get(path, async (_request, reply) => {
      const reason = path === '/livez' ? null : (await notReady?.() ?? null);
      if (reason !== null) throw new HttpFailure(503, reason, { 'retry-after': '5' });
      return sendJson(reply, 200, { status: 'ok' });
    });
  }
  app.get('/version', async (_request, reply) => {
    if (!settings.showVersion) throw new HttpFailure(403, 'Forbidden. The server is configured for not showing version details.');
    return sendJson(reply, 200, versions(version));
  });
  app.get('/v1/capabilities', async ({ caller }, reply) => {
    const isStranger = caller.isStranger === true;
    const models = isStranger ? [] : (await textModels?.() ?? []).map(({ name }) => name);
    return sendJson(reply, 200, capabilities(settings, settings.showVersion && !isStranger ? versions(version) : {}, models, isStranger));
  });
  for (const path of ['/v1/memory/stats', '/v1/memory/counts']) {
    app.get(path, async () => {
      throw new HttpFailure(403, 'Forbidden. The server is configured for not showing internal managament details.');
    });
  }
}

/** The contract's keys, its spelling of the last one included; parts that do not exist here say what does their work. */
function versions(own: string): Record<string, string> {
  const here = `lectern ${own}`;
  return {
    'docling-serve': contractVersion,
    'docling-jobkit': here,
    docling: here,
    'docling-core': documentVersion,
    'docling-ibm-models': here,
    'docling-parse': here,
    python: `node ${process.versions.node}`,
    plaform: `${platform()}-${release()}-${arch()}`,
    lectern: own,
  };
}
