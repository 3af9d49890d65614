/** DOCX to document: the body block by block, headers and footers around it, notes behind it. */
import { basename, extname } from 'node:path';
import { LecternError } from '../../../errors.js';
import { DocumentBuilder } from '../../../document/builder.js';
import type { ReadDocument, FormatReader } from '../../format-reader.js';
import { addParagraph } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { OfficePackage } from '../office-package.js';
import { DocxBlockReader } from './docx-blocks.js';
import { addHeadersAndFooters } from './docx-furniture.js';
import { DocxInlineReader } from './docx-inline.js';
import { Notes } from './docx-notes.js';
import { Numberings } from './docx-numbering.js';
import { partOf } from './docx-part.js';
import type { DocxPart } from './docx-part.js';
import { addDocxRemarks, leftOut } from './docx-remarks.js';
import { Styles } from './docx-styles.js';

function openPart(office: OfficePackage, name: string, notes: Notes): DocxPart {
  const styles = new Styles(office.tree(office.related(name, 'styles')));
  return {
    package: office, name, styles, numberings: new Numberings(office.tree(office.related(name, 'numbering'))), pictures: [], imported: new Set(), losses: [],
    inline: { styles, relationships: office.relationships(name), fields: [], leftOut: { deleted: new Set(), hidden: new Set() }, note: (kind, id) => notes.number(kind, id) },
  };
}

/** The body's children one after the other: the tree of a long document is never whole. */
function readBody(part: DocxPart, builder: DocumentBuilder, signal: AbortSignal): XmlElement[] {
  const xml = part.package.reader(part.name);
  const blocks = new DocxBlockReader(part, { builder, parent: builder.document.body });
  const sections: XmlElement[] = [];
  while (xml.next() && !(xml.kind === 'start' && xml.name === 'w:body'));
  const depth = xml.depth;
  if (xml.name !== 'w:body') throw new LecternError('invalid_document', 'The file is not a DOCX document: it has no body.');
  for (let count = 0; xml.nextChild(depth); count++) {
    if (count % 256 === 0 && signal.aborted) throw new LecternError('cancelled');
    const element = xml.element();
    const section = element.name === 'w:sectPr' ? element : element.at('w:pPr', 'w:sectPr');
    if (section !== undefined) sections.push(section);
    blocks.read(element);
  }
  blocks.end();
  return sections;
}

function addNotes(part: DocxPart, builder: DocumentBuilder, notes: Notes): void {
  for (const { number, element, partName } of notes.taken()) {
    const own = partOf(part, partName);
    let first = true;
    for (const paragraph of element.descendants('w:p')) {
      const reader = new DocxInlineReader(own.inline);
      const text = reader.paragraph.segments[0]?.text;
      if (first) text?.add(`[${number}] `);
      reader.read(paragraph);
      addParagraph(builder, reader.paragraph.segments.flatMap((segment) => segment.text.runs()), { label: 'footnote' });
      first = false;
    }
  }
}

/** Reads a DOCX, its macros and external parts left alone. Throws LecternError as every FormatReader. */
export const readDocx: FormatReader = (bytes, options): ReadDocument => {
  const office = new OfficePackage(bytes, 'DOCX');
  const name = office.mainPart('DOCX');
  const builder = new DocumentBuilder({ name: basename(options.filename, extname(options.filename)), origin: options });
  const notes = new Notes(office, name);
  const part = openPart(office, name, notes);
  const sections = readBody(part, builder, options.signal);
  addNotes(part, builder, notes);
  addDocxRemarks(builder, office, name);
  addHeadersAndFooters(part, builder, sections);
  return { document: builder.document, pictures: part.pictures, losses: part.losses, remarks: leftOut(part), pageCount: null };
};
