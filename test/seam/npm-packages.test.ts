/** The install script beside an installed package of the platform: it is used where it fits, and where it does not the reason is named. */
import t from 'tap';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformManifest, type Manifest } from '../../packaging/src/npm-manifests.js';
import { packageRoot } from '../../src/platform/package-files.js';

const own = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as Manifest;
const addon = join(packageRoot(), 'build/native/lectern.node');
const fitting = platformManifest(own, { cuda: false, files: [readFileSync(addon)] });
const { version } = own;

t.test('native/install.mjs and the package of the platform', async (t) => {
  const root = t.testdir({ native: {}, node_modules: {} });
  copyFileSync(join(packageRoot(), 'native/install.mjs'), join(root, 'native/install.mjs'));
  for (const name of ['package.json', 'CMakeLists.txt']) copyFileSync(join(packageRoot(), name), join(root, name));
  for (const name of ['node-addon-api', 'node-api-headers']) symlinkSync(join(packageRoot(), 'node_modules', name), join(root, 'node_modules', name));
  const directory = join(root, 'node_modules', fitting.name);
  mkdirSync(directory, { recursive: true });
  const install = (manifest: object, environment: NodeJS.ProcessEnv = {}): { status: number | null; output: string } => {
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    // Without a compiler, and without an addon of an earlier installation.
    const env = { PATH: join(root, 'none'), XDG_CACHE_HOME: join(root, 'cache'), ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'native/install.mjs')], { encoding: 'utf8', env });
    return { status, output: stdout + stderr };
  };
  const name = fitting.name;
  copyFileSync(addon, join(directory, 'lectern.node'));
  t.strictSame(install(fitting), { status: 0, output: `Lectern native: ${name} is used.\n` });
  const needsCompiler = /needs CMake 3\.22 or newer and a C\+\+20 compiler\.\nOn Debian or Ubuntu: apt-get install cmake g\+\+ ninja-build\n$/;
  const refused = (manifest: object, reason: string | RegExp, environment: NodeJS.ProcessEnv = {}): void => {
    const { status, output } = install(manifest, environment);
    t.equal(status, 1);
    t.match(output, reason);
    t.match(output, needsCompiler);
  };
  refused({ ...fitting, version: '0.0.9' }, `${name} is installed and does not fit: it has version 0.0.9, and this is ${version}.\n`);
  refused({ ...fitting, lectern: { cuda: false, napi: 99, glibc: '2.34' } }, `does not fit: it needs Node-API 99, and this Node has ${process.versions['napi']}.\n`);
  refused({ ...fitting, lectern: { cuda: false, napi: 9, glibc: '2.99' } }, /does not fit: it needs glibc 2\.99, and this system has 2\.\d+\.\n/);
  refused(fitting, `${name} has no CUDA kernels, which LECTERN_CUDA asks for: they are compiled, or install ${name}-cuda.\n`, { LECTERN_CUDA: '1' });
  refused(fitting, needsCompiler, { npm_config_build_from_source: 'true' });
  writeFileSync(join(directory, 'lectern.node'), 'no addon');
  refused(fitting, /does not fit: its addon does not load: .*(?:file too short|invalid ELF header)\.\n/);
});
