/** Separated values as one table: the separator found from the text, quoted cells whole, short rows filled. */
import Papa from 'papaparse';
import { LecternError } from '../errors.js';
import type { DocumentBuilder } from '../document/builder.js';
import type { CellInput } from '../document/table-grid.js';
import { maximumCells } from './flow/flow-table-grid.js';

const separators = [',', '\t', ';', '|', ':', '^'];

/** A first line `sep=;`, which spreadsheets write and read. */
export function statedSeparator(text: string): { separator: string | null; rest: string } {
  const match = /^"?sep=(.)"?\r?\n/.exec(text);
  return match === null ? { separator: null, rest: text } : { separator: match[1] ?? null, rest: text.slice(match[0].length) };
}

/** Fields outside quotes, line by line: how many there are, and in how many lines it is the same number. */
function likeness(lines: string[], separator: string): number {
  const counts = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, '').split(separator).length);
  const most = counts.filter((count) => count === counts[0]).length;
  const columns = counts[0] ?? 1;
  return columns < 2 ? 0 : most / lines.length + Math.min(columns, 20) / 1000;
}

export function separatorOf(text: string): string {
  const lines = text.slice(0, 64 * 1024).split(/\r\n?|\n/).filter((line) => line.trim() !== '').slice(0, 50);
  const scores = separators.map((separator) => likeness(lines, separator));
  const best = Math.max(...scores);
  return best <= 0 ? ',' : separators[scores.indexOf(best)] ?? ',';
}

/** Rows of cells, without empty rows at the end. */
function rowsOf(text: string, named: string | null): string[][] {
  const { separator, rest } = statedSeparator(text.replace(/^\ufeff/, ''));
  const rows: string[][] = [];
  let cells = 0;
  Papa.parse<string[]>(rest, {
    delimiter: separator ?? named ?? separatorOf(rest),
    step: ({ data }, running) => {
      cells += data.length;
      if (cells > maximumCells) {
        running.abort();
        throw new LecternError('too_large', `The table has more than ${maximumCells.toLocaleString('en')} cells.`);
      }
      rows.push(data);
    },
  });
  while (rows.length > 0 && rows.at(-1)?.every((cell) => cell.trim() === '')) rows.pop();
  return rows;
}

/**
 * Adds the table to the builder's document; its first row is the header. `named` is the separator that the file's name stands for
 * (the tab of TSV): only a first line `sep=` is stronger. Throws LecternError `too_large`.
 */
export function addCsv(builder: DocumentBuilder, text: string, named: string | null = null): void {
  const rows = rowsOf(text, named).filter((row) => row.length > 1 || row[0]?.trim() !== '');
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (rows.length * columns > maximumCells) throw new LecternError('too_large', `The table has more than ${maximumCells.toLocaleString('en')} cells.`);
  if (columns === 0) return;
  const cells = rows.flatMap((row, index) => Array.from({ length: columns }, (_, column): CellInput => ({
    row: index, column, text: row[column]?.trim() ?? '', columnHeader: index === 0,
  })));
  builder.addTable(rows.length, columns, cells);
}
