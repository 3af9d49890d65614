/** Where the files that come with the program lie: found by walking up to its package.json, from `src` and from `dist` alike. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let root: string | undefined;

export function packageRoot(): string {
  if (root !== undefined) return root;
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('package.json of Lectern is missing above ' + fileURLToPath(import.meta.url));
    directory = parent;
  }
  root = directory;
  return root;
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}

export function shippedModelsDirectory(): string {
  return join(packageRoot(), 'models');
}
