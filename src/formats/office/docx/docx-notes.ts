/** Footnotes and endnotes of a DOCX, numbered in the order in which the text refers to them. */
import type { XmlElement } from '../../xml.js';
import type { OfficePackage } from '../office-package.js';

type NoteKind = 'footnote' | 'endnote';

export interface TakenNote {
  number: number;
  element: XmlElement;
  /** Where it stands: its links belong to that part. */
  partName: string;
}

export class Notes {
  readonly #office: OfficePackage;
  readonly #main: string;
  readonly #all = new Map<NoteKind, Map<string, XmlElement>>();
  readonly #taken = new Map<string, TakenNote>();

  constructor(office: OfficePackage, main: string) {
    this.#office = office;
    this.#main = main;
  }

  /** The number of a note that is referred to here; null where the file has no such note. */
  number(kind: NoteKind, id: string): number | null {
    const key = `${kind} ${id}`;
    const known = this.#taken.get(key);
    if (known !== undefined) return known.number;
    const element = this.#load(kind).get(id);
    const partName = this.#office.related(this.#main, `${kind}s`);
    if (element === undefined || partName === null) return null;
    const number = this.#taken.size + 1;
    this.#taken.set(key, { number, element, partName });
    return number;
  }

  taken(): TakenNote[] {
    return [...this.#taken.values()];
  }

  #load(kind: NoteKind): Map<string, XmlElement> {
    let notes = this.#all.get(kind);
    if (notes === undefined) {
      notes = new Map<string, XmlElement>();
      for (const element of this.#office.tree(this.#office.related(this.#main, `${kind}s`))?.elements(`w:${kind}`) ?? []) {
        // Separators are lines that the page draws.
        if ((element.get('w:type') ?? 'normal') === 'normal') notes.set(element.get('w:id') ?? '', element);
      }
      this.#all.set(kind, notes);
    }
    return notes;
  }
}
