/**
 * `npm run release [-- --sign KEY] [-- --reproduce] [-- --cuda]`: the executable, the Debian package, the npm packages, the bill of materials and SHA256SUMS in `dist/release`. `--sign` signs the sums with gpg;
 * `--reproduce` builds twice and fails where one byte differs; `--cuda` adds the npm package with CUDA kernels, which it compiles.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../src/platform/package-files.js';
import { billOfMaterials, unlicensed, type BillOfMaterials } from './bill-of-materials.js';
import { debName } from './deb.js';

const root = packageRoot();
const target = join(root, 'dist', 'release');

function run(program: string, words: string[]): string {
  return execFileSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'] });
}

function refuse(sentence: string): never {
  process.stderr.write(`release: ${sentence}\n`);
  process.exit(1);
}

/** Files of the release with their SHA-256. */
function buildInto(directory: string, version: string, cudaWord: readonly string[]): Map<string, string> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  run(process.execPath, [join(root, 'dist/packaging/src/build.js'), '--deb']);
  for (const name of ['lectern', debName(version)]) copyFileSync(join(root, 'dist', name), join(directory, name));
  run(process.execPath, [join(root, 'dist/packaging/src/npm-packages.js'), '--into', directory, ...cudaWord]);
  const npm = JSON.parse(run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx'])) as BillOfMaterials;
  const without = unlicensed(npm);
  if (without.length > 0) refuse(`these packages name no licence: ${without.join(', ')}.`);
  const cuda = readFileSync(join(root, 'build/native/lectern.node')).includes('cudaGetDeviceCount');
  writeFileSync(join(directory, `lectern-${version}.cdx.json`), billOfMaterials(npm, { node: process.versions.node, cuda }, 'lectern', version, run('git', ['log', '-1', '--format=%ct']).trim()));
  return new Map(readdirSync(directory).sort().map((name) => [name, createHash('sha256').update(readFileSync(join(directory, name))).digest('hex')]));
}

const { values: { sign, reproduce, cuda } } = parseArgs({ options: { sign: { type: 'string' }, reproduce: { type: 'boolean' }, cuda: { type: 'boolean' } } });
const cudaWord = cuda ? ['--cuda'] : [];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
if (run('git', ['status', '--porcelain']).trim() !== '') refuse('the working tree has changes that are not committed.');
if (!new RegExp(`^## (?:${version.replaceAll('.', '\\.')}|Unreleased)\\b`, 'm').test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))) refuse(`CHANGELOG.md has no section for ${version}.`);
const sums = buildInto(target, version, cudaWord);
if (reproduce) {
  const again = buildInto(join(root, 'build', 'release-again'), version, cudaWord);
  const different = [...sums].filter(([name, sum]) => again.get(name) !== sum).map(([name]) => name);
  if (different.length > 0) refuse(`two builds differ in ${different.join(', ')}.`);
  process.stdout.write(`two builds give the same ${sums.size} files\n`);
}
writeFileSync(join(target, 'SHA256SUMS'), [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''));
if (sign !== undefined) run('gpg', ['--batch', '--yes', '--local-user', sign, '--armor', '--detach-sign', join(target, 'SHA256SUMS')]);
process.stdout.write(`${[...sums].map(([name, sum]) => `${sum}  ${name}`).join('\n')}\n${sign === undefined ? 'SHA256SUMS is not signed: --sign KEY signs it' : 'SHA256SUMS.asc is its signature'}\n`);
