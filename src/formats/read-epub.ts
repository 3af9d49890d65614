/** Books (EPUB) as blocks: the chapters in the order of the spine, each read as a page, with the pictures of the archive. */
import { posix } from 'node:path';
import { LecternError } from '../errors.js';
import { Archive } from './archive.js';
import { wordsOfBlocks } from './flow/flow-blocks.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { readHtml } from './html/read-html.js';
import { declaredEncoding, decodeText } from './text-encoding.js';
import { parseXml } from './xml.js';
import type { XmlElement } from './xml.js';

const container = { subject: 'The part META-INF/container.xml', namespaces: { 'urn:oasis:names:tc:opendocument:xmlns:container': '' } };
const packageOptions = { subject: 'The package of the book', namespaces: { 'http://www.idpf.org/2007/opf': '', 'http://purl.org/dc/elements/1.1/': 'dc' } };

interface BookItem {
  path: string;
  mediaType: string;
  properties: string[];
}

interface Book {
  title: string;
  /** Who wrote it. */
  authors: string[];
  /** In reading order. */
  chapters: BookItem[];
}

/** An address inside the book, as a path in its archive. Those that lead out of it are none. */
function pathOf(base: string, address: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return null;
  const bare = address.replace(/[?#].*$/s, '');
  let decoded = bare;
  try {
    decoded = decodeURIComponent(bare);
  } catch {
    // A lone percent sign stands for itself.
  }
  const path = decoded.startsWith('/') ? posix.normalize(decoded.slice(1)) : posix.normalize(posix.join(posix.dirname(base), decoded));
  return bare === '' || path.startsWith('..') ? null : path;
}

function packagePath(archive: Archive): string {
  const root = parseXml(archive.read('META-INF/container.xml'), container);
  const path = root.at('rootfiles', 'rootfile')?.get('full-path');
  if (path === undefined) throw new LecternError('invalid_document', 'The book is damaged: it does not say where its package is.');
  return path;
}

function itemsOf(root: XmlElement, base: string): Map<string, BookItem> {
  const items = new Map<string, BookItem>();
  for (const element of root.child('manifest')?.elements('item') ?? []) {
    const path = pathOf(base, element.get('href') ?? '');
    const id = element.get('id');
    if (path !== null && id !== undefined) {
      items.set(id, { path, mediaType: element.get('media-type') ?? '', properties: (element.get('properties') ?? '').split(/\s+/) });
    }
  }
  return items;
}

const oneLine = (element: XmlElement | undefined): string => element?.text.replace(/\s+/g, ' ').trim() ?? '';

function readPackage(archive: Archive): Book {
  const base = packagePath(archive);
  const root = parseXml(archive.read(base), packageOptions);
  const items = itemsOf(root, base);
  const chapters: BookItem[] = [];
  for (const reference of root.child('spine')?.elements('itemref') ?? []) {
    const item = items.get(reference.get('idref') ?? '');
    // The table of contents repeats the chapters' headings.
    if (item !== undefined && /html|xml/.test(item.mediaType) && !item.properties.includes('nav') && !chapters.includes(item)) chapters.push(item);
  }
  const metadata = root.child('metadata');
  return { title: oneLine(metadata?.child('dc:title')), authors: [...metadata?.elements('dc:creator') ?? []].map(oneLine).filter((name) => name !== ''), chapters };
}

export interface ReadBook {
  blocks: FlowBlock[];
  /** Chapters that are missing or damaged, by their paths. */
  missing: string[];
}

/** Blocks in which most books name their title and their authors themselves. */
const titleBlocks = 20;

/** Title and authors of the package, so far as the first pages of the book do not name them. */
function titlePage({ title, authors }: Book, blocks: FlowBlock[]): FlowBlock[] {
  const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
  const begin = plain(wordsOfBlocks(blocks.slice(0, titleBlocks)));
  const unnamed = authors.filter((name) => !begin.includes(plain(name)));
  return [
    ...(title === '' || begin.includes(plain(title)) ? [] : [{ kind: 'title', runs: [{ text: title }] } as FlowBlock]),
    ...(unnamed.length === 0 ? [] : [{ kind: 'paragraph', runs: [{ text: unnamed.join(', ') }] } as FlowBlock]),
  ];
}

/** A book whose chapters are all missing is damaged; one that lacks some is read without them. Throws LecternError as archives do. */
export function readEpub(bytes: Uint8Array): ReadBook {
  const archive = new Archive(bytes);
  if (archive.has('META-INF/rights.xml') || archive.has('META-INF/license.lcpl')) throw new LecternError('password_required', 'The book is locked to a reader by rights management.');
  const book = readPackage(archive);
  const blocks: FlowBlock[] = [];
  const missing: string[] = [];
  for (const { path } of book.chapters) {
    if (!archive.has(path)) {
      missing.push(path);
      continue;
    }
    const chapter = archive.read(path);
    const image = (address: string): (() => Uint8Array) | undefined => {
      const target = pathOf(path, address);
      return target !== null && archive.has(target) ? () => archive.read(target) : undefined;
    };
    for (const block of readHtml(decodeText(chapter, declaredEncoding(chapter)), { keepAll: true, image })) blocks.push(block);
  }
  if (missing.length > 0 && blocks.length === 0) throw new LecternError('invalid_document', 'The book is damaged: none of its chapters is there.');
  return { blocks: [...titlePage(book, blocks), ...blocks], missing };
}
