// The addon is carried to machines with an older C++ library, and with a glibc of 2.34 or newer.
import t from 'tap';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAddon } from '../../src/engine/addon.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { needsOf } from '../support/elf.js';

t.test('what it may open while it runs', async (t) => {
  const text = readFileSync(join(packageRoot(), 'build', 'native', 'lectern.node'), 'latin1');
  const names = new Set([...text.matchAll(/(?<![\w+.-])lib[\w+-]+\.so(?:\.\d+)*/g)].map(([name]) => name));
  const linked = needsOf(join(packageRoot(), 'build', 'native', 'lectern.node')).libraries;
  const opened = [...names].filter((name) => !linked.includes(name) && !name.startsWith('libtesseract.so')).sort();
  t.strictSame(opened, loadAddon().buildInfo().cuda ? ['libcuda.so.1'] : [], 'of CUDA the driver alone; no other name of a library is in it');
});

t.test('what the addon needs of its machine', async (t) => {
  const { libraries, versions } = needsOf(join(packageRoot(), 'build', 'native', 'lectern.node'));
  t.ok(libraries.includes('libc.so.6') && versions.length > 3, `${versions.length} versions read`);
  t.strictSame(libraries.filter((name) => /stdc\+\+|gcc_s|cuda|cublas|nvrtc/.test(name)), [], 'C++ and CUDA are inside');
  t.strictSame(versions.filter((version) => /^(GLIBCXX|CXXABI)_/.test(version)), []);
  const tooNew = versions.filter((version) => {
    const [, major = '0', minor = '0'] = /^GLIBC_(\d+)\.(\d+)/.exec(version) ?? [];
    return Number(major) > 2 || Number(minor) > 34;
  });
  t.strictSame(tooNew, []);
});
