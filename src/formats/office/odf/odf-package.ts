/** OpenDocument files: their parts, and the styles of contents and of the document together. */
import { LecternError } from '../../../errors.js';
import { Archive, looksLikeArchive } from '../../archive.js';
import { XmlReader, parseXml } from '../../xml.js';
import type { XmlElement } from '../../xml.js';
import { flatKind } from '../../text-signatures.js';
import { decodeXml } from '../../xml-text.js';
import { openDocumentNamespaces } from '../namespaces.js';

/** A package of parts, or the flat form: one XML file with all of them. */
export class OpenDocument {
  readonly #archive: Archive | null;
  readonly #flat: string;

  /** `kind` is the format's name, for messages. Throws LecternError `invalid_document` or `password_required`. */
  constructor(bytes: Uint8Array, private readonly kind: string) {
    if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
    this.#archive = looksLikeArchive(bytes) ? new Archive(bytes) : null;
    this.#flat = this.#archive === null ? decodeXml(bytes) : '';
    if (this.#archive === null) {
      if (flatKind(this.#flat) === null) throw new LecternError('invalid_document', `The file is not an ${kind} document.`);
      return;
    }
    if (!this.#archive.has('content.xml')) throw new LecternError('invalid_document', `The file is not an ${kind} document: it has no contents.`);
    const manifest = this.tree('META-INF/manifest.xml');
    for (const entry of manifest?.elements() ?? []) {
      if (entry.get('manifest:full-path') !== 'content.xml') continue;
      for (const child of entry.elements()) if (child.name.endsWith('encryption-data')) throw new LecternError('password_required', 'The document is encrypted; encrypted office files cannot be opened.');
    }
  }

  /** A part as a tree; null where it is missing or empty. */
  tree(part: string): XmlElement | null {
    if (this.#archive === null) return part === 'styles.xml' ? parseXml(withoutBody(this.#flat), this.#options(part)) : null;
    const bytes = this.#archive.find(part);
    return bytes === null || bytes.length === 0 ? null : parseXml(bytes, this.#options(part));
  }

  /**
   * Goes through `content.xml`: automatic styles are handed over when they come, then the cursor stands at the start of the body's
   * one element, such as `office:text`. Throws `invalid_document` where that is not `body`.
   */
  openBody(body: string, onStyles: (styles: XmlElement) => void): XmlReader {
    const reader = new XmlReader(this.#archive?.read('content.xml') ?? this.#flat, this.#options('content.xml'));
    while (reader.next()) {
      if (reader.kind !== 'start') continue;
      if (reader.name === body) return reader;
      if (reader.name === 'office:automatic-styles') onStyles(reader.element());
      else if (!bodyPath.has(reader.name)) reader.skip();
    }
    throw new LecternError('invalid_document', `The file is not an ${this.kind} document: it holds another kind of contents.`);
  }

  /** The bytes of a picture: a part of the package, or written into the flat form; null where it is neither. */
  picture(image: XmlElement): (() => Uint8Array) | null {
    const data = image.child('office:binary-data');
    if (data !== undefined) return () => Buffer.from(data.text, 'base64');
    const part = partOfHref(image.get('xlink:href'));
    const archive = this.#archive;
    return part === null || archive?.has(part) !== true ? null : () => archive.read(part);
  }

  /** The object that a frame shows, such as a chart or a formula: a part of the package, or written into the frame. */
  object(frame: XmlElement): XmlElement | null {
    const own = frame.child('draw:object');
    const inside = own?.child('math:math') ?? own?.child('office:document');
    const part = partOfHref(own?.get('xlink:href'));
    return inside ?? (part === null ? null : this.tree(`${part}/content.xml`));
  }

  #options(part: string): { namespaces: typeof openDocumentNamespaces; subject: string } {
    return { namespaces: openDocumentNamespaces, subject: `The file's part ${part}` };
  }
}

/** Elements around the body's one element. */
const bodyPath = new Set(['office:document-content', 'office:document', 'office:body']);

/** What a flat file holds besides its body: its styles. */
function withoutBody(text: string): string {
  const [begin, end] = [text.search(/<office:body[\s>]/), text.lastIndexOf('</office:body>')];
  return begin < 0 || end < begin ? text : text.slice(0, begin) + text.slice(end + '</office:body>'.length);
}

/** A part that an `xlink:href` names: `./Object 1`, `Pictures/a.png`; null for anything outside the file. */
function partOfHref(href: string | undefined): string | null {
  if (href === undefined || href === '' || /^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('/') || href.startsWith('..') || href.startsWith('#')) return null;
  return href.replace(/^\.\//, '').replace(/\/$/, '');
}
