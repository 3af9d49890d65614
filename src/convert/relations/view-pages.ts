/** An HTML page that shows what the relation network decides: the picture of each page, its blocks coloured by class, and on hover rows, columns, successor and confidence. */
import { unionBox } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import { sharp } from '../input/image-library.js';
import type { PageSource } from '../input/page-source.js';
import { defaultConvertOptions } from '../options.js';
import { readText } from '../pipeline/read-text.js';
import { nodeClasses } from './classes.js';
import { decidePage } from './decide-page.js';
import type { PageDecision } from './decide-page.js';
import type { DecodedBlock } from './decoded.js';
import type { RelationFinder } from './network.js';

/** Dots per inch of the pictures; degrees by which the hues of classes that follow each other differ. */
const drawing = { dpi: 110, hueStep: 137.5 } as const;
const percent = 100;

/** Pieces of the HTML of the given pages (indices from 0). Words are those of the file: pages are not recognised from their pictures. Rejects as reading and the network do. */
export async function* viewPages(name: string, source: PageSource, indices: readonly number[], find: RelationFinder, signal: AbortSignal): AsyncGenerator<string> {
  yield `<!doctype html><meta charset="utf-8"><title>${escape(name)}</title><style>${sheet}</style><h1>${escape(name)}</h1><pre id="note">Point at a box.</pre>\n`;
  for (const index of indices) {
    const { text: { content }, pages } = await readText(source, defaultConvertOptions, async (from) => from.readPage(index));
    const decision = await decidePage(content, find, signal);
    const { data, width, height } = await pages.render(index, { left: 0, top: 0, right: content.width, bottom: content.height }, drawing.dpi);
    const picture = await sharp(data, { raw: { width, height, channels: 4 } }).png().toBuffer();
    yield pageHtml(index, content, decision, picture);
  }
  yield `<script>${script}</script>\n`;
}

function hueOf(cls: DecodedBlock['cls']): number {
  return Math.round((nodeClasses.indexOf(cls) * drawing.hueStep) % 360);
}

function pageHtml(index: number, { width, height }: { width: number; height: number }, { nodes, blocks }: PageDecision, picture: Uint8Array): string {
  const boxOf = (own: readonly number[]): Box => unionBox(own.map((node) => nodes[node]!.box));
  const textOf = (own: readonly number[]): string => own.map((node) => nodes[node]!.words.map(({ text }) => text).join(' ')).join(' ');
  const boxes = blocks.map((block, order) => {
    const { cls, grid, confidence, captionOf } = block;
    const size = grid === null ? '' : `, ${grid.rowCount} rows, ${grid.columnCount} columns`;
    const note = `${order + 1}. ${cls}${size}, confidence ${(percent * confidence).toFixed(0)} %${captionOf < 0 ? '' : `, caption of ${captionOf + 1}`}: ${textOf(block.nodes)}`;
    const cells = (grid?.cells ?? []).map((cell) => `<i class="cell" style="${place(boxOf(cell.nodes))}" data-b="${order}" data-r="${cell.row},${cell.row + cell.rowSpan}" data-c="${cell.column},${cell.column + cell.columnSpan}" data-n="${
      escape(`row ${cell.row + 1}, column ${cell.column + 1}${cell.rowSpan > 1 || cell.columnSpan > 1 ? `, spans ${cell.rowSpan} x ${cell.columnSpan}` : ''}${cell.columnHeader ? ', column header' : ''}${cell.rowHeader ? ', row header' : ''}: ${textOf(cell.nodes)}`)}"></i>`);
    return `<b class="block" style="${place(boxOf(block.nodes))}--h:${hueOf(cls)};--o:${confidence.toFixed(2)}" data-b="${order}" data-of="${captionOf}" data-n="${escape(note)}"><u>${order + 1} ${cls}</u></b>${cells.join('')}`;
  });
  const path = blocks.map(({ nodes: own }) => boxOf(own)).map(({ left, top }) => `${left.toFixed(1)},${top.toFixed(1)}`).join(' ');
  return `<h2>page ${index + 1}</h2><div class="page" style="width:${width}pt;height:${height}pt"><img alt="" src="data:image/png;base64,${Buffer.from(picture).toString('base64')}">${boxes.join('')}<svg viewBox="0 0 ${width} ${height}"><polyline points="${path}"/></svg></div>\n`;
}

const sheet = `body{font:13px sans-serif;margin:8px}h1,h2{font-size:14px}#note{position:sticky;top:0;z-index:9;background:#fff;border:1px solid #999;padding:4px;white-space:pre-wrap;max-height:5em;overflow:auto;margin:0}.page{position:relative;outline:1px solid #999}
.page>*{position:absolute}.page>img,.page>svg{left:0;top:0;width:100%;height:100%}svg{pointer-events:none}polyline{fill:none;stroke:#f008;stroke-width:.6}.block{background:hsl(var(--h) 90% 50%/.22);border:calc(.4px + 1.2px*var(--o)) solid hsl(var(--h) 90% 35%)}
.block>u{position:absolute;left:0;top:-8px;font:6px sans-serif;background:hsl(var(--h) 90% 30%);color:#fff;text-decoration:none;white-space:nowrap}.cell{border:.5px solid #0a08}.row{background:#fd08}.column{background:#0df5}.near{outline:2px solid #e00}`;
const script = `const note=document.querySelector('#note');document.addEventListener('mouseover',(e)=>{document.querySelectorAll('.row,.column,.near').forEach((x)=>x.classList.remove('row','column','near'));const t=e.target.closest?.('.block,.cell');if(!t)return;
note.textContent=t.dataset.n;const page=t.closest('.page'),b=+t.dataset.b;const at=(k)=>page.querySelector('.block[data-b="'+k+'"]');if(t.classList.contains('cell')){const meets=(x,k)=>{const[a,z]=x.dataset[k].split(',').map(Number),[c,d]=t.dataset[k].split(',').map(Number);return a<d&&c<z};
page.querySelectorAll('.cell[data-b="'+b+'"]').forEach((x)=>{if(meets(x,'r'))x.classList.add('row');if(meets(x,'c'))x.classList.add('column')})}else{at(b+1)?.classList.add('near');if(+t.dataset.of>=0)at(t.dataset.of)?.classList.add('near')}});`;

function place({ left, top, right, bottom }: Box): string {
  return `left:${left.toFixed(1)}pt;top:${top.toFixed(1)}pt;width:${(right - left).toFixed(1)}pt;height:${(bottom - top).toFixed(1)}pt;`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
