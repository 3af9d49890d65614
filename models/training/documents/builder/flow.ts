/** A document as blocks and runs of text with their leaves: the form from which renderers other than the browser write theirs. */
import { inlineBits } from './kinds.js';
import type { NodeKind } from './kinds.js';
import { attribute, isDrawnText, isElement, isText } from './source-tree.js';
import type { ChildNode, Element, Fragment } from './source-tree.js';
import type { Truth } from './truth.js';

export interface Run {
  /** Spaces are single, unless the block is code. '\n' is a line break. */
  text: string;
  leaf: number;
  /** Bits of `inlineBits`. */
  inline: number;
}

/** Text of a display formula in prefix form; see `mathOf`. */
export interface Maths {
  op: string;
  run?: Run;
  parts: Maths[];
}

export interface FlowCell {
  node: number;
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  head: boolean;
  blocks: FlowBlock[];
}

export type FlowBlock =
  | { type: 'text'; kind: NodeKind; node: number; level: number; runs: Run[] }
  | { type: 'list'; node: number; ordered: boolean; items: { node: number; marker: number; blocks: FlowBlock[] }[] }
  | { type: 'table'; node: number; rows: number; columns: number; headRows: number; caption: FlowBlock[]; cells: FlowCell[] }
  | { type: 'formula'; node: number; maths: Maths; number: Run | null }
  | { type: 'rule'; node: number };

export class FlowReader {
  #truth: Truth;

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  /** The blocks inside, in the order of the source. Pictures and form controls are left out. */
  blocks(parent: Element | Fragment): FlowBlock[] {
    const out: FlowBlock[] = [];
    let runs: Run[] = [];
    const flush = (): void => {
      const trimmed = trim(runs);
      if (trimmed.length > 0) out.push(this.#text(trimmed));
      runs = [];
    };
    for (const child of parent.childNodes) {
      if (isElement(child) && this.#isBlock(child)) {
        flush();
        out.push(...this.#block(child));
      } else runs.push(...this.#runs(child, 0, false));
    }
    flush();
    return out;
  }

  #isBlock(element: Element): boolean {
    if (element.tagName === 'br') return false;
    return blockTags.has(element.tagName) || element.tagName === 'math' && attribute(element, 'display') === 'block' || element.childNodes.some((child) => isElement(child) && this.#isBlock(child));
  }

  #text(runs: Run[], own?: number): FlowBlock {
    const node = own ?? this.#truth.leaves[runs[0]!.leaf]!.node;
    const { kind, level } = this.#truth.nodes[node]!;
    return { type: 'text', kind, node, level, runs };
  }

  #block(element: Element): FlowBlock[] {
    const node = this.#truth.nodeOf.get(element) ?? -1;
    switch (element.tagName) {
      case 'table':
        return [this.#table(element, node)];
      case 'ul': case 'ol': case 'menu':
        return [{ type: 'list', node, ordered: element.tagName === 'ol', items: element.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'li').map((item) => ({
          node: this.#truth.nodeOf.get(item) ?? -1, marker: this.#markerOf(item), blocks: this.blocks(item),
        })) }];
      case 'hr':
        return [{ type: 'rule', node }];
      case 'pre': {
        const runs = this.#runs(element, 0, true);
        return runs.length === 0 ? [] : [this.#text(runs, node < 0 ? undefined : node)];
      }
      case 'math':
        return [{ type: 'formula', node, maths: this.#maths(element), number: null }];
      case 'svg': case 'img': case 'canvas':
        return [];
      default:
        return this.blocks(element);
    }
  }

  #markerOf(item: Element): number {
    const color = this.#truth.elements.get(item)?.marker ?? -1;
    return this.#truth.leaves.findIndex((leaf) => leaf.color === color);
  }

  #table(table: Element, node: number): FlowBlock {
    const { rows, columns } = this.#truth.nodes[node]!;
    const cells: FlowCell[] = [];
    const caption: FlowBlock[] = [];
    let headRows = 0;
    const visit = (element: Element, head: boolean): void => {
      for (const child of element.childNodes.filter(isElement)) {
        if (child.tagName === 'caption') caption.push(...this.blocks(child));
        else if (child.tagName === 'td' || child.tagName === 'th') {
          const own = this.#truth.nodeOf.get(child)!;
          const { row, column, rowSpan, columnSpan } = this.#truth.nodes[own]!;
          if (head) headRows = Math.max(headRows, row + rowSpan);
          cells.push({ node: own, row, column, rowSpan, columnSpan, head: child.tagName === 'th', blocks: this.blocks(child) });
        } else if (/^t(r|head|body|foot)$/u.test(child.tagName)) visit(child, head || child.tagName === 'thead');
      }
    };
    visit(table, false);
    return { type: 'table', node, rows, columns, headRows, caption, cells };
  }

  #runs(child: ChildNode, inline: number, code: boolean): Run[] {
    if (isText(child)) {
      const leaf = this.#truth.leafOf.get(child);
      // White space alone has no leaf: it takes that of a neighbour.
      if (leaf === undefined) return child.value === '' ? [] : [{ text: code ? child.value : ' ', leaf: -1, inline }];
      return [{ text: code ? child.value : child.value.replaceAll(/\s+/gu, ' '), leaf, inline }];
    }
    if (!isElement(child)) return [];
    if (child.tagName === 'br') return [{ text: '\n', leaf: -1, inline }];
    if (/^(svg|img|canvas|input|select|textarea)$/u.test(child.tagName)) return [];
    const bits = inline | (inlineBits[child.tagName] ?? 0);
    return child.childNodes.flatMap((inner) => this.#runs(inner, bits, code));
  }

  #maths(element: Element): Maths {
    const texts = element.childNodes.filter(isDrawnText);
    const parts = element.childNodes.filter(isElement).map((child) => this.#maths(child));
    if (texts.length > 0 && parts.length === 0) return { op: element.tagName, run: { text: texts.map(({ value }) => value.trim()).join(''), leaf: this.#truth.leafOf.get(texts[0]!)!, inline: 0 }, parts };
    return { op: element.tagName, parts };
  }
}

const blockTags = new Set([
  'address', 'article', 'aside', 'blockquote', 'body', 'caption', 'dd', 'details', 'div', 'dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr',
  'legend', 'li', 'main', 'menu', 'nav', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul',
]);

/** Without white space at its ends and beside line breaks; white space takes the leaf before it. */
function trim(runs: Run[]): Run[] {
  const out: Run[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    const text = last === undefined || /\s$/u.test(last.text) ? run.text.replace(/^ +/u, '') : run.text;
    if (text === '') continue;
    const leaf = run.leaf >= 0 ? run.leaf : last?.leaf ?? -1;
    if (leaf < 0 && text !== '\n') continue;
    if (leaf < 0) continue;
    out.push({ ...run, text, leaf });
  }
  while (out.length > 0 && /^\s*$/u.test(out.at(-1)!.text)) out.pop();
  const last = out.at(-1);
  if (last !== undefined) last.text = last.text.replace(/\s+$/u, '');
  return out;
}
