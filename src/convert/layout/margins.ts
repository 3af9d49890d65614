/** Words in the outermost margins of a page: no table reaches there, so its finder does not get to see them. */
import type { Line, PageContent, Word } from '../../pdf/page.js';

/** Share of the page's height. */
const margin = 0.085;

interface Row {
  words: Word[];
  top: number;
  bottom: number;
  size: number;
}

function rowsFromTop(lines: Line[]): Row[] {
  const rows: Row[] = [];
  for (const line of lines.filter(({ angle }) => angle === 0).sort((a, b) => a.box.top - b.box.top)) {
    const last = rows.at(-1);
    if (last !== undefined && line.box.top < last.bottom) {
      last.words.push(...line.words);
      last.bottom = Math.max(last.bottom, line.box.bottom);
    } else {
      rows.push({ words: [...line.words], top: line.box.top, bottom: line.box.bottom, size: line.size });
    }
  }
  return rows;
}

/** The rows, outermost first, up to the first wide gap, if that gap comes before the margin ends. */
function outermost(rows: Row[], ends: (row: Row) => boolean, gap: (row: Row, next: Row) => number): Word[] {
  const words: Word[] = [];
  for (const [index, row] of rows.slice(0, 4).entries()) {
    if (!ends(row)) return [];
    words.push(...row.words);
    const next = rows[index + 1];
    if (next === undefined || gap(row, next) > 1.1 * row.size) return words;
  }
  return [];
}

/** Words of the rows at the very top and bottom that wide white parts from the rest. */
export function marginWords(content: PageContent): Set<Word> {
  const rows = rowsFromTop(content.lines);
  if (rows.length < 3) return new Set();
  const { height } = content;
  return new Set([
    ...outermost(rows, (row) => row.bottom < margin * height, (row, next) => next.top - row.bottom),
    ...outermost([...rows].reverse(), (row) => row.top > (1 - margin) * height, (row, next) => row.top - next.bottom),
  ]);
}
