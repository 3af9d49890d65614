/**
 * DjVu documents by DjVuLibre, where it is installed: `djvudump` lists the pages, `ddjvu` writes them as PDFs of some pages each, `djvutxt` their text layer with the places of its words. The pages are those of a scan with a text layer. DjVuLibre is under the GPL: it
 * is run as a program of its own, and no part of it is linked.
 */
import { LecternError } from '../../errors.js';
import { convertByProgram, findReader } from '../../formats/external.js';
import type { ReadOptions } from '../../formats/index.js';
import type { Box } from '../../geometry/box.js';
import { openPdf } from '../../pdf/index.js';
import type { Font, Line, PageContent, PdfDocument, Word } from '../../pdf/index.js';
import type { PageSource } from './page-source.js';

/** A zone of the text layer: its kind, its place in pixels from the lower left corner, and zones or words in it. */
interface Zone {
  kind: string;
  /** Left, bottom, right, top. */
  place: [number, number, number, number];
  inside: (Zone | string)[];
}

/** Zones in zones: page, column, region, paragraph, line, word, character. */
const deepest = 12;
/** Of a line's height: what lies below the baseline, and the size of its type. The text layer has no fonts. */
const [descent, typeSize] = [0.2, 0.85];
const layerFont: Font = { name: '', weight: 400, bold: false, italic: false, monospace: false, symbolic: false };

/** The bytes of a string, in which others than ASCII are octal. */
function unescaped(text: string): string {
  return Buffer.from(text.replace(/\\([0-7]{3}|.)/g, (_, escape: string) => (escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8)) : { n: '\n', t: '\t', r: '\r' }[escape] ?? escape)), 'latin1').toString('utf8');
}

/** The zones of the pages, one list for each page; of damaged text what is readable. */
export function readTextLayer(source: string): Zone[] {
  const pages: Zone[] = [];
  const open: Zone[] = [];
  for (const [, begun, numbers = '', string, end] of source.matchAll(/\((\w+)((?:\s+-?\d+){4})|"((?:[^"\\]|\\[^])*)"|(\))/g)) {
    if (begun !== undefined) {
      const [left = 0, bottom = 0, right = 0, top = 0] = numbers.trim().split(/\s+/).map(Number);
      const zone: Zone = { kind: begun, place: [left, bottom, right, top], inside: [] };
      if (open.length === 0) pages.push(zone);
      else open.at(-1)?.inside.push(zone);
      if (open.length < deepest) open.push(zone);
    } else if (string !== undefined) open.at(-1)?.inside.push(unescaped(string));
    else if (end !== undefined) open.pop();
  }
  return pages;
}

class TextLayer {
  readonly lines: Line[] = [];
  readonly words: Word[] = [];
  readonly #scale: number;

  constructor(page: Zone, private readonly height: number) {
    this.#scale = height / Math.max(1, page.place[3] - page.place[1]);
    this.#zone(page);
  }

  /** The words of a zone that has any are a line. */
  #zone(zone: Zone): void {
    const words = zone.inside.flatMap((part): [Zone, string][] => {
      if (typeof part === 'string') return [[zone, part]];
      const own = part.inside.filter((inner) => typeof inner === 'string');
      return part.kind === 'word' && own.length > 0 ? [[part, own.join('')]] : [];
    });
    if (words.length > 0) this.#line(words);
    for (const part of zone.inside) if (typeof part === 'object' && part.kind !== 'word') this.#zone(part);
  }

  #box({ place: [left, bottom, right, top] }: Zone): Box {
    const scale = this.#scale;
    return { left: left * scale, top: this.height - top * scale, right: right * scale, bottom: this.height - bottom * scale };
  }

  /** A zone whose words have no places shares its width among their characters. */
  #line(zones: [Zone, string][]): void {
    const boxes = zones.map(([zone]) => this.#box(zone));
    const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    const [baseline, size] = [bottom - descent * (bottom - top), typeSize * (bottom - top)];
    const words: Word[] = [];
    for (const [index, [, text]] of zones.entries()) {
      const box = boxes[index] as Box;
      const unit = (box.right - box.left) / Math.max(1, text.length);
      for (const match of text.matchAll(/\S+/g)) {
        const place = { ...box, left: box.left + match.index * unit, right: box.left + (match.index + match[0].length) * unit };
        words.push({ text: match[0], box: place, baseline, font: layerFont, size, color: 0, angle: 0, glued: false, softHyphen: false, invisible: true, order: this.words.length + words.length, link: -1, underline: false, strike: false, mcid: -1 });
      }
    }
    if (words.length === 0) return;
    for (const word of words) this.words.push(word);
    this.lines.push({ words, box: { left: Math.min(...words.map(({ box }) => box.left)), top, right: Math.max(...words.map(({ box }) => box.right)), bottom }, baseline, size, angle: 0 });
  }
}

function withLayer(content: PageContent, page: Zone | undefined): PageContent {
  if (page === undefined || content.words.length > 0) return content;
  const { words, lines } = new TextLayer(page, content.height);
  const characters = words.reduce((sum, { text }) => sum + text.length, 0);
  return { ...content, words, lines, characters, hidden: { ...content.hidden, invisible: characters } };
}

/** Pages that one run of `ddjvu` draws: each run has the time limit of external programs, and a page that cannot be drawn costs its range alone. */
const pagesOfRange = 20;
const common = { input: 'document.djvu', kind: 'a DjVu document' };

/** Pages as PDFs of some pages each, drawn when the first of them is asked for. */
class DrawnRanges {
  readonly #ranges = new Map<number, Promise<PdfDocument>>();

  constructor(private readonly draw: (first: number, last: number) => Promise<PdfDocument>, private readonly pageCount: number) {}

  /** The PDF with a page, and the page's index in it. */
  async page(index: number): Promise<{ pdf: PdfDocument; at: number }> {
    const first = index - index % pagesOfRange;
    let range = this.#ranges.get(first);
    if (range === undefined) {
      range = this.draw(first, Math.min(this.pageCount, first + pagesOfRange) - 1);
      this.#ranges.set(first, range);
    }
    return { pdf: await range, at: index - first };
  }

  close(): void {
    for (const range of this.#ranges.values()) range.then((pdf) => pdf.close(), () => undefined);
  }
}

/** Rejects with LecternError `unsupported_format` where DjVuLibre is not installed, `invalid_document` where it cannot read the file. Its pages reject with `timeout`, too. */
export async function openDjvu(bytes: Uint8Array, options: Pick<ReadOptions, 'signal' | 'alive'>): Promise<PageSource> {
  const [drawing, reading, listing] = [findReader('ddjvu'), findReader('djvutxt'), findReader('djvudump')];
  if (drawing === null || reading === null || listing === null) throw new LecternError('unsupported_format', 'DjVu documents need DjVuLibre, which is not installed on this machine (Debian: djvulibre-bin).');
  const list = await convertByProgram(bytes, { ...common, name: 'djvudump', program: listing, outputs: ['list.txt'], args: ['-o', 'list.txt', 'document.djvu'] }, options);
  const pageCount = Buffer.from(list).toString('latin1').match(/FORM:DJVU /g)?.length ?? 0;
  if (pageCount === 0) throw new LecternError('invalid_document', 'The DjVu document has no pages.');
  const text = await convertByProgram(bytes, { ...common, name: 'djvutxt', program: reading, outputs: ['document.txt'], args: ['--detail=word', 'document.djvu', 'document.txt'] }, options);
  const layer = readTextLayer(Buffer.from(text).toString('latin1'));
  const ranges = new DrawnRanges(async (first, last) => openPdf(await convertByProgram(bytes, {
    ...common, name: 'ddjvu', program: drawing, outputs: ['document.pdf'], args: ['-format=pdf', '-quality=85', `-page=${first + 1}-${last + 1}`, 'document.djvu', 'document.pdf'],
  }, options), { password: null }), pageCount);
  // Pages without text have no zone: only where all have one does the count say which is whose.
  const layerOf = (index: number): Zone | undefined => (layer.length === pageCount ? layer[index] : undefined);
  return {
    pageCount, title: '', outline: () => [],
    readPage: async (index) => {
      const { pdf, at } = await ranges.page(index);
      return { ...withLayer(await pdf.readPage(at), layerOf(index)), pageIndex: index };
    },
    render: async (index, box, dpi) => {
      const { pdf, at } = await ranges.page(index);
      return pdf.renderRegion(at, box, dpi);
    },
    close: () => ranges.close(),
  };
}
