/** The document as DoclingDocument JSON: compact, nulls kept, keys in the contract's order, in chunks. */
import { currentMinor, JsonVersion } from './json-version.js';
import { gridOf } from './table-grid.js';
import type {
  AnyTextItem, DoclingDocument, DocumentItem, DocumentNode, DocumentOrigin, FieldItem, FieldRegionItem, FormItem, ImageRef,
  KeyValueItem, TableCell, TableData, TableItem,
} from './model.js';

export interface JsonOptions {
  /** Gives the address to write for an image's `uri`: the place to turn a stored file into a `data:` address. */
  imageUri?: ((uri: string) => string) | undefined;
  /** The N of DoclingDocument 1.N, for readers that do not know today's: from `oldestMinor`; today's and later ones change nothing. */
  minorVersion?: number;
}

type JsonObject = Record<string, unknown>;

function node(item: DocumentNode): JsonObject {
  return {
    self_ref: item.self_ref, parent: item.parent, children: item.children, content_layer: item.content_layer, meta: item.meta,
  };
}

function placed(item: DocumentItem): JsonObject {
  return {
    ...node(item),
    label: item.label,
    prov: item.prov,
    ...(item.source === undefined || item.source.length === 0 ? {} : { source: item.source }),
    ...(item.comments === undefined || item.comments.length === 0 ? {} : { comments: item.comments }),
  };
}

function* members<Value>(name: string, values: Iterable<Value>, write: (value: Value) => Iterable<string>): Generator<string> {
  yield `,"${name}":[`;
  let first = true;
  for (const value of values) {
    if (!first) yield ',';
    first = false;
    yield* write(value);
  }
  yield ']';
}

function cellFields(cell: TableCell): JsonObject {
  return {
    bbox: cell.bbox,
    row_span: cell.row_span,
    col_span: cell.col_span,
    start_row_offset_idx: cell.start_row_offset_idx,
    end_row_offset_idx: cell.end_row_offset_idx,
    start_col_offset_idx: cell.start_col_offset_idx,
    end_col_offset_idx: cell.end_col_offset_idx,
    text: cell.text,
    column_header: cell.column_header,
    row_header: cell.row_header,
    row_section: cell.row_section,
    fillable: cell.fillable,
    ...(cell.ref === undefined ? {} : { ref: cell.ref }),
  };
}

function emptyCell(row: number, column: number): TableCell {
  return {
    bbox: null, row_span: 1, col_span: 1, start_row_offset_idx: row, end_row_offset_idx: row + 1, start_col_offset_idx: column,
    end_col_offset_idx: column + 1, text: '', column_header: false, row_header: false, row_section: false, fillable: false,
  };
}


class JsonWriter {
  readonly #options: JsonOptions;
  /** Null for today's. */
  #old: JsonVersion | null = null;

  constructor(options: JsonOptions) {
    this.#options = options;
  }

  #json(value: unknown): string {
    return this.#old === null ? JSON.stringify(value) : this.#old.stringify(value);
  }

  #item(item: JsonObject): string {
    return this.#json(this.#old?.item(item) ?? item);
  }

  #cell(cell: TableCell): JsonObject {
    const fields = cellFields(cell);
    return this.#old?.cell(fields) ?? fields;
  }

  /** A row of the grid at a time: a sheet of a million cells never stands in one string. */
  *#tableData(data: TableData): Generator<string> {
    yield '{"table_cells":[';
    for (const [index, cell] of data.table_cells.entries()) yield (index === 0 ? '' : ',') + this.#json(this.#cell(cell));
    yield `],"num_rows":${data.num_rows},"num_cols":${data.num_cols},${this.#old === null ? `"orientation":"${data.orientation}",` : ''}"grid":[`;
    for (const [row, line] of gridOf(data).entries()) {
      const cells = line.map((cell, column) => this.#cell(cell ?? emptyCell(row, column)));
      yield (row === 0 ? '' : ',') + this.#json(cells);
    }
    yield ']}';
  }

  /** With the member's name, which older versions leave out where there is no value. */
  #origin(value: DocumentOrigin | null): string {
    if (value === null) return this.#old === null ? ',"origin":null' : '';
    const uri = value.uri === null && this.#old !== null ? '' : `,"uri":${JSON.stringify(value.uri)}`;
    return `,"origin":{"mimetype":${JSON.stringify(value.mimetype)},"binary_hash":${value.binary_hash},"filename":${JSON.stringify(value.filename)}${uri}}`;
  }

  #image(image: ImageRef | null): ImageRef | null {
    if (image === null || this.#options.imageUri === undefined) return image;
    return { ...image, uri: this.#options.imageUri(image.uri) };
  }

  #floating(item: DocumentItem & { captions: unknown; references: unknown; footnotes: unknown; image: ImageRef | null }): JsonObject {
    return { captions: item.captions, references: item.references, footnotes: item.footnotes, image: this.#image(item.image) };
  }

  #text(item: AnyTextItem): JsonObject {
    const base = { ...placed(item), orig: item.orig, text: item.text, formatting: item.formatting, hyperlink: item.hyperlink };
    switch (item.label) {
      case 'section_header':
      case 'field_heading': return { ...base, level: item.level };
      case 'list_item': return { ...base, enumerated: item.enumerated, marker: item.marker };
      case 'code': return { ...base, ...this.#floating(item), code_language: item.code_language };
      case 'field_value': return { ...base, kind: item.kind };
      default: return base;
    }
  }

  *#table(item: TableItem): Generator<string> {
    const head = this.#item({ ...placed(item), ...this.#floating(item) });
    yield `${head.slice(0, -1)},"data":`;
    yield* this.#tableData(item.data);
    yield `,"annotations":${this.#json(item.annotations)}}`;
  }

  *write(document: DoclingDocument): Generator<string> {
    const { minorVersion = currentMinor } = this.#options;
    this.#old = minorVersion < currentMinor ? new JsonVersion(document, minorVersion) : null;
    const group = (item: DoclingDocument['body']): string => this.#item({ ...node(item), name: item.name, label: item.label });
    yield `{"schema_name":"DoclingDocument","version":${JSON.stringify(this.#old?.version ?? document.version)},"name":${JSON.stringify(document.name)}`;
    yield `${this.#origin(document.origin)},"furniture":${group(document.furniture)},"body":${group(document.body)}`;
    const fields = (this.#old?.fieldsAsGroups(document) ?? []).map((item) => this.#item(item));
    yield* members('groups', [...document.groups.map(group), ...fields], (item) => [item]);
    yield* members('texts', document.texts, (item) => [this.#item(this.#text(item))]);
    yield* members('pictures', document.pictures, (item) => [this.#item({ ...placed(item), ...this.#floating(item), annotations: item.annotations })]);
    yield* members('tables', document.tables, (item) => this.#table(item));
    const graph = (item: KeyValueItem | FormItem): string[] => [this.#item({ ...placed(item), ...this.#floating(item), graph: item.graph })];
    yield* members('key_value_items', document.key_value_items, graph);
    yield* members('form_items', document.form_items, graph);
    const field = (item: FieldRegionItem | FieldItem): string[] => [JSON.stringify(placed(item))];
    if (this.#old === null && document.field_regions.length > 0) yield* members('field_regions', document.field_regions, field);
    if (this.#old === null && document.field_items.length > 0) yield* members('field_items', document.field_items, field);
    yield ',"pages":{';
    let first = true;
    for (const [number, page] of document.pages) {
      const text = this.#json({ size: page.size, image: this.#image(page.image), page_no: page.page_no });
      yield `${first ? '' : ','}"${number}":${text}`;
      first = false;
    }
    yield '}}';
  }
}

/** JSON text in chunks that follow each other directly. */
export function writeJson(document: DoclingDocument, options: JsonOptions = {}): Generator<string> {
  return new JsonWriter(options).write(document);
}
