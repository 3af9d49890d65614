/** Charts of OpenDocument files: their kind, their title, and the table of numbers that the chart keeps. */
import type { XmlElement } from '../../xml.js';
import type { OdfContext, OdfTarget } from './odf-context.js';
import { rowsOf } from './odf-table.js';

const kinds: Record<string, string> = {
  'chart:line': 'Line chart', 'chart:bar': 'Bar chart', 'chart:circle': 'Pie chart', 'chart:ring': 'Doughnut chart', 'chart:area': 'Area chart', 'chart:scatter': 'Scatter chart',
  'chart:bubble': 'Bubble chart', 'chart:radar': 'Radar chart', 'chart:filled-radar': 'Radar chart', 'chart:stock': 'Stock chart', 'chart:surface': 'Surface chart',
};

const maximumRows = 10_000;

function wordsOf(element: XmlElement | undefined): string {
  return [...(element?.elements('text:p') ?? [])].map((paragraph) => paragraph.text).join(' ').trim();
}

/** `body` is `office:chart`. */
export function addOdfChart({ builder }: OdfContext, body: XmlElement, place: OdfTarget): void {
  const chart = body.child('chart:chart');
  const picture = builder.addPicture({ ...place, chart: true });
  const title = wordsOf(chart?.child('chart:title'));
  if (title !== '') builder.addCaption(picture, title, { layer: place.layer, at: place.at });
  const kind = kinds[chart?.get('chart:class') ?? ''];
  if (kind !== undefined) picture.meta = { classification: { predictions: [{ class_name: kind, confidence: 1, created_by: 'lectern' }] } };
  const table = chart?.child('table:table');
  if (table === undefined) return;
  const rows = [...rowsOf(table)].slice(0, maximumRows).map(({ element }) => [...element.elements('table:table-cell')].map(wordsOf));
  const cells = rows.flatMap((row, index) => row.map((text, column) => ({ row: index, column, text, columnHeader: index === 0 })));
  if (cells.length > 0) builder.addTable(rows.length, rows.reduce((most, row) => Math.max(most, row.length), 0), cells, place);
}
