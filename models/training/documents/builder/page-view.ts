/** An HTML page that shows a labelled page: its picture, words coloured by class, nodes and cells with their boxes, relations on hover. */
import { unionBox } from '../../../../src/geometry/box.js';
import type { Box } from '../../../../src/pdf/index.js';
import { wordClasses } from './kinds.js';
import type { LabelledPage } from './label-page.js';
import type { DocumentInfo } from './shard.js';
import { chainOf, leafClass } from './shard.js';
import type { Truth, TruthNode } from './truth.js';

/** Hues are spread so that neighbours in the list differ. */
const HUE_STEP = 137.5;

function hueOf(cls: string): number {
  return Math.round((wordClasses.findIndex((each) => each === cls) * HUE_STEP) % 360);
}

export function pageView({ content, words, outlines }: LabelledPage, truth: Truth, info: DocumentInfo, pageIndex: number, picture: Uint8Array): string {
  const ranks = [...words].sort((a, b) => (a.leaf < 0 ? Infinity : a.leaf) - (b.leaf < 0 ? Infinity : b.leaf) || a.word.order - b.word.order);
  const rankOf = new Map(ranks.map((word, rank) => [word, rank]));
  const used = new Set<string>();
  const byNode = new Map<number, Box[]>();
  const marks = words.map((labelled) => {
    const leaf = truth.leaves[labelled.leaf];
    const chain = leaf === undefined ? [] : chainOf(truth, leaf.node);
    const cls = leaf === undefined ? 'unknown' : leafClass(leaf, chain);
    used.add(cls);
    if (leaf !== undefined) byNode.set(leaf.node, [...(byNode.get(leaf.node) ?? []), labelled.word.box]);
    const text = `${cls}${leaf !== undefined && leaf.part !== 'text' ? ` (${leaf.part})` : ''}${labelled.mixed ? ' MIXED' : ''} · order ${rankOf.get(labelled)} · ${chain.slice(1).map(describe).join(' > ')} · "${labelled.word.text}"`;
    return `<i class="w" style="${place(labelled.word.box)}--h:${hueOf(cls)}" data-n="${leaf?.node ?? -1}" data-c="${cellOf(truth, leaf?.node ?? -1)}" title="${escape(text)}"></i>`;
  });
  const blocks = [...byNode].map(([node, boxes]) => `<b class="n" style="${place(unionBox(boxes))}" data-n="${node}"><u>${escape(describe(truth.nodes[node]!))}</u></b>`);
  const frames = outlines.map(({ node, box }) => `<b class="o ${truth.nodes[node]!.kind}" style="${place(box)}" data-n="${node}" data-t="${truth.nodes[node]!.target}" data-r="${truth.nodes[node]!.row}" data-k="${truth.nodes[node]!.column}" data-s="${truth.nodes[node]!.rowSpan},${truth.nodes[node]!.columnSpan}">${truth.nodes[node]!.kind === 'cell' ? `<s>${truth.nodes[node]!.row},${truth.nodes[node]!.column}</s>` : ''}</b>`);
  const line = ranks.map(({ word: { box } }) => `${((box.left + box.right) / 2).toFixed(1)},${((box.top + box.bottom) / 2).toFixed(1)}`).join(' ');
  const legend = [...used].map((cls) => `<span style="background:hsl(${hueOf(cls)} 90% 75%)">${cls}</span>`).join(' ');
  const { width, height } = content;
  return `<!doctype html><meta charset="utf-8"><title>${escape(info.id)}</title><style>${sheet}</style><h1>${escape(`${info.origin} in ${info.style} (${info.renderer}), page ${pageIndex + 1}`)}</h1><p>${legend}</p>
<div id="page" style="width:${width}pt;height:${height}pt"><img src="data:image/png;base64,${Buffer.from(picture).toString('base64')}">${frames.join('')}${blocks.join('')}${marks.join('')}
<svg viewBox="0 0 ${width} ${height}"><polyline points="${line}"/></svg></div><pre id="told"></pre><script>${script}</script>`;
}

const sheet = `body{font:13px sans-serif;margin:8px}h1{font-size:14px;margin:0}p{margin:4px 0}#page{position:relative;outline:1px solid #999}#page>*{position:absolute}#page>img,#page>svg{left:0;top:0;width:100%;height:100%}
#page>svg{pointer-events:none}polyline{fill:none;stroke:#f008;stroke-width:.5}.w{background:hsl(var(--h) 90% 50%/.28)}.n{border:.7px solid #06c9}.n>u{position:absolute;left:0;top:-7px;font:6px sans-serif;background:#06c;color:#fff;text-decoration:none;white-space:nowrap}
.n{pointer-events:none}.o{border:.7px dashed #d60}.o.cell{border:.5px solid #0a08}.o.picture{border:1.5px solid #c0f}.o>s{font:5px sans-serif;color:#070;position:absolute;right:0;bottom:0;text-decoration:none}.hit{background:#fd08!important;outline:1.5px solid #f60}.own{outline:2px solid #e00}`;
const script = `const told=document.querySelector('#told');document.addEventListener('mouseover',(e)=>{document.querySelectorAll('.hit,.own').forEach((x)=>x.classList.remove('hit','own'));const t=e.target.closest?.('.w,.o');if(!t)return;told.textContent=t.title||'';
const cell=t.classList.contains('w')?document.querySelector('.o.cell[data-n="'+t.dataset.c+'"]'):t.classList.contains('cell')?t:null;document.querySelectorAll('[data-n="'+t.dataset.n+'"]').forEach((x)=>x.classList.add('own'));
if(cell)document.querySelectorAll('.o.cell[data-t="'+cell.dataset.t+'"]').forEach((x)=>{const[a,b]=x.dataset.s.split(',').map(Number),[c,d]=cell.dataset.s.split(',').map(Number);const r=+x.dataset.r,k=+x.dataset.k,R=+cell.dataset.r,K=+cell.dataset.k;if(r<R+c&&R<r+a||k<K+d&&K<k+b)x.classList.add('hit')})});`;

function place({ left, top, right, bottom }: Box): string {
  return `left:${left.toFixed(1)}pt;top:${top.toFixed(1)}pt;width:${(right - left).toFixed(1)}pt;height:${(bottom - top).toFixed(1)}pt;`;
}

function cellOf(truth: Truth, node: number): number {
  let at = node;
  while (at >= 0 && truth.nodes[at]!.kind !== 'cell') at = truth.nodes[at]!.parent;
  return at;
}

function describe({ kind, level, row, column, rowSpan, columnSpan, header, ordered, target, repeats }: TruthNode): string {
  if (kind === 'cell') return `cell ${row},${column}${rowSpan > 1 || columnSpan > 1 ? ` ${rowSpan}x${columnSpan}` : ''}${header === 'none' ? '' : ` ${header} header`}${repeats === 'never' ? '' : ` (${repeats})`}`;
  return `${kind}${level > 0 ? ` ${level}` : ''}${ordered ? ' ordered' : ''}${kind === 'caption' ? ` of ${target}` : ''}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
