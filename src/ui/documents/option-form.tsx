/** The options of the next documents, as a form made from the service's own table. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sentence } from '../lib/api.js';
import { without } from '../lib/format.js';
import { texts } from '../texts.js';
import { chosen, firstOptions, loadOptions, optionTable, presets, setOption, type Option } from './options.js';

export function OptionForm(): JSX.Element {
  const [failure, setFailure] = useState('');
  const [name, setName] = useState('');
  useEffect(() => { loadOptions().catch((thrown: unknown) => setFailure(sentence(thrown))); }, []);
  const [first, more] = [optionTable.value.filter((one) => firstOptions.includes(one.name)), optionTable.value.filter((one) => !firstOptions.includes(one.name))];
  const count = Object.keys(chosen.value).length;
  const save = (): void => {
    if (name.trim() === '') return;
    presets.value = { ...presets.value, [name.trim()]: chosen.value };
    setName('');
  };
  return (
    <details class="options">
      <summary>{texts.options.title}{count > 0 && <span class="chip">{texts.options.changed(count)}</span>}</summary>
      {failure !== '' && <p class="failure" role="alert">{failure}</p>}
      <div class="row presets">
        {Object.keys(presets.value).map((one) => (
          <span class="preset"><button type="button" class="small" onClick={() => { chosen.value = presets.value[one] ?? {}; }}>{one}</button>
            <button type="button" class="small quiet" aria-label={texts.options.removePreset(one)} onClick={() => { presets.value = without(presets.value, one); }}>✕</button></span>
        ))}
        {count > 0 && <button type="button" class="small quiet" onClick={() => { chosen.value = {}; }}>{texts.options.reset}</button>}
      </div>
      {first.map((option) => <Field key={option.name} option={option} />)}
      <details class="more"><summary>{texts.options.more}</summary>{more.map((option) => <Field key={option.name} option={option} />)}</details>
      <div class="row"><input type="text" aria-label={texts.options.presetName} placeholder={texts.options.presetName} value={name} onInput={(event) => setName(event.currentTarget.value)} /><button type="button" class="small" disabled={name.trim() === ''} onClick={save}>{texts.options.save}</button></div>
    </details>
  );
}

function Field({ option }: { option: Option }): JSX.Element {
  const { name, kind, help, choices, fallback } = option;
  const id = `option-${name}`;
  const value = chosen.value[name] ?? fallback;
  const set = (to: unknown): void => { chosen.value = setOption(chosen.value, option, to); };
  const title = texts.options.names[name] ?? name.replaceAll('_', ' ');
  const about = { id, 'aria-describedby': `${id}-help` };
  const note = <span class="help" id={`${id}-help`}>{help}</span>;
  if (kind === 'flag') return <div class="field"><label class="check"><input type="checkbox" {...about} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} /> {title}</label>{note}</div>;
  if (kind === 'range') return <Range id={id} title={title} note={note} value={chosen.value[name]} set={set} />;
  return (
    <div class="field"><label for={id}>{title}</label>
      {kind === 'choice' ? <select {...about} value={String(value)} onChange={(event) => set(event.currentTarget.value)}>{choices.map((one) => <option value={one}>{one}</option>)}</select>
        : kind === 'number' ? <input type="number" step="any" {...about} value={value === null ? '' : String(value)} onChange={(event) => set(event.currentTarget.value === '' ? '' : Number(event.currentTarget.value))} />
          : name === 'pdf_password' ? <input type="password" autocomplete="off" {...about} value={value === null ? '' : String(value)} onChange={(event) => set(event.currentTarget.value)} />
            : <input type="text" autocomplete="off" {...about} value={Array.isArray(value) ? value.join(', ') : value === null ? '' : String(value)} onChange={(event) => set(event.currentTarget.value)} />}
      {note}</div>
  );
}

function Range({ id, title, note, value, set }: { id: string; title: string; note: JSX.Element; value: unknown; set: (to: unknown) => void }): JSX.Element {
  const [first, last] = Array.isArray(value) ? value as number[] : [];
  const change = (from: string, to: string): void => set(from === '' && to === '' ? '' : [Number(from) || 1, Number(to) || 1_000_000]);
  return (
    <div class="field"><span id={id}>{title}</span>
      <span class="row"><input type="number" min={1} aria-label={texts.options.firstPage} value={first ?? ''} onChange={(event) => change(event.currentTarget.value, last === undefined ? '' : String(last))} /> –
        <input type="number" min={1} aria-label={texts.options.lastPage} value={last === undefined || last >= 1_000_000 ? '' : last} onChange={(event) => change(first === undefined ? '' : String(first), event.currentTarget.value)} /></span>
      {note}</div>
  );
}
