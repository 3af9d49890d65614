/** A page's elements as blocks: headings, paragraphs with their styles, nested lists, tables, code, pictures. Layout and scripts play no part. */
import { wordsOf, wordsOfBlocks } from '../flow/flow-blocks.js';
import type { FlowBlock, FlowListEntry, FlowRun, ImageBytes, RunStyle } from '../flow/flow-blocks.js';
import { languageName } from '../flow/programming-languages.js';
import { htmlMath, mathLatex } from '../mathml.js';
import { readTable } from './html-table.js';
import type { TableContentReader } from './html-table.js';
import { attribute, findElement, isElement, parseHtml, textOf } from './html-tree.js';
import type { Element, HtmlNode } from './html-tree.js';
import { PageParts, isHidden, isHiddenByStyle } from './visible-elements.js';

export interface HtmlReaderOptions {
  /** Finds the picture that an address stands for within the same file. Addresses elsewhere are never asked; `data:` is read here. */
  image?: (address: string) => ImageBytes | undefined;
  /** Turns the addresses of links; default: as they are. */
  link?: (address: string) => string | undefined;
  /** Mail is laid out with tables: one that holds blocks and no header cell is taken apart. */
  layoutTables?: boolean;
  /** What stands around the main text is part of it: in a book's chapter and in a mail nothing is navigation. */
  keepAll?: boolean;
  /** How many frames written into the page (`srcdoc`) this text stands in. */
  frameDepth?: number;
}

/** Frames in frames in frames: deeper ones are left out. */
const deepestFrame = 3;

/** Tables in tables in tables: deeper ones are read as paragraphs. */
const deepestTable = 6;

const blockElements = new Set([
  'address', 'article', 'aside', 'blockquote', 'body', 'center', 'dd', 'details', 'dialog', 'dir', 'div', 'dl', 'dt', 'fieldset', 'figcaption',
  'figure', 'footer', 'form', 'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'main', 'menu', 'nav', 'ol', 'optgroup', 'option', 'p', 'section', 'summary',
  'ul', 'tr', 'td', 'th', 'caption', 'thead', 'tbody', 'tfoot', 'search',
]);

const styles: Record<string, Partial<FlowRun>> = {
  b: { bold: true }, strong: { bold: true }, i: { italic: true }, em: { italic: true }, var: { italic: true }, cite: { italic: true }, dfn: { italic: true },
  u: { underline: true }, ins: { underline: true }, s: { strikethrough: true }, strike: { strikethrough: true }, del: { strikethrough: true },
  sub: { script: 'sub' }, sup: { script: 'super' }, code: { kind: 'code' }, kbd: { kind: 'code' }, samp: { kind: 'code' }, tt: { kind: 'code' },
};

interface TextNode {
  value: string;
}

/** A text with its white space folded. Marks for breaking lines are not seen, and part words for those who search. */
function shown(text: string): string {
  return text.replace(/[ \t\n\r\f]+/g, ' ').replace(/[\u00ad\u200b\u2060\ufeff]/g, '');
}

/** The blocks of a whole page. Throws LecternError `too_large`. */
export function readHtml(text: string, options: HtmlReaderOptions = {}): FlowBlock[] {
  const root = parseHtml(text);
  const body = findElement(root, (element) => element.tagName === 'body') ?? root;
  const parts = options.keepAll === true ? null : new PageParts(body);
  const blocks = new HtmlBlockReader(options, parts).read(body);
  // Where nothing else remains, what stands around the text is the text: a page whose words are all in its header.
  return parts === null || hasContent(blocks) ? blocks : new HtmlBlockReader({ ...options, keepAll: true }, null).read(body);
}

function hasContent(blocks: FlowBlock[]): boolean {
  return blocks.some((block) => block.kind === 'picture' || block.kind !== 'furniture' && wordsOfBlocks([block]) !== '');
}

/** Reads one element's content; a reader of its own for each entry, cell and caption. */
class HtmlBlockReader implements TableContentReader {
  readonly #options: HtmlReaderOptions;
  readonly #parts: PageParts | null;
  readonly #tableDepth: number;
  #blocks: FlowBlock[] = [];
  #runs: FlowRun[] = [];
  /** Pictures met within a line: they follow it. */
  #pictures: FlowBlock[] = [];

  constructor(options: HtmlReaderOptions, parts: PageParts | null, tableDepth = 0) {
    this.#options = options;
    this.#parts = parts;
    this.#tableDepth = tableDepth;
  }

  get hasLayoutTables(): boolean {
    return this.#options.layoutTables === true;
  }

  read(element: Element, style: RunStyle = {}): FlowBlock[] {
    this.#children(element, style);
    this.#flush();
    return this.#blocks;
  }

  /** The content of an element inside this one, read on its own. */
  within(element: Element, style: RunStyle = {}): FlowBlock[] {
    return new HtmlBlockReader(this.#options, this.#parts, this.#tableDepth).read(element, style);
  }

  /** The content of a table's cell. */
  cell(element: Element): FlowBlock[] {
    // Nearly all cells of large tables: a reader for each would be half of what a page of a million cells takes.
    const [only, more] = element.childNodes;
    if (only === undefined) return [];
    if (more === undefined && only.nodeName === '#text') return /\S/.test((only as TextNode).value) ? [{ kind: 'paragraph', runs: [{ text: shown((only as TextNode).value) }] }] : [];
    return new HtmlBlockReader(this.#options, this.#parts, this.#tableDepth + 1).read(element);
  }

  /** The words of an element as one line, lists and quotations in it too; its pictures are left out. */
  line(element: Element, style: RunStyle = {}): FlowRun[] {
    return this.within(element, style).flatMap((block, index) => {
      const runs = 'runs' in block ? block.runs : block.kind === 'picture' ? [] : [{ text: wordsOfBlocks([block]) }];
      return index > 0 && runs.length > 0 ? [{ text: ' ' }, ...runs] : runs;
    });
  }

  #flush(): void {
    if (this.#runs.some((run) => /\S/.test(run.text))) this.#blocks.push({ kind: 'paragraph', runs: this.#runs });
    this.#runs = [];
    for (const picture of this.#pictures) this.#blocks.push(picture);
    this.#pictures = [];
  }

  #add(block: FlowBlock): void {
    this.#flush();
    this.#blocks.push(block);
  }

  #children(parent: Element, style: RunStyle): void {
    for (const node of parent.childNodes) this.#node(node, parent, style);
  }

  #node(node: HtmlNode, parent: Element, style: RunStyle): void {
    if (node.nodeName === '#text') {
      this.#runs.push({ ...style, text: shown((node as TextNode).value) });
      return;
    }
    if (!isElement(node)) return;
    if (node.tagName === 'iframe') this.#frame(node);
    if (node.tagName === 'svg') this.#drawnWords(node, style);
    if (isHidden(node)) return;
    if (this.#parts?.isFurniture(node, parent) === true) {
      const blocks = new HtmlBlockReader({ ...this.#options, keepAll: true }, null).read(node);
      if (blocks.length > 0) this.#add({ kind: 'furniture', blocks });
      return;
    }
    this.#element(node, style);
  }

  /** A frame whose page is written into this one; addresses are never followed. */
  #frame(element: Element): void {
    const page = attribute(element, 'srcdoc');
    const { frameDepth = 0 } = this.#options;
    if (page === null || frameDepth >= deepestFrame || isHiddenByStyle(element)) return;
    const blocks = readHtml(page, { ...this.#options, keepAll: true, frameDepth: frameDepth + 1 });
    this.#flush();
    for (const block of blocks) this.#blocks.push(block);
  }

  /** The words of a drawing that is written into the page, one piece after the other. */
  #drawnWords(element: Element, style: RunStyle): void {
    if (isHiddenByStyle(element)) return;
    for (const node of element.childNodes) {
      if (!isElement(node)) continue;
      if (node.tagName === 'text') this.#runs.push({ ...style, text: ' ' }, { ...style, text: shown(textOf(node)) }, { ...style, text: ' ' });
      else if (node.tagName === 'g' || node.tagName === 'a' || node.tagName === 'svg') this.#drawnWords(node, style);
    }
  }

  #element(element: Element, style: RunStyle): void {
    const { tagName } = element;
    switch (tagName) {
      case 'br': this.#runs.push({ ...style, text: '\n' }); return;
      case 'wbr': return;
      case 'img': this.#picture(element, []); return;
      case 'math': this.#math(element); return;
      case 'pre': case 'listing': case 'xmp': this.#code(element); return;
      case 'ul': case 'ol': case 'menu': case 'dir': this.#list(element); return;
      case 'blockquote': this.#add({ kind: 'quote', blocks: this.within(element, style) }); return;
      case 'table': this.#table(element, style); return;
      case 'figure': this.#figure(element, style); return;
      case 'input': this.#runs.push({ ...style, text: attribute(element, 'checked') === null ? '\u2610 ' : '\u2611 ' }); return;
      case 'q': this.#inline(element, style, '\u201c', '\u201d'); return;
      case 'a': this.#children(element, { ...style, ...this.#linkStyle(element) }); return;
      case 'ruby': this.#children(element, style); return;
      case 'rt': this.#inline(element, style, '(', ')'); return;
    }
    const heading = /^h([1-6])$/.exec(tagName) ?? headingRole(element);
    if (heading !== null) {
      this.#heading(element, Number(heading[1]), style);
    } else if (blockElements.has(tagName)) {
      this.#flush();
      this.#children(element, style);
      this.#flush();
    } else {
      this.#children(element, { ...style, ...styles[tagName] });
    }
  }

  #inline(element: Element, style: RunStyle, before: string, after: string): void {
    this.#runs.push({ ...style, text: before });
    this.#children(element, style);
    this.#runs.push({ ...style, text: after });
  }

  #linkStyle(element: Element): RunStyle {
    const address = attribute(element, 'href')?.trim() ?? '';
    const link = this.#options.link === undefined ? address : this.#options.link(address) ?? '';
    return link === '' ? {} : { link };
  }

  #heading(element: Element, level: number, style: RunStyle): void {
    const blocks = this.within(element, style);
    const runs: FlowRun[] = [];
    for (const block of blocks) if ('runs' in block) runs.push(...(runs.length > 0 ? [{ text: ' ' }] : []), ...block.runs);
    // A heading is one line.
    const line = runs.map((run) => ({ ...run, text: run.text.replace(/\n/g, ' ') }));
    this.#add(level === 1 ? { kind: 'title', runs: line } : { kind: 'heading', level: level - 1, runs: line });
    for (const block of blocks) if (!('runs' in block)) this.#add(block);
  }

  #picture(element: Element, caption: FlowRun[]): void {
    // A picture of one pixel counts visitors and shows nothing.
    if (attribute(element, 'width') === '1' && attribute(element, 'height') === '1') return;
    const address = attribute(element, 'src')?.trim() ?? '';
    const image = dataImage(address) ?? this.#options.image?.(address);
    this.#pictures.push({ kind: 'picture', image, caption: caption.length > 0 ? caption : [{ text: attribute(element, 'alt') ?? '' }] });
  }

  #figure(element: Element, style: RunStyle): void {
    const captionElement = findElement(element, ({ tagName }) => tagName === 'figcaption');
    const caption = captionElement === null ? [] : this.line(captionElement, style);
    const rest = element.childNodes.filter((node) => node !== captionElement);
    const blocks = this.within({ ...element, tagName: 'div', childNodes: rest }, style).filter((block) => captionElement === null || !isLine(block, caption));
    const owner = blocks.find((block) => block.kind === 'picture' || block.kind === 'table' || block.kind === 'code');
    this.#flush();
    if (owner === undefined) {
      blocks.forEach((block) => this.#add(block));
      if (caption.length > 0) this.#add({ kind: 'paragraph', runs: caption });
      return;
    }
    if (caption.length > 0) {
      if (owner.kind === 'picture') owner.alternative = wordsOf(owner.caption);
      owner.caption = caption;
    }
    blocks.forEach((block) => this.#add(block));
  }

  #math(element: Element): void {
    const latex = mathLatex(htmlMath(element));
    if (latex === '') return;
    if (attribute(element, 'display') === 'block') this.#add({ kind: 'formula', latex });
    else this.#runs.push({ kind: 'formula', text: latex });
  }

  #code(element: Element): void {
    const text = textOf(element).replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
    const inner = element.childNodes.find(isElement);
    const classes = `${attribute(element, 'class') ?? ''} ${inner === undefined ? '' : attribute(inner, 'class') ?? ''}`;
    const named = /(?:^|\s)(?:(?:language|lang|highlight-source|brush)[-:]\s*|sourceCode\s+)([\w+#-]+)/.exec(classes)?.[1] ?? attribute(element, 'lang') ?? '';
    if (text !== '') this.#add({ kind: 'code', text, language: languageName(named) });
  }

  #list(list: Element): void {
    const { before, entries } = this.#entries(list);
    this.#flush();
    for (const block of before) this.#blocks.push(block);
    if (entries.length > 0) this.#add({ kind: 'list', entries });
  }

  /** What stands between entries belongs to the one before; words before the first stand before the list, a list there is its first entry's. */
  #entries(list: Element): { before: FlowBlock[]; entries: FlowListEntry[] } {
    const entries: FlowListEntry[] = [];
    const before: FlowBlock[] = [];
    let loose: HtmlNode[] = [];
    const placeLoose = (): void => {
      if (loose.length === 0) return;
      const blocks = this.within({ ...list, childNodes: loose, tagName: 'div' });
      loose = [];
      const entry = entries.at(-1);
      if (entry !== undefined) for (const block of blocks) entry.blocks.push(block);
      else if (blocks[0]?.kind === 'list') entries.push({ runs: [], blocks });
      else before.push(...blocks);
    };
    let number = Number(attribute(list, 'start') ?? 1);
    if (!Number.isInteger(number)) number = 1;
    for (const node of list.childNodes) {
      if (!isElement(node) || node.tagName !== 'li') {
        if (node.nodeName !== '#text' || /\S/.test((node as TextNode).value) || loose.length > 0) loose.push(node);
        continue;
      }
      placeLoose();
      if (isHidden(node)) continue;
      const value = Number(attribute(node, 'value') ?? number);
      if (Number.isInteger(value)) number = value;
      entries.push(this.#entry(node, list.tagName === 'ol' ? `${number}.` : undefined));
      number++;
    }
    placeLoose();
    return { before, entries };
  }

  #entry(element: Element, marker: string | undefined): FlowListEntry {
    const box = element.childNodes.length === 0 ? null : findElement(element, ({ tagName }) => tagName === 'input' || tagName === 'ul' || tagName === 'ol');
    const checked = box?.tagName === 'input' && attribute(box, 'type') === 'checkbox' ? attribute(box, 'checked') !== null : undefined;
    const [first, ...rest] = this.within(element);
    if (first?.kind !== 'paragraph') return { marker, checked, runs: [], blocks: first === undefined ? [] : [first, ...rest] };
    const runs = checked === undefined ? first.runs : first.runs.map((run) => ({ ...run, text: run.text.replace(/^[\u2610\u2611] /, '') }));
    return { marker, checked, runs, blocks: rest };
  }

  #table(element: Element, style: RunStyle): void {
    const table = this.#tableDepth >= deepestTable ? null : readTable(element, this);
    this.#flush();
    if (table !== null) this.#add(table);
    else this.#children(element, style);
    this.#flush();
  }
}

/** The bytes of a picture that is written into its own address. */
function dataImage(address: string): ImageBytes | undefined {
  const match = /^data:image\/[\w.+-]+(?:;[\w=.+-]+)*;base64,/i.exec(address.slice(0, 200));
  return match === null ? undefined : () => Buffer.from(address.slice(match[0].length), 'base64');
}

function isLine(block: FlowBlock, runs: FlowRun[]): boolean {
  return block.kind === 'paragraph' && block.runs.map((run) => run.text).join('') === runs.map((run) => run.text).join('');
}

function headingRole(element: Element): RegExpExecArray | null {
  if (attribute(element, 'role') !== 'heading') return null;
  return /^([1-6])$/.exec(attribute(element, 'aria-level') ?? '2');
}
