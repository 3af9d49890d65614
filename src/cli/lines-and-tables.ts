/** Lines and tables on standard output. */

export function printLines(lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
}

/** Rows as lines: the columns of the first row are padded to the widest cell. */
export function tableLines(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '));
}
