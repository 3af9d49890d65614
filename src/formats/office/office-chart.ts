/** Charts of the office formats: their kind, their title and the numbers they show, from the copies that the chart keeps. */
import type { DocumentBuilder, ItemOptions } from '../../document/builder.js';
import type { PictureItem } from '../../document/model.js';
import type { XmlElement } from '../xml.js';
import { numberOf } from './docx/docx-styles.js';

/** Points of one series, and series; what is beyond is left out of the table. */
const maximumPoints = 10_000;
const maximumSeries = 255;

const kinds: Record<string, string> = {
  'c:lineChart': 'Line chart', 'c:line3DChart': 'Line chart', 'c:barChart': 'Bar chart', 'c:bar3DChart': 'Bar chart', 'c:pieChart': 'Pie chart', 'c:pie3DChart': 'Pie chart',
  'c:ofPieChart': 'Pie chart', 'c:doughnutChart': 'Doughnut chart', 'c:areaChart': 'Area chart', 'c:area3DChart': 'Area chart', 'c:scatterChart': 'Scatter chart',
  'c:bubbleChart': 'Bubble chart', 'c:radarChart': 'Radar chart', 'c:stockChart': 'Stock chart', 'c:surfaceChart': 'Surface chart', 'c:surface3DChart': 'Surface chart',
};

/** Texts by index, from a reference with its cache or from values that stand in the chart itself. */
function points(source: XmlElement | undefined): string[] {
  const found: string[] = [];
  for (const cache of [...(source?.descendants('c:strCache') ?? []), ...(source?.descendants('c:numCache') ?? []), ...(source?.descendants('c:strLit') ?? []), ...(source?.descendants('c:numLit') ?? [])]) {
    for (const point of cache.elements('c:pt')) {
      const index = numberOf(point.get('idx')) ?? found.length;
      if (index >= 0 && index < maximumPoints) found[index] = shown(point.child('c:v')?.text ?? '');
    }
    break;
  }
  return Array.from(found, (text) => text ?? '');
}

/** A number in its shortest form: files hold `4.2999999999999998`. */
function shown(text: string): string {
  const trimmed = text.trim();
  return /^-?\d+\.\d{8,}(?:E[+-]?\d+)?$/i.test(trimmed) ? String(Number(Number(trimmed).toPrecision(12))) : trimmed;
}

function titleOf(chart: XmlElement): string {
  const title = chart.at('c:chart', 'c:title');
  const rich = [...(title?.descendants('a:p') ?? [])].map((paragraph) => [...paragraph.descendants('a:t')].map((t) => t.text).join('')).join(' ').trim();
  return rich === '' ? points(title).join(' ').trim() : rich;
}

interface ChartSeries {
  name: string;
  categories: string[];
  values: string[];
}

/** Adds the picture, its kind and title, and the table of its numbers. `tree` is the chart's part. */
export function addChart(builder: DocumentBuilder, tree: XmlElement, options: ItemOptions): PictureItem {
  const plot = tree.at('c:chart', 'c:plotArea');
  const series: ChartSeries[] = [];
  let kind = '';
  for (const group of plot?.elements() ?? []) {
    const name = kinds[group.name];
    if (name === undefined) continue;
    if (kind === '') kind = name;
    for (const element of group.elements('c:ser')) {
      if (series.length >= maximumSeries) break;
      series.push({
        name: points(element.child('c:tx')).join(' ') || (element.at('c:tx', 'c:v')?.text ?? ''),
        categories: points(element.child('c:cat') ?? element.child('c:xVal')), values: points(element.child('c:val') ?? element.child('c:yVal')),
      });
    }
  }
  const picture = builder.addPicture({ ...options, chart: true });
  const title = titleOf(tree);
  if (title !== '') builder.addCaption(picture, title, { layer: options.layer, at: options.at });
  if (kind !== '') picture.meta = { classification: { predictions: [{ class_name: kind, confidence: 1, created_by: 'lectern' }] } };
  addNumbers(builder, series, options);
  return picture;
}

function addNumbers(builder: DocumentBuilder, series: ChartSeries[], options: ItemOptions): void {
  const rows = Math.max(0, ...series.map(({ values }) => values.length));
  if (rows === 0) return;
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const cells = [{ row: 0, column: 0, text: '', columnHeader: true }];
  for (const [column, { name }] of series.entries()) cells.push({ row: 0, column: column + 1, text: name, columnHeader: true });
  const body = Array.from({ length: rows }, (_, row) => [
    { row: row + 1, column: 0, text: categories[row] ?? String(row + 1), rowHeader: true },
    ...series.map(({ values }, column) => ({ row: row + 1, column: column + 1, text: values[row] ?? '' })),
  ]);
  builder.addTable(rows + 1, series.length + 1, [...cells, ...body.flat()], options);
}
