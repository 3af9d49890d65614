/** A document that is done: its pages beside what was read on them. */
import type { JSX, TargetedEvent } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { copy, download, downloadZip } from '../lib/download.js';
import { duration, percent } from '../lib/format.js';
import { texts } from '../texts.js';
import { BlockView } from './blocks.js';
import { pageOfError, type Page } from './model.js';
import { open, results, type Opened } from './opened.js';
import { PageImage } from './page-image.js';
import type { Entry } from './queue.js';
import { ReadAgain } from './read-again.js';
import { form, isNarrow, lit, select, selected, showsBoxes, side, wanted } from './selection.js';
import { VirtualList } from './virtual-list.js';

/** Of a page as an image, from its width in the view. */
const barHeight = 44;
/** Pages of which the service is surer have no mark of their own. */
const sure = 0.95;
/** Pixels of a part without an image. */
const partHeight = 1400;

export function Viewer({ entry, isCompact = false }: { entry: Entry; isCompact?: boolean }): JSX.Element {
  useEffect(() => { void open(entry); }, [entry.id, entry.taskId]);
  const loading = results.value.get(entry.id);
  if (loading === undefined || loading.state === 'loading') return <p class="soft middle" role="status">{texts.viewer.loading}</p>;
  if (loading.state === 'failed') return <p class="failure middle" role="alert">{loading.why}</p>;
  if (loading.state === 'archive') return <p class="soft middle">{texts.viewer.archive}</p>;
  return <Ready key={entry.id} entry={entry} opened={loading} isCompact={isCompact} />;
}

function Ready({ entry, opened, isCompact }: { entry: Entry; opened: Opened; isCompact: boolean }): JSX.Element {
  const { result, pages } = opened;
  const [current, setCurrent] = useState(0);
  const [again, setAgain] = useState<number | null>(null);
  const [goal, setGoal] = useState<{ index: number } | null>(null);
  const hasImages = pages.some(({ size }) => size !== null);
  const shows = hasImages ? sideShown(isCompact) : 'text';
  const order = useMemo(() => pages.flatMap(({ number, blocks }) => blocks.map(({ ref }) => ({ ref, number }))), [pages]);
  useEffect(() => { lit.value = new Set(); select(null, 'text'); }, [entry.id]);
  const wish = wanted.value;
  useEffect(() => {
    if (wish === null) return;
    const index = pages.findIndex(({ number }) => number === wish.page);
    if (index >= 0) setGoal({ index });
    if (wish.ref !== null) setTimeout(() => select(wish.ref, 'elsewhere'), 150);
    wanted.value = null;
  }, [wish, pages]);
  const step = (by: number): void => {
    const at = order.findIndex(({ ref }) => ref === selected.value);
    const next = order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + by))];
    if (next === undefined) return;
    select(next.ref, 'elsewhere');
    if (pages[current]?.number !== next.number) setGoal({ index: pages.findIndex(({ number }) => number === next.number) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { j: 1, k: -1, n: 1, p: -1 }[event.key];
    if (event.key === 'Escape') select(null, 'text');
    if (by === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    step(by);
  };
  const remarks = result.errors.filter((error) => pageOfError(error) === null || !hasImages);
  return (
    <div class={`viewer shows-${shows}`}>
      <Tools entry={entry} opened={opened} current={current} hasImages={hasImages} isCompact={isCompact} onPage={(index) => setGoal({ index })} />
      {remarks.map(({ error_message: message }) => <p class="remark" role="note">{message}</p>)}
      {pages.length === 0 && <p class="soft middle">{result.status === 'success' ? texts.viewer.empty : texts.viewer.nothing}</p>}
      <VirtualList
        rows={pages} keyOf={({ number }) => number} label={texts.viewer.pages} wanted={goal} onFirst={setCurrent} onKeyDown={onKeyDown}
        estimate={({ size }, width) => (size === null ? partHeight : barHeight + (shows === 'both' ? width / 2 : width) * size.height / size.width)}
        render={(page) => <PageRow entry={entry} page={page} shows={shows} onAgain={() => setAgain(page.number)} />}
      />
      {again !== null && <ReadAgain entry={entry} page={again} onClose={() => setAgain(null)} />}
    </div>
  );
}

/** Where both do not fit beside each other, one stands for them: the text on a phone, the page beside a conversation. */
function sideShown(isCompact: boolean): 'both' | 'image' | 'text' {
  if (side.value !== 'both' || !(isCompact || isNarrow.value)) return side.value;
  return isCompact ? 'image' : 'text';
}

function PageRow({ entry, page, shows, onAgain }: { entry: Entry; page: Page; shows: string; onAgain: () => void }): JSX.Element {
  const task = entry.taskId;
  const score = page.scores?.mean_score ?? null;
  const isAgain = entry.again[String(page.number)] !== undefined;
  return (
    <section class="page" aria-label={texts.viewer.page(page.number)}>
      {page.size !== null && (
        <header class="page-bar">
          <h3>{texts.viewer.page(page.number)}</h3>
          {score !== null && score < sure && <span class={`chip ${score < 0.8 ? 'warn' : ''}`} title={texts.viewer.confidenceHelp}>{texts.viewer.confidence} {percent(score)}</span>}
          {isAgain && <span class="chip">{texts.again.done}</span>}
          <span class="spread" />
          <button type="button" class="small quiet" onClick={onAgain}>{texts.again.button}</button>
        </header>
      )}
      {page.size !== null && page.remarks.map((remark) => <p class="remark" role="note">{remark}</p>)}
      <div class="page-sides">
        {shows !== 'text' && <div class="page-side of-image" style={{ '--ratio': String(page.size === null ? 1 : page.size.width / page.size.height) }}><PageImage taskId={task} page={page} /></div>}
        {shows !== 'image' && (
          <div class="page-side reading">
            {form.value === 'source' ? <pre class="source">{page.markdown ?? ''}</pre> : page.blocks.map((block) => <BlockView key={block.ref} block={block} taskId={task} />)}
          </div>
        )}
      </div>
    </section>
  );
}

interface ToolsProps { entry: Entry; opened: Opened; current: number; hasImages: boolean; isCompact: boolean; onPage: (index: number) => void }

function Tools({ entry, opened: { result, pages }, current, hasImages, isCompact, onPage }: ToolsProps): JSX.Element {
  const { mean_score: score = null } = result.confidence ?? {};
  return (
    <div class="tools">
      {hasImages && (
        <label class="page-number"><span class="hidden">{texts.viewer.goTo}</span>
          <input type="number" min={1} max={pages.length} value={current + 1} onChange={(event) => onPage(Math.max(0, Math.min(pages.length, Number(event.currentTarget.value)) - 1))} /> / {pages.length}
        </label>
      )}
      {score !== null && <span class="chip wide" title={texts.viewer.confidenceHelp}>{texts.viewer.confidence} {percent(score)}</span>}
      {!isCompact && <span class="soft wide">{duration(result.processing_time)}</span>}
      <span class="spread" />
      {hasImages && (
        <div class="choice" role="group" aria-label={texts.viewer.sides}>
          {(isCompact || isNarrow.value ? (['image', 'text'] as const) : (['image', 'both', 'text'] as const)).map((one) => <button type="button" aria-pressed={sideShown(isCompact) === one} onClick={() => { side.value = one; }}>{texts.viewer.side[one]}</button>)}
        </div>
      )}
      <div class="choice" role="group" aria-label={texts.viewer.forms}>
        {(['rendered', 'source'] as const).map((one) => <button type="button" aria-pressed={form.value === one} onClick={() => { form.value = one; }}>{texts.viewer.form[one]}</button>)}
      </div>
      {hasImages && sideShown(isCompact) !== 'text' && <label class="check"><input type="checkbox" checked={showsBoxes.value} onChange={(event) => { showsBoxes.value = event.currentTarget.checked; }} /> {texts.viewer.boxes}</label>}
      {!isCompact && <Downloads entry={entry} result={result} />}
    </div>
  );
}

function Downloads({ entry, result: { document } }: { entry: Entry; result: Opened['result'] }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const stem = entry.name.replace(/\.[^.]*$/, '') || 'document';
  const files: Record<string, string> = {
    md: document.md_content ?? '', json: JSON.stringify(document.json_content), html: document.html_content ?? '', txt: document.text_content ?? '', doctags: document.doctags_content ?? '',
  };
  const save = (event: TargetedEvent<HTMLSelectElement>): void => {
    const { value } = event.currentTarget;
    event.currentTarget.selectedIndex = 0;
    if (value === 'zip') downloadZip(`${stem}.zip`, Object.fromEntries(Object.entries(files).map(([ending, text]) => [`${stem}.${ending}`, text])));
    else if (value !== '') download(`${stem}.${value}`, files[value] ?? '', 'application/octet-stream');
  };
  const copyAll = async (): Promise<void> => {
    setCopied(await copy(files['md'] ?? ''));
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <>
      <button type="button" class="small" onClick={() => void copyAll()}>{copied ? texts.copied : texts.viewer.copyMarkdown}</button>
      <select class="small" aria-label={texts.viewer.download} onChange={save}>
        <option disabled selected>{texts.viewer.download}</option>
        {Object.keys(files).map((ending) => <option value={ending}>{texts.viewer.formats[ending as 'md']}</option>)}
        <option value="zip">{texts.viewer.formats.zip}</option>
      </select>
    </>
  );
}

