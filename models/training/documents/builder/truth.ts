/** The truth of a document: nodes (headings, lists, tables, cells ...) and leaves (pieces of text with one source), read from the tree of the source and never from geometry. */
import { formGrid } from './table-grid.js';
import type { SourceRow } from './table-grid.js';
import { inlineBits } from './kinds.js';
import type { HeaderKind, LeafPart, NodeKind } from './kinds.js';
import { attribute, hasAttribute, isDrawnText, isElement, isHtml, isInline, wrapText } from './source-tree.js';
import type { ChildNode, Element, Fragment, TextNode } from './source-tree.js';

export interface TruthNode {
  kind: NodeKind;
  /** Index of the node around it; -1 for the document. */
  parent: number;
  /** Of a heading 1..6, of a list or an item its nesting from 1; 0 for others. */
  level: number;
  ordered: boolean;
  /** Of a cell: its table; of a caption: what it belongs to. -1 for none. */
  target: number;
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  header: HeaderKind;
  /** Of a table. */
  rows: number;
  columns: number;
  /** Its cell or text repeats on each page that its table reaches. */
  repeats: 'never' | 'head' | 'foot';
  /** The renderer outlines it in this colour in the coloured run, 0xRRGGBB; -1 for none. */
  outline: number;
}

export interface Leaf {
  node: number;
  part: LeafPart;
  inline: number;
  /** 0xRRGGBB in the coloured run. */
  color: number;
  /** Characters other than spaces; 0 where the source does not know. */
  characters: number;
}

/** Colours of an element's own text and of what a style generates around it, 0xRRGGBB. */
export interface ElementColors {
  text: number;
  marker: number;
  before: number;
  after: number;
  outline: number;
}

export interface Truth {
  nodes: TruthNode[];
  /** In reading order. */
  leaves: Leaf[];
  elements: Map<Element, ElementColors>;
  /** Node of an element, where it has one of its own. */
  nodeOf: Map<Element, number>;
  /** Leaf of a text. */
  leafOf: Map<TextNode, number>;
}

const kindByTag: Record<string, NodeKind> = {
  p: 'paragraph', ul: 'list', ol: 'list', menu: 'list', dl: 'list', li: 'list-item', dt: 'term', dd: 'description', blockquote: 'quote', pre: 'code', table: 'table', td: 'cell', th: 'cell',
  caption: 'caption', figcaption: 'caption', figure: 'figure', img: 'picture', svg: 'picture', canvas: 'picture', hr: 'separator', address: 'address', aside: 'sidebar',
  input: 'form-field', select: 'form-field', textarea: 'form-field', legend: 'paragraph',
};
const kindByData: Record<string, NodeKind> = {
  title: 'title', subtitle: 'subtitle', author: 'author', abstract: 'abstract', address: 'address', 'key-value': 'key-value', 'form-field': 'form-field', checkbox: 'checkbox', footnote: 'footnote',
  reference: 'reference', toc: 'toc', 'toc-entry': 'toc-entry', 'page-header': 'page-header', 'page-footer': 'page-footer', sidebar: 'sidebar', 'pull-quote': 'pull-quote', formula: 'formula',
  'formula-number': 'formula-number', caption: 'caption', stamp: 'stamp', signature: 'signature', card: 'card', heading: 'heading', code: 'code',
};
const outlined = new Set<NodeKind>(['table', 'cell', 'picture', 'figure', 'form-field', 'checkbox', 'separator', 'card', 'sidebar', 'formula']);

/** The k-th colour, 0xRRGGBB: a permutation of all 24-bit numbers in which neighbours differ much, without black and white. */
export function colorOf(k: number): number {
  const color = (Math.imul(k + 1, 0x9e3779b1) >>> 0) & 0xffffff;
  return color === 0xffffff ? colorOf(0x800000) : color;
}

/** Margin boxes of a page (CSS), which hold running heads and feet. */
export const marginBoxes = [
  'top-left-corner', 'top-left', 'top-center', 'top-right', 'top-right-corner', 'bottom-left-corner', 'bottom-left', 'bottom-center', 'bottom-right', 'bottom-right-corner',
  'left-top', 'left-middle', 'left-bottom', 'right-top', 'right-middle', 'right-bottom',
] as const;

/** Where the walk is. */
interface Place {
  node: number;
  inline: number;
  listLevel: number;
  repeats: TruthNode['repeats'];
}

class Reader {
  readonly truth: Truth = { nodes: [], leaves: [], elements: new Map(), nodeOf: new Map(), leafOf: new Map() };
  #colors = 0;
  #ids = new Map<string, number>();
  #captions: { node: number; target: string }[] = [];
  #cells = new Map<Element, Partial<TruthNode>>();

  constructor() {
    this.#node('document', -1, {});
    const [header, footer] = [this.#node('page-header', 0, {}), this.#node('page-footer', 0, {})];
    for (const name of marginBoxes) this.#leaf({ node: name.startsWith('bottom') ? footer : header, part: 'margin', inline: 0, characters: 0 });
  }

  finish(): Truth {
    for (const { node, target } of this.#captions) this.truth.nodes[node]!.target = this.#ids.get(target) ?? -1;
    return this.truth;
  }

  /** The children of a block. Runs of inline children get a node of their own if blocks stand beside them or the parent has no node for text. */
  children(parent: Element | Fragment, place: Place, own: NodeKind | null): void {
    const mixed = parent.childNodes.some((child) => isElement(child) && isBlock(child));
    let run: Place | null = null;
    for (const child of [...parent.childNodes]) {
      if (isElement(child) && isBlock(child)) {
        run = null;
        this.block(child, place);
      } else if (isDrawnText(child) || isElement(child) && isDrawn(child)) {
        run ??= mixed || own === null ? { ...place, node: this.#node(mixed && own !== null ? 'run' : 'paragraph', place.node, {}) } : place;
        this.inline(child, run);
      }
    }
  }

  block(element: Element, place: Place): void {
    const kind = kindOf(element);
    const colors = this.#paint(element);
    const inside = kind === null ? place : this.#enter(element, kind, place, colors);
    const part = element.tagName === 'thead' ? 'head' : element.tagName === 'tfoot' ? 'foot' : place.repeats;
    const at: Place = { ...inside, repeats: part };
    if (kind === 'table') this.#formTable(element, inside.node);
    colors.marker = this.#leaf({ node: at.node, part: 'marker', inline: 0, characters: 0 });
    colors.before = this.#leaf({ node: at.node, part: 'before', inline: 0, characters: 0 });
    if (kind === 'picture' || kind === 'formula' && element.tagName === 'math') this.#everything(element, at);
    else this.children(element, at, kind === 'list' || kind === 'table' || kind === 'figure' || kind === 'grid' || kind === 'card' ? null : kind);
    colors.after = this.#leaf({ node: at.node, part: 'after', inline: 0, characters: 0 });
  }

  inline(child: ChildNode, place: Place): void {
    if (isDrawnText(child)) {
      const parent = child.parentNode as Element | Fragment;
      const shares = parent.childNodes.filter(isDrawnText).length > 1 || !('tagName' in parent);
      const holder = shares && (!('tagName' in parent) || isHtml(parent)) ? wrapText(child) : parent as Element;
      const colors = holder.tagName === 'x-t' ? this.#paint(holder) : this.truth.elements.get(holder);
      const leaf = this.truth.leaves.length;
      const color = this.#leaf({ node: place.node, part: 'text', inline: place.inline, characters: child.value.replaceAll(/\s/gu, '').length });
      this.truth.leafOf.set(child, leaf);
      if (colors !== undefined) colors.text = color;
      return;
    }
    if (!isElement(child)) return;
    const colors = this.#paint(child);
    const kind = kindOf(child);
    const inside = kind === null ? place : this.#enter(child, kind, place, colors);
    const at: Place = { ...inside, inline: place.inline | (inlineBits[child.tagName] ?? 0) };
    if (kind === 'picture' || child.tagName === 'math' || kind === 'form-field' && child.tagName !== 'span') {
      if (child.tagName === 'input' || child.tagName === 'select' || child.tagName === 'textarea') colors.text = this.#leaf({ node: at.node, part: 'value', inline: 0, characters: 0 });
      else this.#everything(child, at);
      return;
    }
    colors.before = this.#leaf({ node: at.node, part: 'before', inline: at.inline, characters: 0 });
    for (const inner of [...child.childNodes]) this.inline(inner, at);
    colors.after = this.#leaf({ node: at.node, part: 'after', inline: at.inline, characters: 0 });
  }

  /** Text of drawings and formulas: a leaf for each element with text, no structure. */
  #everything(element: Element, place: Place): void {
    for (const child of element.childNodes) {
      if (isDrawnText(child)) {
        const colors = this.#paint(element);
        const leaf = this.truth.leaves.length;
        const color = this.#leaf({ node: place.node, part: 'text', inline: place.inline, characters: child.value.replaceAll(/\s/gu, '').length });
        this.truth.leafOf.set(child, leaf);
        colors.text = color;
      } else if (isElement(child)) this.#everything(child, place);
    }
  }

  #formTable(table: Element, node: number): void {
    const rows = rowsOf(table);
    const grid = formGrid(rows);
    Object.assign(this.truth.nodes[node]!, { rows: grid.rows, columns: grid.columns });
    for (const { element, row, column, rowSpan, columnSpan, header } of grid.cells) this.#cells.set(element, { target: node, row, column, rowSpan, columnSpan, header });
  }

  #enter(element: Element, kind: NodeKind, place: Place, colors: ElementColors): Place {
    const isList = kind === 'list';
    const listLevel = place.listLevel + (isList ? 1 : 0);
    const level = kind === 'heading' ? headingLevel(element) : isList || kind === 'list-item' || kind === 'term' || kind === 'description' ? listLevel : 0;
    const cell = this.#cells.get(element);
    const node = this.#node(kind, place.node, { level, ordered: element.tagName === 'ol', repeats: place.repeats, ...cell });
    this.truth.nodeOf.set(element, node);
    if (outlined.has(kind)) {
      colors.outline = this.#color();
      this.truth.nodes[node]!.outline = colors.outline;
    }
    if (attribute(element, 'id') !== '') this.#ids.set(attribute(element, 'id'), node);
    if (kind === 'caption') {
      if (hasAttribute(element, 'data-for')) this.#captions.push({ node, target: attribute(element, 'data-for') });
      else this.truth.nodes[node]!.target = this.#around(place.node, element.tagName === 'caption' ? ['table'] : ['figure', 'table', 'picture']);
    }
    return { ...place, node, listLevel };
  }

  #around(node: number, kinds: NodeKind[]): number {
    let at = node;
    while (at >= 0 && !kinds.includes(this.truth.nodes[at]!.kind)) at = this.truth.nodes[at]!.parent;
    return at;
  }

  #node(kind: NodeKind, parent: number, more: Partial<TruthNode>): number {
    this.truth.nodes.push({ kind, parent, level: 0, ordered: false, target: -1, row: -1, column: -1, rowSpan: 0, columnSpan: 0, header: 'none', rows: 0, columns: 0, repeats: 'never', outline: -1, ...more });
    return this.truth.nodes.length - 1;
  }

  /** Its colour. */
  #leaf(leaf: Omit<Leaf, 'color'>): number {
    const color = this.#color();
    this.truth.leaves.push({ ...leaf, color });
    return color;
  }

  #color(): number {
    return colorOf(this.#colors++);
  }

  #paint(element: Element): ElementColors {
    let colors = this.truth.elements.get(element);
    if (colors === undefined) this.truth.elements.set(element, (colors = { text: -1, marker: -1, before: -1, after: -1, outline: -1 }));
    return colors;
  }
}

/** Reads the truth, and wraps texts that share their parent with other texts into elements of their own. */
export function readTruth(body: Fragment): Truth {
  const reader = new Reader();
  reader.children(body, { node: 0, inline: 0, listLevel: 0, repeats: 'never' }, null);
  return reader.finish();
}

function headingLevel(element: Element): number {
  return Number(attribute(element, 'data-level') || /^h([1-6])$/u.exec(element.tagName)?.[1] || 1);
}

function kindOf(element: Element): NodeKind | null {
  const data = kindByData[attribute(element, 'data-kind')];
  if (data !== undefined) return data;
  const part = attribute(element, 'data-part');
  if (part === 'key' || part === 'value') return part;
  if (hasAttribute(element, 'data-grid')) return 'grid';
  const { tagName } = element;
  if (/^h[1-6]$/u.test(tagName)) return 'heading';
  if (tagName === 'input') {
    const type = attribute(element, 'type');
    return type === 'checkbox' || type === 'radio' ? 'checkbox' : type === 'hidden' ? null : 'form-field';
  }
  if (tagName === 'math') return attribute(element, 'display') === 'block' ? 'formula' : null;
  return kindByTag[tagName] ?? null;
}

/** An inline element around a block is a block. A picture or a formula is one if it stands among blocks. */
function isBlock(element: Element): boolean {
  if (element.tagName === 'math') return attribute(element, 'display') === 'block';
  if (!isInline(element)) return true;
  return element.tagName !== 'svg' && element.childNodes.some((child) => isElement(child) && isBlock(child));
}

function isDrawn(element: Element): boolean {
  return element.tagName !== 'br' && element.tagName !== 'wbr';
}

function rowsOf(table: Element): SourceRow<Element>[] {
  const parts: { part: string; group: number; row: Element }[] = [];
  let group = 0;
  for (const child of table.childNodes) {
    if (!isElement(child)) continue;
    if (child.tagName === 'tr') parts.push({ part: 'tbody', group, row: child });
    if (!/^t(head|body|foot)$/u.test(child.tagName)) continue;
    group++;
    for (const row of child.childNodes) if (isElement(row) && row.tagName === 'tr') parts.push({ part: child.tagName, group, row });
    group++;
  }
  const ordered = ['thead', 'tbody', 'tfoot'].flatMap((part) => parts.filter((each) => each.part === part));
  return ordered.map(({ part, group: number, row }) => ({ part, group: number, cells: row.childNodes.filter((cell): cell is Element => isElement(cell) && /^t[dh]$/u.test(cell.tagName)).map((element) => ({
    element, header: element.tagName === 'th', scope: attribute(element, 'scope'), rowSpan: spanOf(element, 'rowspan'), columnSpan: spanOf(element, 'colspan'),
  })) }));
}

function spanOf(cell: Element, name: string): number {
  const value = Number.parseInt(attribute(cell, name), 10);
  return Number.isFinite(value) && value >= 0 ? value : 1;
}
