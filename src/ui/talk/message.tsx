/** One message of a conversation with what can be done with it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { copy } from '../lib/download.js';
import { count } from '../lib/format.js';
import { renderMarkdown } from '../lib/markdown.js';
import { texts } from '../texts.js';
import { answer, goOn, send, underWay } from './answering.js';
import { showBranch, siblings, type Conversation, type Message } from './conversations.js';

export function MessageView({ conversation, message, isLast }: { conversation: Conversation; message: Message; isLast: boolean }): JSX.Element {
  const [edits, setEdits] = useState(false);
  const position = underWay.value.get(message.id);
  const isUser = message.role === 'user';
  return (
    <article class={`message ${message.role}`} aria-label={isUser ? texts.chat.you : message.model}>
      {!isUser && <div class="message-who soft">{message.model}</div>}
      {message.thought !== '' && <details class="thought" open={position !== undefined && message.text === ''}><summary>{texts.chat.thought}</summary><p>{message.thought}</p></details>}
      {message.images.map((url) => <img class="attached" src={url} alt={texts.chat.attached} />)}
      {edits ? <Editor conversation={conversation} message={message} onEnd={() => setEdits(false)} /> : isUser ? <p class="said">{message.text}</p> : <div class="prose" dangerouslySetInnerHTML={{ __html: renderMarkdown(message.text) }} />}
      {message.calls.map((call) => <details class="call"><summary>{texts.chat.call(call.name)}</summary><pre>{call.arguments}</pre></details>)}
      {position !== undefined && <p class="soft" role="status">{position > 0 ? texts.chat.waits(position) : message.text === '' && message.thought === '' ? texts.chat.begins : <span class="caret" />}</p>}
      {message.end === 'failed' && <p class="failure" role="alert">{message.failure}</p>}
      {position === undefined && !edits && <Actions conversation={conversation} message={message} isLast={isLast} onEdit={() => setEdits(true)} />}
    </article>
  );
}

function Actions({ conversation, message, isLast, onEdit }: { conversation: Conversation; message: Message; isLast: boolean; onEdit: () => void }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const { stats } = message;
  const branches = siblings(conversation, message);
  const at = branches.findIndex(({ id }) => id === message.id);
  const copyText = async (): Promise<void> => {
    setCopied(await copy(message.text));
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="actions soft">
      {branches.length > 1 && (
        <span class="branches">
          <button type="button" class="small quiet" disabled={at === 0} aria-label={texts.chat.before} onClick={() => showBranch(conversation.id, (branches[at - 1] as Message).id)}>‹</button>
          {at + 1}/{branches.length}
          <button type="button" class="small quiet" disabled={at === branches.length - 1} aria-label={texts.chat.after} onClick={() => showBranch(conversation.id, (branches[at + 1] as Message).id)}>›</button>
        </span>
      )}
      <button type="button" class="small quiet" onClick={() => void copyText()}>{copied ? texts.copied : texts.copy}</button>
      {message.role === 'user' && <button type="button" class="small quiet" onClick={onEdit}>{texts.chat.edit}</button>}
      {message.role === 'assistant' && message.parent !== null && <button type="button" class="small quiet" onClick={() => void answer(conversation.id, message.parent as string)}>{texts.retry}</button>}
      {isLast && message.role === 'assistant' && (message.end === 'stopped' || message.end === 'cut') && <button type="button" class="small quiet" onClick={() => void goOn(conversation.id, message.id)}>{texts.chat.goOn}</button>}
      {message.end === 'stopped' && <span>{texts.chat.stopped}</span>}
      {message.end === 'cut' && <span>{texts.chat.cut}</span>}
      {stats !== null && <span class="stats">{texts.chat.stats(stats.perSecond.toFixed(1), (stats.firstMs / 1000).toFixed(2), count(stats.promptTokens + stats.tokens))}</span>}
    </div>
  );
}

function Editor({ conversation, message, onEnd }: { conversation: Conversation; message: Message; onEnd: () => void }): JSX.Element {
  const [text, setText] = useState(message.text);
  const submit = (event: Event): void => {
    event.preventDefault();
    onEnd();
    void send(conversation.id, text, message.images, message.parent);
  };
  return (
    <form class="editor" onSubmit={submit}>
      <textarea aria-label={texts.chat.edit} rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="row end"><button type="button" class="quiet small" onClick={onEnd}>{texts.cancel}</button><button type="submit" class="primary small">{texts.chat.sendAgain}</button></div>
    </form>
  );
}
