/** Stacks of defects with the names of the sources: the program is bundled, and a part's name says nothing. Maps are read when a defect is reported, not before. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Null where a file has no map. */
const maps = new Map<string, SourceMap | null>();

/** Parts of the bundle lie beside this code, which is one of them, or one level above it where it runs from its own file. */
function readMap(url: string): SourceMap | null {
  for (const place of [url, `../${url}`]) {
    try {
      return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(new URL(place, import.meta.url))}.map`, 'utf8')) as SourceMapPayload);
    } catch {
      continue;
    }
  }
  return null;
}

function mapOf(url: string): SourceMap | null {
  let map = maps.get(url);
  if (map === undefined) {
    map = readMap(url);
    maps.set(url, map);
  }
  return map;
}

/** `stack`, where `file:///…/part-ABC.js:7:1`, or of the worker's program `part-ABC.cjs:7:1`, is `src/cli/run.ts:41:3`; what has no map stays as it is. */
export function sourceStack(stack: string): string {
  return stack.replace(/(file:\/\/[^\s()]+\.js|\bpart-\w+\.cjs):(\d+):(\d+)/g, (place: string, url: string, line: string, column: string) => {
    const found = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !('originalSource' in found)) return place;
    return `${found.originalSource.replace(/^(?:\.\.\/)+/, '')}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

/** What a defect says of itself in a log. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? sourceStack(thrown.stack ?? thrown.message) : String(thrown);
}
