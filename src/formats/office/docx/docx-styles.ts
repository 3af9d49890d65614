/** Styles of a DOCX: which paragraphs are headings, which list a style numbers with, the formatting of a character style. */
import type { Formatting } from '../../../document/model.js';
import type { XmlElement } from '../../xml.js';
import { toggle } from '../office-package.js';

export interface NumberingOfParagraph {
  numId: string | null;
  level: number | null;
}

export interface ParagraphStyle {
  /** `title`, a heading's level from 1, or null for running text. */
  heading: number | 'title' | null;
  numbering: NumberingOfParagraph;
  isCode: boolean;
  isCaption: boolean;
}

interface DocxStyle {
  name: string;
  basedOn: string | null;
  outlineLevel: number | null;
  numbering: NumberingOfParagraph;
  run: XmlElement | undefined;
}

const plain: ParagraphStyle = { heading: null, numbering: { numId: null, level: null }, isCode: false, isCaption: false };

/** A number in an attribute, or null. */
export function numberOf(text: string | undefined): number | null {
  const number = text === undefined ? NaN : Number.parseInt(text, 10);
  return Number.isFinite(number) ? number : null;
}

export function readNumbering(properties: XmlElement | undefined): NumberingOfParagraph {
  const numbering = properties?.child('w:numPr');
  return { numId: numbering?.child('w:numId')?.get('w:val') ?? null, level: numberOf(numbering?.child('w:ilvl')?.get('w:val')) };
}

/** The direct formatting of a run; properties that it does not set are left out. */
export function formattingOf(properties: XmlElement | undefined): Partial<Formatting> {
  const formatting: Partial<Formatting> = {};
  if (properties === undefined) return formatting;
  const bold = toggle(properties.child('w:b'));
  const italic = toggle(properties.child('w:i'));
  const underline = toggle(properties.child('w:u'));
  const strike = toggle(properties.child('w:strike')) ?? toggle(properties.child('w:dstrike'));
  const script = properties.child('w:vertAlign')?.get('w:val');
  if (bold !== null) formatting.bold = bold;
  if (italic !== null) formatting.italic = italic;
  if (underline !== null) formatting.underline = underline;
  if (strike !== null) formatting.strikethrough = strike;
  if (script !== undefined) formatting.script = script === 'superscript' ? 'super' : script === 'subscript' ? 'sub' : 'baseline';
  return formatting;
}

export class Styles {
  readonly #styles = new Map<string, DocxStyle>();
  readonly #paragraphs = new Map<string, ParagraphStyle>();
  readonly #runs = new Map<string, Partial<Formatting>>();
  readonly #defaultId: string | null = null;

  constructor(tree: XmlElement | null) {
    for (const element of tree?.elements('w:style') ?? []) {
      const id = element.get('w:styleId');
      if (id === undefined) continue;
      const paragraph = element.child('w:pPr');
      this.#styles.set(id, {
        name: (element.child('w:name')?.get('w:val') ?? id).toLowerCase(),
        basedOn: element.child('w:basedOn')?.get('w:val') ?? null,
        outlineLevel: numberOf(paragraph?.child('w:outlineLvl')?.get('w:val')),
        numbering: readNumbering(paragraph),
        run: element.child('w:rPr'),
      });
      if (element.get('w:type') === 'paragraph' && toggle(element, 'w:default') === true && element.get('w:default') !== undefined) this.#defaultId = id;
    }
  }

  paragraph(id: string | null): ParagraphStyle {
    const key = id ?? this.#defaultId;
    if (key === null) return plain;
    let known = this.#paragraphs.get(key);
    if (known === undefined) this.#paragraphs.set(key, (known = this.#derive(key)));
    return known;
  }

  /** Formatting of a character style. That of a paragraph style is not read: a style whose whole text is bold emphasises nothing. */
  character(id: string): Partial<Formatting> {
    let known = this.#runs.get(id);
    if (known === undefined) {
      known = {};
      for (const style of [...this.#line(id)].reverse()) Object.assign(known, formattingOf(style.run));
      this.#runs.set(id, known);
    }
    return known;
  }

  /** The style and those it is based on; a circle ends where it closes. */
  *#line(id: string): Generator<DocxStyle> {
    const seen = new Set<string>();
    for (let at: string | null = id; at !== null && !seen.has(at);) {
      seen.add(at);
      const style = this.#styles.get(at);
      if (style === undefined) return;
      yield style;
      at = style.basedOn;
    }
  }

  #derive(id: string): ParagraphStyle {
    let heading: ParagraphStyle['heading'] = null;
    let decided = false;
    const numbering: NumberingOfParagraph = { numId: null, level: null };
    let isCode = false;
    let isCaption = false;
    for (const { name, outlineLevel, numbering: own } of this.#line(id)) {
      numbering.numId ??= own.numId;
      numbering.level ??= own.level;
      isCode ||= /^(?:html preformatted|source code|code(?: block)?|listing|macro)$/.test(name);
      isCaption ||= name === 'caption';
      if (decided) continue;
      const named = /^(?:heading|berschrift|überschrift|titre|título|titolo|rubrik|overskrift|заголовок) ?([1-9])$/.exec(name);
      if (name === 'title') heading = 'title';
      // LibreOffice's own style above all its headings; a title of an old DOC comes out of it so.
      else if (name === 'heading') heading = 1;
      else if (outlineLevel !== null) heading = outlineLevel < 9 ? outlineLevel + 1 : null;
      else if (named !== null) heading = Number(named[1]);
      else continue;
      decided = true;
    }
    return { heading, numbering, isCode, isCaption };
  }
}
