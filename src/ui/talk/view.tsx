/** Conversations with the models of the host. */
import type { JSX, TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { newId } from '../documents/queue.js';
import { download } from '../lib/download.js';
import { count } from '../lib/format.js';
import { texts } from '../texts.js';
import { go, opened } from '../routes.js';
import { send, stop, underWay } from './answering.js';
import { Composer } from './composer.js';
import { begin, byAge, conversationOf, conversations, isConversation, loadConversations, model, removeConversation, thread, update, type Conversation } from './conversations.js';
import { MessageView } from './message.js';
import { currentModel, isDemo, ModelPicker } from './model-picker.js';
import { ChatSettings } from './settings.js';

// Once, when this view is first shown.
void loadConversations();

export function ChatView(): JSX.Element {
  const conversation = conversationOf(opened.value);
  const [settings, setSettings] = useState(false);
  const messages = conversation === undefined ? [] : thread(conversation);
  const busy = messages.find(({ id }) => underWay.value.has(id));
  const end = useRef<HTMLDivElement>(null);
  const last = messages.at(-1);
  useEffect(() => { end.current?.scrollIntoView({ block: 'end' }); }, [messages.length, last?.text.length]);
  const current = currentModel();
  const say = (text: string, images: string[]): void => {
    if (current === undefined) return;
    model.value = current.name;
    const into = conversation ?? begin();
    if (conversation === undefined) go('chat', into.id);
    void send(into.id, text, images, into.head);
  };
  return (
    <div class="chat">
      <History current={conversation} />
      <section class="talk" aria-label={texts.places.chat}>
        <div class="tools">
          <ModelPicker />
          <span class="spread" />
          {conversation !== undefined && <ContextLeft conversation={conversation} />}
          <button type="button" class="small" onClick={() => setSettings(true)}>{texts.chat.settings}</button>
        </div>
        <div class="messages" role="log" aria-label={texts.chat.messages} tabIndex={0}>
          {messages.length === 0 && <div class="welcome"><h1>{texts.chat.welcome}</h1><p class="soft">{texts.chat.welcomeMore}{isDemo(current) && ` ${texts.models.demoChat}`}</p>
            <div class="row center">{texts.chat.examples.map((example) => <button type="button" class="quiet outlined" onClick={() => say(example, [])}>{example}</button>)}</div></div>}
          {conversation !== undefined && messages.map((message) => <MessageView key={message.id} conversation={conversation} message={message} isLast={message === last} />)}
          <div ref={end} />
        </div>
        <Composer label={texts.chat.write} isBusy={busy !== undefined} isOff={current === undefined} takesImages={current?.can.includes('vision') ?? false} onSend={say} onStop={() => { if (busy !== undefined) stop(busy.id); }} />
      </section>
      {settings && <ChatSettings onClose={() => setSettings(false)} />}
    </div>
  );
}

function ContextLeft({ conversation }: { conversation: Conversation }): JSX.Element | null {
  const stats = thread(conversation).findLast((message) => message.stats !== null)?.stats;
  const context = currentModel()?.context;
  if (stats === null || stats === undefined || context === undefined) return null;
  const used = stats.promptTokens + stats.tokens;
  return <span class="soft wide" title={texts.chat.contextHelp}>{texts.chat.contextUsed(count(used), count(Math.max(0, context - used)))}</span>;
}

function History({ current }: { current: Conversation | undefined }): JSX.Element {
  const [failure, setFailure] = useState('');
  const load = async (event: TargetedEvent<HTMLInputElement>): Promise<void> => {
    const [file] = event.currentTarget.files ?? [];
    event.currentTarget.value = '';
    if (file === undefined) return;
    try {
      const found = JSON.parse(await file.text()) as { conversations?: unknown[] };
      const read = (found.conversations ?? []).filter(isConversation);
      if (read.length === 0) throw new Error(texts.chat.noImport);
      for (const one of read) {
        const made = { ...one, id: newId() };
        conversations.value = [...conversations.value, made];
        update(made.id, (same) => same);
      }
      setFailure('');
    } catch {
      setFailure(texts.chat.noImport);
    }
  };
  return (
    <aside class="history" aria-label={texts.chat.history}>
      <button type="button" class="primary" onClick={() => go('chat')}>{texts.chat.fresh}</button>
      <ul>
        {byAge.value.map((one) => (
          <li class={one === current ? 'current' : ''}>
            <a href={`#/chat/${one.id}`} aria-current={one === current ? 'page' : undefined}>{one.title}</a>
            <button type="button" class="small quiet" aria-label={texts.chat.removeOne(one.title)} onClick={() => { removeConversation(one.id); if (one === current) go('chat'); }}>✕</button>
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" class="small quiet" disabled={conversations.value.length === 0} onClick={() => download('lectern-conversations.json', JSON.stringify({ lectern: 1, conversations: conversations.value }), 'application/json')}>{texts.chat.exportAll}</button>
        <label class="button small quiet">{texts.chat.importAll}<input class="hidden" type="file" accept="application/json,.json" onChange={(event) => void load(event)} /></label>
      </div>
      {failure !== '' && <p class="failure" role="alert">{failure}</p>}
    </aside>
  );
}
