/** OpenDocument files: their parts, and the styles of contents and of the document together. */
import { LecternError } from '../../../errors.js';
import { Archive, looksLikeArchive } from '../../archive.js';
import { XmlReader, parseXml } from '../../xml.js';
import type { XmlElement } from '../../xml.js';
import { openDocumentNamespaces } from '../namespaces.js';

export class OpenDocument {
  readonly archive: Archive;

  /** `kind` is the format's name, for messages. Throws LecternError `invalid_document` or `password_required`. */
  constructor(bytes: Uint8Array, private readonly kind: string) {
    if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
    if (!looksLikeArchive(bytes)) throw new LecternError('invalid_document', `The file is not an ${kind} document.`);
    this.archive = new Archive(bytes);
    if (!this.archive.has('content.xml')) throw new LecternError('invalid_document', `The file is not an ${kind} document: it has no contents.`);
    const manifest = this.tree('META-INF/manifest.xml');
    for (const entry of manifest?.elements() ?? []) {
      if (entry.get('manifest:full-path') !== 'content.xml') continue;
      for (const child of entry.elements()) if (child.name.endsWith('encryption-data')) throw new LecternError('password_required', 'The document is encrypted; encrypted office files cannot be opened.');
    }
  }

  /** A part as a tree; null where it is missing or empty. */
  tree(part: string): XmlElement | null {
    const bytes = this.archive.find(part);
    return bytes === null || bytes.length === 0 ? null : parseXml(bytes, this.#options(part));
  }

  /**
   * Goes through `content.xml`: automatic styles are handed over when they come, then the cursor stands at the start of the body's
   * one element, such as `office:text`. Throws `invalid_document` where that is not `body`.
   */
  openBody(body: string, onStyles: (styles: XmlElement) => void): XmlReader {
    const reader = new XmlReader(this.archive.read('content.xml'), this.#options('content.xml'));
    while (reader.next()) {
      if (reader.kind !== 'start') continue;
      if (reader.name === body) return reader;
      if (reader.name === 'office:automatic-styles') onStyles(reader.element());
      else if (reader.name !== 'office:document-content' && reader.name !== 'office:body') reader.skip();
    }
    throw new LecternError('invalid_document', `The file is not an ${this.kind} document: it holds another kind of contents.`);
  }

  #options(part: string): { namespaces: typeof openDocumentNamespaces; subject: string } {
    return { namespaces: openDocumentNamespaces, subject: `The file's part ${part}` };
  }
}

/** A part that an `xlink:href` names: `./Object 1`, `Pictures/a.png`; null for anything outside the file. */
export function partOfHref(href: string | undefined): string | null {
  if (href === undefined || href === '' || /^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('/') || href.startsWith('..') || href.startsWith('#')) return null;
  return href.replace(/^\.\//, '').replace(/\/$/, '');
}
