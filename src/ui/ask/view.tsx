/** Questions to documents: what was retrieved is shown, and what an answer cites lights up on its page. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Composer } from '../talk/composer.js';
import { model, sampling } from '../talk/conversations.js';
import { currentModel, isDemo, ModelPicker } from '../talk/model-picker.js';
import { streamAnswer, type Stats } from '../talk/stream.js';
import { pagesFor } from '../documents/opened.js';
import { entryOf, finished, newId } from '../documents/queue.js';
import { light } from '../documents/selection.js';
import { Viewer } from '../documents/viewer.js';
import { sentence } from '../lib/api.js';
import { percent } from '../lib/format.js';
import { renderMarkdown } from '../lib/markdown.js';
import { embedders } from '../lib/models.js';
import { opened } from '../routes.js';
import { texts } from '../texts.js';
import { byWords, findPassages, type Passage } from './passages.js';

interface Question {
  id: string;
  question: string;
  answer: string;
  passages: Passage[];
  /** All of the documents was given. */
  whole: boolean;
  how: string;
  step: 'reading' | 'searching' | 'waiting' | 'writing' | 'done';
  position: number;
  stats: Stats | null;
  failure: string;
}

const questions = signal<Question[]>([]);
const chosen = signal<ReadonlySet<string>>(new Set());
const shown = signal('');
const stopper = signal<AbortController | null>(null);

function change(id: string, changes: Partial<Question>): void {
  questions.value = questions.value.map((one) => (one.id === id ? { ...one, ...changes } : one));
}

/** An answer needs little freedom. */
const askedSampling = { temperature: 0.1, max_tokens: 700 };

async function askDocuments(question: string): Promise<void> {
  const current = currentModel();
  const selected = finished.value.filter(({ id }) => chosen.value.has(id));
  if (current === undefined || selected.length === 0) return;
  model.value = current.name;
  const id = newId();
  const embedder = embedders.value.find(({ loaded }) => loaded !== null) ?? embedders.value[0];
  questions.value = [...questions.value, { id, question, answer: '', passages: [], whole: false, how: '', step: 'reading', position: 0, stats: null, failure: '' }];
  const controller = new AbortController();
  stopper.value = controller;
  try {
    const sources = await Promise.all(selected.map(async (entry) => ({ entry, opened: await pagesFor(entry) })));
    change(id, { step: 'searching' });
    const { whole, passages } = await findPassages(sources, question, current.context, embedder?.name ?? null);
    change(id, { whole, passages, step: 'waiting', how: whole ? texts.ask.whole : embedder === undefined ? texts.ask.byWords : texts.ask.byMeaning(embedder.name) });
    const text = passages.map((passage, index) => `[${index + 1}] (${passage.entry.name}, page ${passage.page})\n${passage.text}`).join('\n\n');
    const { stats } = await streamAnswer(current.name, [{ role: 'system', content: texts.ask.instruction }, { role: 'user', content: `${text}\n\n${texts.ask.questionIs} ${question}` }], { ...askedSampling, ...sampling.value }, {
      onText: (piece) => { const before = questions.peek().find((one) => one.id === id)?.answer ?? ''; change(id, { answer: before + piece, step: 'writing' }); },
      onThought: () => undefined, onCall: () => undefined,
      onPosition: (position) => { if (questions.peek().find((one) => one.id === id)?.position !== position) change(id, { position }); },
    }, controller.signal);
    change(id, { stats, step: 'done' });
  } catch (thrown) {
    change(id, { step: 'done', failure: controller.signal.aborted ? texts.chat.stopped : sentence(thrown) });
  } finally {
    stopper.value = null;
  }
}

export function AskView(): JSX.Element {
  const wish = opened.value;
  useEffect(() => {
    if (wish !== '' && entryOf(wish)?.state === 'done') { chosen.value = new Set([...chosen.value, wish]); shown.value = wish; }
    else if (chosen.value.size === 0 && finished.value[0] !== undefined) { chosen.value = new Set([finished.value[0].id]); shown.value = finished.value[0].id; }
  }, [wish]);
  const end = useRef<HTMLDivElement>(null);
  const last = questions.value.at(-1);
  useEffect(() => { end.current?.scrollIntoView({ block: 'end' }); }, [questions.value.length, last?.step]);
  const entry = entryOf(shown.value);
  const isReady = finished.value.some(({ id }) => chosen.value.has(id)) && currentModel() !== undefined;
  return (
    <div class="ask">
      <section class="talk" aria-label={texts.places.ask}>
        <div class="tools"><ModelPicker /></div>
        <fieldset class="sources"><legend>{texts.ask.sources}</legend>
          {finished.value.length === 0 && <p class="soft">{texts.ask.noDocuments} <a href="#/documents">{texts.places.documents}</a></p>}
          {finished.value.map(({ id, name }) => (
            <label class="check"><input type="checkbox" checked={chosen.value.has(id)} onChange={(event) => {
              const next = new Set(chosen.value);
              if (event.currentTarget.checked) next.add(id);
              else next.delete(id);
              chosen.value = next;
              if (event.currentTarget.checked) shown.value = id;
            }} /> {name}</label>
          ))}
        </fieldset>
        <div class="messages" role="log" aria-label={texts.chat.messages} tabIndex={0}>
          {questions.value.length === 0 && <div class="welcome"><h1>{texts.ask.welcome}</h1><p class="soft">{texts.ask.welcomeMore}</p></div>}
          {isDemo(currentModel()) && <p class="remark" role="note">{texts.models.demo}</p>}
          {questions.value.map((one) => <QuestionView key={one.id} question={one} />)}
          <div ref={end} />
        </div>
        <Composer label={texts.ask.write} isBusy={stopper.value !== null} isOff={!isReady} onSend={(text) => void askDocuments(text)} onStop={() => stopper.value?.abort()} />
      </section>
      <section class="open-document" aria-label={texts.documents.open}>
        {entry === undefined ? <p class="soft middle">{texts.ask.noneShown}</p> : <><header class="title-bar"><h2>{entry.name}</h2></header><Viewer entry={entry} isCompact /></>}
      </section>
    </div>
  );
}

function show({ entry, page, refs }: Passage): void {
  shown.value = entry.id;
  // The viewer of another document is made first.
  setTimeout(() => light(refs, page), 50);
}

/** Passages that share half as many words with the answer as the best one does. */
const nearShare = 0.5;
const mostNear = 3;

function nearest({ answer, passages }: Question): Set<number> {
  const scores = byWords(passages.map(({ text }) => text), answer);
  return new Set(scores.map((score, index) => ({ score, number: index + 1 })).filter(({ score }) => score >= nearShare).sort((a, b) => b.score - a.score).slice(0, mostNear).map(({ number }) => number));
}

function QuestionView({ question: one }: { question: Question }): JSX.Element {
  const named = new Set([...one.answer.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  // Small models name none: the passages with which the answer shares most words are shown then.
  const isGuessed = named.size === 0 && one.step === 'done' && one.answer !== '';
  const cited = isGuessed ? nearest(one) : named;
  const [all, setAll] = useState(false);
  const listed = one.passages.map((passage, index) => ({ passage, number: index + 1 })).filter(({ number }) => !one.whole || all || cited.has(number));
  return (
    <>
      <article class="message user" aria-label={texts.chat.you}><p class="said">{one.question}</p></article>
      <article class="message assistant" aria-label={texts.ask.answer}>
        {one.how !== '' && <p class="soft message-who">{one.how}</p>}
        <Cited text={one.answer} passages={one.passages} />
        {one.step !== 'done' && one.step !== 'writing' && <p class="soft" role="status">{one.position > 0 ? texts.chat.waits(one.position) : texts.ask.steps[one.step]}</p>}
        {one.failure !== '' && <p class="failure" role="alert">{one.failure}</p>}
        {isGuessed && listed.length > 0 && <p class="soft message-who">{texts.ask.guessed}</p>}
        {listed.length > 0 && (
          <ol class="passages" aria-label={texts.ask.passages}>
            {listed.map(({ passage, number }) => (
              <li class={cited.has(number) ? 'cited' : ''}><button type="button" class="quiet" onClick={() => show(passage)}>
                <span class="cite-number">{number}</span><span><span class="soft">{passage.entry.name} · {texts.viewer.page(passage.page)}{passage.score === null ? '' : ` · ${percent(passage.score)}`}</span><span class="snippet">{passage.text}</span></span>
              </button></li>
            ))}
          </ol>
        )}
        {one.whole && one.step === 'done' && <button type="button" class="small quiet" onClick={() => setAll(!all)}>{all ? texts.ask.fewer : texts.ask.all(one.passages.length)}</button>}
        {one.stats !== null && <p class="soft stats">{texts.chat.stats(one.stats.perSecond.toFixed(1), (one.stats.firstMs / 1000).toFixed(2), String(one.stats.promptTokens + one.stats.tokens))}</p>}
      </article>
    </>
  );
}

/** The answer, in which every number of a passage is a button that leads there. */
function Cited({ text, passages }: { text: string; passages: Passage[] }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const root = element.current as HTMLDivElement;
    root.innerHTML = renderMarkdown(text);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const nodes: Text[] = [];
    while (walker.nextNode()) nodes.push(walker.currentNode as Text);
    for (const node of nodes) {
      const parts = node.data.split(/\[(\d{1,3})\]/);
      if (parts.length > 1) node.replaceWith(...parts.map((part, index) => (index % 2 === 0 ? part : citation(Number(part), passages))));
    }
  }, [text, passages]);
  return <div class="prose" ref={element} />;
}

function citation(number: number, passages: Passage[]): HTMLElement | string {
  const passage = passages[number - 1];
  if (passage === undefined) return `[${number}]`;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'cite';
  button.textContent = String(number);
  button.title = `${passage.entry.name}, ${texts.viewer.page(passage.page)}`;
  button.setAttribute('aria-label', texts.ask.cites(number, passage.page));
  button.onclick = () => show(passage);
  return button;
}
