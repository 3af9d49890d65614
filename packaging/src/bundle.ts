/** The program as few files instead of hundreds: every start of it, and every worker is one, opens and resolves each file that it loads. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { packageRoot } from '../../src/platform/package-files.js';

/** Packages that find files of their own beside themselves: they stay as they are. */
export const wholePackages = ['sharp', '@embedpdf/pdfium', 'chardetng-wasm'];

const part = 'part-';

/** Beside the parts: the names of those of the last builds. */
const partsList = 'parts.json';

/** Of what V8 has compiled of a part, behind the part's name. */
const codeEnding = '.code';

/** What starts: the program, and its workers. */
const mainScripts = ['main.js', 'worker.js'];

interface BundledFile {
  name: string;
  contents: Uint8Array;
}

/** Where all that is bundled is alike. */
function common(directory: string): BuildOptions & { write: false } {
  return {
    outdir: directory,
    write: false,
    chunkNames: `${part}[hash]`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    external: wholePackages,
    minifySyntax: true,
    legalComments: 'none',
    // Beside the scripts, which do not name them: src/source-stack.ts reads them for a defect's stack.
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'warning',
  };
}

async function filesOf(options: BuildOptions & { write: false }): Promise<BundledFile[]> {
  return (await build(options)).outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
}

/** `main.js`, and the parts that it loads when they are needed. */
function bundleMain(directory: string): Promise<BundledFile[]> {
  return filesOf({
    ...common(directory),
    entryPoints: [join(packageRoot(), 'src/main.ts')],
    splitting: true,
    format: 'esm',
    // CommonJS packages in the bundle ask for Node's own modules with require.
    banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
  });
}

/**
 * The worker's program, which is one script, and `worker.js`, which runs it: only of a script does V8 keep what it has compiled. Its name is
 * recognised by its last bytes: what V8 has compiled of other bytes must not be taken for it.
 */
async function bundleWorker(directory: string): Promise<BundledFile[]> {
  const [map, program] = await filesOf({
    ...common(directory),
    entryPoints: [join(packageRoot(), 'src/cli/worker.ts')],
    format: 'cjs',
    // What it loads when it is needed lies in the same script; what stays outside is CommonJS, too.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'scriptUrl' },
  });
  const contents = Buffer.from(inAscii(Buffer.from(program!.contents).toString('utf8')));
  const name = `${part}${createHash('sha256').update(contents).digest('hex').slice(0, 8).toUpperCase()}.cjs`;
  const starter = await filesOf({
    ...common(directory),
    entryPoints: [join(packageRoot(), 'packaging/src/worker.ts')],
    format: 'esm',
    define: { PROGRAM: JSON.stringify(name) },
  });
  return [{ name, contents }, { name: `${name}.map`, contents: map!.contents }, ...starter];
}

/** The same script: what esbuild leaves beyond ASCII stands in regular expressions, and there an escape by code unit is the character itself. */
function inAscii(script: string): string {
  return script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the main scripts, and the parts that they load, into `directory`, each with its map; returns the names of the parts and their maps. */
export async function bundleProgram(directory: string): Promise<string[]> {
  const files = [...await bundleMain(directory), ...await bundleWorker(directory)];
  mkdirSync(directory, { recursive: true });
  // The main scripts last, and each at once: a process that starts meanwhile finds all that it loads.
  const isMain = ({ name }: BundledFile): boolean => mainScripts.includes(name);
  for (const { name, contents } of files.filter((file) => !isMain(file))) writeWhole(join(directory, name), contents);
  for (const { name, contents } of files.filter(isMain)) writeWhole(join(directory, name), contents, 0o755);
  return files.map(({ name }) => name).filter(isPart).sort();
}

/**
 * Removes the parts in `directory` that none of its last builds wrote, of which `names` are the newest's, with the code that V8 made of them. The others stay: a service that
 * was started before the program was compiled again loads them when it first needs them.
 */
export function removeOldParts(directory: string, names: string[], kept = 5): void {
  const list = join(directory, partsList);
  const builds = [names, ...buildsOf(list).filter((one) => one.join() !== names.join())].slice(0, kept);
  writeWhole(list, JSON.stringify(builds));
  const wanted = new Set(builds.flat());
  // With force: two may compile at the same time.
  for (const name of readdirSync(directory)) if (isPart(name) && !wanted.has(basename(name, codeEnding))) rmSync(join(directory, name), { force: true });
}

/** The names of all files of the bundle that was written last into `directory`: scripts, maps and compiled code. */
export function bundledFiles(directory: string): string[] {
  const [newest = []] = buildsOf(join(directory, partsList));
  return [...mainScripts, ...mainScripts.map((name) => `${name}.map`), ...newest, ...newest.map((name) => name + codeEnding).filter((name) => existsSync(join(directory, name)))];
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
