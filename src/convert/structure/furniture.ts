/** Finds running headers, running footers and page numbers: text that pages repeat at their edges, or that stands there apart from the text. */
import { sortedNumbers } from '../../geometry/statistics.js';
import { fromLeft, fromTop, lastOf, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { unionBox, widthOf } from '../../geometry/box.js';
import type { BodyStyle, PageLines } from './style.js';
import type { TextLine } from '../page/text-line.js';
import { nominalBox } from '../page/text-line.js';
import { beginsNote, isAddressNote } from './footnotes.js';
import { findCopies } from './copies.js';
import { numberingOf } from '../wording/numbering.js';
import { oddsOfLines } from '../decide/line-classes.js';

export type FurnitureLabel = 'page_header' | 'page_footer';

/** Lines on one height at the edge of a page. */
export interface EdgeRow {
  page: number;
  lines: TextLine[];
  text: string;
  baseline: number;
  top: number;
  bottom: number;
  size: number;
  /** White space between this row and the next one towards the middle of the page, in points. */
  gap: number;
}

/** The most rows of an edge that are examined: three lines of a letterhead, an address, a page number. */
const rowsAtEdge = 4;

/**
 * Of the rows at an edge with one text, the share at one height: a running header keeps its height, while `Remark 14` and `Proof:` stand at any. In a mathematical
 * book of 117 pages such openings have at most 0.13 at one height; running headers of the samples have at least 0.5.
 */
const oneHeight = 0.35;

/** The probability from which the layout prediction counts as evidence for furniture. */
const sureFurniture = 0.9;

const pageNumber = /^[-–—|·•\s]*(?:(?:page|seite|p\.|pág\.?|página|strana|str\.|pagina|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]?-?\d{1,3}-\d{1,3})(?:\s*(?:of|von|de|sur|\/|z|di)\s*\d{1,4})?[-–—|·•\s.]*$/iu;
/** `54 | Title`, `Title 213`. A number in front without a bar may belong to a heading. */
const numberAtEnd = /^(?:\d{1,4}\s*[|·•–—-]\s+\p{L}.*|.*\p{L}.*[\s|·•–—-]\s*\d{1,4})$/u;

export const isPageNumber = (text: string): boolean => pageNumber.test(text);

function rowsOf(lines: TextLine[], page: number): EdgeRow[] {
  let largest = 0;
  const rows = rowsByBaseline(fromTop(lines), baselineTolerances.furnitureRow, (row) => {
    largest = row.length === 1 ? row[0]!.size : Math.max(largest, lastOf(row).size);
    return { baseline: row[0]!.baseline, size: largest };
  });
  return rows.map((row): EdgeRow => {
    const { top, bottom } = unionBox(row.map(nominalBox));
    const inRow = fromLeft(row);
    return { page, lines: inRow, text: inRow.map((line) => line.text).join(' '), baseline: row[0]!.baseline, top, bottom, size: row.reduce((size, line) => Math.max(size, line.size), 0), gap: Infinity };
  });
}

/** The text without the parts that change from page to page. */
export function pattern(text: string): string {
  return text.toLowerCase().replace(/\d+/g, '#').replace(/\b[ivxlc]+\b/g, '#').replace(/\s+/g, ' ').trim();
}

export function edgeRows(text: PageLines, edge: 'top' | 'bottom', most = rowsAtEdge): EdgeRow[] {
  const { structure } = text;
  const lines = text.outside.filter((line) => line.angle === 0);
  const rows = rowsOf(lines, structure.pageIndex);
  const objects = [...structure.tables.map((table) => table.box), ...structure.figures.map((figure) => figure.box)];
  if (edge === 'bottom') rows.reverse();
  const chosen = rows.slice(0, most + 1);
  for (const [index, row] of chosen.entries()) {
    const next = chosen[index + 1];
    const object = objects.reduce((distance, box) => Math.min(distance, edge === 'top'
      ? (box.bottom > row.bottom ? Math.max(0, box.top - row.bottom) : Infinity)
      : (box.top < row.top ? Math.max(0, row.top - box.bottom) : Infinity)), Infinity);
    const text_ = next === undefined ? Infinity : edge === 'top' ? next.top - row.bottom : row.top - next.bottom;
    row.gap = Math.min(object, text_);
  }
  const limit = 0.2 * structure.height;
  return chosen.slice(0, most).filter((row) => (edge === 'top' ? row.bottom < limit : row.top > structure.height - limit));
}

/** `Remark 14`, `Theorem 2.3`: with text between it and the edge it opens that text. */
const opensPassage = /^\p{Lu}\p{Ll}+ \d{1,3}(?:\.\d{1,3})*\.?$/u;

interface Place {
  page: number;
  baseline: number;
  text: string;
}

interface Repeats {
  /** By pattern: the pages and heights at which it occurs. */
  places: Map<string, Place[]>;
  pageCount: number;
}

/** Counts copies of a page, as of a form for each person who signs it, as one page: equal text on them does not make a running header. */
function countRepeats(byPage: EdgeRow[][], copies: Set<number>): Repeats {
  const rows = byPage.filter((_, index) => !copies.has(index)).flat();
  const pageCount = byPage.length - copies.size;
  const places = new Map<string, Place[]>();
  for (const row of rows) {
    for (const part of [row.text, ...row.lines.map((line) => line.text)]) {
      const key = pattern(part);
      const known = places.get(key);
      const place = { page: row.page, baseline: row.baseline, text: part };
      if (known === undefined) places.set(key, [place]);
      else if (known.at(-1)!.page !== row.page) known.push(place);
    }
  }
  return { places, pageCount };
}

function isRepeated(text: string, baseline: number, repeats: Repeats, body: BodyStyle, size: number): boolean {
  const places = repeats.places.get(pattern(text)) ?? [];
  const same = places.filter((place) => Math.abs(place.baseline - baseline) <= 4).length;
  if (same < 2 || same < oneHeight * places.length) return false;
  // A title that recurs on a few slides is larger than the text; a running header is not.
  if (size > 1.15 * body.size) return same >= 4 && same >= 0.5 * repeats.pageCount;
  return same >= 3 || same >= 0.4 * repeats.pageCount;
}

/**
 * Pages of one kind have different facts at one place: invoices have their numbers, tickets theirs. Page numbers change with the pages. Short numbers and years
 * may be a sample's page, a chapter or an issue, unless a label names them.
 */
function isFact({ text, baseline, page }: EdgeRow, repeats: Repeats): boolean {
  const places = (repeats.places.get(pattern(text)) ?? []).filter((place) => Math.abs(place.baseline - baseline) <= 4 && place.page !== page);
  const least = /\p{L}\s?:\s/u.test(text) ? 1 : 4;
  const own = numbersIn(text);
  const differs = (other: Place): boolean => numbersIn(other.text).some((number, at) => {
    const [a, b] = [Number(own[at]), Number(number)];
    const long = Math.max(own[at]?.length ?? 0, number.length) >= least && !(least > 1 && [a, b].every((value) => value >= 1800 && value < 2100));
    return long && a !== b && a - b !== page - other.page && a - b !== 2 * (page - other.page);
  });
  return places.length > 0 && /\p{L}{2}/u.test(text) && places.filter(differs).length > 0.5 * places.length;
}

const numbersIn = (text: string): string[] => text.match(/\d+/g) ?? [];

/** Whether running text of two or more lines ends like a sentence: all letters of a series may begin with it. */
function beginsParagraph(rows: EdgeRow[], at: number, body: BodyStyle): boolean {
  const isLine = ({ lines, text, size }: EdgeRow): boolean => lines.length === 1 && text.length >= 60 && Math.abs(size - body.size) < 0.05 * body.size;
  let last = at;
  while (rows[last + 1] !== undefined && rows[last]!.gap < 0.7 * rows[last]!.size) last++;
  return last > at && isLine(rows[at]!) && /[.!?:。！？]$/u.test(rows[last]!.text);
}

/** Whether the page has enough text for furniture to stand apart from it. */
function isFull(text: PageLines): boolean {
  if (text.structure.tables.length > 0 || text.structure.figures.length > 0) return true;
  return text.outside.reduce((sum, line) => sum + line.text.length, 0) > 450;
}

/** Whether the row has text at the left edge and at the right edge and none between: a name and a number, a college and a course. */
function spansPage(row: EdgeRow, width: number): boolean {
  return row.lines.slice(1).some((line, index) => line.box.left - row.lines[index]!.box.right > 0.22 * width) && row.text.length <= 110;
}

/** Whether the layout prediction counts: the row is in the margin of a full page, has a usual size, contains no sentence and no formula, and white space separates it from the text. The network was not trained on pages of a line or two, and would classify all their text as furniture. */
function mayBeFurniture({ lines, text, size, gap, bottom, top }: EdgeRow, page: PageLines, body: BodyStyle, edge: 'top' | 'bottom'): boolean {
  const depth = edge === 'top' ? bottom / page.structure.height : 1 - top / page.structure.height;
  return isFull(page) && depth < 0.12 && size <= 1.3 * body.size && size >= 0.6 * body.size && !(text.length > 25 && /[.!?:;,]$/.test(text)) && lines.every(({ latex }) => latex === undefined)
    && gap + 0.3 * size > 0.8 * body.leading * body.size;
}

/** Classifies a row from its page alone: a single number, a line with a number at its end, a small line far from the text. */
function standsApart(row: EdgeRow, text: PageLines, body: BodyStyle, edge: 'top' | 'bottom'): boolean {
  const { height } = text.structure;
  if (edge === 'bottom' && isAddressNote(row.text) || row.lines.some(({ latex }) => latex !== undefined)) return false;
  // The distance of the row from the page's edge, as a share of the page.
  const depth = edge === 'top' ? row.bottom / height : 1 - row.top / height;
  const leading = body.leading * body.size;
  const white = row.gap + 0.3 * row.size;
  const number = row.lines.some((line) => pageNumber.test(line.text));
  if (row.lines.every((line) => pageNumber.test(line.text)) && row.lines.length <= 2) {
    return depth < 0.16 && white > 0.8 * leading && row.size < 1.6 * body.size;
  }
  const bold = row.lines.every((line) => line.bold) && !body.bold;
  // `4.  Liability`, or the two titles of a contract in two languages, at the head of a page.
  if (bold && isHeading(row, body)) return false;
  if ((number || numberAtEnd.test(row.text)) && row.text.length <= 110 && depth < 0.14 && !(bold && row.size > body.size)) {
    return white > 0.8 * leading && row.size <= 1.3 * body.size;
  }
  if (depth < 0.12 && white > 0.8 * leading && row.size <= 1.6 * body.size && spansPage(row, text.structure.width)) return true;
  // A single sentence; at the head also a short one if it is as large as the text.
  const long = row.text.length > 25 || edge === 'top' && Math.abs(row.size - body.size) < 0.05 * body.size && /[.!?。！？۔؟]$/u.test(row.text);
  if (/[.!?:;,。！？：；，、۔؟،]$/u.test(row.text) && long && depth > (edge === 'top' ? 0.03 : 0.04) && row.lines.length === 1 && white < 3 * leading) return false;
  if (depth < 0.06 && white > 1.5 * leading && !bold) return true;
  if (!isFull(text) || edge === 'bottom' && beginsNote(row.text)) return false;
  // Deep in the margin and far from all other text: a letterhead, a funding notice.
  if (depth < 0.075 && white > 3 * leading && row.size <= 1.8 * body.size && !bold) return true;
  if (depth < 0.1 && white > 3 * leading && row.size <= 1.2 * body.size && !bold) return true;
  if (row.text.length > 110) return false;
  // Small print below empty space: an address, an account.
  if (depth < 0.14 && white > 6 * leading && row.size < 0.85 * body.size) return true;
  return row.size <= 1.05 * body.size && !bold && depth < 0.1 && white > 1.1 * leading;
}

/** A numbered title with its number apart from it, or titles larger than the text beside each other. The function does not check for bold type. */
function isHeading({ lines, size }: EdgeRow, body: BodyStyle): boolean {
  const [number, title] = [lines[0]!.text, lines[1]?.text ?? ''];
  if (/^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|§ ?\d{1,3}\.?)$/.test(number) && lines.length > 1) return size >= 0.95 * body.size && /\p{L}{3}/u.test(title) && numberingOf(`${number} ${title}`) !== null;
  return size > 1.15 * body.size && lines.every(({ text }) => /\p{L}{3}/u.test(text) && !/\d/.test(text));
}

/** `Chapter 4`, or a large `4`, directly above a title in large type opens a chapter: it is read with the title unless pages repeat it. */
function opensChapter(row: EdgeRow, next: EdgeRow | undefined, body: BodyStyle): boolean {
  if (next === undefined || row.lines.length > 1) return false;
  const numbering = numberingOf(row.text);
  const named = numbering?.kind === 'word' && numbering.length >= row.text.length;
  if (!named && !(/^(?:\d{1,2}|[IVX]{1,5})\.?$/.test(row.text) && row.size >= 1.3 * body.size)) return false;
  return next.size >= 1.25 * body.size && /\p{L}{2}/u.test(next.text) && row.gap <= 3.5 * next.size;
}

export interface Furniture {
  /** Each furniture line. */
  labels: Map<TextLine, FurnitureLabel>;
  /** The furniture lines that other pages repeat; only their own page is evidence for the others. */
  repeated: Set<TextLine>;
}

/** `Date: 3 May 2024`, `Invoice no. 2024-17`. */
const labelled = /\p{L}{2}\.?\s?(?::|\bno\.|\bnr\.|#)\s{0,9}[^\s/]{0,40}\d/iu;

/** Rows with the data of a letter or an invoice that other pages do not repeat: labels with their values, or the sender's address beside a number and a date. A running header has one row. */
function tells(rows: EdgeRow[], width: number): boolean {
  if (rows.length < 2 || rows.some(({ lines }) => lines.some(({ text }) => pageNumber.test(text)))) return false;
  return rows.some(({ lines }) => lines.some(({ text }) => labelled.test(text))) || rows.every((row) => spansPage(row, width));
}

/** The furniture of all pages. */
export function findFurniture(pages: PageLines[], body: BodyStyle): Furniture {
  const found = new Map<TextLine, FurnitureLabel>();
  const known = new Set<TextLine>();
  const copies = findCopies(pages);
  for (const edge of ['top', 'bottom'] as const) {
    const label = edge === 'top' ? 'page_header' : 'page_footer';
    const byPage = pages.map((text) => edgeRows(text, edge));
    const repeats = countRepeats(byPage, copies);
    for (const [index, rows] of byPage.entries()) {
      const text = pages[index]!;
      const facts = rows.findIndex((row, at) => isFact(row, repeats) || edge === 'top' && beginsParagraph(rows, at, body));
      const others = facts < 0 ? rows : rows.slice(0, facts);
      for (const row of deepBlock(others, text, body, edge)) for (const line of row.lines) found.set(line, label);
      let pending: EdgeRow[] = [];
      for (const [at, row] of others.entries()) {
        const repeated = isRepeated(row.text, row.baseline, repeats, body, row.size)
          || row.lines.every((line) => isRepeated(line.text, row.baseline, repeats, body, line.size));
        pending.push(row);
        if (!repeated && edge === 'top' && opensChapter(row, rows[at + 1], body)) break;
        const seen = (oddsOfLines(row.lines, label) ?? 0) > sureFurniture && mayBeFurniture(row, text, body, edge);
        if (!repeated && edge === 'top' && tells(pending, text.structure.width)) break;
        if (repeated || seen || standsApart(row, text, body, edge) && isOneHead(pending, text.structure.width) && !(pending.length > 1 && opensPassage.test(row.text))) {
          for (const member of pending) for (const line of member.lines) found.set(line, label);
          if (repeated) for (const line of row.lines) known.add(line);
          pending = [];
        } else if (row.lines.every((line) => pageNumber.test(line.text)) && standsApart(row, text, body, edge)) {
          // Below a running header of another kind.
          for (const line of row.lines) found.set(line, label);
        } else if (row.gap > 0.9 * body.size || pending.length > 2) {
          break;
        }
      }
    }
  }
  return saysNothingElse(pages, found) ? withoutText(found) : { labels: found, repeated: known };
}

/** Whether the pages are copies of one short page, such as a label or a receipt: without their furniture the document would be empty. */
function saysNothingElse(pages: PageLines[], found: Map<TextLine, FurnitureLabel>): boolean {
  return pages.every(({ structure, outside }) => structure.tables.length === 0 && outside.every((line) => found.has(line)));
}

function withoutText(found: Map<TextLine, FurnitureLabel>): Furniture {
  return { labels: new Map([...found].filter(([line]) => pageNumber.test(line.text))), repeated: new Set() };
}

/** On a page without other text, text that is neither repeated nor a number is content, wherever it stands: a title between two parts, a caption below a full-page picture. */
export function withoutLoneText(pages: PageLines[], furniture: Map<TextLine, FurnitureLabel>, repeated: Set<TextLine>): Map<TextLine, FurnitureLabel> {
  const lone = pages.filter(({ structure, outside }) => structure.tables.length === 0 && outside.every((line) => furniture.has(line))).flatMap(({ outside }) => outside);
  const kept = new Set(lone.filter((line) => !repeated.has(line) && /\p{L}{2}/u.test(line.text) && !pageNumber.test(line.text)));
  return new Map([...furniture].filter(([line]) => !kept.has(line)));
}

/** A few rows deep in the margin, far from the text below them: the names and logos of a letterhead, in any size. */
function deepBlock(rows: EdgeRow[], text: PageLines, body: BodyStyle, edge: 'top' | 'bottom'): EdgeRow[] {
  const { height } = text.structure;
  const last = rows.findIndex((row) => row.gap > 3 * body.leading * body.size);
  const row = rows[last];
  if (row === undefined || !isFull(text)) return [];
  const block = rows.slice(0, last + 1);
  if (edge === 'top' && (opensChapter(row, rows[last + 1], body) || tells(block, text.structure.width))) return [];
  const depth = edge === 'top' ? row.bottom / height : 1 - row.top / height;
  const small = block.every((each) => each.size <= 1.8 * body.size && each.text.length <= 60 && !each.lines.some((line) => line.bold && !body.bold));
  return depth < 0.075 && small ? block : [];
}

/** Whether rows between the edge and a row of furniture have its style: the lines of one running header. */
function isOneHead(rows: EdgeRow[], width: number): boolean {
  const last = rows.at(-1)!;
  const across = last.lines.reduce((sum, line) => sum + widthOf(line.box), 0);
  if (rows.length === 1) return last.text.length <= 80 || across < 0.75 * width;
  return rows.length <= 3 && rows.every((row) => Math.abs(row.size - last.size) < 0.15 * last.size && row.text.length <= 80
    && row.lines.every((line) => line.bold === last.lines[0]!.bold));
}

/** The x positions at which the page's text begins and ends: the outermost edges that several full lines share. */
function textEdges(lines: TextLine[]): { left: number; right: number } {
  const full = lines.filter((line) => line.angle === 0 && line.text.length >= 25);
  if (full.length < 6) return { left: 0, right: Infinity };
  const lefts = sortedNumbers(full.map((line) => line.box.left));
  const rights = sortedNumbers(full.map((line) => line.box.right));
  return { left: lefts[2]!, right: rights.at(-3)! };
}

/** Whether a line of the same style right above it extends into the page. */
function goesOn({ box, size, baseline, font }: TextLine, lines: TextLine[], margin: number, width: number): boolean {
  return lines.some((above) => above.font === font && Math.abs(above.size - size) < 0.05 * size && Math.abs(above.box.left - box.left) < 0.5 * size
    && baseline - above.baseline > 0.5 * size && baseline - above.baseline < 1.6 * size && above.box.right >= margin && above.box.left <= width - margin);
}

/** Whether the line labels text beside it: a speaker's name, a term, the key of a book. Line numbers also stand beside lines and are not labels. */
function labels(line: TextLine, lines: TextLine[], margin: number, width: number): boolean {
  return !/^\p{N}{1,5}$/u.test(line.text) && lines.some(({ box, baseline, angle, size }) =>
    angle === line.angle && Math.abs(size - line.size) < 0.2 * size && Math.abs(baseline - line.baseline) < 0.2 * line.size && box.right >= margin && box.left <= width - margin);
}

/** Finds text in the outer margins: a library's stamp on its side, line numbers, a running header beside the page. */
export function findSideText(pages: PageLines[]): Map<TextLine, FurnitureLabel> {
  const found = new Map<TextLine, FurnitureLabel>();
  for (const { structure, outside } of pages) {
    const margin = 0.1 * structure.width;
    const edges = textEdges(outside);
    for (const line of outside) {
      const { left, right } = line.box;
      if (right >= margin && left <= structure.width - margin) continue;
      const upright = Math.abs(line.angle) < 45 || Math.abs(Math.abs(line.angle) - 180) < 45;
      // The short last line of a paragraph in a narrow column stands beside other lines and is not in a margin.
      if (upright && goesOn(line, outside, margin, structure.width)) continue;
      if (upright && labels(line, outside, margin, structure.width)) continue;
      const apart = right < edges.left - 0.6 * line.size || left > edges.right + 0.6 * line.size;
      if (!upright || apart && line.text.length < 25) found.set(line, 'page_header');
    }
  }
  return found;
}
