/** Remarks of reviewers in OpenDocument files (`office:annotation`). */
import type { ItemOptions } from '../../../document/builder.js';
import type { XmlElement } from '../../xml.js';
import { addRemarks } from '../comment-section.js';
import type { OdfContext } from './odf-context.js';

function remarkOf(annotation: XmlElement): { author: string; time: string | undefined; text: string } {
  const paragraphs = [...annotation.descendants('text:p')].map((paragraph) => paragraph.text.replace(/\s+/g, ' ').trim());
  return { author: annotation.child('dc:creator')?.text ?? '', time: annotation.child('dc:date')?.text, text: paragraphs.filter((text) => text !== '').join('\n') };
}

/** Adds all that were found since the last call. */
export function addOdfRemarks({ builder, inline }: OdfContext, place: ItemOptions): void {
  addRemarks(builder, [...inline.annotations].map(remarkOf), place);
  inline.annotations.clear();
}
