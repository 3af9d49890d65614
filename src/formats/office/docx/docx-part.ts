/** What readers of one part of a DOCX share: its relationships, and what the whole document has in common. */
import type { FoundPicture } from '../../format-reader.js';
import type { OfficePackage } from '../office-package.js';
import type { InlineContext } from './docx-inline.js';
import type { Numberings } from './docx-numbering.js';
import type { Styles } from './docx-styles.js';

export interface DocxPart {
  package: OfficePackage;
  /** Name of the part. */
  name: string;
  styles: Styles;
  numberings: Numberings;
  inline: InlineContext;
  /** Of the whole document; readers add to it. */
  pictures: FoundPicture[];
  /** Parts of other formats that are taken in already, of the whole document. */
  imported: Set<string>;
  /** Sentences about what is missing, of the whole document. */
  losses: string[];
}

/** Another part of the same document: headers, notes. */
export function partOf(document: DocxPart, name: string): DocxPart {
  const relationships = document.package.relationships(name);
  return { ...document, name, inline: { ...document.inline, relationships, fields: [] } };
}
