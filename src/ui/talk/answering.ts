/** Asks a model for the next message of a conversation, and writes down what comes. */
import { signal } from '@preact/signals';
import { sentence } from '../lib/api.js';
import { refreshLoaded } from '../lib/models.js';
import { texts } from '../texts.js';
import { add, changeMessage, conversationOf, model, sampling, system, thread, type Message } from './conversations.js';
import { streamAnswer, type WireMessage } from './stream.js';

/** Answers under way, by their message: the queue position, 0 for one that has its slot. */
export const underWay = signal<ReadonlyMap<string, number>>(new Map());
const stops = new Map<string, AbortController>();

function mark(message: string, position: number | null): void {
  const next = new Map(underWay.value);
  if (position === null) next.delete(message);
  else next.set(message, position);
  underWay.value = next;
}

export function stop(message: string): void {
  stops.get(message)?.abort();
}

export const blank = { thought: '', calls: [], images: [] as string[], stats: null, end: '' as const, failure: '' };

function wire(messages: Message[]): WireMessage[] {
  return [
    ...(system.value.trim() === '' ? [] : [{ role: 'system' as const, content: system.value }]),
    ...messages.map(({ role, text, images }): WireMessage => ({
      role, content: images.length === 0 ? text : [...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })), { type: 'text' as const, text }],
    })),
  ];
}

export async function send(id: string, text: string, images: string[], parent: string | null): Promise<void> {
  const question = add(id, { ...blank, parent, role: 'user', text, images, model: model.value });
  await answer(id, question);
}

/** A new answer to a message of the user; one that is there stays as a branch. */
export async function answer(id: string, question: string): Promise<void> {
  const made = add(id, { ...blank, parent: question, role: 'assistant', text: '', model: model.value });
  const conversation = conversationOf(id);
  if (conversation === undefined) return;
  await run(id, made, wire(thread({ ...conversation, head: question })));
}

/** Goes on with an answer that was stopped or cut. */
export async function goOn(id: string, message: string): Promise<void> {
  const conversation = conversationOf(id);
  if (conversation === undefined) return;
  await run(id, message, [...wire(thread({ ...conversation, head: message })), { role: 'user', content: texts.chat.goOnPrompt }]);
}

async function run(id: string, message: string, messages: WireMessage[]): Promise<void> {
  const controller = new AbortController();
  stops.set(message, controller);
  mark(message, 0);
  changeMessage(id, message, () => ({ end: '', failure: '' }));
  try {
    const { stats, cut } = await streamAnswer(model.value, messages, sampling.value, {
      onText: (piece) => changeMessage(id, message, ({ text }) => ({ text: text + piece })),
      onThought: (piece) => changeMessage(id, message, ({ thought }) => ({ thought: thought + piece })),
      onCall: (call) => changeMessage(id, message, ({ calls }) => ({ calls: [...calls, call] })),
      onPosition: (position) => { if (underWay.peek().get(message) !== position) mark(message, position); },
    }, controller.signal);
    changeMessage(id, message, () => ({ stats, end: cut ? 'cut' : '' }));
  } catch (thrown) {
    if (controller.signal.aborted) changeMessage(id, message, () => ({ end: 'stopped' }));
    else changeMessage(id, message, () => ({ end: 'failed', failure: sentence(thrown) }));
  } finally {
    stops.delete(message);
    mark(message, null);
    void refreshLoaded().catch(() => undefined);
  }
}
