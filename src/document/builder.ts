/** Makes a document item by item: numbers the nodes, keeps parents and children in step, turns page boxes the document's way. */
import { LecternError } from '../errors.js';
import { maximumDepth, resolve } from './document-tree.js';
import { placeCells } from './table-grid.js';
import type { CellInput } from './table-grid.js';
import { doclingVersion, lineConfidencesKey, spaceBeforeKey } from './model.js';
import type {
  AnyTextItem, BoundingBox, CodeItem, ContentLayer, CoordOrigin, DoclingDocument, DocumentNode, Formatting, FormulaItem, GraphData,
  GroupItem, GroupLabel, ImageRef, KeyValueItem, ListItem, PictureItem, PlainTextLabel, Provenance, Ref, SectionHeaderItem, Size,
  TableItem, TextItem, TitleItem,
} from './model.js';

/** Points, origin top left. */
export interface PageBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** One part of an item on one page. `from` and `to` are offsets in `orig` as JavaScript counts; left out: all of it. */
export interface ItemPlace {
  pageNumber: number;
  box: PageBox;
  from?: number | undefined;
  to?: number | undefined;
  /** Where the file has it, whatever size addPage() got for what was read. */
  asDrawn?: boolean | undefined;
}

export interface NodeOptions {
  /** Default: the body. The node becomes its last child. */
  parent?: DocumentNode | undefined;
  /** Default: the parent's. */
  layer?: ContentLayer | undefined;
}

export interface ItemOptions extends NodeOptions {
  /** One entry for each page (or column) the item stands on. */
  at?: ItemPlace[] | undefined;
}

export interface TextOptions extends ItemOptions {
  /** The text as it stood in the source, where it differs: joined hyphens, list markers. */
  orig?: string | undefined;
  formatting?: Partial<Formatting> | undefined;
  hyperlink?: string | undefined;
  /** In an inline group: no space stands between this run and the one before. */
  glued?: boolean | undefined;
  /** Of lines that were read from a picture, 0..1. */
  lineConfidences?: (number | null)[] | undefined;
}

export interface ListItemOptions extends TextOptions {
  /** As printed: `•`, `1.`, `(a)`; left out where nothing is printed. */
  marker?: string | undefined;
  enumerated?: boolean | undefined;
}

export interface BuilderOptions {
  /** The document's name: the file's, without its extension. */
  name: string;
  origin?: {
    mimetype: string;
    filename: string;
    /** SHA-256 of the file, hexadecimal; its last 64 bits are the contract's `binary_hash`. */
    sha256: string;
  } | undefined;
  /** How boxes are written. PDFs use BOTTOMLEFT; table cells are TOPLEFT always, as in docling's own documents. */
  coordOrigin?: CoordOrigin | undefined;
}

type CaptionedItem = TableItem | PictureItem | CodeItem;

/** The reference that points to a node. */
export function refTo(node: { self_ref: string }): Ref {
  return { $ref: node.self_ref };
}

function metaOf({ glued, lineConfidences }: TextOptions): Record<string, unknown> | null {
  if (glued !== true && lineConfidences === undefined) return null;
  return { ...(glued === true && { [spaceBeforeKey]: false }), ...(lineConfidences !== undefined && { [lineConfidencesKey]: lineConfidences }) };
}

function group(selfRef: string, label: GroupLabel, name: string, layer: ContentLayer, parent: Ref | null): GroupItem {
  return { self_ref: selfRef, parent, children: parent === null ? [] : none, content_layer: layer, meta: null, name, label };
}

/** Deeper nesting than readers and writers of documents follow is refused where it begins. */
function checkDepth(document: DoclingDocument, parent: DocumentNode): void {
  let depth = 1;
  for (let at = parent.parent; at !== null; at = resolve(document, at).parent) {
    if (++depth > maximumDepth) throw new LecternError('invalid_document', `The document is nested deeper than ${maximumDepth} levels.`);
  }
}

/** A document without content; `DocumentBuilder` fills it. */
function emptyDocument(options: BuilderOptions): DoclingDocument {
  const origin = options.origin;
  return {
    schema_name: 'DoclingDocument',
    version: doclingVersion,
    name: options.name,
    origin: origin === undefined ? null : {
      mimetype: origin.mimetype,
      binary_hash: BigInt(`0x${origin.sha256.slice(-16)}`),
      filename: origin.filename,
      uri: null,
    },
    furniture: group('#/furniture', 'unspecified', '_root_', 'furniture', null),
    body: group('#/body', 'unspecified', '_root_', 'body', null),
    groups: [], texts: [], pictures: [], tables: [], key_value_items: [], form_items: [], field_regions: [], field_items: [],
    pages: new Map(),
  };
}

// A hundredth of a point is finer than any font's hinting; NaN and infinity are not JSON.
function coordinate(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 100) / 100 : 0;
}

/** Number of code points, as the contract counts characters. */
function codePoints(text: string, end: number): number {
  const part = end >= text.length ? text : text.slice(0, end);
  let low = 0;
  for (let i = 0; i < part.length; i++) if ((part.charCodeAt(i) & 0xfc00) === 0xdc00) low++;
  return part.length - low;
}

// Half a surrogate pair cannot be written as UTF-8, and control characters are no text in any of the outputs.
const unwritable = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const lineEnds = /\r\n?|\u0085/g;
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

const unclean = /[\u0000-\u0008\u000b-\u001f\u007f\u0085\ud800-\udfff]/;

/** Short texts of ASCII, as nearly all cells are: cheaper to see than to search. */
function isPrintable(text: string): boolean {
  if (text.length > 16) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126) return false;
  }
  return true;
}

function clean(text: string): string {
  // Nearly all texts are clean, and one look is cheaper than three replacements.
  if (!unclean.test(text)) return text;
  return text.replace(lineEnds, '\n').replace(controls, ' ').replace(unwritable, '\ufffd');
}

/** By their values: a document has few of them, and many texts share them. */
const looks = new Map<number, Formatting>();
const scripts = ['baseline', 'sub', 'super'] as const;

function formattingOf(wished: Partial<Formatting> | undefined): Formatting | null {
  if (wished === undefined) return null;
  const { bold = false, italic = false, underline = false, strikethrough = false, script = 'baseline' } = wished;
  const key = (bold ? 1 : 0) + (italic ? 2 : 0) + (underline ? 4 : 0) + (strikethrough ? 8 : 0) + 16 * scripts.indexOf(script);
  let look = looks.get(key);
  if (look === undefined) looks.set(key, (look = Object.freeze({ bold, italic, underline, strikethrough, script })));
  return look;
}

/** The children of what has none, and the places of what stands nowhere: most texts of most documents. */
const none = Object.freeze([]) as unknown as never[];

/** A list of the size that it has: arrays that are pushed to begin with room for seventeen, and most nodes have a child or two. The roots keep theirs. */
function hang(parent: DocumentNode, ref: Ref): void {
  if (parent.parent !== null && parent.children.length < 4) parent.children = [...parent.children, ref];
  else parent.children.push(ref);
}

/** Each `add…` returns the new node, which may be the `parent` of later ones; order of calls is reading order. */
export class DocumentBuilder {
  readonly document: DoclingDocument;
  readonly #coordOrigin: CoordOrigin;

  constructor(options: BuilderOptions) {
    this.document = emptyDocument(options);
    this.#coordOrigin = options.coordOrigin ?? 'BOTTOMLEFT';
  }

  /** Pages come before the items on them: their height turns the boxes. `number` from 1. */
  /** `toPage` brings boxes of what was read from a turned or straightened picture to where it stands on the page. */
  addPage(number: number, size: Size, image: ImageRef | null = null, toPage: ((box: ItemPlace['box']) => ItemPlace['box']) | null = null): void {
    if (toPage !== null) this.#toPage.set(number, toPage);
    this.document.pages.set(number, {
      size: { width: coordinate(size.width), height: coordinate(size.height) }, image, page_no: number,
    });
  }

  addTitle(text: string, options: TextOptions = {}): TitleItem {
    return this.#addText(this.#textual('title', text, options));
  }

  /** `level` from 1: the heading right below the title. */
  addHeading(level: number, text: string, options: TextOptions = {}): SectionHeaderItem {
    return this.#addText({ ...this.#textual('section_header', text, options), level });
  }

  addText(label: PlainTextLabel, text: string, options: TextOptions = {}): TextItem {
    return this.#addText(this.#textual(label, text, options));
  }

  addCheckbox(checked: boolean, text: string, options: TextOptions = {}): TextItem {
    return this.addText(checked ? 'checkbox_selected' : 'checkbox_unselected', text, options);
  }

  /** A running header or footer, or a page number: stands in reading order, in the furniture layer. */
  addFurniture(label: 'page_header' | 'page_footer', text: string, options: TextOptions = {}): TextItem {
    return this.addText(label, text, { layer: 'furniture', ...options });
  }

  /** For a nested list the parent is the list item it belongs to. */
  addListGroup(options: NodeOptions = {}): GroupItem {
    return this.addGroup('list', 'list', options);
  }

  addListItem(list: GroupItem, text: string, options: ListItemOptions = {}): ListItem {
    const own = { ...options, parent: list };
    const enumerated = options.enumerated ?? false;
    return this.#addText({ ...this.#textual('list_item', text, own), enumerated, marker: clean(options.marker ?? '') });
  }

  /** The parent of a paragraph's runs: texts with formatting or links of their own. */
  addInlineGroup(options: NodeOptions = {}): GroupItem {
    return this.addGroup('inline', 'group', options);
  }

  addGroup(label: GroupLabel, name: string, options: NodeOptions = {}): GroupItem {
    const { groups } = this.document;
    const parent = options.parent ?? this.document.body;
    checkDepth(this.document, parent);
    const node = group(`#/groups/${groups.length}`, label, name, options.layer ?? parent.content_layer, this.#refTo(parent));
    hang(parent, refTo(node));
    groups.push(node);
    return node;
  }

  /** Captions and footnotes follow by `addCaption`, content of rich cells with the table as parent and `cell.ref`. `cells` may be gone through twice. */
  addTable(rowCount: number, columnCount: number, cells: Iterable<CellInput>, options: ItemOptions & { index?: boolean } = {}): TableItem {
    const page = options.at?.[0]?.pageNumber;
    const data = placeCells(rowCount, columnCount, cells, (cell) => {
      if (!isPrintable(cell.text)) cell.text = clean(cell.text);
      if (cell.bbox !== null) cell.bbox = this.#turned(cell.bbox, page);
    });
    const { tables } = this.document;
    const table: TableItem = {
      ...this.#node(`#/tables/${tables.length}`, options), label: options.index === true ? 'document_index' : 'table',
      prov: this.#places(options.at, ''), captions: [], references: [], footnotes: [], image: null, data, annotations: [],
    };
    tables.push(table);
    return table;
  }

  /** Text that stands inside the picture follows with the picture as parent. */
  /** `alternative` is the text that the file gives for those who do not see the picture; it is the picture's description. */
  addPicture(options: ItemOptions & { image?: ImageRef | undefined; chart?: boolean | undefined; alternative?: string | undefined } = {}): PictureItem {
    const { pictures } = this.document;
    const picture: PictureItem = {
      ...this.#node(`#/pictures/${pictures.length}`, options), label: options.chart === true ? 'chart' : 'picture',
      prov: this.#places(options.at, ''), captions: [], references: [], footnotes: [], image: options.image ?? null, annotations: [],
    };
    const alternative = clean(options.alternative ?? '').replace(/\s+/g, ' ').trim();
    if (alternative !== '') picture.meta = { description: { text: alternative, created_by: 'alternative text of the file' } };
    pictures.push(picture);
    return picture;
  }

  /** `language` is one of the schema's names (`Python`, `C++`); line ends and indentation of `text` stay. */
  addCode(text: string, options: TextOptions & { language?: string | undefined } = {}): CodeItem {
    return this.#addText({
      ...this.#textual('code', text, options), captions: [], references: [], footnotes: [], image: null, code_language: options.language ?? 'unknown',
    });
  }

  /** `text` is LaTeX, or empty where the formula was not decoded; `orig` is what stood on the page. */
  addFormula(text: string, options: TextOptions = {}): FormulaItem {
    return this.#addText(this.#textual('formula', text, options));
  }

  addCaption(owner: CaptionedItem, text: string, options: TextOptions = {}): TextItem {
    const caption = this.addText('caption', text, { ...options, parent: owner });
    owner.captions.push(refTo(caption));
    return caption;
  }

  /** A footnote of a table or picture; those of the page are `addText('footnote', …)`. */
  addFootnote(owner: CaptionedItem, text: string, options: TextOptions = {}): TextItem {
    const footnote = this.addText('footnote', text, { ...options, parent: owner });
    owner.footnotes.push(refTo(footnote));
    return footnote;
  }

  addKeyValues(graph: GraphData, options: ItemOptions = {}): KeyValueItem {
    const items = this.document.key_value_items;
    const item: KeyValueItem = {
      ...this.#node(`#/key_value_items/${items.length}`, options), label: 'key_value_region',
      prov: this.#places(options.at, ''), captions: [], references: [], footnotes: [], image: null, graph,
    };
    items.push(item);
    return item;
  }

  /** One object for all children that follow each other. */
  #refTo(parent: DocumentNode): Ref {
    if (this.#parent !== parent) {
      this.#parent = parent;
      this.#parentRef = refTo(parent);
    }
    return this.#parentRef;
  }

  readonly #toPage = new Map<number, (box: ItemPlace['box']) => ItemPlace['box']>();
  #parent: DocumentNode | null = null;
  #parentRef: Ref = { $ref: '' };

  #node(selfRef: string, options: NodeOptions) {
    const parent = options.parent ?? this.document.body;
    checkDepth(this.document, parent);
    hang(parent, { $ref: selfRef });
    return {
      self_ref: selfRef, parent: this.#refTo(parent), children: none as Ref[],
      content_layer: options.layer ?? parent.content_layer, meta: null as Record<string, unknown> | null,
    };
  }

  /** One object with all fields at once, and nothing of its own that others have too: documents have hundreds of thousands of texts. */
  #textual<Label extends string>(label: Label, text: string, options: TextOptions) {
    const written = clean(text);
    const orig = options.orig === undefined ? written : clean(options.orig);
    const parent = options.parent ?? this.document.body;
    checkDepth(this.document, parent);
    const selfRef = `#/texts/${this.document.texts.length}`;
    hang(parent, { $ref: selfRef });
    return {
      self_ref: selfRef, parent: this.#refTo(parent), children: none as Ref[], content_layer: options.layer ?? parent.content_layer,
      meta: metaOf(options), label,
      prov: this.#places(options.at, orig), orig, text: written, formatting: formattingOf(options.formatting), hyperlink: options.hyperlink ?? null,
    };
  }

  #addText<Item extends AnyTextItem>(item: Item): Item {
    this.document.texts.push(item);
    return item;
  }

  #places(places: ItemPlace[] | undefined, orig: string): Provenance[] {
    if (places === undefined || places.length === 0) return none;
    return places.map((place) => ({
      page_no: place.pageNumber,
      bbox: this.#box(place),
      charspan: [codePoints(orig, place.from ?? 0), codePoints(orig, place.to ?? orig.length)],
    }));
  }

  #box({ pageNumber, box: read, asDrawn }: ItemPlace): BoundingBox {
    const page = this.document.pages.get(pageNumber);
    if (page === undefined) throw new Error(`page ${pageNumber} is not in the document yet`);
    const box = asDrawn === true ? read : this.#toPage.get(pageNumber)?.(read) ?? read;
    const l = coordinate(box.left);
    const r = coordinate(box.right);
    if (this.#coordOrigin === 'TOPLEFT') return { l, t: coordinate(box.top), r, b: coordinate(box.bottom), coord_origin: 'TOPLEFT' };
    const height = page.size.height;
    return { l, t: coordinate(height - box.top), r, b: coordinate(height - box.bottom), coord_origin: 'BOTTOMLEFT' };
  }

  #turned({ l, t, r, b }: BoundingBox, pageNumber: number | undefined): BoundingBox {
    const read = { left: l, top: t, right: r, bottom: b };
    const box = this.#toPage.get(pageNumber ?? 0)?.(read) ?? read;
    return { l: coordinate(box.left), t: coordinate(box.top), r: coordinate(box.right), b: coordinate(box.bottom), coord_origin: 'TOPLEFT' };
  }
}
