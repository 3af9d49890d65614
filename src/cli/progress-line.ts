/** One line on a terminal that is written over; a file or a pipe never sees it. */

export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

/** On standard error, so that results can go to standard output. */
export function progressLine(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> & { columns?: number } = process.stderr): ProgressLine {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    // Longer than the terminal it would wrap, and the next one could not write over it.
    show: (text) => { stream.write(`\r\u001b[K${text.slice(0, roomOf(stream))}`); },
    clear: () => { stream.write('\r\u001b[K'); },
  };
}

/** Columns of a line that does not wrap; some terminals say that they have none, or nothing. */
export function roomOf({ columns }: { columns?: number }): number {
  return (columns || 80) - 1;
}

/** `[########------------] 12/30`, or no bar while the whole is not known. */
export function bar(done: number, total: number): string {
  if (total <= 0) return '';
  const filled = Math.round((Math.min(done, total) / total) * 20);
  return `[${'#'.repeat(filled)}${'-'.repeat(20 - filled)}] ${done}/${total}`;
}
