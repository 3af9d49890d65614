// Unpacked versions beside each other: those in use stay, the others go after a month.
import t from 'tap';
import { readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { keepVersion, removeUnused, touchVersion } from '../../packaging/src/versions.js';
import { until } from '../support/until.js';

const [own, old, used] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string];

t.test('what has not been used for a month goes', async (t) => {
  const root = t.testdir({ [own]: { src: { 'main.js': '' } }, [old]: { src: { 'main.js': '' } }, [used]: {}, 'not-a-version': {}, elsewhere: { file: '' } });
  symlinkSync(join(root, 'elsewhere'), join(root, 'd'.repeat(32)));
  const day = 24 * 3_600_000;
  for (const [name, days] of [[own, 40], [old, 31], [used, 29], ['not-a-version', 99]] as const) utimesSync(join(root, name), 0, (Date.now() - days * day) / 1000);
  removeUnused(root, own);
  t.strictSame(readdirSync(root).sort(), [own, used, 'd'.repeat(32), 'elsewhere', 'not-a-version'].sort());
  removeUnused(root, own, Date.now() + 60 * day);
  t.strictSame(readdirSync(root).sort(), [own, 'elsewhere', 'not-a-version'].sort(), 'of a link the link');
  t.strictSame(readdirSync(join(root, 'elsewhere')), ['file']);
});

t.test('a process says again and again that it is there', async (t) => {
  const root = t.testdir({ [own]: {} });
  const directory = join(root, own);
  keepVersion(directory, 5);
  utimesSync(directory, 0, 0);
  await until('its time is set again', () => statSync(directory).mtimeMs > 0);
  t.doesNotThrow(() => touchVersion(join(root, 'none')));
});
