/** The nodes of a DoclingDocument from JSON, one by one: types and defaults of the schema, unknown fields left out. */
import { LecternError } from '../errors.js';
import { JsonFields } from './json-fields.js';
import type {
  AnyTextItem, BoundingBox, Formatting, GraphData, GroupItem, GroupLabel, ImageRef, Meta, PictureItem, PlainTextLabel, Provenance,
  Ref, TableCell, TableData, TableItem,
} from './model.js';

/** A table's grid is written row by row and cell by cell: its size is bounded by the file's, but for what spans claim. */
const maximumGridCells = 1 << 24;

const layers = ['body', 'furniture', 'background', 'invisible', 'notes'] as const;
const plainLabels: readonly PlainTextLabel[] = [
  'caption', 'checkbox_selected', 'checkbox_unselected', 'footnote', 'page_footer', 'page_header', 'paragraph', 'reference', 'text',
  'empty_value', 'field_key', 'field_hint', 'marker', 'handwritten_text',
];
const textLabels = [
  ...plainLabels, 'title', 'section_header', 'list_item', 'code', 'formula', 'field_heading', 'field_value',
] as const;
const groupLabels: readonly GroupLabel[] = [
  'unspecified', 'list', 'ordered_list', 'chapter', 'section', 'sheet', 'slide', 'form_area', 'key_value_area', 'comment_section',
  'inline', 'picture_area',
];

function readRef(fields: JsonFields): Ref {
  return { $ref: fields.string('$ref') };
}

function readBox(fields: JsonFields): BoundingBox {
  return {
    l: fields.number('l'), t: fields.number('t'), r: fields.number('r'), b: fields.number('b'),
    coord_origin: fields.word('coord_origin', ['TOPLEFT', 'BOTTOMLEFT'], 'TOPLEFT'),
  };
}

function readProvenance(fields: JsonFields): Provenance {
  const [from, to, ...more] = fields.array('charspan');
  if (typeof from !== 'number' || typeof to !== 'number' || !Number.isSafeInteger(from) || !Number.isSafeInteger(to) || more.length > 0) {
    throw fields.fail('charspan', 'a pair of whole numbers');
  }
  return { page_no: fields.integer('page_no', 0), bbox: readBox(fields.object('bbox')), charspan: [from, to] };
}

/** The picture of a page or an item. */
export function readImage(fields: JsonFields): ImageRef {
  const size = fields.object('size');
  return {
    mimetype: fields.string('mimetype'), dpi: fields.integer('dpi', 0),
    size: { width: size.number('width', 0), height: size.number('height', 0) }, uri: fields.string('uri'),
  };
}

function readFormatting(fields: JsonFields): Formatting {
  return {
    bold: fields.boolean('bold', false),
    italic: fields.boolean('italic', false),
    underline: fields.boolean('underline', false),
    strikethrough: fields.boolean('strikethrough', false),
    script: fields.word('script', ['baseline', 'sub', 'super'], 'baseline'),
  };
}

function readNode(fields: JsonFields) {
  return {
    self_ref: fields.string('self_ref'),
    parent: fields.objectOrNull('parent', readRef),
    children: fields.list('children', readRef),
    content_layer: fields.word('content_layer', layers, 'body'),
    meta: fields.has('meta') ? (JsonFields.of(fields.free('meta'), 'meta'), fields.free('meta') as Meta) : null,
  };
}

/** What items have beyond nodes: places, and time spans or comments where there are any. */
export function readPlaced(fields: JsonFields) {
  return {
    ...readNode(fields),
    prov: fields.list('prov', readProvenance),
    ...(fields.array('source').length === 0 ? {} : { source: fields.free('source') as unknown[] }),
    ...(fields.array('comments').length === 0 ? {} : { comments: fields.free('comments') as unknown[] }),
  };
}

/** What items with captions have beyond that. */
export function readFloating(fields: JsonFields) {
  return {
    captions: fields.list('captions', readRef),
    references: fields.list('references', readRef),
    footnotes: fields.list('footnotes', readRef),
    image: fields.objectOrNull('image', readImage),
  };
}

export function readGroup(fields: JsonFields): GroupItem {
  return { ...readNode(fields), name: fields.string('name', 'group'), label: fields.word('label', groupLabels, 'unspecified') };
}

export function readText(fields: JsonFields): AnyTextItem {
  const text = fields.string('text');
  const base = {
    ...readPlaced(fields),
    orig: fields.string('orig', text), text,
    formatting: fields.objectOrNull('formatting', readFormatting),
    hyperlink: fields.stringOrNull('hyperlink'),
  };
  const label = fields.word('label', textLabels);
  switch (label) {
    case 'title':
    case 'formula': return { ...base, label };
    case 'section_header':
    case 'field_heading': return { ...base, label, level: fields.integer('level', 1, 1) };
    case 'list_item': return { ...base, label, enumerated: fields.boolean('enumerated', false), marker: fields.string('marker', '-') };
    case 'code': return { ...base, ...readFloating(fields), label, code_language: fields.string('code_language', 'unknown') };
    case 'field_value': return { ...base, label, kind: fields.word('kind', ['read_only', 'fillable'], 'read_only') };
    default: return { ...base, label };
  }
}

export function readPicture(fields: JsonFields): PictureItem {
  return {
    ...readPlaced(fields), ...readFloating(fields), label: fields.word('label', ['picture', 'chart'], 'picture'),
    annotations: fields.has('annotations') ? (fields.array('annotations'), fields.free('annotations') as unknown[]) : [],
  };
}

function readCell(fields: JsonFields): TableCell {
  return {
    bbox: fields.objectOrNull('bbox', readBox),
    row_span: fields.integer('row_span', 1, 1),
    col_span: fields.integer('col_span', 1, 1),
    start_row_offset_idx: fields.integer('start_row_offset_idx', 0),
    end_row_offset_idx: fields.integer('end_row_offset_idx', 0),
    start_col_offset_idx: fields.integer('start_col_offset_idx', 0),
    end_col_offset_idx: fields.integer('end_col_offset_idx', 0),
    text: fields.string('text'),
    column_header: fields.boolean('column_header', false),
    row_header: fields.boolean('row_header', false),
    row_section: fields.boolean('row_section', false),
    fillable: fields.boolean('fillable', false),
    ...(fields.has('ref') ? { ref: readRef(fields.object('ref')) } : {}),
  };
}

function readTableData(fields: JsonFields): TableData {
  const rows = fields.integer('num_rows', 0, 0);
  const columns = fields.integer('num_cols', 0, 0);
  if (rows * columns > maximumGridCells) throw new LecternError('too_large', `A table has ${rows} x ${columns} cells; at most ${maximumGridCells} are read.`);
  const cells = fields.list('table_cells', readCell);
  let claimed = 0;
  for (const cell of cells) {
    if (cell.end_row_offset_idx > rows || cell.end_col_offset_idx > columns) throw new LecternError('invalid_document', 'A cell lies outside its table.');
    claimed += (cell.end_row_offset_idx - cell.start_row_offset_idx) * (cell.end_col_offset_idx - cell.start_col_offset_idx);
  }
  if (claimed > maximumGridCells) throw new LecternError('too_large', 'The cells of a table overlap too often.');
  const orientations = ['rot_0', 'rot_90', 'rot_180', 'rot_270'] as const;
  return { table_cells: cells, num_rows: rows, num_cols: columns, orientation: fields.word('orientation', orientations, 'rot_0') };
}

export function readTable(fields: JsonFields): TableItem {
  return {
    ...readPlaced(fields), ...readFloating(fields), label: fields.word('label', ['table', 'document_index'], 'table'),
    data: readTableData(fields.object('data')),
    annotations: fields.has('annotations') ? (fields.array('annotations'), fields.free('annotations') as unknown[]) : [],
  };
}

export function readGraph(fields: JsonFields): GraphData {
  return {
    cells: fields.list('cells', (cell) => ({
      label: cell.word('label', ['unspecified', 'key', 'value', 'checkbox']),
      cell_id: cell.integer('cell_id', 0), text: cell.string('text'), orig: cell.string('orig'),
      prov: cell.objectOrNull('prov', readProvenance), item_ref: cell.objectOrNull('item_ref', readRef),
    })),
    links: fields.list('links', (link) => ({
      label: link.word('label', ['unspecified', 'to_value', 'to_key', 'to_parent', 'to_child']),
      source_cell_id: link.integer('source_cell_id', 0), target_cell_id: link.integer('target_cell_id', 0),
    })),
  };
}
