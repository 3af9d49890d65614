/** Text of a shape: paragraphs with their runs, and the bullets or numbers before them. */
import type { DocumentBuilder, ItemOptions } from '../../../document/builder.js';
import type { Formatting } from '../../../document/model.js';
import { ListStack } from '../../leveled-lists.js';
import { InlineText, addParagraph } from '../../inline-runs.js';
import type { Look, StyledRun } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { formatNumber } from '../docx/docx-numbering.js';
import { numberOf } from '../docx/docx-styles.js';
import { mathRow } from '../omml.js';
import type { Relationship } from '../office-package.js';
import type { Layout, Placeholder } from './placeholders.js';

function lookOf(properties: XmlElement | undefined, relationships: Map<string, Relationship>): Look {
  if (properties === undefined) return {};
  const formatting: Partial<Formatting> = {};
  const on = (name: string): boolean => ['1', 'true'].includes(properties.get(name) ?? '');
  const [underline, strike, baseline] = [properties.get('u'), properties.get('strike'), numberOf(properties.get('baseline'))];
  if (on('b')) formatting.bold = true;
  if (on('i')) formatting.italic = true;
  if (strike !== undefined && strike !== 'noStrike') formatting.strikethrough = true;
  if (baseline !== null && baseline !== 0) formatting.script = baseline > 0 ? 'super' : 'sub';
  const link = relationships.get(properties.child('a:hlinkClick')?.get('r:id') ?? '');
  const hyperlink = link?.external === true && link.target !== '' ? link.target : undefined;
  if (underline !== undefined && underline !== 'none' && hyperlink === undefined) formatting.underline = true;
  return { formatting, hyperlink };
}

/** The inline contents of one `a:p`. */
export function readParagraph(paragraph: XmlElement, relationships: Map<string, Relationship>): InlineText {
  const text = new InlineText();
  const read = (element: XmlElement): void => {
    if (element.name === 'a:r' || element.name === 'a:fld') text.add(element.child('a:t')?.text.replace(/[\v\f]/g, '\n') ?? '', lookOf(element.child('a:rPr'), relationships));
    else if (element.name === 'a:br') text.add('\n');
    else if (element.name === 'm:oMath') text.addFormula(mathRow(element));
    else if (element.name === 'mc:AlternateContent') for (const child of (element.child('mc:Choice') ?? element.child('mc:Fallback'))?.elements() ?? []) read(child);
    else if (element.name === 'a14:m' || element.name === 'm:oMathPara') for (const child of element.elements()) read(child);
  };
  for (const child of paragraph.elements()) read(child);
  return text;
}

type Bullet = { kind: 'none' } | { kind: 'bullet' } | { kind: 'number'; scheme: string; start: number };

function bulletIn(properties: XmlElement | undefined): Bullet | null {
  if (properties === undefined) return null;
  if (properties.child('a:buNone') !== undefined) return { kind: 'none' };
  const numbers = properties.child('a:buAutoNum');
  if (numbers !== undefined) return { kind: 'number', scheme: numbers.get('type') ?? 'arabicPeriod', start: numberOf(numbers.get('startAt')) ?? 1 };
  return properties.child('a:buChar') !== undefined || properties.child('a:buBlip') !== undefined ? { kind: 'bullet' } : null;
}

const numberFormats: [prefix: string, format: string][] = [
  ['alphaLc', 'lowerLetter'], ['alphaUc', 'upperLetter'], ['romanLc', 'lowerRoman'], ['romanUc', 'upperRoman'],
];

/** `arabicPeriod` -> `3.`, `alphaLcParenBoth` -> `(c)`. */
function numberMarker(number: number, scheme: string): string {
  const format = numberFormats.find(([prefix]) => scheme.startsWith(prefix))?.[1] ?? 'decimal';
  const digits = formatNumber(number, format);
  if (scheme.endsWith('ParenBoth')) return `(${digits})`;
  return scheme.endsWith('ParenR') ? `${digits})` : scheme.endsWith('Plain') ? digits : `${digits}.`;
}

export interface TextContext {
  builder: DocumentBuilder;
  layout: Layout;
  relationships: Map<string, Relationship>;
}

/** Adds the paragraphs of a text body, `p:txBody` or `a:txBody`, of a shape that may be a placeholder. */
export function addTextBody(context: TextContext, body: XmlElement, placeholder: Placeholder | null, place: ItemOptions): void {
  const { builder, layout, relationships } = context;
  const lists = new ListStack(builder, place.parent ?? builder.document.body, place.layer);
  const parents = layout.parents(placeholder).map((shape) => shape.child('p:txBody'));
  const counters: { scheme: string; number: number }[] = [];
  for (const paragraph of body.elements('a:p')) {
    const runs = readParagraph(paragraph, relationships).runs();
    const properties = paragraph.child('a:pPr');
    const level = Math.max(0, Math.min(8, numberOf(properties?.get('lvl')) ?? 0));
    if (runs.length === 0) continue;
    const styled = [body, ...parents].map((text) => text?.at('a:lstStyle', `a:lvl${level + 1}pPr`));
    let bullet: Bullet = { kind: 'none' };
    for (const source of [properties, ...styled, layout.style(placeholder, level)]) {
      const found = bulletIn(source);
      if (found === null) continue;
      bullet = found;
      break;
    }
    counters.length = Math.min(counters.length, level + 1);
    if (bullet.kind === 'none') {
      lists.close();
      counters.length = 0;
      addParagraph(builder, runs, place);
      continue;
    }
    let marker = '-';
    if (bullet.kind === 'number') {
      const before = counters[level];
      const number = before?.scheme === bullet.scheme ? before.number + 1 : bullet.start;
      counters[level] = { scheme: bullet.scheme, number };
      marker = numberMarker(number, bullet.scheme);
    } else delete counters[level];
    const key = bullet.kind === 'number' ? bullet.scheme : 'bullet';
    lists.add({ level, key, runs, marker, enumerated: bullet.kind === 'number' }, { at: place.at });
  }
}

/** The runs of a text body as one line. */
export function bodyRuns(body: XmlElement): StyledRun[] {
  return [...body.elements('a:p')].flatMap((paragraph) => readParagraph(paragraph, new Map()).runs());
}

/** All words of a text body, a line for each paragraph. */
export function plainBody(body: XmlElement | undefined): string {
  const lines = [...(body?.elements('a:p') ?? [])].map((paragraph) => readParagraph(paragraph, new Map()).plain);
  return lines.filter((line) => line !== '').join('\n');
}
