/** A DoclingDocument as pages of blocks: what stands on a page in reading order, with the places of its boxes as shares of the page. */
import type { Box, Cell, DoclingDocument, Item, Result, Scores } from './types.js';

export const kinds = ['heading', 'text', 'list', 'table', 'picture', 'code', 'formula', 'caption', 'note', 'furniture'] as const;
export type Kind = (typeof kinds)[number];

/** Shares of the page's width and height, from its upper left corner. */
export interface Place { page: number; left: number; top: number; width: number; height: number }

export interface Run { text: string; bold: boolean; italic: boolean; code: boolean; strike: boolean; script: string; href: string | null }

export interface Block {
  ref: string;
  kind: Kind;
  page: number;
  places: Place[];
  runs: Run[];
  /** Of a heading. */
  level: number;
  /** Of a list item. */
  depth: number;
  marker: string;
  cells: (Cell & { place: Place | null })[];
  rows: number;
  columns: number;
  /** A picture's own bitmap, as a `data:` address. */
  image: string | null;
  language: string;
  /** 0 to 1; null where the text is the file's own. */
  confidence: number | null;
}

export interface Page { number: number; size: { width: number; height: number } | null; blocks: Block[]; scores: Scores | null; markdown: string | null; remarks: string[] }

const kindOf: Record<string, Kind> = {
  title: 'heading', section_header: 'heading', field_heading: 'heading', list_item: 'list', table: 'table', document_index: 'table', picture: 'picture', chart: 'picture', code: 'code', formula: 'formula',
  caption: 'caption', footnote: 'note', page_header: 'furniture', page_footer: 'furniture',
};
/** Blocks of a document without pages that are shown as one. */
const blocksOfPart = 60;

export function pagesOf({ document, confidence, errors }: Result): Page[] {
  const json = document.json_content;
  if (json === null) return [];
  const blocks = blocksOf(json);
  const sizes = Object.values(json.pages ?? {});
  const markdown = new Map((document.pages ?? []).map(({ page_no: page, md_content: text }) => [page, text]));
  const isPaged = blocks.some(({ places }) => places.length > 0) || (sizes.length > 0 && blocks.length === 0);
  if (!isPaged) return inParts(blocks, document.md_content, errors.map(({ error_message: text }) => text));
  const remarksOf = (page: number): string[] => errors.filter((error) => pageOfError(error) === page).map(({ error_message: text }) => text);
  return sizes.sort((a, b) => a.page_no - b.page_no).map(({ page_no: number, size }) => ({
    number, size, blocks: blocks.filter(({ page }) => page === number), scores: confidence?.pages?.[String(number)] ?? null, markdown: markdown.get(number) ?? null, remarks: remarksOf(number),
  }));
}

/** The page that an error names: by its field, or in its sentence. */
export function pageOfError(error: Result['errors'][number]): number | null {
  const named = error.page_number ?? error.page_no;
  if (typeof named === 'number') return named;
  const found = /\bPage (\d+)\b/.exec(error.error_message);
  return found === null ? null : Number(found[1]);
}

function inParts(blocks: Block[], markdown: string | null, remarks: string[]): Page[] {
  const count = Math.max(1, Math.ceil(blocks.length / blocksOfPart));
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1, size: null, blocks: blocks.slice(index * blocksOfPart, (index + 1) * blocksOfPart).map((block) => ({ ...block, page: index + 1 })), scores: null,
    markdown: index === 0 ? markdown : null, remarks: index === 0 ? remarks : [],
  }));
}

class Reader {
  readonly blocks: Block[] = [];
  readonly #items = new Map<string, Item>();
  readonly #seen = new Set<string>();

  constructor(private readonly document: DoclingDocument) {
    for (const list of [document.groups, document.texts, document.tables, document.pictures]) for (const item of list ?? []) this.#items.set(item.self_ref, item);
  }

  walk(item: Item, depth: number): void {
    for (const { $ref } of item.children ?? []) {
      const child = this.#items.get($ref);
      if (child === undefined || this.#seen.has($ref)) continue;
      this.#seen.add($ref);
      this.#read(child, depth);
    }
  }

  #read(item: Item, depth: number): void {
    const label = item.label ?? 'text';
    const layer = item.content_layer ?? 'body';
    if (layer !== 'body' && layer !== 'notes') return;
    if (label === 'inline') {
      const parts = (item.children ?? []).flatMap(({ $ref }) => this.#items.get($ref) ?? []);
      for (const { self_ref: ref } of parts) this.#seen.add(ref);
      this.#add({ ...(parts[0] ?? item), self_ref: item.self_ref, label: 'text', prov: parts.flatMap(({ prov }) => prov ?? []) }, depth, parts);
      return;
    }
    const isGroup = item.self_ref.startsWith('#/groups/');
    // A caption above its table is read first.
    if (this.#beginsWithCaption(item)) this.walk(item, depth);
    if (!isGroup) this.#add(item, depth, this.#runsIn(item));
    this.walk(item, label === 'list' || label === 'ordered_list' || label === 'list_item' ? depth + 1 : depth);
  }

  #beginsWithCaption({ captions = [], prov = [] }: Item): boolean {
    const [own, caption] = [prov[0], captions.map(({ $ref }) => this.#items.get($ref)?.prov?.[0])[0]];
    if (own === undefined || caption === undefined) return false;
    const [place, above] = [this.#place(own.page_no, own.bbox), this.#place(caption.page_no, caption.bbox)];
    return place !== null && above !== null && above.page === place.page && above.top < place.top;
  }

  /** A list item may have its words in an inline group below it. */
  #runsIn(item: Item): Item[] {
    if ((item.text ?? '') !== '') return [item];
    const inline = (item.children ?? []).map(({ $ref }) => this.#items.get($ref)).find((child) => child?.label === 'inline');
    if (inline === undefined) return [item];
    this.#seen.add(inline.self_ref);
    const parts = (inline.children ?? []).flatMap(({ $ref }) => this.#items.get($ref) ?? []);
    for (const { self_ref: ref } of parts) this.#seen.add(ref);
    return parts;
  }

  #add(item: Item, depth: number, parts: Item[]): void {
    const places = (item.prov ?? []).flatMap(({ page_no: page, bbox }) => this.#place(page, bbox) ?? []);
    const kind = kindOf[item.label ?? ''] ?? 'text';
    const page = places[0]?.page ?? this.blocks.at(-1)?.page ?? 1;
    const { table_cells: cells = [], num_rows: rows = 0, num_cols: columns = 0 } = item.data ?? {};
    this.blocks.push({
      ref: item.self_ref, kind, page, places, runs: parts.map(runOf).filter(({ text }) => text !== ''), level: item.label === 'title' ? 1 : Math.min(6, (item.level ?? 1) + 1), depth: Math.max(0, depth - 1),
      marker: item.label === 'checkbox_selected' ? '☒' : item.label === 'checkbox_unselected' ? '☐' : item.marker ?? '',
      cells: cells.map((cell) => ({ ...cell, place: cell.bbox ? this.#place(page, cell.bbox) : null })), rows, columns,
      image: item.image?.uri.startsWith('data:image/') ? item.image.uri : null, language: item.code_language ?? '', confidence: confidenceOf(item),
    });
  }

  #place(page: number, box: Box): Place | null {
    const size = this.document.pages?.[String(page)]?.size;
    if (size === undefined || !(size.width > 0) || !(size.height > 0)) return null;
    const top = box.coord_origin === 'BOTTOMLEFT' ? size.height - box.t : box.t;
    const bottom = box.coord_origin === 'BOTTOMLEFT' ? size.height - box.b : box.b;
    return { page, left: box.l / size.width, top: top / size.height, width: (box.r - box.l) / size.width, height: (bottom - top) / size.height };
  }
}

export function blocksOf(document: DoclingDocument): Block[] {
  const reader = new Reader(document);
  reader.walk(document.body, 0);
  return reader.blocks;
}

function runOf({ text = '', formatting, hyperlink, label }: Item): Run {
  return {
    text, bold: formatting?.bold === true, italic: formatting?.italic === true, code: label === 'code', strike: formatting?.strikethrough === true, script: formatting?.script ?? 'baseline',
    href: typeof hyperlink === 'string' && /^(?:https?|mailto):/i.test(hyperlink) ? hyperlink : null,
  };
}

function confidenceOf({ meta }: Item): number | null {
  const lines = meta?.['lectern__line_confidences'];
  if (!Array.isArray(lines)) return null;
  const numbers = lines.filter((one): one is number => typeof one === 'number');
  return numbers.length === 0 ? null : Math.min(...numbers);
}

export function textOf({ runs, kind, cells, rows, columns }: Block): string {
  return kind === 'table' ? asRows(cells, rows, columns).map((row) => row.join(' | ')).join('\n') : runs.map(({ text }) => text).join(' ');
}

/** The texts of a table; a cell that spans several stands in the first of them. */
export function asRows(cells: Cell[], rows: number, columns: number): string[][] {
  const grid = Array.from({ length: rows }, () => new Array<string>(columns).fill(''));
  for (const { start_row_offset_idx: row, start_col_offset_idx: column, text } of cells) {
    const line = grid[row];
    if (line !== undefined && column < columns) line[column] = text;
  }
  return grid;
}

export function asTsv(rows: string[][]): string {
  return rows.map((row) => row.map((text) => text.replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n');
}

/** Quoted as RFC 4180 has it. */
export function asCsv(rows: string[][]): string {
  return rows.map((row) => row.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')).join('\r\n');
}
