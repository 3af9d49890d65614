/** Cuts the output of a worker into lines for the log. Their length and number are bounded, because a hostile file may cause them. */
import type { Readable } from 'node:stream';

const maxLineCharacters = 1000;
const maxLinesPerMinute = 100;

/** Calls `onLine` for each line; beyond the bound, one line says that more were dropped. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let partial = '';
  let windowStart = 0;
  let lines = 0;
  const give = (line: string): void => {
    const now = performance.now();
    if (now - windowStart > 60_000) {
      windowStart = now;
      lines = 0;
    }
    lines++;
    if (lines < maxLinesPerMinute) onLine(line.slice(0, maxLineCharacters));
    else if (lines === maxLinesPerMinute) onLine('(more lines dropped)');
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const parts = (partial + text).split('\n');
    partial = (parts.pop() ?? '').slice(0, maxLineCharacters);
    for (const part of parts) if (part.trim() !== '') give(part);
  });
  stream.on('end', () => { if (partial.trim() !== '') give(partial); });
  stream.on('error', () => undefined);
}
