/** Where blocks of a DOCX are written to: the body, a cell, a text box, a note. */
import type { DocumentBuilder } from '../../../document/builder.js';
import type { ContentLayer, DocumentNode } from '../../../document/model.js';
import type { XmlElement } from '../../xml.js';

export interface DocxTarget {
  builder: DocumentBuilder;
  parent: DocumentNode;
  layer?: ContentLayer | undefined;
}

/** Writes all blocks below an element into a target. */
export type WriteDocxBlocks = (content: XmlElement, target: DocxTarget) => void;
