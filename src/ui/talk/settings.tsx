/** What the model is told first, and how it chooses its tokens. An empty field leaves the model's own value. */
import type { JSX } from 'preact';
import { Dialog } from '../lib/dialog.js';
import { without } from '../lib/format.js';
import { texts } from '../texts.js';
import { sampling, system } from './conversations.js';
import type { Sampling } from './stream.js';

const fields: { name: keyof Sampling; least: number; most: number; step: number }[] = [
  { name: 'temperature', least: 0, most: 2, step: 0.05 }, { name: 'top_p', least: 0, most: 1, step: 0.05 }, { name: 'top_k', least: 0, most: 1000, step: 1 }, { name: 'min_p', least: 0, most: 1, step: 0.01 },
  { name: 'repeat_penalty', least: 0, most: 2, step: 0.05 }, { name: 'max_tokens', least: 1, most: 1_000_000, step: 1 }, { name: 'seed', least: 0, most: 2 ** 31, step: 1 },
];

export function ChatSettings({ onClose }: { onClose: () => void }): JSX.Element {
  const set = (name: keyof Sampling, text: string): void => {
    const rest: Sampling = without(sampling.value as Record<string, number>, name);
    sampling.value = text === '' || Number.isNaN(Number(text)) ? rest : { ...rest, [name]: Number(text) };
  };
  return (
    <Dialog title={texts.chat.settings} onClose={onClose}>
      <label>{texts.chat.system}<textarea rows={4} value={system.value} onInput={(event) => { system.value = event.currentTarget.value; }} /></label>
      <div class="grid">
        {fields.map(({ name, least, most, step }) => (
          <label>{texts.chat.sampling[name]}<input type="number" min={least} max={most} step={step} placeholder={texts.chat.usual} value={sampling.value[name] ?? ''} onInput={(event) => set(name, event.currentTarget.value)} /></label>
        ))}
      </div>
      <div class="row end"><button type="button" class="quiet" onClick={() => { sampling.value = {}; system.value = ''; }}>{texts.chat.reset}</button><button type="button" class="primary" onClick={onClose}>{texts.close}</button></div>
    </Dialog>
  );
}
