/** The files of the page as they were built: few and small, so they are held in memory with their packed forms. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../platform/package-files.js';

export interface PageFile {
  bytes: Buffer;
  packed: Buffer;
  mediaType: string;
}

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.json': 'application/json', '.txt': 'text/plain; charset=utf-8',
};

/** Where the page was built to: beside the sources, or in the tree of the single executable. */
export function pageDirectory(): string | undefined {
  return ['dist/page', 'page'].map((name) => join(packageRoot(), name)).find((directory) => existsSync(join(directory, 'index.html')));
}

/** By their names; each is read when it is first asked for. */
export class PageFiles {
  readonly #directory = pageDirectory();
  readonly #names = new Set(this.#directory === undefined ? [] : readdirSync(this.#directory));
  readonly #read = new Map<string, PageFile>();

  /** undefined where the build made no such file. */
  get(name: string): PageFile | undefined {
    const known = this.#read.get(name);
    if (known !== undefined || this.#directory === undefined || !this.#names.has(name)) return known;
    const bytes = readFileSync(join(this.#directory, name));
    const file = { bytes, packed: gzipSync(bytes), mediaType: mediaTypes[extname(name)] ?? 'application/octet-stream' };
    this.#read.set(name, file);
    return file;
  }
}
