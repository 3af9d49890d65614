// The addon is carried to machines with an older C++ library, and with a glibc of 2.34 or newer.
import t from 'tap';
import { join } from 'node:path';
import { packageRoot } from '../../src/package-files.js';
import { needsOf } from '../support/elf.js';

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
