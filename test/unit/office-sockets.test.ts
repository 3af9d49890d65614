/** Sockets of LibreOffice: the dead ones of this user go, all else stays. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { removeOfficeSockets } from '../../src/program/office-sockets.js';

/** A socket that its process left behind. */
function leaveSocket(path: string): void {
  spawnSync(process.execPath, ['-e', 'require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))', path]);
}

t.test('the dead ones of this user are removed', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const name = (digits: string, uid: number = process.getuid?.() ?? 0): string => `OSL_PIPE_${uid}_SingleOfficeIPC_${digits}`;
  for (const file of [name('0a'), name('0b', 99999), 'other_socket']) leaveSocket(join(directory, file));
  writeFileSync(join(directory, name('0c')), 'a file');
  const server = createServer().listen(join(directory, name('0d')));
  t.teardown(() => server.close());
  await once(server, 'listening');
  await removeOfficeSockets([directory, join(directory, 'missing')]);
  t.same(readdirSync(directory).sort(), [name('0c'), name('0d'), name('0b', 99999), 'other_socket'].sort());
});
