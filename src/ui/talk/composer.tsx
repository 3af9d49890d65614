/** Where a message is written: Enter sends, Shift and Enter begin a line. */
import type { JSX, TargetedEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../lib/icons.js';
import { texts } from '../texts.js';

interface Props {
  label: string;
  isBusy: boolean;
  isOff?: boolean;
  takesImages?: boolean;
  onSend: (text: string, images: string[]) => void;
  onStop: () => void;
}

export function Composer({ label, isBusy, isOff = false, takesImages = false, onSend, onStop }: Props): JSX.Element {
  const [text, setText] = useState('');
  const [images, setImages] = useState<string[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isBusy) return onStop();
    if (text.trim() === '' || isOff) return;
    onSend(text.trim(), images);
    setText('');
    setImages([]);
  };
  const attach = async (event: TargetedEvent<HTMLInputElement>): Promise<void> => {
    const files = [...event.currentTarget.files ?? []];
    setImages([...images, ...await Promise.all(files.map(asDataAddress))]);
  };
  return (
    <form class="composer" ref={form} onSubmit={submit}>
      {images.length > 0 && <div class="row">{images.map((url) => <img class="attached" src={url} alt={texts.chat.attached} />)}<button type="button" class="small quiet" onClick={() => setImages([])}>{texts.remove}</button></div>}
      <textarea
        aria-label={label} placeholder={label} rows={Math.min(8, text.split('\n').length)} value={text} onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); if (!isBusy) form.current?.requestSubmit(); } }}
      />
      {takesImages && <label class="button small quiet">{texts.chat.attach}<input class="hidden" type="file" accept="image/png,image/jpeg,image/webp" multiple onChange={(event) => void attach(event)} /></label>}
      <button type="submit" class="primary round" aria-label={isBusy ? texts.chat.stop : texts.chat.send} disabled={!isBusy && (isOff || text.trim() === '')}><Icon name={isBusy ? 'stop' : 'send'} /></button>
    </form>
  );
}

function asDataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}
