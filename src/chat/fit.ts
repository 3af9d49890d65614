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

export interface Rendered {
  prompt: Prompt;
  addSpecial: boolean;
}

/** Of a prompt that is only counted. */
export interface Beginning extends Rendered {
  isCut: boolean;
}

export interface Rendering<T> extends Rendered {
  rendered: T;
}

export interface FitQuestion<T> {
  messages: readonly Message[];
  dropOldest: boolean;
  /** Ids that stand before the conversation's. */
  before: readonly number[];
  render: (messages: readonly Message[]) => Promise<Rendering<T>>;
  /** Characters of what render() would put into the prompt. */
  sizeOf: (messages: readonly Message[]) => number;
  /** The beginning: quicker, and good enough to count tokens by. */
  renderRoughly: (messages: readonly Message[], mostCharacters: number) => Promise<Beginning>;
}

/** Characters for each token of the context above which a text is counted before anything else is done with it. Prose has 4 to 6 to a token. */
const farTooMany = 16;
/** Characters for each token of the context that are counted of such a text. Of 15 MB of prose, the engine's copy alone took 22 ms of the event loop. */
const counted = 32;

/** Throws `context_overflow` with both counts. */
export function mustFit(lease: Lease, count: number): void {
  const { context } = lease.model.info;
  if (count >= context) throw tooLong(count, context);
}

/** Every message costs a token at least: so many are not rendered to find that they do not fit, which would be time of the event loop. */
function tooMany(lease: Lease, count: number): LecternError | null {
  const { context } = lease.model.info;
  return count < context ? null : new LecternError('context_overflow', `The prompt is longer than the model's context: it has ${count} messages, of a token each at least, and the context holds ${context}, one of them for the answer.`);
}

/**
 * Of a text that is far longer than the context the beginning is counted first, on the engine's thread: to separate the parts of all of it and to hand over
 * millions of ids would be time of the event loop. `render` need not be exact: what has less than twice the tokens of the context goes on. Throws
 * `context_overflow` with both counts, the first of which is a lower bound where the text was cut.
 */
export async function refuseFarTooLong(lease: Lease, size: number, render: (mostCharacters: number) => Promise<Beginning>, signal: AbortSignal): Promise<void> {
  const { context } = lease.model.info;
  if (size <= farTooMany * context) return;
  const { prompt, addSpecial, isCut } = await render(counted * context);
  const count = await lease.model.countTokens(prompt, { addSpecial, signal });
  if (count >= 2 * context) throw tooLong(count, context, isCut);
}

function tooLong(count: number, context: number, isMore = false): LecternError {
  return new LecternError('context_overflow', `The prompt is longer than the model's context: it has ${isMore ? 'more than ' : ''}${count} tokens and the context holds ${context}, one of them for the answer.`);
}

function isOverflow(thrown: unknown): thrown is LecternError {
  return thrown instanceof LecternError && thrown.code === 'context_overflow';
}

/** Throws what rendering throws, and `context_overflow` where even the system messages and the last one are too long. */
export async function fit<T>(lease: Lease, question: FitQuestion<T>, signal: AbortSignal): Promise<Fitted<T>> {
  const attempt = async (droppedMessages: number, messages: readonly Message[]): Promise<Fitted<T>> => {
    await refuseFarTooLong(lease, question.sizeOf(messages), (mostCharacters) => question.renderRoughly(messages, mostCharacters), signal);
    const { prompt, addSpecial, rendered } = await question.render(messages);
    const ids = await lease.model.tokenize(prompt, { addSpecial: addSpecial && question.before.length === 0, signal });
    mustFit(lease, question.before.length + ids.length);
    return { ids: question.before.length === 0 ? ids : [...question.before, ...ids], droppedMessages, rendered };
  };
  const unfitting = tooMany(lease, question.dropOldest ? question.messages.filter(({ role }) => role === 'system').length : question.messages.length);
  if (unfitting !== null) throw unfitting;
  if (question.messages.length < lease.model.info.context) {
    try {
      return await attempt(0, question.messages);
    } catch (thrown) {
      if (!question.dropOldest || !isOverflow(thrown) || !canDrop(question.messages)) throw thrown;
    }
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
      if (isOverflow(thrown) || (thrown instanceof LecternError && thrown.code === 'invalid_request' && index < places.length - 1)) return thrown;
      throw thrown;
    }
  };
  const least = await refused(places.length - 1);
  if (least instanceof LecternError) throw least;
  let best = least;
  for (let low = 0, high = places.length - 1; low < high;) {
    const middle = Math.floor((low + high) / 2);
    let next = middle;
    let tried = await refused(next);
    while (tried instanceof LecternError && !isOverflow(tried) && next + 1 < high) tried = await refused(next += 1);
    if (tried instanceof LecternError) low = next + 1;
    else {
      best = tried;
      high = middle;
    }
  }
  return best;
}

/** Whether anything is left out when only the system's messages and the last one stay. */
function canDrop(messages: readonly Message[]): boolean {
  return messages.slice(0, -1).some(({ role }) => role !== 'system');
}

/** Where what is kept may begin: behind the first message that can go; the last place keeps only the last message. */
function beginnings(messages: readonly Message[]): number[] {
  const last = messages.length - 1;
  const droppable = messages.findIndex(({ role }) => role !== 'system');
  const places = messages.flatMap(({ role }, at) => (at > droppable && at < last && role !== 'tool' && role !== 'system' ? [at] : []));
  return [...places, Math.max(0, last)];
}
