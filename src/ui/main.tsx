/** The page: its frame, its places, and the key where the service asks for one. */
import { render, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { lazyView } from './lib/lazy.js';
import { key, needsKey, setKey } from './lib/api.js';
import { Dialog } from './lib/dialog.js';
import { Icon } from './lib/icons.js';
import { refreshModels } from './lib/models.js';
import { kept } from './lib/store.js';
import { DocumentsView, useDropAndPaste } from './documents/view.js';
import { follow } from './documents/queue.js';
import { place, places, type Place } from './routes.js';
import { texts } from './texts.js';
import './style/base.css';
import './style/documents.css';
import './style/talk.css';

const theme = kept<'system' | 'light' | 'dark'>('theme', 'system', (value) => ['system', 'light', 'dark'].includes(String(value)));
const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;
const icons = { documents: 'document', chat: 'chat', ask: 'ask', host: 'host' } as const;

const views: Record<Place, () => JSX.Element> = {
  documents: DocumentsView,
  chat: lazyView(async () => (await import('./talk/view.js')).ChatView),
  ask: lazyView(async () => (await import('./ask/view.js')).AskView),
  host: lazyView(async () => (await import('./host/view.js')).HostView),
};

function Page(): JSX.Element {
  const isOver = useDropAndPaste();
  const [asksKey, setAsksKey] = useState(false);
  const View = views[place.value];
  useEffect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
  }, [theme.value]);
  useEffect(() => { document.title = `${texts.places[place.value]} · Lectern`; void refreshModels().catch(() => undefined); }, [place.value, key.value]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>{texts.skip}</a>
      <header class="top">
        <a class="brand" href="#/documents"><Icon name="book" /><span>Lectern</span></a>
        <nav aria-label={texts.navigation}>
          {places.map((one) => <a href={`#/${one}`} aria-current={one === place.value ? 'page' : undefined}><Icon name={icons[one]} /><span>{texts.places[one]}</span></a>)}
        </nav>
        <span class="spread" />
        <a class="button quiet small wide" href="../docs">{texts.reference}</a>
        <button type="button" class="quiet round" aria-label={texts.key.button} title={texts.key.button} onClick={() => setAsksKey(true)}><Icon name="key" /></button>
        <button type="button" class="quiet round" aria-label={texts.theme[theme.value]} title={texts.theme[theme.value]} onClick={() => { theme.value = nextTheme[theme.value]; }}><Icon name="theme" /></button>
      </header>
      <main id="main" tabIndex={-1}><View /></main>
      {isOver && <div class="drop-here" aria-hidden="true"><strong>{texts.documents.dropHere}</strong></div>}
      {(asksKey || needsKey.value) && <KeyDialog onClose={() => { setAsksKey(false); needsKey.value = false; }} />}
    </>
  );
}

function KeyDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const [value, setValue] = useState(key.value);
  return (
    <Dialog title={texts.key.title} onClose={onClose}>
      <form onSubmit={(event) => { event.preventDefault(); setKey(value); onClose(); }}>
        <p class="soft">{texts.key.more}</p>
        <label>{texts.key.label}<input type="password" autocomplete="off" value={value} onInput={(event) => setValue(event.currentTarget.value)} /></label>
        <div class="row end"><button type="button" class="quiet" onClick={onClose}>{texts.cancel}</button><button type="submit" class="primary">{texts.key.keep}</button></div>
      </form>
    </Dialog>
  );
}

follow();
render(<Page />, document.getElementById('page') as HTMLElement);
