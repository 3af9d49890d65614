/** Blocks as they are read: elements made from the document's own items, so that no text of it is ever taken for HTML. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { copy } from '../lib/download.js';
import { formula } from '../lib/markdown.js';
import { texts } from '../texts.js';
import { asCsv, asRows, asTsv, type Block, type Run } from './model.js';
import { usePageImage } from './page-image.js';
import { hovered, lit, select, selected, selectedFrom } from './selection.js';

/** A confidence below it is marked: at 0.8 a recognised line has a wrong character more often than not. */
const doubtful = 0.8;

export function BlockView({ block, taskId }: { block: Block; taskId: string | null }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const isSelected = selected.value === block.ref;
  useEffect(() => {
    if (isSelected && selectedFrom.peek() !== 'text') element.current?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
  }, [isSelected]);
  const classes = ['block', `kind-${block.kind}`, isSelected ? 'selected' : '', lit.value.has(block.ref) ? 'lit' : '', block.confidence !== null && block.confidence < doubtful ? 'doubtful' : ''];
  return (
    <div ref={element} class={classes.filter((one) => one !== '').join(' ')} data-ref={block.ref} onClick={() => select(block.ref, 'text')}>
      <Inside block={block} taskId={taskId} />
    </div>
  );
}

function Inside({ block, taskId }: { block: Block; taskId: string | null }): JSX.Element {
  const { kind, runs, level, depth, marker, language } = block;
  const text = runs.map((run) => run.text).join(' ');
  if (kind === 'heading') return <p class={`heading level-${level}`} role="heading" aria-level={level + 1}><Runs runs={runs} /></p>;
  if (kind === 'list') return <p class="item" style={{ '--depth': String(depth) }}><span class="marker">{marker === '' || marker === '-' ? '•' : marker}</span><span><Runs runs={runs} /></span></p>;
  if (kind === 'code') return <pre class="code" data-language={language === 'unknown' ? '' : language}><code>{text}</code></pre>;
  if (kind === 'formula') return <Formula latex={text} />;
  if (kind === 'table') return <TableView block={block} />;
  if (kind === 'picture') return <Picture block={block} taskId={taskId} />;
  return <p><Runs runs={runs} marker={marker} /></p>;
}

function Runs({ runs, marker = '' }: { runs: Run[]; marker?: string }): JSX.Element {
  return <>{marker === '' ? null : `${marker} `}{runs.map((run, index) => <>{index === 0 ? null : ' '}<Styled run={run} /></>)}</>;
}

function Styled({ run }: { run: Run }): JSX.Element {
  let shown: ComponentChildren = run.text;
  if (run.code) shown = <code>{shown}</code>;
  if (run.bold) shown = <strong>{shown}</strong>;
  if (run.italic) shown = <em>{shown}</em>;
  if (run.strike) shown = <s>{shown}</s>;
  if (run.script === 'sub') shown = <sub>{shown}</sub>;
  if (run.script === 'super') shown = <sup>{shown}</sup>;
  return run.href === null ? <>{shown}</> : <a href={run.href} target="_blank" rel="noopener noreferrer nofollow">{shown}</a>;
}

function Formula({ latex }: { latex: string }): JSX.Element {
  // Without LaTeX's marks it is the text of the page.
  if (!/[\\^_{}]/.test(latex)) return <p class="formula">{latex}</p>;
  return <div class="formula" dangerouslySetInnerHTML={{ __html: formula(latex, true) }} />;
}

function TableView({ block }: { block: Block }): JSX.Element {
  const { cells, rows, columns } = block;
  const [copied, setCopied] = useState('');
  const copyAs = (name: string, write: (rows: string[][]) => string) => async (event: Event): Promise<void> => {
    event.stopPropagation();
    setCopied(await copy(write(asRows(cells, rows, columns))) ? name : '');
    setTimeout(() => setCopied(''), 1500);
  };
  const numeric = numericColumns(block);
  const lines = Array.from({ length: rows }, (_, row) => cells.filter((cell) => cell.start_row_offset_idx === row).sort((a, b) => a.start_col_offset_idx - b.start_col_offset_idx));
  return (
    <div class="table">
      <div class="table-tools">
        <button type="button" class="small quiet" onClick={(event) => void copyAs('TSV', asTsv)(event)}>{copied === 'TSV' ? texts.copied : texts.viewer.copyTsv}</button>
        <button type="button" class="small quiet" onClick={(event) => void copyAs('CSV', asCsv)(event)}>{copied === 'CSV' ? texts.copied : texts.viewer.copyCsv}</button>
      </div>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={texts.kinds.table} onMouseLeave={() => { hovered.value = null; }}>
        <table><tbody>
          {lines.map((line) => <tr>{line.map((cell) => {
            const about = { class: cell.col_span === 1 && numeric.has(cell.start_col_offset_idx) ? 'numeric' : '', rowSpan: cell.row_span, colSpan: cell.col_span, onMouseEnter: () => { hovered.value = cell.place; } };
            if (cell.column_header) return <th scope="col" {...about}>{cell.text}</th>;
            return cell.row_header ? <th scope="row" {...about}>{cell.text}</th> : <td {...about}>{cell.text}</td>;
          })}</tr>)}
        </tbody></table>
      </div>
    </div>
  );
}

/** Digits with what stands around them: signs, currencies, percent, brackets, a dash for none. */
const number = /^[-+−–—(<>~≈±]*\s*(?:[$€£¥]\s*)?(?:\d[\d\s.,'’]*)?[)%‰*†\s$€£¥]*$/u;

/** Columns whose cells below the column headers are all numbers: they align right. */
function numericColumns({ cells, columns }: Block): Set<number> {
  const filled = cells.filter((cell) => !cell.column_header && cell.text.trim() !== '');
  return new Set(Array.from({ length: columns }, (_, column) => column).filter((column) => {
    const own = filled.filter((cell) => cell.start_col_offset_idx === column && cell.col_span === 1);
    return own.length > 0 && own.every((cell) => !cell.row_header && number.test(cell.text.trim()));
  }));
}

/** A picture is its own bitmap, or the part of the page's image that it takes. */
function Picture({ block, taskId }: { block: Block; taskId: string | null }): JSX.Element {
  const [place] = block.places;
  const { address } = usePageImage(taskId, place?.page ?? 0, block.image === null && place !== undefined);
  const label = texts.viewer.pictureOn(block.page);
  if (block.image !== null) return <img class="picture" src={block.image} alt={label} loading="lazy" />;
  if (place === undefined || address === undefined) return <p class="soft">{texts.kinds.picture}</p>;
  const { left, top, width, height } = place;
  const at = (start: number, share: number): string => (share >= 1 ? '0%' : `${start / (1 - share) * 100}%`);
  return (
    <div class="picture crop" role="img" aria-label={label} style={{
      aspectRatio: `${width} / ${height * 1.414}`, backgroundImage: `url(${address})`, backgroundSize: `${100 / width}% ${100 / height}%`, backgroundPosition: `${at(left, width)} ${at(top, height)}`,
    }} />
  );
}
