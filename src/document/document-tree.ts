/** Finding one's way in a document: what a reference points to, which kind a node is, where it stands. */
import { LecternError } from '../errors.js';
import { quoteName, spaceBeforeKey } from './model.js';
import type {
  AnyTextItem, CodeItem, ContentLayer, DoclingDocument, DocumentItem, DocumentNode, FormItem, GroupItem, KeyValueItem, ListItem,
  PictureItem, Ref, TableItem,
} from './model.js';

/** The lists of a document that hold nodes, by the word in their references. */
export const nodeLists = [
  'groups', 'texts', 'pictures', 'tables', 'key_value_items', 'form_items', 'field_regions', 'field_items',
] as const;

/** Lists within lists, cells within cells: deeper documents are refused where they come in. */
export const maximumDepth = 256;

const referencePattern = /^#\/(\w+)\/(\d+)$/;

/** The node a reference points to, or undefined. */
export function find(document: DoclingDocument, ref: Ref): DocumentNode | undefined {
  if (ref.$ref === '#/body') return document.body;
  // Nearly all of them: a long document is walked by hundreds of thousands of references.
  if (ref.$ref.startsWith('#/texts/')) return document.texts[digits(ref.$ref, 8)];
  if (ref.$ref === '#/furniture') return document.furniture;
  const match = referencePattern.exec(ref.$ref);
  const list = nodeLists.find((name) => name === match?.[1]);
  return list === undefined ? undefined : document[list][Number(match?.[2])];
}

/** Code points of the decimal digits. */
const zero = 48;
const nine = 57;
/** Indices with more digits are those of no document. */
const mostDigits = 9;

/** The number that `text` ends with from `at` on; -1 where anything else stands there. */
function digits(text: string, at: number): number {
  let number = text.length > at && text.length <= at + mostDigits ? 0 : -1;
  for (let i = at; i < text.length && number >= 0; i++) {
    const code = text.charCodeAt(i);
    number = code >= zero && code <= nine ? number * 10 + code - zero : -1;
  }
  return number;
}

/** The node a reference points to. Throws LecternError `invalid_document` where there is none. */
export function resolve(document: DoclingDocument, ref: Ref): DocumentNode {
  const node = find(document, ref);
  if (node === undefined) throw new LecternError('invalid_document', `The document has no node ${ref.$ref}.`);
  return node;
}

export function childrenOf(document: DoclingDocument, node: DocumentNode): DocumentNode[] {
  return node.children.map((ref) => resolve(document, ref));
}

export function isGroup(node: DocumentNode): node is GroupItem {
  return 'name' in node;
}

export function isListGroup(node: DocumentNode): node is GroupItem {
  return node.label === 'list' || node.label === 'ordered_list';
}

export function isInlineGroup(node: DocumentNode): node is GroupItem {
  return node.label === 'inline';
}

/** What stands in a picture, line by line. */
export function isPictureText(node: DocumentNode): node is GroupItem {
  return node.label === 'picture_area';
}

/** A quotation: docling's schema has no label for it, so that other readers see a plain group. */
export function isQuote(node: DocumentNode): node is GroupItem {
  return node.label === 'unspecified' && node.name === quoteName;
}

export function isText(node: DocumentNode): node is AnyTextItem {
  return 'orig' in node;
}

export function isListItem(node: DocumentNode): node is ListItem {
  return node.label === 'list_item';
}

export function isTable(node: DocumentNode): node is TableItem {
  return node.label === 'table' || node.label === 'document_index';
}

export function isPicture(node: DocumentNode): node is PictureItem {
  return node.label === 'picture' || node.label === 'chart';
}

export function isFloating(node: DocumentNode): node is CodeItem | TableItem | PictureItem | KeyValueItem | FormItem {
  return 'captions' in node;
}

/** Number of the page a node begins on; null where it has no place. */
export function pageOf(document: DoclingDocument, node: DocumentNode): number | null {
  if ('prov' in node && node.prov.length > 0) return node.prov[0]?.page_no ?? null;
  if (!isGroup(node)) return null;
  for (const child of childrenOf(document, node)) {
    const page = pageOf(document, child);
    if (page !== null) return page;
  }
  return null;
}

/** References of all captions: they are written with their owner, wherever in the tree they stand. */
export function captionRefs(document: DoclingDocument): Set<string> {
  const refs = new Set<string>();
  const lists: DocumentItem[][] = [document.texts, document.pictures, document.tables, document.key_value_items, document.form_items];
  for (const list of lists) {
    for (const item of list) if (isFloating(item)) for (const caption of item.captions) refs.add(caption.$ref);
  }
  return refs;
}

/** The inline group that holds an item's text in runs, its first child, or null where the item has its text itself. */
export function runsOf(document: DoclingDocument, item: AnyTextItem): GroupItem | null {
  const first = item.children[0];
  if (item.text !== '' || first === undefined) return null;
  const child = resolve(document, first);
  return isInlineGroup(child) && isGroup(child) ? child : null;
}

/** Children that follow their parent as blocks of their own: not the runs of its text, not what is inside a picture or a cell. */
export function blocksBelow(document: DoclingDocument, node: DocumentNode): DocumentNode[] {
  if (isInlineGroup(node)) return [];
  const children = childrenOf(document, node);
  if (isText(node)) return runsOf(document, node) === null ? children : children.slice(1);
  if (isPicture(node)) return children.filter((child) => node.footnotes.some((ref) => ref.$ref === child.self_ref));
  if (!isTable(node) || children.length === 0) return children;
  const inCells = new Set(node.data.table_cells.map((cell) => cell.ref?.$ref));
  return children.filter((child) => !inCells.has(child.self_ref));
}

/** Whether the list counts: decided by its first item, as the contract's other implementations do. */
export function isEnumerated(document: DoclingDocument, list: GroupItem): boolean {
  const first = list.children[0];
  if (first === undefined) return false;
  const node = resolve(document, first);
  return isListItem(node) && node.enumerated;
}

/** Layers that a writer shows. */
export function shownLayers(keepFurniture: boolean): ReadonlySet<ContentLayer> {
  return new Set<ContentLayer>(keepFurniture ? ['body', 'furniture'] : ['body']);
}

/** Written runs put together: one space between two, none where a run says so or has its own. */
export function joinRuns(runs: { node: DocumentNode; text: string }[]): string {
  let joined = '';
  let before = '';
  for (const { node, text } of runs) {
    if (text === '') continue;
    // Reading the end of what is joined so far would copy all of it for every run.
    const apart = before !== '' && node.meta?.[spaceBeforeKey] !== false && !/\s/.test(before.slice(-1)) && !/^\s/.test(text);
    joined += apart ? ` ${text}` : text;
    before = text;
  }
  return joined;
}
