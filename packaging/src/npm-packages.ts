/**
 * `npm run pack [-- --native DIRECTORY ...] [-- --cuda] [-- --into DIRECTORY]`: the program as npm packages in `dist/npm`. `lectern-VERSION.tgz` holds the compiled
 * program, the models that ship and the sources of the addon; a package of the platform holds the addon and the program that confines workers, so that an
 * installation needs no compiler. `--native` names trees with a compiled addon (`build/native`); each makes the package of its kind, with CUDA or
 * without. `--cuda` compiles an addon for all GPUs that are served first, in `build/native-cuda`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../src/platform/package-files.js';
import { bundledFiles, wholePackages } from './bundle.js';
import { mainManifest, platformManifest, type Manifest } from './npm-manifests.js';

const root = packageRoot();
const staging = join(root, 'build', 'npm');
const nativeFiles = ['lectern.node', 'lectern-confine'];

/** Beside the program: what its users read, and what its addon is compiled from where no package of the platform fits. */
const carried = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CMakeLists.txt', 'docs', 'models', 'native', 'packaging'];
const left = ['models/training', 'native/test', 'packaging/src', 'packaging/debian'];

function refuse(sentence: string): never {
  process.stderr.write(`pack: ${sentence}\n`);
  process.exit(1);
}

function writeManifest(directory: string, manifest: Manifest): void {
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function stageMain(own: Manifest): string {
  const directory = join(staging, 'lectern');
  mkdirSync(join(directory, 'dist/src'), { recursive: true });
  for (const name of bundledFiles(join(root, 'dist/src'))) copyFileSync(join(root, 'dist/src', name), join(directory, 'dist/src', name));
  cpSync(join(root, 'dist/page'), join(directory, 'dist/page'), { recursive: true });
  chmodSync(join(directory, 'dist/src/main.js'), 0o755);
  for (const name of carried) cpSync(join(root, name), join(directory, name), { recursive: true, filter: (from) => !left.includes(relative(root, from)) });
  writeManifest(directory, mainManifest(own, wholePackages));
  return directory;
}

/** What the addon says of itself, in a process of its own. */
function describeAddon(path: string): { version: string; cuda: boolean } {
  return JSON.parse(execFileSync(process.execPath, ['-p', 'JSON.stringify(require(process.argv[1]).buildInfo())', path], { encoding: 'utf8' })) as { version: string; cuda: boolean };
}

function stagePlatform(own: Manifest, tree: string): string {
  for (const name of nativeFiles) if (!existsSync(join(tree, name))) refuse(`${join(tree, name)} is missing: npm install compiles it.`);
  const { version, cuda } = describeAddon(join(tree, 'lectern.node'));
  if (version !== own.version) refuse(`the addon of ${tree} has version ${version}, the program ${own.version}: compile it again.`);
  const manifest = platformManifest(own, { cuda, files: nativeFiles.map((name) => readFileSync(join(tree, name))) });
  const directory = join(staging, manifest.name.replace('/', '-'));
  if (existsSync(directory)) refuse(`two trees make ${manifest.name}.`);
  mkdirSync(directory, { recursive: true });
  for (const name of nativeFiles) {
    copyFileSync(join(tree, name), join(directory, name));
    chmodSync(join(directory, name), 0o755);
  }
  writeFileSync(join(directory, 'README.md'), `# ${manifest.name}\n\n${manifest.description}. The package \`lectern\` of the same version loads it.\n`);
  writeManifest(directory, manifest);
  return directory;
}

/** For every GPU that is served; takes an hour on two cores. */
function compileForGpus(): string {
  const tree = join(root, 'build', 'native-cuda');
  const run = (words: string[]): Buffer => execFileSync('cmake', words, { cwd: root, stdio: 'inherit' });
  run(['-S', '.', '-B', tree, '-DLECTERN_ADDON=ON', '-DLECTERN_CUDA=ON', '-DLECTERN_CUDA_RELEASE=ON']);
  run(['--build', tree, '--parallel', '--target', 'lectern_addon']);
  return tree;
}

const { values } = parseArgs({ options: { native: { type: 'string', multiple: true, default: ['build/native'] }, cuda: { type: 'boolean', default: false }, into: { type: 'string', default: 'dist/npm' } } });
const target = resolve(root, values.into);
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const trees = [...values.native.map((tree) => resolve(root, tree)), ...(values.cuda ? [compileForGpus()] : [])];
rmSync(staging, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of readdirSync(target)) if (/^lectern-.*\.tgz$/.test(name)) rmSync(join(target, name));
for (const directory of [stageMain(own), ...trees.map((tree) => stagePlatform(own, tree))]) {
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', target], { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })) as [{ filename: string; size: number; entryCount: number }];
  process.stdout.write(`${relative(root, join(target, packed.filename))}: ${(packed.size / 2 ** 20).toFixed(1)} MiB, ${packed.entryCount} files\n`);
}
rmSync(staging, { recursive: true, force: true });
