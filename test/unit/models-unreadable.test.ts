// Why a directory of models cannot be read: a directory that a unit hides is distinguished from one that the user may not read.
import t from 'tap';
import { chmodSync } from 'node:fs';
import { isHidden as isHiddenBelow, unreadableDirectory } from '../../src/models/unreadable.js';

t.test('directories that cannot be read', async (t) => {
  const root = t.testdir({ there: {}, file: '', home: { joe: { models: {} } } });
  t.equal(await unreadableDirectory([`${root}/there`]), null);
  t.equal(await unreadableDirectory([`${root}/there`, `${root}/gone`]), `The model directory ${root}/gone does not exist.`);
  t.equal(await unreadableDirectory([`${root}/file`]), `The model directory ${root}/file is no directory.`);
  const isHidden = (path: string): boolean => isHiddenBelow(path, [`${root}/home`, `${root}/none`]);
  t.notOk(isHidden(`${root}/home/joe/models`));
  chmodSync(`${root}/home`, 0o700);
  t.notOk(isHidden(`${root}/home/joe/models`), 'another user\'s');
  // As ProtectHome=yes leaves it.
  chmodSync(`${root}/home`, 0);
  t.ok(isHidden(`${root}/home/joe/models`));
  t.ok(isHidden(`${root}/home`));
  t.notOk(isHidden(`${root}/homes/joe`), 'another directory');
  t.notOk(isHiddenBelow(`${root}/home/joe/models`), 'no unit hides what lies elsewhere');
  if (process.getuid?.() !== 0) t.match(await unreadableDirectory([`${root}/home/joe/models`]), /cannot be read by this user/);
  chmodSync(`${root}/home`, 0o700);
});
