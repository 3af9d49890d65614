/** What a process that renders strangers' templates cannot do, tried from inside a real one, and that it still works. */
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Sandbox } from '../../src/chat/sandbox/sandbox.js';
import { confinementSupport } from '../../src/engine/confinement.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { openSandbox } from '../../src/program/sandbox.js';
import { entry } from '../support/workers.js';

const { landlockAbi, systemCallFilter } = confinementSupport();
const without = (what: string): string => `the kernel ${release()} has no ${what}`;
const landlock = landlockAbi > 0 ? {} : { skip: without('Landlock') };
const seccomp = systemCallFilter ? {} : { skip: without('seccomp') };

function open(t: Test, workerSandbox: 'auto' | 'off'): { sandbox: Sandbox; attempt: (what: string, argument?: string | number) => Promise<string>; lines: string[] } {
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => { lines.push(message); };
  const sandbox = openSandbox({ slots: 1, workerSandbox }, { debug: note, info: note, warn: note, error: note } as never, entry('confined-sandbox-entry'));
  t.teardown(() => sandbox.close());
  return { sandbox, lines, attempt: (what, argument = '') => sandbox.checkGoTemplate(`${what} ${argument}`).then(() => 'nothing was tried', (thrown: Error) => thrown.message) };
}

t.test('files are closed to it, and it writes nowhere', landlock, async (t) => {
  const { attempt, sandbox, lines } = open(t, 'auto');
  const root = t.testdir({ access: 'key anna researcher sha256:00' });
  for (const path of ['/etc/passwd', '/proc/1/cmdline', join(root, 'access'), join(packageRoot(), '.git/HEAD')].filter(existsSync)) t.equal(await attempt('read', path), 'EACCES', path);
  t.equal(await attempt('read', join(packageRoot(), 'package.json')), 'done', 'its own program is open');
  for (const path of [join(root, 'made'), join(packageRoot(), 'made'), '/tmp/lectern-made', '/made']) {
    t.equal(await attempt('write', path), 'EACCES', path);
    t.equal(await attempt('makeDirectory', path), 'EACCES', path);
    t.notOk(existsSync(path));
  }
  t.match(await attempt('run', '/bin/true'), /^(EACCES|EPERM)$/, 'by the files, or by the filter of system calls');
  t.strictSame(await sandbox.readJson([Buffer.from('[1]')]), [1], 'bodies are read by processes of the same kind');
  t.strictSame(lines, []);
});

t.test('system calls are filtered, for good', seccomp, async (t) => {
  const { attempt } = open(t, 'auto');
  const status = await attempt('status');
  t.match(status, /^Seccomp:\t2$/m);
  t.match(status, /^NoNewPrivs:\t1$/m);
  if (landlockAbi >= 6 || import.meta.url.endsWith('.js')) t.equal(await attempt('signal', process.pid), 'EPERM');
});

t.test('--worker-sandbox off leaves it free', async (t) => {
  const { attempt } = open(t, 'off');
  t.match(await attempt('status'), /^Seccomp:\t0$/m);
  t.equal(await attempt('read', '/etc/passwd'), 'done');
});
