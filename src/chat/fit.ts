/** A conversation as token ids that fit the model's context, where asked without its oldest messages. */
import type { Prompt } from '../engine/port.js';
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';
import type { Message } from './conversation.js';

export interface Fitted<T> {
  ids: number[];
  droppedMessages: number;
  rendered: T;
}

export interface Rendering<T> {
  prompt: Prompt;
  addSpecial: boolean;
  rendered: T;
}

export interface FitQuestion<T> {
  messages: readonly Message[];
  dropOldest: boolean;
  /** Ids that stand before the conversation's. */
  before: readonly number[];
  render: (messages: readonly Message[]) => Rendering<T>;
}

/** Throws `context_overflow` with both counts. */
export function mustFit(lease: Lease, count: number): void {
  const { context } = lease.model.info;
  if (count >= context) throw new LecternError('context_overflow', `The prompt has ${count} tokens and the model's context holds ${context}, one of them for the answer.`);
}

/** Every message costs a token at least: so many are not rendered to find that they do not fit, which would be time of the event loop. */
function tooMany(lease: Lease, count: number): LecternError | null {
  const { context } = lease.model.info;
  return count < context ? null : new LecternError('context_overflow', `The prompt has ${count} messages, of a token each at least, and the model's context holds ${context}, one of them for the answer.`);
}

/** Throws what rendering throws, and `context_overflow` where even the system messages and the last one are too long. */
export async function fit<T>(lease: Lease, question: FitQuestion<T>, signal: AbortSignal): Promise<Fitted<T>> {
  const attempt = async (droppedMessages: number, messages: readonly Message[]): Promise<Fitted<T>> => {
    const { prompt, addSpecial, rendered } = question.render(messages);
    const ids = await lease.model.tokenize(prompt, { addSpecial: addSpecial && question.before.length === 0, signal });
    return { ids: question.before.length === 0 ? ids : [...question.before, ...ids], droppedMessages, rendered };
  };
  const unfitting = tooMany(lease, question.dropOldest ? question.messages.filter(({ role }) => role === 'system').length : question.messages.length);
  if (unfitting !== null) throw unfitting;
  if (question.messages.length < lease.model.info.context) {
    const whole = await attempt(0, question.messages);
    if (!question.dropOldest) mustFit(lease, whole.ids.length);
    if (whole.ids.length < lease.model.info.context) return whole;
  }
  return dropOldest(lease, question.messages, attempt);
}

/**
 * The fewest dropped messages that make it fit, found by halving: a rendering of a long conversation takes time. What is kept never begins with the
 * answer of a tool; where a template refuses what would be kept (many want a user's message first), more is dropped.
 */
async function dropOldest<T>(
  lease: Lease, messages: readonly Message[], attempt: (dropped: number, messages: readonly Message[]) => Promise<Fitted<T>>,
): Promise<Fitted<T>> {
  const places = beginnings(messages).filter((place) => messages.length - place < lease.model.info.context);
  const refused = async (index: number): Promise<Fitted<T> | LecternError> => {
    const place = places[index] ?? 0;
    const kept = messages.filter(({ role }, at) => at >= place || role === 'system');
    try {
      return await attempt(messages.length - kept.length, kept);
    } catch (thrown) {
      if (thrown instanceof LecternError && thrown.code === 'invalid_request' && index < places.length - 1) return thrown;
      throw thrown;
    }
  };
  const least = await refused(places.length - 1);
  if (least instanceof LecternError) throw least;
  mustFit(lease, least.ids.length);
  let best = least;
  for (let low = 0, high = places.length - 1; low < high;) {
    const middle = Math.floor((low + high) / 2);
    let next = middle;
    let tried = await refused(next);
    while (tried instanceof LecternError && next + 1 < high) tried = await refused(next += 1);
    const fits = !(tried instanceof LecternError) && tried.ids.length < lease.model.info.context;
    if (fits) {
      best = tried as Fitted<T>;
      high = middle;
    } else low = next + 1;
  }
  return best;
}

/** Where what is kept may begin: behind the first message that can go; the last place keeps only the last message. */
function beginnings(messages: readonly Message[]): number[] {
  const last = messages.length - 1;
  const droppable = messages.findIndex(({ role }) => role !== 'system');
  const places = messages.flatMap(({ role }, at) => (at > droppable && at < last && role !== 'tool' && role !== 'system' ? [at] : []));
  return [...places, Math.max(0, last)];
}
