/** AsciiDoc tables: cells with their specifiers, rows from the number of columns, headers as the options say. */
import type { FlowTableEntry } from '../flow/flow-blocks.js';

export interface CellText {
  text: string;
  rowSpan: number;
  columnSpan: number;
  /** `h`, `a`, `m` and so on; empty for none. */
  style: string;
}

// What may stand right before a cell's bar: how often or how wide, alignment, style.
const specifier = /(?:^|(?<=\s))(?:(\d{1,4})?(?:\.(\d{1,4}))?([+*]))?[<^>]?(?:\.[<^>])?([adehlmsv])?$/;

/** The cells of a table's lines, one after the other; a bar behind a backslash is a letter. */
function cellsOf(source: string): CellText[] {
  const parts = source.split(/(?<!\\)\|/);
  const specifiers = parts.map((part, index) => (index === parts.length - 1 ? null : specifier.exec(part.slice(-40))));
  return parts.slice(1).flatMap((part, index): CellText[] => {
    const [, width, height, sign, style = ''] = specifiers[index] ?? [];
    const behind = specifiers[index + 1]?.[0].length ?? 0;
    const spans = sign === '+';
    const cell: CellText = {
      text: part.slice(0, part.length - behind).replaceAll('\\|', '|').trim(), style,
      rowSpan: spans ? Math.max(1, Number(height ?? 1)) : 1, columnSpan: spans ? Math.max(1, Number(width ?? 1)) : 1,
    };
    return sign === '*' ? Array.from({ length: Math.min(1000, Number(width ?? 1)) }, () => ({ ...cell })) : [cell];
  });
}

/** Columns by the attribute `cols`: `3*`, `1,2,3`, `<.^60,a`; null where it is missing or empty. */
function statedColumns(cols: string | undefined): { count: number; styles: string[] } | null {
  if (cols === undefined || cols.trim() === '') return null;
  const styles: string[] = [];
  for (const part of cols.split(/[,;]/)) {
    const repeat = Number(/^\s*(\d{1,4})\*/.exec(part)?.[1] ?? 1);
    const style = /([adehlmsv])\s*$/.exec(part)?.[1] ?? '';
    for (let i = 0; i < Math.min(repeat, 1000); i++) styles.push(style);
  }
  return { count: styles.length, styles };
}

/** Rows of a table; `read` makes a cell's blocks. A row is full when its columns are taken, spans from above included. */
export function tableRows(
  source: string, options: { cols?: string | undefined; header?: boolean | undefined }, read: (cell: CellText) => FlowTableEntry['blocks'],
): FlowTableEntry[][] {
  const lines = source.replace(/^\n+/, '');
  const cells = cellsOf(lines);
  const stated = statedColumns(options.cols);
  const firstLine = cellsOf(lines.split('\n', 1)[0] ?? '').reduce((sum, cell) => sum + cell.columnSpan, 0);
  const columns = Math.max(1, stated?.count ?? firstLine);
  // An empty line behind the first row sets it apart.
  const header = options.header ?? (/^\|[^\n]*\n[^\S\n]*\n/.test(lines) && firstLine >= columns);
  const rows: FlowTableEntry[][] = [];
  const until = new Array<number>(columns).fill(0);
  let row: FlowTableEntry[] = [];
  let column = 0;
  const skip = (): void => {
    while (column < columns && (until[column] ?? 0) > rows.length) column++;
  };
  for (const cell of cells) {
    skip();
    if (column >= columns) {
      rows.push(row);
      row = [];
      column = 0;
      skip();
    }
    const style = cell.style !== '' ? cell.style : (stated?.styles[column] ?? '');
    const columnSpan = Math.min(cell.columnSpan, columns - column);
    row.push({
      blocks: read({ ...cell, style }), rowSpan: cell.rowSpan, columnSpan,
      header: header && rows.length === 0 || style === 'h' && rows.length === 0 ? 'column' : style === 'h' ? 'row' : undefined,
    });
    for (let at = column; at < column + columnSpan; at++) until[at] = rows.length + cell.rowSpan;
    column += columnSpan;
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
