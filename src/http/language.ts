/** What the language routes of every contract need, and how one answer is come by. */
import type { FastifyReply } from 'fastify';
import type { Answer, AnswerListener, AnswerRequest, Conversation } from '../chat/answer.js';
import { LecternError } from '../errors.js';
import { isOrdinary } from '../models/keep-alive-notation.js';
import { layerSampling } from '../models/layer-sampling.js';
import type { Capability, Catalogue, CatalogueEntry, DistantResidency, KeepAlive, Lease, Residency, Slots, VisionResidency } from '../models/types.js';
import { requireAdministrator } from './access-gate.js';
import { ClientGone } from './client-gone.js';

export interface LanguageServices {
  catalogue: Catalogue;
  residency: Residency;
  /** Vision models, and the networks of conversion workers. */
  vision: Pick<VisionResidency, 'listVision'> & Pick<DistantResidency, 'listDistant'>;
  /** Of chat and completions. */
  slots: Slots;
  /** Of embeddings: they never wait for a chat. */
  embeddingSlots: Slots;
  /** The value of a JSON text in pieces. Rejects with `invalid_request` for bytes that are none or more than a request may hold, `queue_full` while too many wait. */
  readJson(pieces: readonly Uint8Array[]): Promise<unknown>;
  answer(lease: Lease, request: AnswerRequest, listener: AnswerListener, signal: AbortSignal): Promise<Answer>;
  /** Tokens of the prompt that a conversation becomes, also where the context holds fewer. */
  countPrompt(lease: Lease, conversation: Conversation, signal: AbortSignal): Promise<number>;
  /** Their ids. */
  promptTokens(lease: Lease, conversation: Conversation, signal: AbortSignal): Promise<number[]>;
  /** Token ids in the place of texts to embed; false: refused, because clients make them with another model's vocabulary. */
  embedsTokenIds: boolean;
  /** Fresh each time; tests give one that counts. */
  now(): Date;
}

export interface Turn<T> {
  entry: CatalogueEntry;
  keepAlive?: KeepAlive | undefined;
  /** `loadMs`: what getting the model took, which is never nothing. */
  work: (lease: Lease, signal: AbortSignal, loadMs: number) => Promise<T>;
}

/** By the reply that waits. */
const followers = new WeakMap<FastifyReply, (position: number) => void>();

/** Calls with the place in the queue of the turns that this reply takes, at once and at every change; 0 where it has a slot, or one is free. */
export function followQueue(reply: FastifyReply, onPosition: (position: number) => void): void {
  followers.set(reply, onPosition);
}

/**
 * Waits for a slot and for the model, then works; all of it ends when the client leaves. The reply's header `x-queue-position` has the place in the
 * queue at arrival, 0 where a slot is free. Throws `forbidden` for a keep_alive that is not the caller's to give.
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
    return lease;
  };
  const report = (position: number): void => {
    if (!reply.hasHeader('x-queue-position')) void reply.header('x-queue-position', String(position));
    followers.get(reply)?.(position);
  };
  const answer = slots.run({ caller: reply.request.caller.identity, signal, load, onPosition: report, work: (lease) => turn.work(lease, signal.signal, loadMs) });
  // A request that is refused has no place, whatever an earlier one of the same client had.
  return answer.catch((thrown: unknown) => {
    if (thrown instanceof LecternError && thrown.code === 'queue_full') void reply.removeHeader('x-queue-position');
    throw thrown;
  });
}

/** Among the embeddings' turns: counting never waits for a chat, but for its model to be loaded. */
export function countTokens(services: LanguageServices, reply: FastifyReply, entry: CatalogueEntry, conversation: Conversation): Promise<number> {
  return takeTurn(services, reply, services.embeddingSlots, { entry, work: (lease, signal) => services.countPrompt(lease, conversation, signal) });
}

/** A model that is dropped as good as at once, or kept for days, is taken from everybody else: throws `forbidden` for all but administrators. */
export function checkKeepAlive({ request }: FastifyReply, keepAlive: KeepAlive | undefined): void {
  if (keepAlive !== undefined && !isOrdinary(keepAlive)) requireAdministrator(request, 'Models are unloaded or pinned (keep_alive below 10 seconds, above 24 hours or negative)');
}

/** What the client leaves open the model's own parameters decide. */
export function withModelDefaults(entry: CatalogueEntry, request: AnswerRequest): AnswerRequest {
  return { ...request, sampling: { ...layerSampling(entry.parameters), ...request.sampling } };
}

/** Throws `invalid_request` when the model cannot do what is asked. */
export function requireCapability(entry: CatalogueEntry, capability: Capability, sentence: string): void {
  if (!entry.capabilities.includes(capability)) throw new LecternError('invalid_request', sentence);
}
