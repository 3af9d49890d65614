/** Which files of a directory import which others of it, and the circles among them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/** Paths relative to `directory`; types and imports at run time are imports, too. */
export function importGraph(directory: string): Map<string, string[]> {
  const files = readdirSync(directory, { recursive: true }).map(String).filter((name) => name.endsWith('.ts'));
  const known = new Set(files);
  return new Map(files.map((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(directory, file), 'utf8'), true, true);
    const paths = importedFiles.filter(({ fileName }) => fileName.startsWith('.')).map(({ fileName }) => relative(directory, join(directory, dirname(file), fileName)).replace(/\.js$/, '.ts'));
    return [file, paths.filter((path) => known.has(path))];
  }));
}

/** Each circle once, as the files that it goes through, from any of them; a file that several circles share may be named in one of them only. */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (file: string): void => {
    const at = open.indexOf(file);
    if (at >= 0) circles.push([...open.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    open.push(file);
    for (const imported of graph.get(file) ?? []) visit(imported);
    open.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return circles;
}
