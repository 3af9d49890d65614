/** What the page shows of the host: to every caller who it is and its own tasks; to administrators also all tasks, failed requests, the access list, and what models would take. */
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../../errors.js';
import { requireAdministrator } from '../access-gate.js';
import { isRecord } from '../conversion/kinds.js';
import { tenantOf } from '../conversion/task-status.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { HttpFailure, sendJson } from '../error-reply.js';
import { loadTimesOf } from '../language.js';
import type { RecentFailures } from './recent-failures.js';

const mostTasks = 200;
/** Of an address, or a key. */
const longestWord = 300;
const longestBodyBytes = 4096;

export function addHostRoutes(app: FastifyInstance, dependencies: HttpDependencies, failures: RecentFailures): void {
  const { tasks, gate, version, settings } = dependencies;
  app.get('/v1/host', async (request, reply) => {
    const { identity, isAdministrator } = request.caller;
    const all = isAdministrator || settings.sharedTasks;
    const body = {
      caller: { identity, administrator: isAdministrator },
      version: settings.showVersion ? version : null,
      limits: { workers: dependencies.workers ?? null, max_file_size: settings.maxFileSize, max_files: settings.maxFiles },
      tasks: tasks.list(tenantOf(request), mostTasks, all ? undefined : identity).map((task) => describeTask(task, isAdministrator)),
      ...(isAdministrator ? { failures: failures.list(), access: gate?.describe() ?? null } : {}),
    };
    return sendJson(reply.header('cache-control', 'no-store'), 200, body);
  });

  // An estimate reads each model's file: requests that come meanwhile share it.
  let estimating: Promise<object[]> | undefined;
  app.get('/v1/host/models', async (_request, reply) => {
    estimating ??= needs(dependencies).finally(() => { estimating = undefined; });
    return sendJson(reply, 200, { models: await estimating });
  });

  app.post('/v1/host/access-test', { bodyLimit: longestBodyBytes }, async (request, reply) => {
    requireAdministrator(request, 'The access list is tested');
    const { address, key = '' } = isRecord(request.body) ? request.body : {};
    if (typeof address !== 'string' || typeof key !== 'string' || Math.max(address.length, key.length) > longestWord) throw new HttpFailure(422, 'The body must be an object with the texts address and, where one is tried, key.');
    if (gate === undefined) throw new LecternError('not_found', 'This service has no access list.');
    return sendJson(reply, 200, gate.test(address.trim(), key.trim()));
  });
}

/** Names of documents are for their owners: an administrator sees how many there are. */
function describeTask({ id, kind, owner, status, position, meta, summary, failure, createdAt, startedAt, endedAt, expiresAt }: ConversionTaskView, withOwner: boolean): object {
  return {
    id, kind, status, position, ...(withOwner ? { owner } : {}),
    documents: summary?.documents.length ?? meta?.num_docs ?? null,
    pages_done: meta?.pages_done ?? null, pages_total: meta?.pages_total ?? null, stage: meta?.stage ?? null,
    outcome: summary?.status ?? null, failure: failure === null ? null : { code: failure.code, message: failure.message },
    created_at: createdAt, started_at: startedAt, ended_at: endedAt, expires_at: expiresAt,
  };
}

/** What each language model would take with the context of the settings, as it is estimated before a load. */
async function needs({ language }: HttpDependencies): Promise<object[]> {
  if (language?.need === undefined) return [];
  const { need, residency } = language;
  return Promise.all((await language.catalogue.list()).map(async (entry) => {
    const load = loadTimesOf(residency).expected(entry.name, entry.sizeBytes);
    try {
      const { bytes, context } = await need(entry);
      return { name: entry.name, memory_bytes: bytes, context, load_seconds: load, refusal: null };
    } catch (thrown) {
      if (!(thrown instanceof LecternError)) throw thrown;
      return { name: entry.name, memory_bytes: null, context: null, load_seconds: load, refusal: thrown.message };
    }
  }));
}
