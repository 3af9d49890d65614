/** What the readers of one OpenDocument file share: its parts, its styles, and what they find. */
import type { DocumentBuilder, ItemOptions } from '../../../document/builder.js';
import type { DocumentNode } from '../../../document/model.js';
import { mathLatex, xmlMath } from '../../mathml.js';
import type { FoundPicture } from '../../format-reader.js';
import type { XmlElement } from '../../xml.js';
import type { OdfInlineContext } from './odf-inline.js';
import type { OpenDocument } from './odf-package.js';
import type { OdfStyles } from './odf-styles.js';

/** Where blocks are written to: below a node of the document, with the layer and the page of their items. */
export type OdfTarget = ItemOptions & { parent: DocumentNode };

/** Writes all blocks below an element into a target. */
export type WriteOdfBlocks = (content: XmlElement, target: OdfTarget) => void;

/** What readers of one file share. */
export interface OdfContext {
  file: OpenDocument;
  builder: DocumentBuilder;
  styles: OdfStyles;
  pictures: FoundPicture[];
  inline: OdfInlineContext;
  /** Notes in the order in which the text refers to them. */
  notes: XmlElement[];
}

export function makeOdfContext(file: OpenDocument, builder: DocumentBuilder, styles: OdfStyles): OdfContext {
  const notes: XmlElement[] = [];
  const inline: OdfInlineContext = {
    styles,
    annotations: new Set(),
    note: (element) => notes.push(element),
    formula: (frame) => {
      const root = file.object(frame);
      return root?.name === 'math:math' ? mathLatex(xmlMath(root)) : null;
    },
  };
  return { file, builder, styles, pictures: [], inline, notes };
}
