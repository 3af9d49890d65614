/** The document model: DoclingDocument 1.10.0 as TypeScript types. Field names are the contract's; no behaviour lives here. */

/** A pointer to a node: `#/body`, `#/furniture` or `#/texts/12`. */
export interface Ref {
  $ref: string;
}

/** `notes` are a speaker's; `background` and `invisible` are layers of other tools' documents. Writers show `body` alone. */
export type ContentLayer = 'body' | 'furniture' | 'background' | 'invisible' | 'notes';

export type CoordOrigin = 'TOPLEFT' | 'BOTTOMLEFT';

/** Points. With BOTTOMLEFT, `t` is greater than `b`. */
export interface BoundingBox {
  l: number;
  t: number;
  r: number;
  b: number;
  coord_origin: CoordOrigin;
}

/** Where an item stands. `page_no` from 1; `charspan` counts code points of the item's text, end excluded. */
export interface Provenance {
  page_no: number;
  bbox: BoundingBox;
  charspan: [number, number];
}

export interface Formatting {
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strikethrough: boolean;
  script: 'baseline' | 'sub' | 'super';
}

export interface Size {
  width: number;
  height: number;
}

/** `uri` is a `data:` address, or a path relative to the document. */
export interface ImageRef {
  mimetype: string;
  dpi: number;
  size: Size;
  uri: string;
}

/** Free annotations: the contract's `description`, `classification` and so on, and `lectern__…` of ours. */
export type Meta = Record<string, unknown>;

/**
 * `false` in an inline run's `meta`: no space stands between it and the run before it. The value is false, not true, because
 * other readers of these documents print what stands in `meta` and print nothing for false.
 */
export const spaceBeforeKey = 'lectern__space_before';
/** In `meta` of a text that was read from a page's picture: how sure its lines are, 0..1, in their order; null for one whose text is in the file. */
export const lineConfidencesKey = 'lectern__line_confidences';

/** Name of the group that holds a quotation's blocks. */
export const quoteName = 'quote';

/** What every node has. `source` and `comments` are left out of the JSON while they are empty. */
export interface NodeFields {
  self_ref: string;
  parent: Ref | null;
  children: Ref[];
  content_layer: ContentLayer;
  meta: Meta | null;
}

interface PlacedNode extends NodeFields {
  prov: Provenance[];
  source?: unknown[];
  comments?: unknown[];
}

interface Textual extends PlacedNode {
  /** As it stood in the source: hyphens at line ends, list markers. */
  orig: string;
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
}

interface Floating extends PlacedNode {
  captions: Ref[];
  references: Ref[];
  footnotes: Ref[];
  image: ImageRef | null;
}

export type PlainTextLabel =
  | 'caption' | 'checkbox_selected' | 'checkbox_unselected' | 'footnote' | 'page_footer' | 'page_header' | 'paragraph'
  | 'reference' | 'text' | 'empty_value' | 'field_key' | 'field_hint' | 'marker' | 'handwritten_text';

export interface TextItem extends Textual {
  label: PlainTextLabel;
}

export interface TitleItem extends Textual {
  label: 'title';
}

export interface SectionHeaderItem extends Textual {
  label: 'section_header';
  /** From 1; the title stands above it. */
  level: number;
}

export interface ListItem extends Textual {
  label: 'list_item';
  enumerated: boolean;
  /** As printed: `-`, `•`, `1.`, `(a)`; empty where the source has none. */
  marker: string;
}

export interface CodeItem extends Textual, Floating {
  label: 'code';
  /** One of the schema's names, `unknown` included. */
  code_language: string;
}

export interface FormulaItem extends Textual {
  label: 'formula';
}

export interface FieldHeadingItem extends Textual {
  label: 'field_heading';
  level: number;
}

export interface FieldValueItem extends Textual {
  label: 'field_value';
  kind: 'read_only' | 'fillable';
}

export type AnyTextItem =
  | TextItem | TitleItem | SectionHeaderItem | ListItem | CodeItem | FormulaItem | FieldHeadingItem | FieldValueItem;

export type GroupLabel =
  | 'unspecified' | 'list' | 'ordered_list' | 'chapter' | 'section' | 'sheet' | 'slide' | 'form_area' | 'key_value_area'
  | 'comment_section' | 'inline' | 'picture_area';

/** `list` holds list items (and nested lists), `inline` holds the runs of one paragraph, the others are divisions. */
export interface GroupItem extends NodeFields {
  name: string;
  label: GroupLabel;
}

export interface PictureItem extends Floating {
  label: 'picture' | 'chart';
  annotations: unknown[];
}

/** Offsets count from 0, ends are excluded. `ref` makes the cell rich: it points to the group or item that is its content. */
export interface TableCell {
  bbox: BoundingBox | null;
  row_span: number;
  col_span: number;
  start_row_offset_idx: number;
  end_row_offset_idx: number;
  start_col_offset_idx: number;
  end_col_offset_idx: number;
  text: string;
  column_header: boolean;
  row_header: boolean;
  row_section: boolean;
  fillable: boolean;
  ref?: Ref;
}

/** Each cell once; the JSON's `grid`, which repeats spans, is derived when written. */
export interface TableData {
  table_cells: TableCell[];
  num_rows: number;
  num_cols: number;
  orientation: 'rot_0' | 'rot_90' | 'rot_180' | 'rot_270';
}

export interface TableItem extends Floating {
  label: 'table' | 'document_index';
  data: TableData;
  annotations: unknown[];
}

export interface GraphCell {
  label: 'unspecified' | 'key' | 'value' | 'checkbox';
  cell_id: number;
  text: string;
  orig: string;
  prov: Provenance | null;
  item_ref: Ref | null;
}

export interface GraphLink {
  label: 'unspecified' | 'to_value' | 'to_key' | 'to_parent' | 'to_child';
  source_cell_id: number;
  target_cell_id: number;
}

export interface GraphData {
  cells: GraphCell[];
  links: GraphLink[];
}

export interface KeyValueItem extends Floating {
  label: 'key_value_region';
  graph: GraphData;
}

export interface FormItem extends Floating {
  label: 'form';
  graph: GraphData;
}

/** A form's region; its children are field items and headings. */
export interface FieldRegionItem extends PlacedNode {
  label: 'field_region';
}

/** One field: its children are the key and its values. */
export interface FieldItem extends PlacedNode {
  label: 'field_item';
}

export type DocumentItem =
  | AnyTextItem | PictureItem | TableItem | KeyValueItem | FormItem | FieldRegionItem | FieldItem;

/** Everything that stands in the tree: items and groups. */
export type DocumentNode = DocumentItem | GroupItem;

export interface PageItem {
  size: Size;
  image: ImageRef | null;
  page_no: number;
}

export interface DocumentOrigin {
  mimetype: string;
  /** An unsigned 64-bit number: more than a JavaScript number holds. */
  binary_hash: bigint;
  filename: string;
  uri: string | null;
}

export interface DoclingDocument {
  schema_name: 'DoclingDocument';
  version: string;
  name: string;
  origin: DocumentOrigin | null;
  furniture: GroupItem;
  body: GroupItem;
  groups: GroupItem[];
  texts: AnyTextItem[];
  pictures: PictureItem[];
  tables: TableItem[];
  key_value_items: KeyValueItem[];
  form_items: FormItem[];
  /** Left out of the JSON while it is empty, as `field_items`. */
  field_regions: FieldRegionItem[];
  field_items: FieldItem[];
  /** By page number, from 1. */
  pages: Map<number, PageItem>;
}

export const doclingVersion = '1.10.0';
