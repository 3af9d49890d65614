/** Tables in markdown: padded as Python's tabulate (0.10, format `github`, numbers as text) pads them, or compact. */

// A page of long cells padded to the widest would take more memory than the document; beyond this a table is compact.
const maximumPaddedLength = 16 * 1024 * 1024;

const int = /^[+-]?\p{Nd}(?:_?\p{Nd})*$/u;
const float = /^[+-]?(?:\p{Nd}(?:_?\p{Nd})*(?:\.(?:\p{Nd}(?:_?\p{Nd})*)?)?|\.\p{Nd}(?:_?\p{Nd})*)(?:[eE][+-]?\p{Nd}(?:_?\p{Nd})*)?$/u;
const thousands = /^[+-]?[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]*)?$/;
/** What nearly all numbers are; too long ones overflow. */
const ordinary = /^-?[0-9]{1,20}(?:\.[0-9]{1,20})?$/;
const special = /^(?:-?inf|nan)$/i;

/** What tabulate takes for a number: Python's `int()` and `float()` without overflow, and thousands separated by commas. */
function isNumber(cell: string): boolean {
  if (ordinary.test(cell)) return true;
  const trimmed = cell.trim();
  if (int.test(trimmed) || special.test(cell) || thousands.test(cell)) return true;
  return float.test(trimmed) && Math.abs(Number(trimmed.replace(/_/g, ''))) !== Infinity;
}

/** A column whose cells are numbers stands right; empty cells and `True`, `False` neither make it so nor forbid it. */
function standsRight(body: string[][], column: number): boolean {
  let numbers = false;
  for (const row of body) {
    const cell = row[column] ?? '';
    if (cell === '' || cell === 'True' || cell === 'False') continue;
    if (!isNumber(cell)) return false;
    numbers = true;
  }
  return numbers;
}

// Wide characters count as one column, as in tabulate without its optional width table.
function width(text: string): number {
  let low = 0;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) low++;
  return text.length - low;
}

function compactTable(rows: string[][]): string {
  const lines = rows.map((row) => `| ${row.map((cell) => cell.trim()).join(' | ')} |`);
  lines.splice(1, 0, `|${' - |'.repeat(rows[0]?.length ?? 0)}`);
  return lines.join('\n');
}

/** What most cells are short of their column's width. */
const paddings = Array.from({ length: 64 }, (_, size) => ' '.repeat(size));

/** Rows of equal length, the first is the header; cells hold neither line ends nor pipes. Empty where there is no cell. */
export function pipeTable(rows: string[][], compact: boolean): string {
  const [header, ...body] = rows;
  if (header === undefined || header.length === 0) return '';
  if (compact) return compactTable(rows);
  const widths = header.map((cell) => width(cell) + 2);
  for (const row of body) {
    for (let column = 0; column < widths.length; column++) {
      const own = width((row[column] ?? '').trim());
      if (own > (widths[column] ?? 0)) widths[column] = own;
    }
  }
  const lineLength = widths.reduce((sum, each) => sum + each + 3, 1);
  if (lineLength * (rows.length + 1) > maximumPaddedLength) return compactTable(rows);
  const right = widths.map((_, column) => standsRight(body, column));
  const line = (row: string[], trimmed: boolean): string => {
    const parts: string[] = ['|'];
    for (let column = 0; column < widths.length; column++) {
      const cell = trimmed ? (row[column] ?? '').trim() : row[column] ?? '';
      const space = (widths[column] ?? 0) - width(cell);
      const padding = paddings[space] ?? ' '.repeat(space);
      if (right[column] === true) parts.push(' ', padding, cell, ' |');
      else parts.push(' ', cell, padding, ' |');
    }
    return parts.join('');
  };
  const separator = `|${widths.map((each) => '-'.repeat(each + 2)).join('|')}|`;
  const lines = [line(header, false), separator];
  for (const row of body) lines.push(line(row, true));
  return lines.join('\n');
}
