/** Paragraphs, lists, tables and frames of an OpenDocument file, written into one place of the document. */
import { ListStack } from '../../leveled-lists.js';
import { mathLatex, xmlMath } from '../../mathml.js';
import { addHeadingLine, addParagraph } from '../../inline-runs.js';
import type { StyledRun } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { alternativeText } from '../alternative-text.js';
import { addOdfChart } from './odf-chart.js';
import { numberOf } from '../docx/docx-styles.js';
import type { OdfContext, OdfTarget } from './odf-context.js';
import { readOdfParagraph } from './odf-inline.js';
import { addOdfTable } from './odf-table.js';

interface OpenListOf {
  style: string | undefined;
  /** Numbers of the levels, outermost first. */
  counters: number[];
}

/** Elements that only stand around blocks. */
const wrappers = new Set([
  'text:section', 'text:index-body', 'text:table-of-content', 'text:illustration-index', 'text:table-index', 'text:alphabetical-index', 'text:bibliography', 'text:user-index',
  'text:object-index', 'text:index-title', 'text:numbered-paragraph', 'draw:a', 'draw:text-box', 'draw:g',
]);

export class OdfBlockReader {
  readonly #lists: ListStack;
  /** By a list's style: lists of one style that say so go on counting. */
  readonly #counted = new Map<string, number[]>();
  #code: string[] = [];

  constructor(private readonly context: OdfContext, private readonly place: OdfTarget) {
    this.#lists = new ListStack(context.builder, place.parent, place.layer);
  }

  readAll(element: XmlElement): void {
    for (const child of element.elements()) this.read(child);
    this.end();
  }

  /** One block, in order; `end` comes after the last. */
  read(element: XmlElement): void {
    if (element.name !== 'text:p') this.#flushCode();
    switch (element.name) {
      case 'text:p': case 'text:h': return this.#paragraph(element, null);
      case 'text:list': return this.#list(element, { style: element.get('text:style-name'), counters: [] });
      case 'table:table':
        this.#lists.close();
        addOdfTable(this.context, element, this.place, (content, target) => new OdfBlockReader(this.context, target).readAll(content));
        return;
      default:
    }
    if (element.name === 'office:annotation') this.context.inline.annotations.add(element);
    else if (wrappers.has(element.name)) for (const child of element.elements()) this.read(child);
    else if (element.name.startsWith('draw:')) this.#drawing(element);
  }

  end(): void {
    this.#flushCode();
    this.#lists.close();
  }

  #list(element: XmlElement, around: OpenListOf): void {
    const style = element.get('text:style-name') ?? around.style;
    const level = around.counters.length;
    const start = this.context.styles.listLevel(style, level + 1)?.start ?? 1;
    const goesOn = level === 0 && element.get('text:continue-numbering') === 'true';
    let number = (goesOn ? this.#counted.get(style ?? '')?.[0] : undefined) ?? start - 1;
    for (const item of element.elements()) {
      if (item.name !== 'text:list-item' && item.name !== 'text:list-header') continue;
      number = numberOf(item.get('text:start-value')) ?? number;
      let first = true;
      for (const child of item.elements()) {
        if (child.name === 'text:list') this.#list(child, { style, counters: [...around.counters, Math.max(number, start)] });
        else if (child.name === 'text:p' || child.name === 'text:h') {
          if (first && item.name === 'text:list-item') number = item.get('text:start-value') === undefined ? number + 1 : number;
          this.#paragraph(child, first ? { style, counters: [...around.counters, number] } : { style, counters: around.counters });
          first = false;
        } else this.read(child);
      }
    }
    if (level === 0 && style !== undefined) this.#counted.set(style, [number]);
  }

  #paragraph(element: XmlElement, list: OpenListOf | null): void {
    const { builder, styles, inline } = this.context;
    const styleName = element.get('text:style-name');
    const { text, drawn } = readOdfParagraph(element, inline);
    const role = element.name === 'text:h' ? 'text' : styles.role(styleName);
    if (role !== 'code') this.#flushCode();
    for (const { element: frame, afterText } of drawn) if (!afterText) this.#drawing(frame);
    if (role === 'code') this.#code.push(text.source);
    else if (!text.isEmpty) {
      const words = text.plain.replace(/\s+/g, ' ');
      if (element.name === 'text:h') this.#heading(numberOf(element.get('text:outline-level')) ?? 1, words, text.runs());
      else if (role === 'title') {
        this.#lists.close();
        addHeadingLine(builder, text.runs(), words, (line, more) => builder.addTitle(line, { ...this.place, ...more }));
      } else if (role === 'subtitle') this.#heading(1, words, text.runs());
      else if (list !== null && list.counters.length > 0 && this.#isListed(list, styleName)) this.#item(text.runs(), list);
      else {
        this.#lists.close();
        addParagraph(builder, text.runs(), { ...this.place, label: role === 'caption' ? 'caption' : 'text' });
      }
    }
    for (const { element: frame, afterText } of drawn) if (afterText) this.#drawing(frame);
  }

  #heading(level: number, words: string, runs: StyledRun[]): void {
    this.#lists.close();
    const { builder } = this.context;
    addHeadingLine(builder, runs, words, (line, more) => builder.addHeading(Math.max(1, Math.min(100, level)), line, { ...this.place, ...more }));
  }

  /** A level without bullet or number is a paragraph that is indented, and so is one whose style takes it out. */
  #isListed({ style, counters }: OpenListOf, paragraphStyle: string | undefined): boolean {
    const level = this.context.styles.listLevel(style, counters.length);
    if (level?.kind === 'none') return false;
    return this.context.styles.property('paragraph', paragraphStyle, 'style:paragraph-properties', 'text:enable-numbering') !== 'false';
  }

  #item(runs: ReturnType<ReturnType<typeof readOdfParagraph>['text']['runs']>, { style, counters }: OpenListOf): void {
    const marker = this.context.styles.marker(style, counters);
    const enumerated = this.context.styles.listLevel(style, counters.length)?.kind === 'number';
    this.#lists.add({ level: counters.length - 1, key: enumerated ? 'number' : 'bullet', runs, marker, enumerated }, { at: this.place.at });
  }

  #drawing(element: XmlElement): void {
    const { builder, file } = this.context;
    if (element.name === 'draw:frame') {
      const box = element.child('draw:text-box') ?? element.child('table:table');
      const object = file.object(element);
      const chart = object?.at('office:body', 'office:chart');
      if (box !== undefined) this.#below(box.name === 'table:table' ? element : box);
      else if (object?.name === 'math:math') builder.addFormula(mathLatex(xmlMath(object)), this.place);
      else if (chart !== undefined) addOdfChart(this.context, chart, this.place);
      else if (element.child('draw:image') !== undefined) this.#picture(element);
      return;
    }
    if (element.name === 'draw:g' || element.name === 'draw:a') for (const child of element.elements()) this.#drawing(child);
    else this.#below(element);
  }

  /** Text inside a shape or a box: lists in it are its own. */
  #below(element: XmlElement): void {
    this.#lists.close();
    new OdfBlockReader(this.context, this.place).readAll(element);
  }

  #picture(frame: XmlElement): void {
    const item = this.context.builder.addPicture({ ...this.place, alternative: alternativeText(frame.child('svg:desc')?.text, frame.child('svg:title')?.text) });
    for (const image of frame.elements('draw:image')) {
      const bytes = this.context.file.picture(image);
      if (bytes === null) continue;
      this.context.pictures.push({ item, bytes });
      return;
    }
  }

  #flushCode(): void {
    const lines = this.#code;
    this.#code = [];
    while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
    if (lines.length === 0) return;
    this.#lists.close();
    this.context.builder.addCode(lines.join('\n'), this.place);
  }
}
