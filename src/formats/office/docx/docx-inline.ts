/** What stands in one paragraph of a DOCX: text in runs, formulas, fields, boxes to tick, and what is drawn within it. */
import type { Formatting } from '../../../document/model.js';
import { InlineText } from '../../inline-runs.js';
import type { Look } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { mathRow } from '../omml.js';
import { toggle } from '../office-package.js';
import type { Relationship } from '../office-package.js';
import { formattingOf, numberOf } from './docx-styles.js';
import type { Styles } from './docx-styles.js';

/** A drawing, still as XML, and whether text of its paragraph stands before it. */
export interface Drawn {
  element: XmlElement;
  afterText: boolean;
}

export interface DocxSegment {
  /** Of the box that the segment begins with; null where it begins with none. */
  ticked: boolean | null;
  text: InlineText;
}

export interface Paragraph {
  segments: DocxSegment[];
  drawn: Drawn[];
}

/** A complex field: its code comes first, then what it shows. */
interface DocxField {
  code: string;
  showing: boolean;
}

/** What inline contents need to know of the document. It outlives paragraphs: fields go on over their ends. */
export interface InlineContext {
  styles: Styles;
  relationships: Map<string, Relationship>;
  fields: DocxField[];
  /** Gives the number to print for a note that is referred to here, or null where there is no such note. */
  note: (kind: 'footnote' | 'endnote', id: string) => number | null;
  /** What is left out on purpose, by its elements: a paragraph may be read twice. */
  leftOut: { deleted: Set<XmlElement>; hidden: Set<XmlElement> };
}

/** Characters of the symbol fonts that documents use often; the font's other glyphs have no character of their own. */
const symbols: Record<string, string> = {
  f0fc: '\u2713', f0fb: '\u2717', f0fe: '\u2611', f0fd: '\u2612', f0a8: '\u2610', f06f: '\u2610', f052: '\u2611', f0e0: '\u2192', f0df: '\u2190', f0e8: '\u2192',
  f0b7: '\u2022', f0a7: '\u25aa', f0d8: '\u27a2', f02d: '-', f0b0: '\u00b0', f0b1: '\u00b1', f0b4: '\u00d7', f0a3: '\u2264', f0b3: '\u2265', f06d: '\u03bc', f061: '\u03b1', f062: '\u03b2', f057: '\u03a9', f044: '\u0394',
};

function hyperlinkOf(code: string): string | undefined {
  const match = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\]\S*))/i.exec(code);
  const address = match?.[1] ?? match?.[2];
  return address === undefined || address === '' ? undefined : address;
}

export class DocxInlineReader {
  readonly paragraph: Paragraph = { segments: [{ ticked: null, text: new InlineText() }], drawn: [] };

  constructor(private readonly context: InlineContext) {}

  /** Reads the children of a paragraph, or of anything inside one. */
  read(element: XmlElement, look: Look = {}): void {
    for (const child of element.elements()) this.#inline(child, look);
  }

  get #text(): InlineText {
    return (this.paragraph.segments.at(-1) as DocxSegment).text;
  }

  #inline(element: XmlElement, look: Look): void {
    switch (element.name) {
      case 'w:r': return this.#run(element, look);
      case 'w:hyperlink': return this.read(element, { ...look, hyperlink: this.#target(element) ?? look.hyperlink });
      case 'w:fldSimple': return this.read(element, { ...look, hyperlink: hyperlinkOf(element.get('w:instr') ?? '') ?? look.hyperlink });
      case 'm:oMath': return this.#text.addFormula(mathRow(element));
      case 'm:oMathPara': for (const math of element.elements('m:oMath')) this.#text.addFormula(mathRow(math)); return;
      case 'w:sdt': return this.#control(element, look);
      case 'mc:AlternateContent': return this.#alternate(element, look);
      case 'w:ins': case 'w:moveTo': case 'w:smartTag': case 'w:customXml': case 'w:dir': case 'w:bdo': case 'w:subDoc':
        return this.read(element, look);
      case 'w:del': case 'w:moveFrom':
        if (element.name === 'w:del' && hasText(element, 'w:delText')) this.context.leftOut.deleted.add(element);
        return;
      default: return;
    }
  }

  #target(element: XmlElement): string | undefined {
    const relationship = this.context.relationships.get(element.get('r:id') ?? '');
    return relationship?.external === true && relationship.target !== '' ? relationship.target : undefined;
  }

  #control(element: XmlElement, look: Look): void {
    const box = element.at('w:sdtPr', 'w14:checkbox');
    const content = element.child('w:sdtContent');
    if (box !== undefined) this.#tick(toggle(box.child('w14:checked'), 'w14:val') ?? false);
    else if (content !== undefined) this.read(content, look);
  }

  #tick(ticked: boolean): void {
    this.paragraph.segments.push({ ticked, text: new InlineText() });
  }

  /** Of several forms of one content the first is the fullest. */
  #alternate(element: XmlElement, look: Look): void {
    const chosen = element.child('mc:Choice') ?? element.child('mc:Fallback');
    for (const child of chosen?.elements() ?? []) this.#piece(child, look);
  }

  #run(run: XmlElement, around: Look): void {
    const properties = run.child('w:rPr');
    if (toggle(properties?.child('w:vanish')) === true) {
      if (hasText(run, 'w:t')) this.context.leftOut.hidden.add(run);
      return;
    }
    const style = properties?.child('w:rStyle')?.get('w:val');
    const formatting: Partial<Formatting> = { ...(style === undefined ? {} : this.context.styles.character(style)), ...formattingOf(properties) };
    const hyperlink = around.hyperlink ?? this.#fieldLink();
    // Every link is underlined: that is no emphasis.
    if (hyperlink !== undefined) formatting.underline = false;
    const look: Look = { ...around, formatting, hyperlink };
    for (const child of run.elements()) this.#piece(child, look);
  }

  #fieldLink(): string | undefined {
    for (const field of this.context.fields) {
      const link = hyperlinkOf(field.code);
      if (link !== undefined) return link;
    }
    return undefined;
  }

  #add(text: string, look: Look): void {
    if (this.context.fields.every(({ showing }) => showing)) this.#text.add(text, look);
  }

  #piece(element: XmlElement, look: Look): void {
    const { fields } = this.context;
    switch (element.name) {
      case 'w:t': return this.#add(element.text, look);
      case 'w:tab': case 'w:ptab': return this.#add('\t', look);
      case 'w:br': case 'w:cr': return this.#add(element.get('w:type') === undefined || element.get('w:type') === 'textWrapping' ? '\n' : ' ', look);
      case 'w:noBreakHyphen': return this.#add('\u2011', look);
      case 'w:sym': return this.#add(symbols[(element.get('w:char') ?? '').toLowerCase()] ?? '', look);
      case 'w:instrText': {
        const field = fields.at(-1);
        if (field !== undefined && !field.showing) field.code += element.text;
        return;
      }
      case 'w:fldChar': return this.#field(element);
      case 'w:footnoteReference': return this.#note('footnote', element, look);
      case 'w:endnoteReference': return this.#note('endnote', element, look);
      case 'w:drawing': case 'w:pict': case 'w:object':
        this.paragraph.drawn.push({ element, afterText: this.paragraph.segments.some(({ text }) => !text.isEmpty) });
        return;
      case 'mc:AlternateContent': return this.#alternate(element, look);
      case 'w:ruby': {
        const words = element.child('w:rubyBase');
        if (words !== undefined) this.read(words, look);
        return;
      }
      default: return;
    }
  }

  #field(element: XmlElement): void {
    const { fields } = this.context;
    const type = element.get('w:fldCharType');
    const box = element.at('w:ffData', 'w:checkBox');
    if (box !== undefined) this.#tick(toggle(box.child('w:checked')) ?? toggle(box.child('w:default')) ?? false);
    if (type === 'begin') fields.push({ code: '', showing: false });
    else if (type === 'separate') {
      const field = fields.at(-1);
      if (field !== undefined) field.showing = true;
    } else if (type === 'end') fields.pop();
  }

  #note(kind: 'footnote' | 'endnote', element: XmlElement, look: Look): void {
    const number = this.context.note(kind, element.get('w:id') ?? '');
    if (number !== null) this.#add(`[${number}]`, { hyperlink: look.hyperlink });
  }
}

function hasText(element: XmlElement, name: string): boolean {
  for (const { text } of element.descendants(name)) if (text.trim() !== '') return true;
  return false;
}

/** The level of a heading that a paragraph claims for itself, from 1; null where it claims none. */
export function outlineLevel(properties: XmlElement | undefined): number | null {
  const level = numberOf(properties?.child('w:outlineLvl')?.get('w:val'));
  return level === null || level >= 9 ? null : level + 1;
}
