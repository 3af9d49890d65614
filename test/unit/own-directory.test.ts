// What processes leave that are killed: the next one of the kind removes it, and nothing else.
import t from 'tap';
import { existsSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeOwnDirectory } from '../../src/platform/process-directory.js';
import { processStart } from '../../src/platform/process-start-time.js';

t.test('of the dead, not of the living, not of others', async (t) => {
  const start = processStart(process.pid);
  const parent = t.testdir({
    'kind-999999999-1-aaaaaa': { file: '' },
    [`kind-${process.pid}-1-aaaaaa`]: {},
    [`kind-${process.pid}-${start}-aaaaaa`]: {},
    [`kind-${process.ppid}-${processStart(process.ppid)}-aaaaaa`]: {},
    'kind-mine': {}, 'kind-1': {}, 'kind-999999999-x-aaaaaa': {}, 'other-999999999-1-aaaaaa': {}, elsewhere: { file: '' },
  });
  symlinkSync(join(parent, 'elsewhere'), join(parent, 'kind-999999998-1-aaaaaa'));
  const made = makeOwnDirectory({ parent, prefix: 'kind' });
  t.match(basename(made), new RegExp(`^kind-${process.pid}-${start}-.{6}$`));
  t.equal(statSync(made).mode & 0o777, 0o700);
  t.strictSame(readdirSync(parent).filter((name) => join(parent, name) !== made).sort(), [
    'elsewhere', 'kind-1', 'kind-999999999-x-aaaaaa', 'kind-mine', `kind-${process.pid}-${start}-aaaaaa`, `kind-${process.ppid}-${processStart(process.ppid)}-aaaaaa`, 'other-999999999-1-aaaaaa',
  ].sort());
  t.ok(existsSync(join(parent, 'elsewhere', 'file')), 'what a link names is none of it');
});

t.test('what is young is spared where containers may share the place', async (t) => {
  const parent = t.testdir({ 'kind-999999999-1-aaaaaa': {}, 'kind-999999999-1-bbbbbb': {} });
  const old = new Date(Date.now() - 2_000);
  utimesSync(join(parent, 'kind-999999999-1-bbbbbb'), old, old);
  const made = makeOwnDirectory({ parent, prefix: 'kind', sparedMs: 1_000 });
  t.strictSame(readdirSync(parent).sort(), [basename(made), 'kind-999999999-1-aaaaaa'].sort());
});
