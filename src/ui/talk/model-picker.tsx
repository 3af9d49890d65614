/** Which model answers: with its kind and size, whether it is loaded, and what it takes. */
import type { JSX } from 'preact';
import { bytes, count, duration } from '../lib/format.js';
import { chatModels, type Model } from '../lib/models.js';
import { texts } from '../texts.js';
import { model } from './conversations.js';

/** The chosen one; the latest loaded one, or the first, where the choice is not there any more. */
export function currentModel(): Model | undefined {
  return chatModels.value.find(({ name }) => name === model.value) ?? chatModels.value.find(({ loaded }) => loaded !== null) ?? chatModels.value[0];
}

/** The model that comes with the program. */
export function isDemo(model: Model | undefined): boolean {
  return model !== undefined && /^lectern-demo(?::|$)/.test(model.name);
}

export function ModelPicker(): JSX.Element {
  const current = currentModel();
  return (
    <div class="model-picker">
      <label><span class="hidden">{texts.chat.model}</span>
        <select onChange={(event) => { model.value = chatModels.value[event.currentTarget.selectedIndex]?.name ?? ''; }}>
          {chatModels.value.map((one) => <option key={one.name} selected={one === current}>{one.name}{one.loaded === null ? '' : ` · ${texts.models.loaded}`}</option>)}
          {chatModels.value.length === 0 && <option>{texts.chat.noModel}</option>}
        </select>
      </label>
      {current !== undefined && <span class="soft wide">{describeModel(current)}</span>}
    </div>
  );
}

/** What it does, in a word or two. */
export function kindOf({ can }: Model): string {
  if (can.includes('embedding')) return texts.models.embeds;
  return can.includes('rerank') ? texts.models.ranks : [texts.models.chats, ...(can.includes('vision') ? [texts.models.sees] : [])].join(', ');
}

export function describeModel(model: Model): string {
  const { parameters, quantization, context, loaded, memory, loadS, refusal } = model;
  const state = loaded !== null ? texts.models.takes(bytes(loaded.bytes), loaded.onDevice) : refusal ?? (memory === null ? texts.models.notLoaded : texts.models.wouldTake(bytes(memory)));
  return [kindOf(model), parameters, quantization, texts.models.context(count(context)), state, loaded === null && loadS !== null ? texts.models.loadTime(duration(loadS)) : ''].filter((part) => part !== '').join(' · ');
}
