/** Finds tables of contents: entries with a row of dots that leads to a page number. The dots are removed. */
import { fromLeft, fromTop, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { unionBox } from '../../geometry/box.js';
import { lowerMedian, median } from '../../geometry/statistics.js';
import type { Line, PageContent, Word } from '../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../page/found-table.js';
import type { Contents } from '../page/regions.js';

interface Entry {
  title: Word[];
  page: Word[];
  dots: Word[];
  baseline: number;
  size: number;
}

const dots = /^[.·…_‧]+$/;
const pageNumber = /^(?:\d{1,4}|[ivxlcdm]{1,7}|[IVXLCDM]{1,7}|[A-Z]-?\d{1,3})$/;
const numbered = /^(?:[A-Z]|\d{1,2})(?:\.\d{1,2})*\.?$|^[IVX]+\.?$/;
const fewestEntries = 3;
/** The fewest entries with dots if the others have none: chapters in bold with a few sections each. */
const fewestLed = 2;

function rowsOf(lines: Line[]): Word[][] {
  const rows = rowsByBaseline(fromTop(lines.filter(({ angle }) => angle === 0)), baselineTolerances.line);
  return rows.map((row) => fromLeft(row.flatMap(({ words }) => words)));
}

/** A word with its dots: `Findings....`. */
function withoutDots(word: Word): Word {
  const text = word.text.replace(/[.·…‧_]{4,}\d*$/u, '');
  return text === word.text ? word : { ...word, text };
}

function isLed(words: Word[]): boolean {
  const led = words.reduce((count, word) => count + (dots.test(word.text) ? word.text.length : /[.·…‧_]{4,}/u.exec(word.text)?.[0].length ?? 0), 0);
  return led >= 4;
}

/** The row as an entry: its last word is a number, and dots or white space lead to it. */
function entryOf(words: Word[]): Entry | null {
  const last = words.at(-1);
  if (last === undefined || !pageNumber.test(last.text)) return null;
  const before = words.slice(0, -1);
  const leaders = before.filter((word) => dots.test(word.text) && word.text.length + before.length > 2);
  const isLeader = new Set(isLed(before) ? leaders : []);
  const title = before.filter((word) => !isLeader.has(word));
  if (title.length === 0) return null;
  return { title, page: [last], dots: [...isLeader], baseline: last.baseline, size: last.size };
}

/** Whether a row without dots belongs to the entries with dots: its number stands in their column. */
function isUnled(entry: Entry, right: number): boolean {
  const number = entry.page[0]!;
  return Math.abs(number.box.right - right) < 0.4 * entry.size && number.box.left - entry.title.at(-1)!.box.right > 2 * entry.size;
}

/**
 * Decides which rows are entries: those with dots, and those without dots whose number stands below or above a number of these. Rows below the last one with dots
 * must follow closely, because a running footer also ends with a number.
 */
function membersOf(rows: { entry: Entry | null; led: boolean }[], right: number): boolean[] {
  const led = rows.flatMap(({ entry, led: isLedRow }) => (isLedRow && entry !== null ? [entry] : []));
  const steps = led.slice(1).map((entry, index) => entry.baseline - led[index]!.baseline);
  const reach = 2.5 * Math.max(1.2 * led[0]!.size, median(steps));
  let [last, ended] = [led.at(-1)!.baseline, false];
  return rows.map(({ entry, led: isLedRow }) => {
    if (entry === null) return false;
    if (isLedRow) return true;
    if (!isUnled(entry, right)) return false;
    if (entry.baseline <= last) return true;
    ended ||= entry.baseline - last > reach;
    if (!ended) last = entry.baseline;
    return !ended;
  });
}

function cell(row: number, column: number, words: Word[]): TableCell {
  const box = unionBox(words.map((word) => word.box));
  return { row, column, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: words.map(withoutDots), box };
}

/** Page numbers of contents never count down, neither roman nor arabic ones. */
function countsUp(entries: Entry[]): boolean {
  const pages = entries.map(({ page }) => Number(page[0]!.text)).filter((page) => !Number.isNaN(page));
  return pages.every((page, index) => index === 0 || page >= pages[index - 1]!);
}

/** All begin with a number, and some of these are sub-section numbers. Numbers of questions are not. */
function haveNumbersOfTwoDepths(entries: Entry[]): boolean {
  const depths = entries.map(({ title }) => (numbered.test(title[0]!.text) ? title[0]!.text.split('.').filter((part) => part !== '').length : 0));
  return !depths.includes(0) && new Set(depths).size > 1;
}

/** The page's table of contents. Null unless three rows lead to a number by dots, or two do and stand among others that begin with numbers of two depths and count up. */
export function findContents(content: PageContent): Contents | null {
  const rows = rowsOf(content.lines).map((words) => ({ words, entry: entryOf(words), led: isLed(words) }));
  const led = rows.flatMap(({ entry, led: isLedRow }) => (isLedRow && entry !== null ? [entry] : []));
  if (led.length < fewestLed) return null;
  const right = median(led.map((entry) => entry.page[0]!.box.right));
  // Two columns of contents share their rows; the reading order of columns handles them.
  if (rows.some(({ words, led: isLedRow }) => isLedRow && words.filter((word) => pageNumber.test(word.text) && /\d/.test(word.text)).length > 3)) return null;
  const member = membersOf(rows, right);
  const entries = rows.flatMap(({ entry }, index) => (member[index] && entry !== null ? [entry] : []));
  if (led.length < fewestEntries && (entries.length < fewestEntries || !countsUp(entries) || !haveNumbersOfTwoDepths(entries))) return null;
  const first = member.indexOf(true);
  const last = member.lastIndexOf(true);
  const parts: Entry[][] = [[]];
  let waiting: Word[] = [];
  for (let index = first; index <= last; index++) {
    const { words, entry } = rows[index]!;
    // A row without a number is the first line of an entry of several lines, or a heading between two lists.
    if (!member[index] || entry === null) {
      if (isHeadingBetween(words, led)) {
        parts.push([]);
        waiting = [];
      } else waiting.push(...words);
    } else {
      parts.at(-1)!.push({ ...entry, title: [...waiting, ...entry.title] });
      waiting = [];
    }
  }
  return { tables: parts.filter((entries) => entries.length > 0).map(tableOf), words: new Set(parts.flat().flatMap((entry) => [...entry.title, ...entry.page, ...entry.dots])) };
}

/** Whether the words are clearly larger than the entries. */
function isHeadingBetween(words: Word[], led: Entry[]): boolean {
  const size = lowerMedian(led.map(({ title }) => title[0]!.size));
  return words.every((word) => word.size > 1.15 * size) && words.some((word) => /\p{L}{2}/u.test(word.text));
}

function tableOf(entries: Entry[]): FoundTable {
  const cells = entries.flatMap((entry, row) => [cell(row, 0, entry.title), cell(row, 1, entry.page)]);
  return { box: unionBox(cells.map((each) => each.box)), rowCount: entries.length, columnCount: 2, cells, evidence: 'unruled', confidence: 0.9 };
}

/** The page without the given words. */
export function withoutWords(content: PageContent, words: Set<Word>): PageContent {
  const lines = content.lines.map((line) => ({ ...line, words: line.words.filter((word) => !words.has(word)) }));
  return { ...content, words: content.words.filter((word) => !words.has(word)), lines: lines.filter((line) => line.words.length > 0) };
}
