/** The text of a markdown table, whose cells with spans markdown.ts has laid out: padded as Python's tabulate (0.10, format `github`, numbers as text) pads them, or compact. */

/** Characters. A page of long cells padded to the widest would take more memory than the document; beyond this a table is compact. */
const maximumPaddedLength = 16 * 1024 * 1024;
/** Characters. Beyond this a table is compact, too, where padding is most of it. */
const longPaddedLength = 1024 * 1024;
/** Padded length by compact length. Measured on sheets of 4,000 rows: 1.02 with ordinary cells, 152 where one cell has 4,000 characters. */
const mostPadding = 16;

const int = /^[+-]?\p{Nd}(?:_?\p{Nd})*$/u;
const float = /^[+-]?(?:\p{Nd}(?:_?\p{Nd})*(?:\.(?:\p{Nd}(?:_?\p{Nd})*)?)?|\.\p{Nd}(?:_?\p{Nd})*)(?:[eE][+-]?\p{Nd}(?:_?\p{Nd})*)?$/u;
const thousands = /^[+-]?[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]*)?$/;
const special = /^(?:-?inf|nan)$/i;

/** Code points. */
const space = 32;
const minus = 45;
const point = 46;
const zero = 48;
const nine = 57;
const del = 127;
/** Longer rows of digits may overflow Python's numbers. */
const mostDigits = 20;

/** What nearly all numbers are: digits, a point between them, a minus before them; too long ones overflow. */
function digitsOnly(cell: string): boolean {
  const { length } = cell;
  const begin = cell.charCodeAt(0) === minus ? 1 : 0;
  if (length === begin || length > mostDigits) return false;
  let pointAt = -1;
  for (let at = begin; at < length; at++) {
    const code = cell.charCodeAt(at);
    if (code === point && pointAt < 0 && at > begin && at < length - 1) pointAt = at;
    else if (code < zero || code > nine) return false;
  }
  return true;
}

/** What tabulate takes for a number: Python's `int()` and `float()` without overflow, and thousands separated by commas. */
function isNumber(cell: string): boolean {
  const trimmed = cell.trim();
  if (int.test(trimmed) || special.test(cell) || thousands.test(cell)) return true;
  return float.test(trimmed) && Math.abs(Number(trimmed.replace(/_/g, ''))) !== Infinity;
}

/** The kind of a column's cells so far: a column of numbers is aligned right; empty cells and `True`, `False` decide nothing. */
const undecided = 0;
const numeric = 1;
const wordy = 2;

function sideAfter(side: number, cell: string): number {
  if (side === wordy || cell === '' || cell === 'True' || cell === 'False') return side;
  return isNumber(cell) ? numeric : wordy;
}

/** Nearly all cells have no white space around them: then no copy is made. */
function trimmed(cell: string): string {
  const { length } = cell;
  if (length === 0) return cell;
  const [first, last] = [cell.charCodeAt(0), cell.charCodeAt(length - 1)];
  return first > space && first < del && last > space && last < del ? cell : cell.trim();
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

/** Of a table without padding, about: the texts and what stands between them. */
function compactLength(header: string[], sizes: Int32Array, cellCount: number): number {
  return header.reduce((sum, cell) => sum + cell.length, 0) + sizes.reduce((sum, size) => sum + size, 0) + 3 * cellCount;
}

/** What most cells are short of their column's width. */
const paddings = Array.from({ length: 64 }, (_, size) => ' '.repeat(size));

/** Rows of equal length, the first is the header; cells hold neither line ends nor pipes. Empty where there is no cell. */
export function pipeTable(rows: string[][], compact: boolean): string {
  const [header, ...body] = rows;
  if (header === undefined || header.length === 0) return '';
  if (compact) return compactTable(rows);
  const columns = header.length;
  const widths = header.map((cell) => width(cell) + 2);
  const sides = new Uint8Array(columns).fill(undecided);
  // A million cells are measured once: their widths are kept.
  const own = new Int32Array(body.length * columns);
  for (const [index, row] of body.entries()) {
    for (let column = 0; column < columns; column++) {
      const written = row[column] ?? '';
      const cell = row[column] = trimmed(written);
      const digits = digitsOnly(cell);
      const size = digits ? cell.length : width(cell);
      own[index * columns + column] = size;
      if (size > (widths[column] as number)) widths[column] = size;
      sides[column] = digits && sides[column] !== wordy ? numeric : sideAfter(sides[column] as number, written);
    }
  }
  const paddedLength = widths.reduce((sum, each) => sum + each + 3, 1) * (rows.length + 1);
  if (paddedLength > maximumPaddedLength || paddedLength > longPaddedLength && paddedLength > mostPadding * compactLength(header, own, columns * rows.length)) return compactTable(rows);
  const padded = (cell: string, size: number, column: number): string => {
    const space = (widths[column] as number) - size;
    const padding = paddings[space] ?? ' '.repeat(space);
    return sides[column] === numeric ? padding + cell : cell + padding;
  };
  const separator = `|${widths.map((each) => '-'.repeat(each + 2)).join('|')}|`;
  const lines = [`| ${header.map((cell, column) => padded(cell, width(cell), column)).join(' | ')} |`, separator];
  const parts = new Array<string>(columns);
  for (const [index, row] of body.entries()) {
    for (let column = 0; column < columns; column++) parts[column] = padded(row[column] as string, own[index * columns + column] as number, column);
    lines.push(`| ${parts.join(' | ')} |`);
  }
  return lines.join('\n');
}
