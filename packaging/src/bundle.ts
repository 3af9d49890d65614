/** The program as few files instead of hundreds: every start of it, and every worker is one, opens and resolves each file that it loads. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../../src/package-files.js';

/** Packages that find files of their own beside themselves: they stay as they are. */
export const wholePackages = ['sharp', '@embedpdf/pdfium'];

const part = 'part-';

/** Writes `main.js`, and the parts that it loads when they are needed, into `directory`, each with its map; answers with the names of the parts and their maps. */
export async function bundleProgram(directory: string): Promise<string[]> {
  const { outputFiles } = await build({
    entryPoints: [join(packageRoot(), 'src/main.ts')],
    outdir: directory,
    write: false,
    chunkNames: `${part}[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: wholePackages,
    minifySyntax: true,
    legalComments: 'none',
    // Beside the scripts, which do not name them: src/source-stack.ts reads them for a defect's stack.
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'warning',
    // CommonJS packages in the bundle ask for Node's own modules with require.
    banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
  });
  mkdirSync(directory, { recursive: true });
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  // The main script last, and at once: whoever starts meanwhile finds all that it asks for.
  const isMain = (name: string): boolean => name === 'main.js';
  for (const { name, contents } of files) if (!isMain(name)) writeWhole(join(directory, name), contents);
  for (const { name, contents } of files) if (isMain(name)) writeWhole(join(directory, name), contents, 0o755);
  return files.map(({ name }) => name).filter(isPart).sort();
}

/**
 * Removes the parts in `directory` that none of its last builds wrote, of which `names` are the newest's. The others stay: a service that
 * was started before the program was compiled again loads them when it first needs them.
 */
export function removeOldParts(directory: string, names: string[], kept = 5): void {
  const list = join(directory, 'parts.json');
  const builds = [names, ...buildsOf(list).filter((one) => one.join() !== names.join())].slice(0, kept);
  writeWhole(list, JSON.stringify(builds));
  const wanted = new Set(builds.flat());
  // With force: two may compile at the same time.
  for (const name of readdirSync(directory)) if (isPart(name) && !wanted.has(name)) rmSync(join(directory, name), { force: true });
}

function isPart(name: string): boolean {
  return name.startsWith(part);
}

/** The names of the parts of each build, the newest first. */
function buildsOf(list: string): string[][] {
  try {
    return JSON.parse(readFileSync(list, 'utf8')) as string[][];
  } catch {
    return [];
  }
}

function writeWhole(file: string, contents: string | Uint8Array, mode = 0o644): void {
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, contents, { mode });
  renameSync(beside, file);
}
