/** What the language routes of all contracts share: the services they use, and how a request waits for its slot and its model. */
import type { FastifyReply } from 'fastify';
import type { Answer, AnswerListener, AnswerRequest, Conversation } from '../chat/answer.js';
import { LecternError } from '../errors.js';
import { isOrdinary } from '../models/keep-alive-notation.js';
import { layerSampling } from '../models/layer-sampling.js';
import type { Capability, Catalogue, CatalogueEntry, DistantResidency, KeepAlive, Lease, Residency, Slots, VisionResidency } from '../models/types.js';
import type { ResponseStore } from './openai/response-store.js';
import { requireAdministrator } from './access-gate.js';
import { ClientGone } from './client-gone.js';
import { LoadTimes } from './load-times.js';

export interface LanguageServices {
  catalogue: Catalogue;
  residency: Residency;
  /** Vision models, and the networks of conversion workers. */
  vision: Pick<VisionResidency, 'listVision'> & Pick<DistantResidency, 'listDistant'>;
  /** What the model would take in memory, and its context with that. Rejects as a load does. Absent: not known. */
  need?: (entry: CatalogueEntry) => Promise<{ bytes: number; context: number }>;
  /** The slots of chat and completions. */
  slots: Slots;
  /** The slots of embeddings, which never wait for a chat. */
  embeddingSlots: Slots;
  /** The value of a JSON text in pieces. Rejects with `invalid_request` for bytes that are none or more than a request may hold, `queue_full` while too many wait. */
  readJson(pieces: readonly Uint8Array[]): Promise<unknown>;
  answer(lease: Lease, request: AnswerRequest, listener: AnswerListener, signal: AbortSignal): Promise<Answer>;
  /** Tokens of the prompt that a conversation becomes, also where the context holds fewer. */
  countPrompt(lease: Lease, conversation: Conversation, signal: AbortSignal): Promise<number>;
  /** The token ids of that prompt. */
  promptTokens(lease: Lease, conversation: Conversation, signal: AbortSignal): Promise<number[]>;
  /** Whether token ids may be embedded in place of texts. Where not, they are refused, because clients make them with another model's vocabulary. */
  embedsTokenIds: boolean;
  /** That clients may go on from; null: none are kept. */
  responses: ResponseStore | null;
  /** The present time; a test may count instead. */
  now(): Date;
}

export interface Turn<T> {
  entry: CatalogueEntry;
  keepAlive?: KeepAlive | undefined;
  /** `loadMs`: the milliseconds from asking for the model to having it, which are above 0 for a loaded model, too. */
  work: (lease: Lease, signal: AbortSignal, loadMs: number) => Promise<T>;
}

/** The listeners of queue positions, by the reply that waits. */
const followers = new WeakMap<FastifyReply, (position: number) => void>();

const loadTimes = new WeakMap<Residency, LoadTimes>();

/** The loads of models that requests waited for. */
export function loadTimesOf(residency: Residency): LoadTimes {
  const known = loadTimes.get(residency) ?? new LoadTimes();
  loadTimes.set(residency, known);
  return known;
}

/** Calls `onPosition` with the queue position of the reply's request, at once and at every change; 0 where it has a slot or one is free. */
export function followQueue(reply: FastifyReply, onPosition: (position: number) => void): void {
  followers.set(reply, onPosition);
}

/**
 * Waits for a slot and for the model, then runs the work; all of it is cancelled when the client disconnects. The reply's header `x-queue-position` has the queue position
 * at arrival, 0 where a slot is free. Throws `forbidden` for a keep_alive that only administrators may ask for.
 */
export function takeTurn<T>(services: LanguageServices, reply: FastifyReply, slots: Slots, turn: Turn<T>): Promise<T> {
  const signal = new ClientGone(reply);
  const { entry, keepAlive } = turn;
  checkKeepAlive(reply, keepAlive);
  let loadMs = 0;
  const load = async (): Promise<Lease> => {
    const began = performance.now();
    const lease = await services.residency.lend(entry, { signal, ...(keepAlive === undefined ? {} : { keepAlive }) });
    loadMs = Math.max(lease.loadMs, performance.now() - began);
    if (lease.loadMs > 0) loadTimesOf(services.residency).note(entry.name, entry.sizeBytes, lease.loadMs);
    return lease;
  };
  const report = (position: number): void => {
    if (!reply.hasHeader('x-queue-position')) void reply.header('x-queue-position', String(position));
    followers.get(reply)?.(position);
  };
  const answer = slots.run({ caller: reply.request.caller.identity, signal, load, onPosition: report, work: (lease) => turn.work(lease, signal.signal, loadMs) });
  // A refused request has no queue position; the header may hold that of an earlier turn of the same reply.
  return answer.catch((thrown: unknown) => {
    if (thrown instanceof LecternError && thrown.code === 'queue_full') void reply.removeHeader('x-queue-position');
    throw thrown;
  });
}

/** Among the embeddings' turns: counting never waits for a chat, but for its model to be loaded. */
export function countTokens(services: LanguageServices, reply: FastifyReply, entry: CatalogueEntry, conversation: Conversation): Promise<number> {
  return takeTurn(services, reply, services.embeddingSlots, { entry, work: (lease, signal) => services.countPrompt(lease, conversation, signal) });
}

/** Throws `forbidden` where a caller that is no administrator asks for a time to live that affects all others: one that unloads the model nearly at once, or keeps it for days. */
export function checkKeepAlive({ request }: FastifyReply, keepAlive: KeepAlive | undefined): void {
  if (keepAlive !== undefined && !isOrdinary(keepAlive)) requireAdministrator(request, 'Models are unloaded or pinned (keep_alive below 10 seconds, above 24 hours or negative)');
}

/** The request with the sampling options of the model's parameters layer where the client gave none. */
export function withModelDefaults(entry: CatalogueEntry, request: AnswerRequest): AnswerRequest {
  return { ...request, sampling: { ...layerSampling(entry.parameters), ...request.sampling } };
}

/** What a model of each kind does, and the routes for it. */
const kinds: Partial<Record<Capability, string>> = {
  embedding: 'makes embeddings: use /v1/embeddings or /api/embed',
  rerank: 'scores documents for a query: use /v1/rerank',
  completion: 'generates text: use /v1/chat/completions or /api/chat',
};

/** Throws `invalid_request` when the model cannot do what is asked; the sentence names the routes for what it can. */
export function requireCapability(entry: CatalogueEntry, capability: 'completion' | 'embedding' | 'rerank', model: string): void {
  if (!entry.capabilities.includes(capability)) throw new LecternError('invalid_request', `The model '${model}' ${purposeOf(entry)}.`);
}

/** What the model does, and the routes for it: the end of a sentence about it. */
export function purposeOf({ capabilities }: CatalogueEntry): string {
  return kinds[capabilities.find((can) => kinds[can] !== undefined) ?? 'completion'] as string;
}
