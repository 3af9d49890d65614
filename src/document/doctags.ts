/** The document as DocTags: one tag for each item, places on a grid of 500 x 500, tables as OTSL; furniture included. */
import { gridOf } from './table-grid.js';
import {
  blocksBelow, captionRefs, childrenOf, isEnumerated, isFloating, isGroup, isInlineGroup, isListGroup, isListItem, isPicture, isTable, isText,
  pageOf, resolve, runsOf,
} from './document-tree.js';
import type {
  AnyTextItem, BoundingBox, DoclingDocument, DocumentNode, GroupItem, KeyValueItem, PageItem, Provenance, TableCell, TableItem,
} from './model.js';

const gridSize = 500;

/** A line of the output; the page decides where breaks go. */
interface DocTagsLine {
  text: string;
  page: number | null;
}

// Python's round(): halves go to the even number.
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

function location(box: BoundingBox, page: PageItem): string {
  const { width, height } = page.size;
  if (!(width > 0 && height > 0)) return '';
  const [top, bottom] = box.coord_origin === 'TOPLEFT' ? [box.t, box.b] : [height - box.t, height - box.b];
  const token = (share: number): string => `<loc_${Math.min(Math.max(roundHalfEven(gridSize * share), 0), gridSize - 1)}>`;
  const x = [box.l / width, box.r / width] as const;
  const y = [top / height, bottom / height] as const;
  return token(Math.min(...x)) + token(Math.min(...y)) + token(Math.max(...x)) + token(Math.max(...y));
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** Names that DocTags has no tag for are text to it. */
function textTag(item: AnyTextItem): string {
  switch (item.label) {
    case 'section_header': return `section_header_level_${item.level}`;
    case 'empty_value': case 'field_key': case 'field_hint': case 'field_heading': case 'field_value': case 'marker':
    case 'handwritten_text': return 'text';
    default: return item.label;
  }
}

function cellToken(cell: TableCell, row: number, column: number, content: string): string {
  const above = cell.start_row_offset_idx !== row;
  const left = cell.start_col_offset_idx !== column;
  if (above) return left ? '<xcel>' : '<ucel>';
  if (left) return '<lcel>';
  if (content === '') return '<ecel>';
  if (cell.column_header) return `<ched>${content}`;
  if (cell.row_header) return `<rhed>${content}`;
  return cell.row_section ? `<srow>${content}` : `<fcel>${content}`;
}

class DocTagsRenderer {
  readonly #document: DoclingDocument;
  readonly #captions: Set<string>;

  constructor(document: DoclingDocument) {
    this.#document = document;
    this.#captions = captionRefs(document);
  }

  *lines(): Generator<DocTagsLine> {
    for (const child of childrenOf(this.#document, this.#document.body)) yield* this.#block(child);
  }

  #locations(places: Provenance[]): string {
    return places.map((place) => {
      const page = this.#document.pages.get(place.page_no);
      return page === undefined ? '' : location(place.bbox, page);
    }).join('');
  }

  *#block(node: DocumentNode): Generator<DocTagsLine> {
    if (this.#captions.has(node.self_ref)) return;
    if (isListGroup(node) && isGroup(node)) {
      yield* this.#list(node);
      return;
    }
    const text = this.#own(node);
    if (text !== '') yield { text, page: pageOf(this.#document, node) };
    for (const child of blocksBelow(this.#document, node)) yield* this.#block(child);
  }

  #own(node: DocumentNode): string {
    if (isInlineGroup(node) && isGroup(node)) return this.#inline(node);
    if (isGroup(node)) return '';
    if (isText(node)) return tag(textTag(node), this.#content(node));
    if (isTable(node)) {
      const body = this.#locations(node.prov) + this.#otsl(node) + this.#caption(node);
      return body === '' ? '' : tag('otsl', body);
    }
    if (isPicture(node)) return tag(node.label, this.#locations(node.prov) + this.#caption(node));
    return node.label === 'key_value_region' ? this.#keyValues(node) : '';
  }

  /** Opening and closing tags stand on the lines of the first item and after the last; lists in a list are its items. */
  *#list(group: GroupItem): Generator<DocTagsLine> {
    const name = isEnumerated(this.#document, group) ? 'ordered_list' : 'unordered_list';
    let opening = `<${name}>`;
    for (const child of childrenOf(this.#document, group)) {
      for (const line of this.#listLines(child)) {
        yield { text: opening + line.text, page: line.page };
        opening = '';
      }
    }
    if (opening === '') yield { text: `</${name}>`, page: null };
  }

  *#listLines(child: DocumentNode): Generator<DocTagsLine> {
    if (!isListItem(child)) {
      yield* enclosed(this.#block(child), '<list_item>', '</list_item>');
      return;
    }
    yield { text: tag('list_item', this.#content(child)), page: pageOf(this.#document, child) };
    for (const below of blocksBelow(this.#document, child)) yield* enclosed(this.#block(below), '<list_item>', '</list_item>');
  }

  #content(item: AnyTextItem): string {
    const runs = runsOf(this.#document, item);
    const text = runs === null ? item.text : this.#inline(runs);
    const written = item.label === 'code' ? `<_${item.code_language}_>${text}` : text.trim();
    return this.#locations(item.prov) + written + this.#caption(item);
  }

  /** One place for the whole paragraph, none for its runs. */
  #inline(group: GroupItem): string {
    const runs = childrenOf(this.#document, group);
    const parts = [this.#enclosing(runs), ...runs.map((run) => this.#run(run))].filter((text) => text !== '');
    return parts.length === 0 ? '' : tag('inline', `${parts.join('\n')}\n`);
  }

  #run(node: DocumentNode): string {
    if (!isText(node)) return this.#own(node);
    const inner = runsOf(this.#document, node);
    const text = inner === null ? node.text.trim() : this.#inline(inner);
    return tag(textTag(node), node.label === 'code' ? `<_${node.code_language}_>${node.text}` : text);
  }

  #enclosing(runs: DocumentNode[]): string {
    const places = runs.flatMap((run) => ('prov' in run ? run.prov : []));
    const last = places.at(-1);
    if (last === undefined) return '';
    const same = places.filter((place) => place.page_no === last.page_no && place.bbox.coord_origin === last.bbox.coord_origin);
    const box = { ...last.bbox };
    const up = box.coord_origin === 'BOTTOMLEFT';
    for (const { bbox } of same) {
      box.l = Math.min(box.l, bbox.l);
      box.r = Math.max(box.r, bbox.r);
      box.t = up ? Math.max(box.t, bbox.t) : Math.min(box.t, bbox.t);
      box.b = up ? Math.min(box.b, bbox.b) : Math.max(box.b, bbox.b);
    }
    return this.#locations([{ ...last, bbox: box }]);
  }

  #caption(node: DocumentNode): string {
    if (!isFloating(node)) return '';
    const captions = node.captions.map((ref) => resolve(this.#document, ref)).filter(isText);
    const text = captions.map((caption) => this.#captionText(caption)).filter((each) => each !== '').join(' ');
    return text === '' ? '' : tag('caption', captions.map((caption) => this.#locations(caption.prov)).join('') + text);
  }

  #captionText(caption: AnyTextItem): string {
    const runs = runsOf(this.#document, caption);
    return runs === null ? caption.text : this.#inline(runs);
  }

  #otsl(table: TableItem): string {
    if (table.data.table_cells.length === 0) return '';
    const contents = new Map(table.data.table_cells.map((cell) => [cell, this.#cell(cell)]));
    return gridOf(table.data).map((line, row) => {
      const tokens = line.map((cell, column) => (cell === null ? '<ecel>' : cellToken(cell, row, column, contents.get(cell) ?? '')));
      return `${tokens.join('')}<nl>`;
    }).join('');
  }

  #cell(cell: TableCell): string {
    if (cell.ref === undefined) return cell.text.trim();
    return [...this.#block(resolve(this.#document, cell.ref))].map((line) => line.text).join('\n').trim();
  }

  #keyValues(item: KeyValueItem): string {
    const targets = new Map<number, string>();
    for (const link of item.graph.links) {
      targets.set(link.source_cell_id, `${targets.get(link.source_cell_id) ?? ''}<link_${link.target_cell_id}>`);
    }
    const cells = item.graph.cells.map((cell) => tag(
      `${cell.label}_${cell.cell_id}`,
      this.#locations(cell.prov === null ? [] : [cell.prov]) + cell.text.trim() + (targets.get(cell.cell_id) ?? ''),
    ));
    return tag('key_value_region', this.#locations(item.prov) + cells.join('') + this.#caption(item));
  }
}

function* enclosed(lines: Iterable<DocTagsLine>, opening: string, closing: string): Generator<DocTagsLine> {
  let before: DocTagsLine | null = null;
  for (const line of lines) {
    if (before !== null) yield before;
    before = before === null ? { ...line, text: opening + line.text } : line;
  }
  if (before !== null) yield { ...before, text: before.text + closing };
}

/** DocTags in chunks that follow each other directly. */
export function* writeDocTags(document: DoclingDocument): Generator<string> {
  yield '<doctag>';
  let page: number | null = null;
  let first = true;
  for (const line of new DocTagsRenderer(document).lines()) {
    const turned = line.page !== null && page !== null && line.page > page;
    if (turned) yield `${first ? '' : '\n'}<page_break>`;
    yield `${first && !turned ? '' : '\n'}${line.text}`;
    if (page === null || turned) page = line.page;
    first = false;
  }
  yield '\n</doctag>';
}
