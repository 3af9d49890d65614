/** Documents: where they come in, how they stand, and the one that is open. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { bytes, count, duration } from '../lib/format.js';
import { Icon } from '../lib/icons.js';
import { texts } from '../texts.js';
import { go, opened, place } from '../routes.js';
import { OptionForm } from './option-form.js';
import { chosen } from './options.js';
import { addFiles, addUrl, cancel, entries, entryOf, remove, retry, type Entry } from './queue.js';
import { isNarrow } from './selection.js';
import { Viewer } from './viewer.js';

/** A first document opens by itself; one that is open stays, and on a phone the list. */
function add(list: Iterable<File>): void {
  const first = addFiles(list, chosen.value);
  go('documents', entryOf(place.value === 'documents' ? opened.value : '')?.id ?? (isNarrow.value ? undefined : first));
}

/** Takes what is dropped or pasted anywhere on the page. */
export function useDropAndPaste(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const take = (list: FileList | undefined | null): void => {
      if (list === undefined || list === null || list.length === 0) return;
      add(list);
    };
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent): void => { if (hasFiles(event)) { event.preventDefault(); setOver(true); } };
    const onLeave = (event: DragEvent): void => { if (event.relatedTarget === null) setOver(false); };
    const onDrop = (event: DragEvent): void => { if (hasFiles(event)) { event.preventDefault(); setOver(false); take(event.dataTransfer?.files); } };
    const onPaste = (event: ClipboardEvent): void => take(event.clipboardData?.files);
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    addEventListener('paste', onPaste);
    return () => { removeEventListener('dragover', onOver); removeEventListener('dragleave', onLeave); removeEventListener('drop', onDrop); removeEventListener('paste', onPaste); };
  }, []);
  return over;
}

export function DocumentsView(): JSX.Element {
  const entry = entryOf(opened.value);
  const isDone = entry?.state === 'done';
  return (
    <div class={`documents ${entry === undefined ? 'no-open' : 'has-open'}`}>
      <section class="side-panel" aria-label={texts.documents.list}>
        <AddDocuments />
        <OptionForm />
        <List current={entry} />
      </section>
      <section class="open-document" aria-label={texts.documents.open}>
        {entry === undefined ? <p class="soft middle">{entries.value.length === 0 ? texts.documents.none : texts.documents.pick}</p> : (
          <>
            <header class="title-bar">
              <a class="button small quiet back" href="#/documents" aria-label={texts.documents.back}>‹</a>
              <h1>{entry.name}</h1>
              <span class="spread" />
              {isDone && <a class="button small" href={`#/ask/${entry.id}`}>{texts.documents.ask}</a>}
            </header>
            {isDone ? <Viewer entry={entry} /> : <div class="middle"><Standing entry={entry} /></div>}
          </>
        )}
      </section>
    </div>
  );
}

function AddDocuments(): JSX.Element {
  const [url, setUrl] = useState('');
  const [failure, setFailure] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const addAddress = (event: Event): void => {
    event.preventDefault();
    if (!URL.canParse(url) || !/^https?:/.test(url)) return setFailure(texts.documents.badUrl);
    setFailure('');
    addUrl(url, chosen.value);
    setUrl('');
  };
  return (
    <div class="add">
      <button type="button" class="drop" onClick={() => input.current?.click()}>
        <Icon name="upload" /><strong>{texts.documents.drop}</strong><span class="soft">{texts.documents.dropMore}</span>
      </button>
      <input ref={input} class="hidden" type="file" multiple tabIndex={-1} aria-label={texts.documents.choose} onChange={(event) => { add(event.currentTarget.files ?? []); event.currentTarget.value = ''; }} />
      <form class="row" onSubmit={addAddress}>
        <input type="url" aria-label={texts.documents.url} placeholder={texts.documents.url} value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
        <button type="submit" class="small" disabled={url === ''}>{texts.documents.add}</button>
      </form>
      {failure !== '' && <p class="failure" role="alert">{failure}</p>}
    </div>
  );
}

function List({ current }: { current: Entry | undefined }): JSX.Element | null {
  const ended = entries.value.filter(({ state }) => state === 'done' || state === 'failed' || state === 'cancelled');
  if (entries.value.length === 0) return null;
  return (
    <>
      <div class="row list-head"><h2>{texts.documents.count(entries.value.length)}</h2><span class="spread" />
        {ended.length > 0 && <button type="button" class="small quiet" onClick={() => { if (confirm(texts.documents.clearSure(ended.length))) { remove(ended.map(({ id }) => id)); go('documents'); } }}>{texts.documents.clear}</button>}</div>
      <ul class="entries">
        {entries.value.map((entry) => (
          <li key={entry.id} class={entry === current ? 'current' : ''}>
            <a href={`#/documents/${entry.id}`} aria-current={entry === current ? 'page' : undefined}>
              <span class="name">{entry.name}</span>
              <Standing entry={entry} isShort />
            </a>
            <EntryActions entry={entry} />
          </li>
        ))}
      </ul>
    </>
  );
}

function EntryActions({ entry: { id, state, name } }: { entry: Entry }): JSX.Element {
  const isOpen = state === 'waiting' || state === 'uploading' || state === 'pending' || state === 'running';
  return (
    <span class="entry-actions">
      {isOpen && <button type="button" class="small quiet" aria-label={`${texts.cancel} ${name}`} onClick={() => void cancel(id)}>{texts.cancel}</button>}
      {(state === 'failed' || state === 'cancelled') && <button type="button" class="small quiet" aria-label={`${texts.retry} ${name}`} onClick={() => void retry(id, chosen.value)}>{texts.retry}</button>}
      {!isOpen && <button type="button" class="small quiet" aria-label={`${texts.remove} ${name}`} onClick={() => { remove([id]); if (opened.value === id) go('documents'); }}>✕</button>}
    </span>
  );
}

/** How a document stands, with its progress. */
function Standing({ entry, isShort = false }: { entry: Entry; isShort?: boolean }): JSX.Element {
  const { state, sent, position, pagesDone, pagesTotal, error, size, startedAt, endedAt, ignored } = entry;
  const share = state === 'uploading' ? sent : state === 'running' && pagesTotal > 0 ? pagesDone / pagesTotal : null;
  return (
    <span class={`standing state-${state}`} role={isShort ? undefined : 'status'}>
      <span class="soft">{state === 'pending' ? texts.documents.waits(position)
        : state === 'running' ? [texts.documents.pagesOf(count(pagesDone), pagesTotal === 0 ? '…' : count(pagesTotal)), speed(entry)].filter((part) => part !== '').join(' · ')
          : state === 'done' ? [pagesTotal > 0 ? texts.documents.pages(count(pagesTotal)) : '', startedAt !== null && endedAt !== null ? duration((endedAt - startedAt) / 1000) : '', size === null ? '' : bytes(size)].filter((part) => part !== '').join(' · ')
            : texts.documents.states[state]}</span>
      {share !== null && <progress max={1} value={share} aria-label={texts.documents.states[state]} />}
      {error !== '' && <span class="failure">{error}</span>}
      {!isShort && ignored !== '' && <span class="soft">{texts.documents.ignored(ignored)}</span>}
    </span>
  );
}

/** Pages a second, and what remains at that speed. */
function speed({ startedAt, pagesDone, pagesTotal }: Entry): string {
  if (startedAt === null || pagesDone < 1) return '';
  const perSecond = pagesDone / Math.max(0.1, (Date.now() - startedAt) / 1000);
  const left = pagesTotal > pagesDone ? ` · ${texts.documents.left(duration((pagesTotal - pagesDone) / perSecond))}` : '';
  return `${texts.documents.speed(perSecond >= 10 ? String(Math.round(perSecond)) : perSecond.toFixed(1))}${left}`;
}
