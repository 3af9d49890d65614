/** `npm run package`: dist/lectern, one file that holds Node, the program, the addon, the PDF engine, the image library and the shipped models; with --deb also the Debian package around it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../../src/platform/package-files.js';
import { writeArchive } from './archive.js';
import { bundledFiles, wholePackages } from './bundle.js';
import { makeDeb } from './deb.js';
import { injectProgram } from './inject.js';

const root = packageRoot();
const work = join(root, 'build', 'package');
const target = join(root, 'dist', 'lectern');

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : statSync(path).isFile() ? [path] : [];
  });
}

/** The directories of the packages and of all they need; optional ones where npm has put them for this system. */
function packagesWithNeeds(names: string[]): Set<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    const directory = join(root, 'node_modules', name);
    if (found.has(directory) || !existsSync(directory)) return;
    found.add(directory);
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(directory);
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed);
  };
  names.forEach(add);
  return found;
}

/** The program as one tree of files, in `tree`: the bundle that was compiled last. */
function writeProgram(tree: string): void {
  mkdirSync(join(tree, 'src'), { recursive: true });
  for (const name of bundledFiles(join(root, 'dist/src'))) copyFileSync(join(root, 'dist/src', name), join(tree, 'src', name));
  cpSync(join(root, 'dist/page'), join(tree, 'page'), { recursive: true });
  const { name, version } = manifestOf(root);
  writeFileSync(join(tree, 'package.json'), JSON.stringify({ name, version, type: 'module' }));
  // The executable's own script cannot import; one that lies in a file can.
  writeFileSync(join(tree, 'enter.cjs'), "void import(process.argv[2] === 'worker' ? './src/worker.js' : './src/main.js');\n");
}

/** All that is carried, by its path in the unpacked directory. */
function collect(tree: string): { path: string; bytes: Buffer; isExecutable: boolean }[] {
  const carried = filesBelow(tree).map((file): [string, string] => [relative(tree, file), file]);
  for (const name of ['lectern.node', 'lectern-confine']) carried.push([`build/native/${name}`, join(root, 'build/native', name)]);
  const keep = (file: string): boolean => !/\.(md|map|ts|d\.ts|cts|mts)$/.test(file);
  for (const directory of packagesWithNeeds(wholePackages)) carried.push(...filesBelow(directory).filter(keep).map((file): [string, string] => [relative(root, file), file]));
  const models = join(root, 'models');
  if (existsSync(models)) carried.push(...filesBelow(models).filter((file) => !file.includes('/training/')).map((file): [string, string] => [relative(root, file), file]));
  return carried.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, file]) => ({
    path, bytes: readFileSync(file), isExecutable: (statSync(file).mode & 0o100) !== 0,
  }));
}

/** Of the last commit, in seconds since 1970; now where there is none. */
function sourceTime(): string {
  try {
    return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return String(Math.floor(Date.now() / 1000));
  }
}

async function makeExecutable(archive: Buffer, help: string): Promise<void> {
  const archiveFile = join(work, 'program');
  writeFileSync(archiveFile, archive);
  await build({
    entryPoints: [join(root, 'dist/packaging/src/boot.js')],
    outfile: join(work, 'boot.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    define: {
      CONTENT_HASH: JSON.stringify(createHash('sha256').update(archive).digest('hex').slice(0, 32)),
      VERSION: JSON.stringify(manifestOf(root).version),
      HELP: JSON.stringify(help),
    },
  });
  const configuration = { main: join(work, 'boot.cjs'), output: join(work, 'blob'), disableExperimentalSEAWarning: true, assets: { program: archiveFile } };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(configuration));
  execFileSync(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const fresh = join(work, 'lectern');
  copyFileSync(process.execPath, fresh);
  chmodSync(fresh, 0o755);
  await injectProgram(fresh, readFileSync(join(work, 'blob')));
  renameSync(fresh, target);
}

const help = execFileSync(process.execPath, [join(root, 'dist/src/main.js'), '--help'], { encoding: 'utf8' });
rmSync(work, { recursive: true, force: true });
const tree = join(work, 'tree');
writeProgram(tree);
const files = collect(tree);
const archive = writeArchive(files);
await makeExecutable(archive, help);
rmSync(work, { recursive: true, force: true });
process.stdout.write(`${relative(root, target)}: ${(statSync(target).size / 2 ** 20).toFixed(0)} MiB, ${files.length} files inside (${(archive.length / 2 ** 20).toFixed(0)} MiB)\n`);
if (process.argv.includes('--deb')) {
  const deb = makeDeb(target, join(root, 'packaging'), manifestOf(root).version, sourceTime());
  process.stdout.write(`${relative(root, deb)}: ${(statSync(deb).size / 2 ** 20).toFixed(0)} MiB\n`);
}
