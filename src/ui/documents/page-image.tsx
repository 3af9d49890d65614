/** The image of a page from the service, with a box for each block. Images are fetched when their page comes near, and the latest are kept. */
import { signal } from '@preact/signals';
import type { CSSProperties, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask, sentence, ServiceError } from '../lib/api.js';
import { percent } from '../lib/format.js';
import { texts } from '../texts.js';
import type { Block, Page, Place } from './model.js';
import { hovered, lit, select, selected, showsBoxes } from './selection.js';

/** Object addresses by task and page, the latest last. */
const images = signal<ReadonlyMap<string, string>>(new Map());
const mostImages = 40;
const retryMs = 1500;
/** Pixels, for screens of one and of two pixels a CSS pixel. */
const widths = { plain: 1000, fine: 1600 };

function keep(name: string, address: string): void {
  const next = new Map(images.value);
  next.set(name, address);
  for (const [old, gone] of next) {
    if (next.size <= mostImages) break;
    next.delete(old);
    URL.revokeObjectURL(gone);
  }
  images.value = next;
}

async function fetchImage(path: string, stop: AbortSignal): Promise<Blob> {
  for (;;) {
    try {
      return await (await ask(path, { signal: stop })).blob();
    } catch (thrown) {
      if (!(thrown instanceof ServiceError) || thrown.status !== 503) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      stop.throwIfAborted();
    }
  }
}

/** The address of a page's image, or why there is none; it is fetched while a component uses it. */
export function usePageImage(taskId: string | null, page: number, isWanted: boolean): { address: string | undefined; failure: string } {
  const name = `${taskId}/${page}`;
  const [failure, setFailure] = useState('');
  const address = images.value.get(name);
  useEffect(() => {
    if (taskId === null || !isWanted || images.peek().has(name)) return undefined;
    const stop = new AbortController();
    const width = devicePixelRatio > 1 ? widths.fine : widths.plain;
    fetchImage(`v1/tasks/${taskId}/pages/${page}?width=${width}`, stop.signal)
      .then((blob) => keep(name, URL.createObjectURL(blob)))
      .catch((thrown: unknown) => { if (!stop.signal.aborted) setFailure(sentence(thrown)); });
    return () => stop.abort();
  }, [name, isWanted]);
  return { address, failure };
}

const shares = ({ left, top, width, height }: Place): CSSProperties => ({ left: `${left * 100}%`, top: `${top * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` });

export function PageImage({ taskId, page }: { taskId: string | null; page: Page }): JSX.Element {
  const { address, failure } = usePageImage(taskId, page.number, page.size !== null);
  const cell = hovered.value;
  const ratio = page.size === null ? 0.75 : page.size.width / page.size.height;
  return (
    <div class="page-image" style={{ aspectRatio: String(ratio) }}>
      {address === undefined ? <p class="soft page-image-wait">{failure === '' ? texts.viewer.drawing : failure}</p> : <img src={address} alt={texts.viewer.imageOf(page.number)} />}
      {showsBoxes.value && page.blocks.map((block) => block.places.filter((place) => place.page === page.number).map((place, index) => <BlockBox key={`${block.ref}-${index}`} block={block} place={place} />))}
      {cell !== null && cell.page === page.number && <span class="cell-box" style={shares(cell)} />}
    </div>
  );
}

function BlockBox({ block, place }: { block: Block; place: Place }): JSX.Element {
  const isSelected = selected.value === block.ref;
  const label = `${texts.kinds[block.kind]}${block.confidence === null ? '' : `, ${texts.viewer.confidence} ${percent(block.confidence)}`}`;
  return (
    <button type="button" tabIndex={-1} class={`box kind-${block.kind}${isSelected ? ' selected' : ''}${lit.value.has(block.ref) ? ' lit' : ''}`} style={shares(place)} title={label} aria-label={label} onClick={() => select(block.ref, 'image')}>
      {isSelected && <span class="box-label">{label}</span>}
    </button>
  );
}
