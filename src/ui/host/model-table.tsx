/** The models of the host, with what they take and buttons that load and unload them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sentence } from '../lib/api.js';
import { bytes, count, duration, timeOfDay } from '../lib/format.js';
import { models, residents, setLoaded, type Model } from '../lib/models.js';
import { kindOf } from '../talk/model-picker.js';
import { texts } from '../texts.js';

/** Networks of pages and workers are loaded, too, and are none of the installed language models. */
export function ModelTable({ isAdministrator }: { isAdministrator: boolean }): JSX.Element {
  const known = new Set(models.value.map(({ name }) => name));
  const others = residents.value.filter(({ name }) => !known.has(name));
  return (
    <section class="card"><h2>{texts.host.models}</h2>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={texts.host.models}>
        <table class="plain"><thead><tr>{texts.host.modelHeads.map((head) => <th scope="col">{head}</th>)}</tr></thead><tbody>
          {models.value.map((one) => <ModelRow key={one.name} model={one} isAdministrator={isAdministrator} />)}
          {others.map((one) => <tr><td>{one.name}</td><td class="soft">{texts.models.ofPages}</td><td /><td /><td>{bytes(one.size)}</td><td>{texts.models.loaded}</td><td /></tr>)}
        </tbody></table>
      </div>
    </section>
  );
}

function ModelRow({ model, isAdministrator }: { model: Model; isAdministrator: boolean }): JSX.Element {
  const [state, setState] = useState('');
  const { loaded } = model;
  const toggle = async (): Promise<void> => {
    setState(loaded === null ? texts.models.loading : texts.models.unloading);
    try {
      await setLoaded(model.name, loaded === null);
      setState('');
    } catch (thrown) {
      setState(sentence(thrown));
    }
  };
  return (
    <tr>
      <td>{model.name}</td><td>{kindOf(model)}</td><td>{[model.parameters, model.quantization].filter((part) => part !== '').join(' ')}</td><td class="number">{count(model.context)}</td>
      <td class="number" title={texts.models.estimate}>{loaded !== null ? bytes(loaded.bytes) : model.memory === null ? '–' : `≈ ${bytes(model.memory)}`}</td>
      <td>{state !== '' ? state : loaded === null ? model.refusal ?? [texts.models.notLoaded, model.loadS === null ? '' : texts.models.loadTime(duration(model.loadS))].filter((part) => part !== '').join(', ') : loaded.state !== 'loaded' ? loaded.state : texts.models.until(timeOfDay(Date.parse(loaded.until)))}</td>
      <td>{(loaded === null || isAdministrator) && <button type="button" class="small" disabled={state === texts.models.loading || state === texts.models.unloading} aria-label={`${loaded === null ? texts.models.load : texts.models.unload} ${model.name}`} onClick={() => void toggle()}>{loaded === null ? texts.models.load : texts.models.unload}</button>}</td>
    </tr>
  );
}
