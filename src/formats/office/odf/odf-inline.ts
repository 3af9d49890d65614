/** What stands in one paragraph of an OpenDocument file: runs, links, notes, and the frames that are anchored in it. */
import { InlineText } from '../../inline-runs.js';
import type { Look } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { numberOf } from '../docx/docx-styles.js';
import type { OdfStyles } from './odf-styles.js';

export interface OdfParagraph {
  text: InlineText;
  /** Frames and shapes, with whether text stands before them. */
  drawn: { element: XmlElement; afterText: boolean }[];
}

export interface OdfInlineContext {
  styles: OdfStyles;
  /** Takes a note in and gives the number to print. */
  note: (element: XmlElement) => number;
  /** Remarks of reviewers, in the order of the text; a paragraph may be read twice. */
  annotations: Set<XmlElement>;
  /** LaTeX of a frame that holds a formula, or null. */
  formula: (frame: XmlElement) => string | null;
}

/** Elements that carry no text of the document: deleted text, remarks, marks, what a list or an index is made by. */
const silent = new Set([
  'office:annotation', 'office:annotation-end', 'text:tracked-changes', 'text:bookmark', 'text:bookmark-start', 'text:bookmark-end', 'text:change', 'text:change-start',
  'text:change-end', 'text:soft-page-break', 'text:ruby-text', 'text:index-source', 'office:event-listeners', 'office:forms', 'svg:title', 'svg:desc',
]);

const maximumSpaces = 1_000;

export function readOdfParagraph(paragraph: XmlElement, context: OdfInlineContext): OdfParagraph {
  const result: OdfParagraph = { text: new InlineText(), drawn: [] };
  const { text, drawn } = result;
  const read = (element: XmlElement, look: Look): void => {
    for (const child of element.children) {
      // White space of the file is one space; what is meant to be more has elements of its own.
      if (typeof child === 'string') text.add(child.replace(/\s+/g, ' '), look);
      else inline(child, look);
    }
  };
  const inline = (element: XmlElement, look: Look): void => {
    switch (element.name) {
      case 'text:s': return text.add(' '.repeat(Math.min(maximumSpaces, Math.max(1, numberOf(element.get('text:c')) ?? 1))), look);
      case 'text:tab': return text.add('\t', look);
      case 'text:line-break': return text.add('\n', look);
      case 'text:span': return read(element, { ...look, formatting: { ...look.formatting, ...context.styles.look(element.get('text:style-name')) } });
      case 'text:a': return read(element, linked(element, look));
      case 'text:note': return text.add(`[${context.note(element)}]`, { hyperlink: look.hyperlink });
      default:
    }
    if (element.name === 'office:annotation') context.annotations.add(element);
    if (silent.has(element.name)) return;
    if (element.name.startsWith('draw:')) {
      const formula = element.name === 'draw:frame' ? context.formula(element) : null;
      if (formula !== null) text.addFormula(formula);
      else drawn.push({ element, afterText: !text.isEmpty });
    } else read(element, look);
  };
  read(paragraph, {});
  return result;
}

/** Links within the document lead nowhere outside it. */
function linked(element: XmlElement, look: Look): Look {
  const href = element.get('xlink:href') ?? '';
  const formatting = { ...look.formatting, underline: false };
  return /^(?:https?|ftp|mailto|tel):/i.test(href) ? { formatting, hyperlink: href } : look;
}
