/** Running heads, running feet and page numbers: what pages repeat at their edges, or what stands there apart from the text. */
import type { BodyStyle } from './style.js';
import type { PageText } from './style.js';
import type { TextLine } from '../layout/text-line.js';
import { nominalBox } from '../layout/text-line.js';

export type FurnitureLabel = 'page_header' | 'page_footer';

/** Lines on one height at the edge of a page. */
interface EdgeRow {
  page: number;
  lines: TextLine[];
  text: string;
  baseline: number;
  top: number;
  bottom: number;
  size: number;
  /** White between this row and the next one towards the middle of the page, points. */
  gap: number;
}

/** Rows of an edge that are looked at: three lines of a letterhead, an address, a page number. */
const rowsAtEdge = 4;

const pageNumber = /^[-–—|·•[(\s]*(?:(?:page|seite|p\.|pág\.?|página|strana|str\.|pagina|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]?-?\d{1,3}-\d{1,3})(?:\s*(?:of|von|de|sur|\/|z|di)\s*\d{1,4})?[-–—|·•\])\s.]*$/iu;
const numberAtEnd = /^(?:\d{1,4}\s*[|·•–—-]?\s+\p{L}.*|.*\p{L}.*[\s|·•–—-]\s*\d{1,4})$/u;

function rowsOf(lines: TextLine[], page: number): EdgeRow[] {
  const rows: EdgeRow[] = [];
  for (const line of [...lines].sort((a, b) => a.baseline - b.baseline)) {
    const box = nominalBox(line);
    const last = rows.at(-1);
    if (last !== undefined && Math.abs(line.baseline - last.baseline) <= 0.35 * Math.min(line.size, last.size)) {
      last.lines.push(line);
      last.top = Math.min(last.top, box.top);
      last.bottom = Math.max(last.bottom, box.bottom);
      last.size = Math.max(last.size, line.size);
    } else {
      rows.push({ page, lines: [line], text: '', baseline: line.baseline, ...{ top: box.top, bottom: box.bottom }, size: line.size, gap: Infinity });
    }
  }
  for (const row of rows) {
    row.lines.sort((a, b) => a.box.left - b.box.left);
    row.text = row.lines.map((line) => line.text).join(' ');
  }
  return rows;
}

/** Text without what changes from page to page. */
function pattern(text: string): string {
  return text.toLowerCase().replace(/\d+/g, '#').replace(/\b[ivxlc]+\b/g, '#').replace(/\s+/g, ' ').trim();
}

function edgeRows(text: PageText, edge: 'top' | 'bottom'): EdgeRow[] {
  const { sketch } = text;
  const lines = text.outside.filter((line) => line.angle === 0);
  const rows = rowsOf(lines, sketch.pageIndex);
  const objects = [...sketch.tables.map((table) => table.box), ...sketch.figures.map((figure) => figure.box)];
  if (edge === 'bottom') rows.reverse();
  const chosen = rows.slice(0, rowsAtEdge + 1);
  for (const [index, row] of chosen.entries()) {
    const next = chosen[index + 1];
    const object = objects.reduce((distance, box) => Math.min(distance, edge === 'top'
      ? (box.bottom > row.bottom ? Math.max(0, box.top - row.bottom) : Infinity)
      : (box.top < row.top ? Math.max(0, row.top - box.bottom) : Infinity)), Infinity);
    const text_ = next === undefined ? Infinity : edge === 'top' ? next.top - row.bottom : row.top - next.bottom;
    row.gap = Math.min(object, text_);
  }
  const limit = 0.2 * sketch.height;
  return chosen.slice(0, rowsAtEdge).filter((row) => (edge === 'top' ? row.bottom < limit : row.top > sketch.height - limit));
}

interface Repeats {
  /** By pattern: pages and heights at which it stands. */
  places: Map<string, { page: number; baseline: number }[]>;
  pageCount: number;
}

function countRepeats(rows: EdgeRow[], pageCount: number): Repeats {
  const places = new Map<string, { page: number; baseline: number }[]>();
  for (const row of rows) {
    for (const part of [row.text, ...row.lines.map((line) => line.text)]) {
      const key = pattern(part);
      const known = places.get(key);
      if (known === undefined) places.set(key, [{ page: row.page, baseline: row.baseline }]);
      else if (known.at(-1)!.page !== row.page) known.push({ page: row.page, baseline: row.baseline });
    }
  }
  return { places, pageCount };
}

function isRepeated(text: string, baseline: number, repeats: Repeats, body: BodyStyle, size: number): boolean {
  const places = repeats.places.get(pattern(text)) ?? [];
  const same = places.filter((place) => Math.abs(place.baseline - baseline) <= 4).length;
  if (same < 2) return false;
  // A title that comes back on a few slides is larger than the text; a running head is not.
  if (size > 1.15 * body.size) return same >= 4 && same >= 0.5 * repeats.pageCount;
  return same >= 3 || same >= 0.4 * repeats.pageCount;
}

/** Judged from the page alone: a number by itself, a line with a number at its end, a small line far from the text. */
function standsApart(row: EdgeRow, text: PageText, body: BodyStyle, edge: 'top' | 'bottom'): boolean {
  const { height } = text.sketch;
  const share = edge === 'top' ? row.top / height : 1 - row.bottom / height;
  const leading = body.leading * body.size;
  const white = row.gap + 0.3 * row.size;
  const dense = text.outside.length + 3 * text.sketch.tables.length + 3 * text.sketch.figures.length >= 8;
  if (row.size > 1.3 * body.size && !pageNumber.test(row.text)) return false;
  if (row.lines.every((line) => pageNumber.test(line.text)) && row.lines.length <= 2) return share < 0.15 && white > 0.8 * leading;
  if (row.text.length > 110 || !dense) return false;
  const hasNumber = row.lines.some((line) => pageNumber.test(line.text)) || numberAtEnd.test(row.text);
  if (hasNumber && row.size <= 1.1 * body.size && share < 0.13) return white > 0.8 * leading;
  if (/[.!?:;,]$/.test(row.text) && row.text.length > 40) return false;
  if (row.size > 1.05 * body.size || row.lines.every((line) => line.bold) && !body.bold) return false;
  return share < 0.085 && white > 1.1 * leading;
}

/** The furniture of all pages: each line with its label. */
export function findFurniture(pages: PageText[], body: BodyStyle): Map<TextLine, FurnitureLabel> {
  const found = new Map<TextLine, FurnitureLabel>();
  for (const edge of ['top', 'bottom'] as const) {
    const label = edge === 'top' ? 'page_header' : 'page_footer';
    const byPage = pages.map((text) => edgeRows(text, edge));
    const repeats = countRepeats(byPage.flat(), pages.length);
    for (const [index, rows] of byPage.entries()) {
      const text = pages[index]!;
      let pending: EdgeRow[] = [];
      for (const row of rows) {
        const repeated = isRepeated(row.text, row.baseline, repeats, body, row.size)
          || row.lines.every((line) => isRepeated(line.text, row.baseline, repeats, body, line.size));
        pending.push(row);
        if (repeated || standsApart(row, text, body, edge) && blockIsSmall(pending, body)) {
          for (const member of pending) for (const line of member.lines) found.set(line, label);
          pending = [];
        } else if (row.gap > 0.9 * body.size || pending.length > 2) {
          break;
        }
      }
    }
  }
  return found;
}

/** Rows between the edge and a row that is furniture are furniture only if they are as small as it. */
function blockIsSmall(rows: EdgeRow[], body: BodyStyle): boolean {
  return rows.every((row) => row.size <= 1.1 * body.size && row.text.length <= 110);
}

/** Vertical text in the outer margins: a library's stamp, a running head on its side. */
export function findSideText(pages: PageText[]): Map<TextLine, FurnitureLabel> {
  const found = new Map<TextLine, FurnitureLabel>();
  for (const { sketch, outside } of pages) {
    for (const line of outside) {
      if (Math.abs(line.angle) < 45 || Math.abs(line.angle - 180) < 45) continue;
      const margin = 0.1 * sketch.width;
      if (line.box.right < margin || line.box.left > sketch.width - margin) found.set(line, 'page_header');
    }
  }
  return found;
}
