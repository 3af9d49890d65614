/** POST /api/pull: clients call it before they use a model. One that is there is up to date; one that is not cannot be had over HTTP. */
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../../errors.js';
import { parseModelName } from '../../models/model-name.js';
import type { CatalogueEntry } from '../../models/types.js';
import { sendJson } from '../error-reply.js';
import { EventStream } from '../event-stream.js';
import { FieldError } from '../fields.js';
import type { LanguageRoute } from './answering.js';
import { findModel, notFound, readBody, readModelName } from './body.js';

export function addPull(scope: FastifyInstance, { services }: LanguageRoute, readOnly: string): void {
  scope.post('/api/pull', async (request, reply) => {
    const fields = readBody(request.body);
    const name = readModelName(fields);
    if (name === '') throw new FieldError('model', 'invalid model name');
    const streams = fields.boolean('stream') ?? true;
    fields.boolean('insecure');
    const entry = await findModel(services, name, notFound.chat).catch((thrown: unknown) => {
      if (thrown instanceof LecternError && thrown.code === 'model_not_found') return undefined;
      throw thrown;
    });
    if (entry === undefined) {
      const advice = parseModelName(name) === undefined ? '' : ` \`lectern models pull ${name}\` there fetches this one, where Ollama's registry has it.`;
      return sendJson(reply, 405, { error: `${readOnly}${advice}` });
    }
    if (!streams) return sendJson(reply, 200, { status: 'success' });
    const lines = new EventStream(reply, 'lines');
    for (const status of statusesOf(entry)) lines.send(status);
    lines.end();
    return reply;
  });
}

/** As Ollama's of a model whose layers are all there; nothing is checked or written, and nothing says so. */
function statusesOf({ path, digest, sizeBytes }: CatalogueEntry): Record<string, unknown>[] {
  const blob = /\/sha256-([0-9a-f]{64})$/.exec(path)?.[1] ?? digest;
  return [
    { status: 'pulling manifest' },
    { status: `pulling ${blob.slice(0, 12)}`, digest: `sha256:${blob}`, total: sizeBytes, completed: sizeBytes },
    { status: 'success' },
  ];
}
