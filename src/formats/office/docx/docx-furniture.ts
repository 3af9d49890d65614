/** Running headers and footers of a DOCX: each text once, in the furniture layer. */
import type { DocumentBuilder } from '../../../document/builder.js';
import type { XmlElement } from '../../xml.js';
import { DocxInlineReader } from './docx-inline.js';
import { partOf } from './docx-part.js';
import type { DocxPart } from './docx-part.js';

const kinds = { 'w:headerReference': 'page_header', 'w:footerReference': 'page_footer' } as const;

/** `sections` are the section properties in order; what one section repeats of another stands once. */
export function addHeadersAndFooters(part: DocxPart, builder: DocumentBuilder, sections: XmlElement[]): void {
  const seen = new Set<string>();
  const { children } = builder.document.body;
  let headers = 0;
  for (const section of sections) {
    for (const [name, label] of Object.entries(kinds)) {
      for (const reference of section.elements(name)) {
        const relationship = part.package.relationships(part.name).get(reference.get('r:id') ?? '');
        if (relationship === undefined || relationship.external) continue;
        const own = partOf(part, relationship.target);
        for (const paragraph of part.package.tree(relationship.target)?.descendants('w:p') ?? []) {
          const reader = new DocxInlineReader(own.inline);
          reader.read(paragraph);
          const text = reader.paragraph.segments.map((segment) => segment.text.plain).join(' ').replace(/\s+/g, ' ').trim();
          if (text === '' || seen.has(`${label} ${text}`)) continue;
          seen.add(`${label} ${text}`);
          builder.addFurniture(label, text);
          const added = children.pop();
          // Headers stand above the text of their pages.
          if (added !== undefined) children.splice(label === 'page_header' ? headers++ : children.length, 0, added);
        }
      }
    }
  }
}
