/** Office Open XML packages: parts in an archive, and the relationships that say which part is what. */
import { LecternError } from '../../errors.js';
import { Archive, looksLikeArchive } from '../archive.js';
import { XmlReader, parseXml } from '../xml.js';
import type { XmlElement } from '../xml.js';
import { isEncryptedPackage } from './compound-file.js';
import { officeNamespaces } from './namespaces.js';

export interface Relationship {
  /** The last word of its type: `image`, `styles`, `hyperlink`. */
  type: string;
  /** A part's name in the package; of external ones the address as written. */
  target: string;
  external: boolean;
}

/** `target` as seen from the part `base`: both are paths in the archive. */
function resolvePart(base: string, target: string): string {
  const path = target.startsWith('/') ? [] : base.split('/').slice(0, -1);
  for (const step of target.split('/')) {
    if (step === '..') path.pop();
    else if (step !== '' && step !== '.') path.push(step);
  }
  return path.join('/');
}

export class OfficePackage {
  readonly archive: Archive;
  readonly #relationships = new Map<string, Map<string, Relationship>>();

  /** `kind` is the format's name, for the message. Throws LecternError `invalid_document` or `password_required`. */
  constructor(bytes: Uint8Array, kind: string) {
    if (isEncryptedPackage(bytes)) throw new LecternError('password_required', 'The document is encrypted; encrypted office files cannot be opened.');
    if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
    if (!looksLikeArchive(bytes)) throw new LecternError('invalid_document', `The file is not a ${kind} document.`);
    this.archive = new Archive(bytes);
  }

  /** The part that the package is about. Throws `invalid_document` where there is none. */
  mainPart(kind: string): string {
    for (const relationship of this.relationships('').values()) if (relationship.type === 'officeDocument' && this.archive.has(relationship.target)) return relationship.target;
    throw new LecternError('invalid_document', `The file is not a ${kind} document.`);
  }

  /** By id, of a part; of the package itself for ''. Empty where it has none. */
  relationships(part: string): Map<string, Relationship> {
    const known = this.#relationships.get(part);
    if (known !== undefined) return known;
    const found = new Map<string, Relationship>();
    const slash = part.lastIndexOf('/') + 1;
    const tree = this.tree(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
    for (const element of tree?.elements('Relationship') ?? []) {
      const [id, target = '', type = ''] = [element.get('Id'), element.get('Target'), element.get('Type')];
      const external = element.get('TargetMode') === 'External';
      if (id !== undefined) found.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: external ? target : resolvePart(part, target), external });
    }
    this.#relationships.set(part, found);
    return found;
  }

  /** The first part of that type that a part points to. */
  related(part: string, type: string): string | null {
    for (const relationship of this.relationships(part).values()) if (relationship.type === type && !relationship.external) return relationship.target;
    return null;
  }

  /** A part as a tree; null where it is missing or empty. */
  tree(part: string | null): XmlElement | null {
    const bytes = part === null ? null : this.archive.find(part);
    return bytes === null || bytes.length === 0 ? null : parseXml(bytes, { namespaces: officeNamespaces, subject: `The file's part ${part}` });
  }

  /** A part that must be there, to be read from its start. */
  reader(part: string): XmlReader {
    return new XmlReader(this.archive.read(part), { namespaces: officeNamespaces, subject: `The file's part ${part}` });
  }
}

/** An element's switch, as `<w:b/>` or `<w:b w:val="0"/>`: null where it is not there. */
export function toggle(element: XmlElement | undefined, attribute = 'w:val'): boolean | null {
  if (element === undefined) return null;
  return !['0', 'false', 'off', 'none'].includes(element.get(attribute) ?? '1');
}
