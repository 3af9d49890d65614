/** Lines, tables and JSON on standard output. */

export function printLines(lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
}

/** One document of JSON, for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Rows as lines: the columns of the first row are padded to the widest cell. */
export function tableLines(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '));
}
