/** The npm packages: their manifests, and which directory's addon the program loads. */
import t from 'tap';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wholePackages } from '../../packaging/src/bundle.js';
import { mainManifest, neededGlibc, platformManifest, type Manifest } from '../../packaging/src/npm-manifests.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { findNativeDirectory, platformPackages } from '../../src/platform/native-files.js';

const own = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as Manifest;

t.test('the program names the package of the platform in the packed form alone', async (t) => {
  const packed = mainManifest(own, wholePackages);
  t.match(packed, { name: 'lectern', version: own.version, scripts: { install: 'node native/install.mjs' }, optionalDependencies: { '@lectern/linux-x64': own.version } });
  t.strictSame(Object.keys(packed.dependencies ?? {}).sort(), [...wholePackages, 'node-addon-api', 'node-api-headers'].sort(), 'the bundle holds the others');
  t.strictSame(packed['peerDependencies'], { '@lectern/linux-x64-cuda': own.version });
  t.strictSame(packed['peerDependenciesMeta'], { '@lectern/linux-x64-cuda': { optional: true } }, 'the large one comes only where it is named');
  t.notOk('devDependencies' in packed || 'prepare' in (packed['scripts'] as object), 'nothing is compiled where it is installed');
  t.notOk('optionalDependencies' in own, 'a checkout builds from its sources');
  t.throws(() => mainManifest(own, ['not-there']), { message: 'package.json does not name not-there.' });
});

t.test('a package of a platform says what it needs', async (t) => {
  const files = [Buffer.from('\0GLIBC_2.2.5\0GLIBC_2.34\0'), Buffer.from('\0GLIBC_2.9\0')];
  t.equal(neededGlibc(files), '2.34', 'by number, not by letters');
  t.match(platformManifest(own, { cuda: false, files }, 'linux', 'x64'), {
    name: '@lectern/linux-x64', version: own.version, os: ['linux'], cpu: ['x64'], libc: ['glibc'], lectern: { cuda: false, napi: 9, glibc: '2.34' },
  });
  t.match(platformManifest(own, { cuda: true, files }, 'linux', 'x64'), { name: '@lectern/linux-x64-cuda', lectern: { cuda: true } });
});

t.test('the addon that was compiled comes first, then a package of the same version', async (t) => {
  const project = t.testdir({ node_modules: { lectern: { 'package.json': '{"version": "1.2.3"}' } } });
  const root = join(project, 'node_modules/lectern');
  const names = platformPackages('linux', 'x64');
  t.strictSame(names, ['@lectern/linux-x64-cuda', '@lectern/linux-x64']);
  const install = (name: string, version: string, hasAddon = true): string => {
    const directory = join(project, 'node_modules', name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, version }));
    if (hasAddon) writeFileSync(join(directory, 'lectern.node'), '');
    return directory;
  };
  t.equal(findNativeDirectory(root, names), null, 'none');
  install('@lectern/linux-x64', '1.2.2');
  t.equal(findNativeDirectory(root, names), null, 'of another version');
  const plain = install('@lectern/linux-x64', '1.2.3');
  t.equal(findNativeDirectory(root, names), plain);
  install('@lectern/linux-x64-cuda', '1.2.3', false);
  t.equal(findNativeDirectory(root, names), plain, 'one without its addon is passed over');
  const cuda = install('@lectern/linux-x64-cuda', '1.2.3');
  t.equal(findNativeDirectory(root, names), cuda, 'the one with CUDA where both are installed');
  mkdirSync(join(root, 'build/native'), { recursive: true });
  writeFileSync(join(root, 'build/native/lectern.node'), '');
  t.equal(findNativeDirectory(root, names), join(root, 'build/native'));
});
