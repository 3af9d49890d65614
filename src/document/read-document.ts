/** DoclingDocument JSON back into a document: checked in its parts, and as a tree without loops, loose ends or two owners. */
import { LecternError } from '../errors.js';
import { JsonFields } from './json-fields.js';
import { readFloating, readGraph, readGroup, readImage, readPicture, readPlaced, readTable, readText } from './read-items.js';
import { find, isFloating, isTable, maximumDepth, nodeLists, resolve } from './document-tree.js';
import type { DoclingDocument, DocumentNode, DocumentOrigin, PageItem, Ref } from './model.js';

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new LecternError('invalid_document', 'The file is not JSON.', { cause: error });
  }
}

/** The hash has 64 bits, which a JavaScript number cannot hold: its digits are taken from the text. */
function binaryHash(fields: JsonFields, json: string): bigint {
  const rounded = fields.number('binary_hash');
  for (const match of json.matchAll(/"binary_hash"\s*:\s*(\d{1,20})\b/g)) {
    if (Number(match[1]) === rounded) return BigInt(match[1] ?? 0);
  }
  throw fields.fail('binary_hash', 'a whole number from 0');
}

function readOrigin(fields: JsonFields, json: string): DocumentOrigin {
  return {
    mimetype: fields.string('mimetype'), binary_hash: binaryHash(fields, json), filename: fields.string('filename'),
    uri: fields.stringOrNull('uri'),
  };
}

function readPages(fields: JsonFields): Map<number, PageItem> {
  const pages = fields.names().map((name) => {
    const page = fields.object(name);
    const size = page.object('size');
    return {
      size: { width: size.number('width', 0), height: size.number('height', 0) },
      image: page.objectOrNull('image', readImage),
      page_no: page.integer('page_no', 0),
    };
  });
  return new Map(pages.map((page) => [page.page_no, page]));
}

function readParts(json: string): DoclingDocument {
  const root = JsonFields.of(parse(json), 'document');
  root.word('schema_name', ['DoclingDocument']);
  const version = root.string('version', '1.0.0');
  if (!/^1\.\d+\.\d+$/.test(version)) throw new LecternError('invalid_document', `Version ${version.slice(0, 20)} of DoclingDocument is not supported.`);
  return {
    schema_name: 'DoclingDocument', version, name: root.string('name'),
    origin: root.objectOrNull('origin', (fields) => readOrigin(fields, json)),
    furniture: root.has('furniture') ? readGroup(root.object('furniture')) : emptyRoot('furniture'),
    body: root.has('body') ? readGroup(root.object('body')) : emptyRoot('body'),
    groups: root.list('groups', readGroup),
    texts: root.list('texts', readText),
    pictures: root.list('pictures', readPicture),
    tables: root.list('tables', readTable),
    key_value_items: root.list('key_value_items', (item) => ({
      ...readPlaced(item), ...readFloating(item), label: 'key_value_region', graph: readGraph(item.object('graph')),
    })),
    form_items: root.list('form_items', (item) => ({
      ...readPlaced(item), ...readFloating(item), label: 'form', graph: readGraph(item.object('graph')),
    })),
    field_regions: root.list('field_regions', (item) => ({ ...readPlaced(item), label: 'field_region' })),
    field_items: root.list('field_items', (item) => ({ ...readPlaced(item), label: 'field_item' })),
    pages: root.has('pages') ? readPages(root.object('pages')) : new Map(),
  };
}

function emptyRoot(layer: 'body' | 'furniture'): DoclingDocument['body'] {
  return { self_ref: `#/${layer}`, parent: null, children: [], content_layer: layer, meta: null, name: '_root_', label: 'unspecified' };
}

/** Walks the tree below a root: each node has one parent, and refers to it. */
function checkTree(document: DoclingDocument, root: DocumentNode, reached: Set<DocumentNode>): void {
  const waiting: { node: DocumentNode; depth: number }[] = [{ node: root, depth: 0 }];
  reached.add(root);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    if (depth > maximumDepth) throw new LecternError('invalid_document', `The document is nested deeper than ${maximumDepth} levels.`);
    for (const ref of node.children) {
      const child = resolve(document, ref);
      if (reached.has(child)) throw new LecternError('invalid_document', `The item ${ref.$ref} stands twice in the document.`);
      reached.add(child);
      child.parent = { $ref: node.self_ref };
      waiting.push({ node: child, depth: depth + 1 });
    }
  }
}

function isBelow(document: DoclingDocument, node: DocumentNode, ancestor: DocumentNode): boolean {
  let at: DocumentNode | undefined = node;
  for (let steps = 0; at !== undefined && steps <= maximumDepth; steps++) {
    at = at.parent === null ? undefined : find(document, at.parent);
    if (at === ancestor) return true;
  }
  return false;
}

/** Each caption, footnote and cell content has one owner: shared ones would be written again for each. */
function checkOwners(document: DoclingDocument): void {
  const owned = new Set<string>();
  const firstOwner = (ref: Ref): boolean => {
    resolve(document, ref);
    if (owned.has(ref.$ref)) return false;
    owned.add(ref.$ref);
    return true;
  };
  for (const list of nodeLists) {
    for (const node of document[list]) {
      if (isFloating(node)) {
        node.captions = node.captions.filter(firstOwner);
        node.footnotes = node.footnotes.filter(firstOwner);
        for (const ref of node.references) resolve(document, ref);
      }
      if (!isTable(node)) continue;
      for (const cell of node.data.table_cells) {
        if (cell.ref === undefined) continue;
        if (!firstOwner(cell.ref) || !isBelow(document, resolve(document, cell.ref), node)) {
          throw new LecternError('invalid_document', `The content ${cell.ref.$ref} of a cell does not belong to its table alone.`);
        }
      }
    }
  }
}

/** Throws LecternError `invalid_document` or `too_large` with a sentence that names what is wrong. The caller bounds the size of the text. */
export function readDocument(json: string): DoclingDocument {
  const document = readParts(json);
  for (const list of nodeLists) {
    for (const [index, node] of document[list].entries()) {
      if (node.self_ref !== `#/${list}/${index}`) throw new LecternError('invalid_document', `The item #/${list}/${index} calls itself ${node.self_ref.slice(0, 60)}.`);
    }
  }
  document.body.self_ref = '#/body';
  document.furniture.self_ref = '#/furniture';
  const reached = new Set<DocumentNode>();
  checkTree(document, document.body, reached);
  if (!reached.has(document.furniture)) checkTree(document, document.furniture, reached);
  checkOwners(document);
  return document;
}
