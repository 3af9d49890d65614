/** Conversations as trees of messages: an edit or another try is a branch beside the first. They are kept in this browser's IndexedDB. */
import { computed, signal } from '@preact/signals';
import { newId } from '../documents/queue.js';
import { kept, shelf } from '../lib/store.js';
import { texts } from '../texts.js';
import type { Call, Sampling, Stats } from './stream.js';

export interface Message {
  id: string;
  /** Null for the first one. */
  parent: string | null;
  role: 'user' | 'assistant';
  text: string;
  thought: string;
  calls: Call[];
  /** `data:` addresses. */
  images: string[];
  model: string;
  stats: Stats | null;
  /** Why it ended early. */
  end: '' | 'stopped' | 'cut' | 'failed';
  failure: string;
  at: number;
}

export interface Conversation {
  id: string;
  title: string;
  /** The last message that is shown. */
  head: string | null;
  messages: Record<string, Message>;
  changedAt: number;
}

export const conversations = signal<Conversation[]>([]);
export const model = kept('model', '');
export const system = kept('system', '');
export const sampling = kept<Sampling>('sampling', {});

export const byAge = computed(() => [...conversations.value].sort((a, b) => b.changedAt - a.changedAt));

export async function loadConversations(): Promise<void> {
  const all = await shelf.all<unknown>().catch((): unknown[] => []);
  const found: Conversation[] = all.filter(isConversation);
  // What was begun meanwhile stays.
  const here = new Set(conversations.value.map(({ id }) => id));
  conversations.value = [...conversations.value, ...found.filter(({ id }) => !here.has(id))];
}

export function isConversation(value: unknown): value is Conversation {
  const one = value as Partial<Conversation> | null;
  if (typeof one !== 'object' || one === null || typeof one.id !== 'string' || typeof one.title !== 'string' || typeof one.messages !== 'object' || one.messages === null) return false;
  return Object.values(one.messages).every((message) => typeof message.id === 'string' && typeof message.text === 'string' && (message.role === 'user' || message.role === 'assistant'));
}

export function begin(): Conversation {
  const made: Conversation = { id: newId(), title: texts.chat.untitled, head: null, messages: {}, changedAt: Date.now() };
  conversations.value = [...conversations.value, made];
  return made;
}

export function conversationOf(id: string): Conversation | undefined {
  return conversations.value.find((one) => one.id === id);
}

const longestTitle = 60;
const saveMs = 400;
const saving = new Map<string, ReturnType<typeof setTimeout>>();

export function update(id: string, how: (conversation: Conversation) => Conversation): void {
  conversations.value = conversations.value.map((one) => (one.id === id ? { ...how(one), changedAt: Date.now() } : one));
  clearTimeout(saving.get(id));
  saving.set(id, setTimeout(() => {
    const present = conversationOf(id);
    if (present !== undefined) void shelf.put(present).catch(() => undefined);
  }, saveMs));
}

export function add(id: string, message: Omit<Message, 'id' | 'at'>): string {
  const made: Message = { ...message, id: newId(), at: Date.now() };
  update(id, (one) => ({
    ...one, head: made.id, messages: { ...one.messages, [made.id]: made },
    title: one.title === texts.chat.untitled && message.role === 'user' ? message.text.replace(/\s+/g, ' ').slice(0, longestTitle) || one.title : one.title,
  }));
  return made.id;
}

export function changeMessage(id: string, message: string, how: (message: Message) => Partial<Message>): void {
  update(id, (one) => {
    const before = one.messages[message];
    return before === undefined ? one : { ...one, messages: { ...one.messages, [message]: { ...before, ...how(before) } } };
  });
}

export function removeConversation(id: string): void {
  clearTimeout(saving.get(id));
  conversations.value = conversations.value.filter((one) => one.id !== id);
  void shelf.remove(id).catch(() => undefined);
}

/** From the first message to the head. */
export function thread({ messages, head }: Conversation): Message[] {
  const path: Message[] = [];
  for (let at = head === null ? undefined : messages[head]; at !== undefined && path.length <= Object.keys(messages).length; at = at.parent === null ? undefined : messages[at.parent]) path.unshift(at);
  return path;
}

/** The messages beside this one, itself included, in the order in which they came. */
export function siblings({ messages }: Conversation, { parent, role }: Message): Message[] {
  return Object.values(messages).filter((one) => one.parent === parent && one.role === role).sort((a, b) => a.at - b.at);
}

/** Shows the branch that begins with a message, down to its latest end. */
export function showBranch(id: string, message: string): void {
  update(id, (one) => {
    let head = message;
    for (let step = 0; step <= Object.keys(one.messages).length; step++) {
      const child = Object.values(one.messages).filter(({ parent }) => parent === head).sort((a, b) => b.at - a.at)[0];
      if (child === undefined) break;
      head = child.id;
    }
    return { ...one, head };
  });
}
