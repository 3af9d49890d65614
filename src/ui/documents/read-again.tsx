/** Reads one page again with other options: as a scan, in another language, with another table mode, by an installed model. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { askJson, sentence } from '../lib/api.js';
import { Dialog } from '../lib/dialog.js';
import { texts } from '../texts.js';
import { readAgain } from './opened.js';
import { embedsPictures, formFields } from './options.js';
import { sourceOf, type Entry } from './queue.js';

interface Capabilities { stages: { ocr: { presets: { id: string; name: string }[] } } }

export function ReadAgain({ entry, page, onClose }: { entry: Entry; page: number; onClose: () => void }): JSX.Element {
  const [asScan, setAsScan] = useState(true);
  const [language, setLanguage] = useState(String(entry.options['ocr_lang'] ?? ''));
  const [tables, setTables] = useState('accurate');
  const [reader, setReader] = useState('auto');
  const [readers, setReaders] = useState<string[]>(['auto']);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const stop = useRef(new AbortController());
  useEffect(() => {
    void askJson<Capabilities>('v1/capabilities').then(({ stages }) => setReaders(stages.ocr.presets.map(({ id }) => id))).catch(() => undefined);
    const { current } = stop;
    return () => current.abort();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure('');
    try {
      const form = formFields({ ...entry.options, page_range: [page, page], force_ocr: asScan, table_mode: tables, ...(reader === 'auto' ? {} : { ocr_preset: reader }), ...(language.trim() === '' ? {} : { ocr_lang: language.trim() }) }, embedsPictures(entry.name));
      form.append('files', await sourceOf(entry), entry.name);
      await readAgain(entry.id, page, form, stop.current.signal);
      onClose();
    } catch (thrown) {
      if (!stop.current.signal.aborted) setFailure(sentence(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={texts.again.title(page)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="check"><input type="checkbox" checked={asScan} onChange={(event) => setAsScan(event.currentTarget.checked)} /> {texts.again.asScan}</label>
        <label>{texts.again.language}<input type="text" value={language} placeholder="de, en" onInput={(event) => setLanguage(event.currentTarget.value)} /></label>
        <label>{texts.again.tables}<select value={tables} onChange={(event) => setTables(event.currentTarget.value)}><option value="accurate">{texts.again.accurate}</option><option value="fast">{texts.again.fast}</option></select></label>
        <label>{texts.again.reader}<select value={reader} onChange={(event) => setReader(event.currentTarget.value)}>{readers.map((one) => <option value={one}>{one}</option>)}</select></label>
        {failure !== '' && <p class="failure" role="alert">{failure}</p>}
        <div class="row end"><button type="button" class="quiet" onClick={onClose}>{texts.cancel}</button><button type="submit" class="primary" disabled={busy}>{busy ? texts.again.reading : texts.again.read}</button></div>
      </form>
    </Dialog>
  );
}
