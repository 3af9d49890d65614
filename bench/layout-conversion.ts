/** The regions that conversion makes of a drawn page: what its structure comes to, in the words of the layout network. */
import { defaultConvertOptions } from '../src/convert/options.js';
import { structurePages } from '../src/convert/pipeline/page-pipeline.js';
import type { ConvertPorts } from '../src/convert/request.js';
import { structureDocument } from '../src/convert/structure/structure-document.js';
import type { Block, TextBlock } from '../src/convert/structure/block.js';
import { Timings } from '../src/convert/timings.js';
import type { Bitmap, PageContent } from '../src/pdf/pdf-page.js';
import type { LabelledBox } from './region-f1.js';

const labels: Record<TextBlock['role'], string> = {
  text: 'text', code: 'text', heading: 'section_header', list_item: 'list_item', caption: 'caption', footnote: 'footnote', formula: 'formula', page_header: 'page_header', page_footer: 'page_footer',
};

function regionsOfText(block: TextBlock): LabelledBox[] {
  const label = block.role === 'heading' && block.level === 0 ? 'title' : labels[block.role];
  return block.columnParts.map(({ box: { left, top, right, bottom } }) => ({ label, left, top, right, bottom }));
}

function regionsOf(block: Block): LabelledBox[] {
  if (block.kind === 'text') return regionsOfText(block);
  const { left, top, right, bottom } = block.kind === 'table' ? block.table.box : block.figure.box;
  return [{ label: block.kind === 'table' ? 'table' : 'picture', left, top, right, bottom }, ...block.captions.flatMap(regionsOfText)];
}

/** The page as a document by itself. */
export async function convertedRegions(content: PageContent, ports: Pick<ConvertPorts, 'layout' | 'tableCells'>): Promise<LabelledBox[]> {
  const notDrawn = new Error('Nothing is drawn here.');
  const pages = { pageCount: 1, title: '', outline: () => [], readPage: () => content, render: (): Bitmap => { throw notDrawn; }, close: () => undefined };
  const request = { inputPath: '', filename: '', outputDirectory: '', failedPages: [], options: { ...defaultConvertOptions, doOcr: false } };
  const whole: ConvertPorts = {
    engine: { deskewAngle: () => Promise.reject(notDrawn) }, recognisers: { find: () => Promise.resolve({ reason: '' }) }, progress: () => undefined, signal: new AbortController().signal, ...ports,
  };
  const errors: Parameters<typeof structurePages>[4] = [];
  const { pages: structures } = await structurePages(pages, request, whole, new Timings(), errors);
  if (errors[0] !== undefined) throw new Error(errors[0].error_message);
  return structureDocument(structures, [], false).blocks.flatMap(regionsOf);
}
