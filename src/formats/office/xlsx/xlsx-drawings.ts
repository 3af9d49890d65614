/** What is drawn on a sheet: pictures, charts, and boxes with text. */
import type { DocumentBuilder, ItemOptions } from '../../../document/builder.js';
import type { FoundPicture } from '../../format-reader.js';
import type { XmlElement } from '../../xml.js';
import { alternativeText } from '../alternative-text.js';
import { addChart } from '../office-chart.js';
import { numberOf } from '../docx/docx-styles.js';
import type { OfficePackage } from '../office-package.js';
import { maximumColumns } from './sheet-cells.js';

/** Paragraphs of a drawing's text. */
export function drawingText(body: XmlElement): string[] {
  return [...body.descendants('a:p')].map((paragraph) => [...paragraph.descendants('a:t')].map((t) => t.text).join('').trim()).filter((text) => text !== '');
}

/** Where an anchor begins, row by row; one that stands in no cell comes first. */
function placeOf(anchor: XmlElement): number {
  const from = anchor.child('xdr:from');
  return (numberOf(from?.child('xdr:row')?.text) ?? -1) * maximumColumns + (numberOf(from?.child('xdr:col')?.text) ?? 0);
}

export interface SheetDrawing {
  /** Where it begins, as `placeOf` counts. */
  place: number;
  add: () => void;
}

/** Everything that is drawn on a sheet, from the top; adding it gives its pictures to `pictures`. */
export function sheetDrawings(office: OfficePackage, sheet: string, builder: DocumentBuilder, place: ItemOptions, pictures: FoundPicture[]): SheetDrawing[] {
  const drawing = office.related(sheet, 'drawing');
  const tree = office.tree(drawing);
  if (drawing === null || tree === null) return [];
  const relationships = office.relationships(drawing);
  const target = (id: string | undefined): string | null => {
    const relationship = relationships.get(id ?? '');
    return relationship === undefined || relationship.external || !office.archive.has(relationship.target) ? null : relationship.target;
  };
  const walk = (element: XmlElement): void => {
    if (element.name === 'c:chart') {
      const chart = office.tree(target(element.get('r:id')));
      if (chart !== null) addChart(builder, chart, place);
    } else if (element.name === 'xdr:pic') {
      const part = target([...element.descendants('a:blip')][0]?.get('r:embed'));
      const item = builder.addPicture({ ...place, alternative: alternativeText(element.at('xdr:nvPicPr', 'xdr:cNvPr')?.get('descr')) });
      if (part !== null) pictures.push({ item, bytes: () => office.archive.read(part) });
    } else if (element.name === 'xdr:txBody') {
      for (const text of drawingText(element)) builder.addText('text', text, place);
    } else if (element.name === 'mc:AlternateContent') {
      for (const child of (element.child('mc:Choice') ?? element.child('mc:Fallback'))?.elements() ?? []) walk(child);
    } else for (const child of element.elements()) walk(child);
  };
  return [...tree.elements()].map((anchor) => ({ place: placeOf(anchor), add: () => walk(anchor) })).sort((a, b) => a.place - b.place);
}
