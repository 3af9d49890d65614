/** XML of a vocabulary as blocks: what an element is says the vocabulary; the words of elements that it does not name stay where they are. */
import { wordsOf, wordsOfBlocks } from '../flow/flow-blocks.js';
import type { FlowBlock, FlowListEntry, FlowRun, FlowTableEntry, ImageBytes, RunStyle } from '../flow/flow-blocks.js';
import { languageName } from '../flow/programming-languages.js';
import { mathLatex, xmlMath } from '../mathml.js';
import type { XmlElement } from '../xml.js';
import type { MarkupRole, Vocabulary } from './vocabulary.js';

export interface MarkupOptions {
  /** Finds a picture within the same file. */
  image?: (element: XmlElement) => ImageBytes | undefined;
}

/** Cells that one may span. */
const widestSpan = 1000;
const deepestHeading = 6;

interface Place {
  level: number;
  /** The element's title is a heading, and not a line in bold. */
  isSection: boolean;
}

class MarkupReader {
  readonly #blocks: FlowBlock[] = [];
  #runs: FlowRun[] = [];

  constructor(private readonly vocabulary: Vocabulary, private readonly options: MarkupOptions, private readonly notes: FlowBlock[]) {}

  read(element: XmlElement, place: Place, style: RunStyle = {}): FlowBlock[] {
    this.#children(element, place, style);
    this.#flush();
    return this.#blocks;
  }

  #within(element: XmlElement, place: Place, style: RunStyle = {}): FlowBlock[] {
    return new MarkupReader(this.vocabulary, this.options, this.notes).read(element, place, style);
  }

  #flush(): void {
    if (this.#runs.some(({ text }) => /\S/.test(text))) this.#blocks.push({ kind: 'paragraph', runs: this.#runs });
    this.#runs = [];
  }

  #add(block: FlowBlock): void {
    this.#addAll([block]);
  }

  /** As many as a document has: no arguments of a call, which are bounded. */
  #addAll(blocks: readonly FlowBlock[]): void {
    this.#flush();
    for (const block of blocks) this.#blocks.push(block);
  }

  #role({ name }: XmlElement): MarkupRole | undefined {
    return Object.hasOwn(this.vocabulary.roles, name) ? this.vocabulary.roles[name] : undefined;
  }

  #children(element: XmlElement, place: Place, style: RunStyle): void {
    for (const node of element.children) {
      if (typeof node === 'string') this.#runs.push({ ...style, text: node.replace(/[^\S\u00a0]+/g, ' ') });
      else this.#element(node, place, style);
    }
  }

  #element(element: XmlElement, place: Place, style: RunStyle): void {
    const inside = { ...style, ...this.#style(element) };
    switch (this.#role(element)) {
      case 'skip': return;
      case 'break': this.#runs.push({ ...style, text: '\n' }); return;
      case 'section': this.#addAll(this.#within(element, { level: place.level + 1, isSection: true })); return;
      case 'title': this.#title(element, place); return;
      case 'list': case 'ordered': this.#list(element, place); return;
      case 'table': this.#table(element, place); return;
      case 'quote': this.#quote(element, place, inside); return;
      case 'code': this.#add({ kind: 'code', text: element.text.replace(/^\n+|\s+$/g, ''), language: languageName(element.get('language') ?? '') }); return;
      case 'note': this.#note(element, place); return;
      case 'picture': this.#picture(element); return;
      case 'figure': this.#figure(element, place); return;
      case 'line':
        this.#children(element, place, inside);
        this.#runs.push({ text: '\n' });
        return;
      case undefined: this.#inline(element, place, inside); return;
      default:
        this.#flush();
        this.#children(element, { ...place, isSection: place.isSection && /info$/.test(element.name) }, inside);
        this.#flush();
    }
  }

  #inline(element: XmlElement, place: Place, style: RunStyle): void {
    if (element.name === 'math:math' || element.name === 'math') {
      const latex = mathLatex(xmlMath(element));
      if (latex !== '') this.#runs.push({ kind: 'formula', text: latex });
    } else this.#children(element, place, style);
  }

  #style(element: XmlElement): RunStyle {
    const address = this.vocabulary.links.map((name) => element.get(name)).find((value) => value !== undefined && /^(?:https?|ftp|mailto):/i.test(value));
    const known = Object.hasOwn(this.vocabulary.styles, element.name) ? this.vocabulary.styles[element.name] : undefined;
    // How the print looked: `role` of DocBook, `rend` of TEI.
    const look = `${element.get('role') ?? ''} ${element.get('rend') ?? ''}`;
    const shown: RunStyle = /bold|strong/.test(look) ? { bold: true } : /italic/.test(look) ? { italic: true } : /\bsup/.test(look) ? { script: 'super' } : /\bsub/.test(look) ? { script: 'sub' } : {};
    return { ...(shown.bold === true && known?.italic === true ? {} : known), ...shown, ...(address !== undefined && { link: address }) };
  }

  /** One line: the parts of a title follow each other. */
  #line(element: XmlElement): FlowRun[] {
    return this.#within(element, { level: 0, isSection: false }).flatMap((block, index) => {
      const runs = 'runs' in block ? block.runs : [{ text: wordsOfBlocks([block]) }];
      return (index > 0 ? [{ text: ' ' }, ...runs] : runs).map((run) => ({ ...run, text: run.text.replace(/\n/g, ' ') }));
    });
  }

  #title(element: XmlElement, { level, isSection }: Place): void {
    const runs = this.#line(element);
    if (runs.length === 0) return;
    if (!isSection) this.#add({ kind: 'paragraph', runs: runs.map((run) => ({ ...run, bold: true })) });
    else this.#add(level <= 1 ? { kind: 'title', runs } : { kind: 'heading', level: Math.min(level - 1, deepestHeading), runs });
  }

  #list(element: XmlElement, place: Place): void {
    const entries: FlowListEntry[] = [];
    const counts = this.#role(element) === 'ordered' || /order/.test(element.get('type') ?? '');
    for (const child of element.elements()) {
      const role = this.#role(child);
      if (role === 'title') this.#title(child, { ...place, isSection: false });
      else if (role !== 'skip') {
        const blocks = this.#within(role === 'item' ? child : ofOne(element, child), { ...place, isSection: false });
        const [first, ...rest] = blocks;
        const runs = first?.kind === 'paragraph' ? first.runs : [];
        if (blocks.length > 0) entries.push({ runs, blocks: first?.kind === 'paragraph' ? rest : blocks, ...(counts && { marker: `${entries.length + 1}.` }) });
      }
    }
    this.#add({ kind: 'list', entries });
  }

  #table(element: XmlElement, place: Place): void {
    const rows: FlowTableEntry[][] = [];
    const caption: FlowRun[] = [];
    const around: FlowBlock[] = [];
    const columns = columnNames(element);
    const gather = (parent: XmlElement, inHead: boolean): void => {
      for (const child of parent.elements()) {
        const role = this.#role(child);
        if (role === 'title' || child.name === 'caption') caption.push(...this.#line(child), { text: ' ' });
        else if (role === 'row') rows.push([...child.elements()].filter((cell) => this.#role(cell) !== 'skip').map((cell) => this.#cell(cell, inHead || child.get('role') === 'label', columns, place)));
        else if (role === 'paragraph' || role === 'note' || role === 'figure' || role === 'picture') for (const block of this.#within(ofOne(parent, child), { ...place, isSection: false })) around.push(block);
        else if (role !== 'skip') gather(child, inHead || role === 'head');
      }
    };
    gather(element, false);
    this.#addAll([{ kind: 'table', rows: rows.filter((row) => row.length > 0), caption }, ...around]);
  }

  #cell(cell: XmlElement, inHead: boolean, columns: Map<string, number>, place: Place): FlowTableEntry {
    const count = (...names: string[]): number => Math.min(widestSpan, Math.max(1, Number.parseInt(names.map((name) => cell.get(name)).find((value) => value !== undefined) ?? '1', 10) || 1));
    const [from, to] = [columns.get(cell.get('namest') ?? ''), columns.get(cell.get('nameend') ?? '')];
    return {
      blocks: this.#within(cell, { ...place, isSection: false }), header: inHead ? 'column' : this.#role(cell) === 'headcell' ? 'row' : undefined,
      rowSpan: cell.get('morerows') === undefined ? count('rowspan', 'rows') : count('morerows') + (cell.get('morerows') === '0' ? 0 : 1),
      columnSpan: from !== undefined && to !== undefined && to > from ? to - from + 1 : count('colspan', 'cols'),
    };
  }

  /** Within a line a quotation is a part of it. */
  #quote(element: XmlElement, place: Place, style: RunStyle): void {
    if (this.#runs.some(({ text }) => /\S/.test(text))) this.#children(element, place, style);
    else this.#add({ kind: 'quote', blocks: this.#within(element, { ...place, isSection: false }, style) });
  }

  #note(element: XmlElement, place: Place): void {
    for (const block of this.#within(element, { ...place, isSection: false })) this.notes.push(block.kind === 'paragraph' ? { kind: 'footnote', runs: block.runs } : block);
  }

  #picture(element: XmlElement): void {
    const alternative = element.get('alt');
    this.#add({ kind: 'picture', image: this.options.image?.(element), caption: [], ...(alternative !== undefined && { alternative }) });
  }

  /** The title of a figure is the caption of its picture. */
  #figure(element: XmlElement, place: Place): void {
    const title = [...element.elements()].find((child) => this.#role(child) === 'title');
    const rest = Object.assign(Object.create(element) as XmlElement, { children: element.children.filter((child) => child !== title) });
    const blocks = this.#within(rest, { ...place, isSection: false });
    const caption = title === undefined ? [] : this.#line(title);
    const owner = blocks.find((block) => block.kind === 'picture');
    if (owner?.kind === 'picture' && wordsOf(owner.caption) === '') owner.caption = caption;
    else if (caption.length > 0) blocks.unshift({ kind: 'paragraph', runs: caption });
    this.#addAll(blocks);
  }
}

/** An element that holds one of its children alone. */
function ofOne(element: XmlElement, child: XmlElement): XmlElement {
  return Object.assign(Object.create(element) as XmlElement, { children: [child] });
}

/** Names of the columns of a CALS table, by their place. */
function columnNames(table: XmlElement): Map<string, number> {
  return new Map([...table.descendants('colspec')].map((column, index) => [column.get('colname') ?? `${index}`, index]));
}

/** The blocks of an element, its notes behind them. `level` is that of its own title: 0 for the document's. */
export function readMarkup(element: XmlElement, vocabulary: Vocabulary, options: MarkupOptions = {}, place: Place = { level: 1, isSection: true }): FlowBlock[] {
  const notes: FlowBlock[] = [];
  return [...new MarkupReader(vocabulary, options, notes).read(element, place), ...notes];
}
