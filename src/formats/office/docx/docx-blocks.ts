/** Paragraphs and tables of a DOCX in order, written into one place of the document: the body, a cell, a text box, a note. */
import { ListStack } from '../../leveled-lists.js';
import { addHeadingLine, addParagraph } from '../../inline-runs.js';
import type { StyledRun } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { Drawings } from './docx-drawings.js';
import type { DocxPart } from './docx-part.js';
import { addImportedPart } from './docx-imported.js';
import { DocxInlineReader, outlineLevel } from './docx-inline.js';
import type { Paragraph, DocxSegment } from './docx-inline.js';
import { readNumbering } from './docx-styles.js';
import type { ParagraphStyle } from './docx-styles.js';
import { addDocxTable } from './docx-table.js';
import type { DocxTarget } from './docx-target.js';

/** Elements that only stand around blocks. */
const wrappers = new Set(['w:sdtContent', 'w:ins', 'w:moveTo', 'w:smartTag', 'w:customXml', 'w:body']);

function joinedRuns(segments: DocxSegment[]): StyledRun[] {
  return segments.flatMap(({ text }) => text.runs());
}

export class DocxBlockReader {
  readonly #lists: ListStack;
  readonly #drawings: Drawings;
  /** Lines of code that follow each other are one piece of code. */
  #code: string[] = [];
  /** A paragraph whose end was deleted goes on in the next one. */
  #open: DocxInlineReader | null = null;

  constructor(private readonly part: DocxPart, private readonly target: DocxTarget) {
    this.#lists = new ListStack(target.builder, target.parent, target.layer);
    this.#drawings = new Drawings(part, target, (content) => new DocxBlockReader(part, target).readAll(content));
  }

  /** Everything below `element`. */
  readAll(element: XmlElement): void {
    for (const child of element.elements()) this.read(child);
    this.end();
  }

  /** One child of the body, in order; `end` comes after the last. */
  read(element: XmlElement): void {
    if (element.name === 'w:p') this.#paragraph(element);
    else if (element.name === 'w:tbl') {
      this.end();
      addDocxTable(this.part, this.target, element, (content, target) => new DocxBlockReader(this.part, target).readAll(content));
    } else if (element.name === 'w:sdt') {
      const content = element.child('w:sdtContent');
      for (const child of content?.elements() ?? []) this.read(child);
    } else if (element.name === 'mc:AlternateContent') {
      for (const child of (element.child('mc:Choice') ?? element.child('mc:Fallback'))?.elements() ?? []) this.read(child);
    } else if (wrappers.has(element.name)) for (const child of element.elements()) this.read(child);
    else if (element.name === 'm:oMathPara') this.#formulas(element);
    else if (element.name === 'w:altChunk') {
      this.end();
      addImportedPart(this.part, this.target, element);
    }
  }

  /** Closes what is open: lists, code, a paragraph without end. */
  end(): void {
    if (this.#open !== null) {
      const { paragraph } = this.#open;
      this.#open = null;
      this.#write(paragraph, this.part.styles.paragraph(null), undefined);
    }
    this.#flushCode();
    this.#lists.close();
  }

  #formulas(element: XmlElement): void {
    const reader = new DocxInlineReader(this.part.inline);
    reader.read(element);
    this.#write(reader.paragraph, this.part.styles.paragraph(null), undefined);
  }

  #paragraph(element: XmlElement): void {
    const properties = element.child('w:pPr');
    const reader = this.#open ?? new DocxInlineReader(this.part.inline);
    reader.read(element);
    if (properties?.at('w:rPr', 'w:del') !== undefined || properties?.at('w:rPr', 'w:moveFrom') !== undefined) {
      this.#open = reader;
      return;
    }
    this.#open = null;
    this.#write(reader.paragraph, this.part.styles.paragraph(properties?.child('w:pStyle')?.get('w:val') ?? null), properties);
  }

  #write(paragraph: Paragraph, style: ParagraphStyle, properties: XmlElement | undefined): void {
    this.#drawings.add(paragraph.drawn.filter(({ afterText }) => !afterText), () => this.#flushCode());
    this.#text(paragraph, style, properties);
    this.#drawings.add(paragraph.drawn.filter(({ afterText }) => afterText), () => undefined);
  }

  #text({ segments }: Paragraph, style: ParagraphStyle, properties: XmlElement | undefined): void {
    const { builder, ...place } = this.target;
    const empty = segments.every(({ text, ticked }) => text.isEmpty && ticked === null);
    if (style.isCode && segments.length === 1) {
      this.#lists.close();
      this.#code.push(segments[0]?.text.source ?? '');
      return;
    }
    this.#flushCode();
    const marker = this.#marker(style, properties);
    if (empty) return;
    const heading = outlineLevel(properties) ?? style.heading;
    if (heading !== null) {
      this.#lists.close();
      const words = segments.map(({ text }) => text.plain).join(' ').replace(/\s+/g, ' ').trim();
      const text = marker?.enumerated === true && marker.text !== '' ? `${marker.text} ${words}` : words;
      const runs = [...(text === words ? [] : [{ kind: 'text' as const, text: marker?.text ?? '', glued: false }]), ...joinedRuns(segments)];
      addHeadingLine(builder, runs, text, (line, more) => (heading === 'title' ? builder.addTitle(line, { ...place, ...more }) : builder.addHeading(heading, line, { ...place, ...more })));
      return;
    }
    if (segments.some(({ ticked }) => ticked !== null)) {
      this.#lists.close();
      this.#boxes(segments);
      return;
    }
    const runs = joinedRuns(segments);
    if (marker !== null) {
      this.#lists.add({ level: marker.level, key: marker.key, runs, marker: marker.text, enumerated: marker.enumerated });
      return;
    }
    this.#lists.close();
    addParagraph(builder, runs, { ...place, label: style.isCaption ? 'caption' : 'text' });
  }

  /** Counts, even where the paragraph turns out to be empty: so does Word. */
  #marker(style: ParagraphStyle, properties: XmlElement | undefined): { level: number; key: string; text: string; enumerated: boolean } | null {
    const own = readNumbering(properties);
    const numId = own.numId ?? style.numbering.numId;
    if (numId === null || numId === '0' || !this.part.numberings.has(numId)) return null;
    const styleId = properties?.child('w:pStyle')?.get('w:val');
    const level = own.level ?? (styleId === undefined ? null : this.part.numberings.levelOfStyle(numId, styleId)) ?? style.numbering.level ?? 0;
    return { level, key: numId, ...this.part.numberings.next(numId, level) };
  }

  /** Boxes to tick, each with the words up to the next one. */
  #boxes(segments: DocxSegment[]): void {
    const { builder, ...place } = this.target;
    for (const { ticked, text } of segments) {
      const runs = text.runs();
      if (ticked === null) {
        if (runs.length > 0) addParagraph(builder, runs, place);
      } else builder.addCheckbox(ticked, text.plain.replace(/\s+/g, ' '), place);
    }
  }

  #flushCode(): void {
    const lines = this.#code;
    this.#code = [];
    while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
    if (lines.length > 0) this.target.builder.addCode(lines.join('\n'), { parent: this.target.parent, layer: this.target.layer });
  }
}

