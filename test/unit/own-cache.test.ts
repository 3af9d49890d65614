// Which directory of the service's user is taken for the unpacked program.
import t from 'tap';
import { chmodSync } from 'node:fs';
import { isOwnCache } from '../../packaging/src/own-cache.js';

t.test('a directory of one\'s own that can be written, and nothing else', async (t) => {
  const root = t.testdir({ own: {}, file: '', link: t.fixture('symlink', 'own'), closed: {} });
  const uid = process.getuid?.();
  t.ok(isOwnCache(`${root}/own`, uid));
  t.notOk(isOwnCache(`${root}/own`, 12_345), 'another user\'s');
  for (const name of ['file', 'link', 'none', 'file/below']) t.notOk(isOwnCache(`${root}/${name}`, uid), name);
  chmodSync(`${root}/closed`, 0o500);
  // Root may write everywhere but where the file system is read-only.
  t.equal(isOwnCache(`${root}/closed`, uid), uid === 0);
});
