/** What a conversion worker cannot do, tried from inside a real one, and that it still converts. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { confinementSupport } from '../../src/engine/confinement.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { confineWorkers } from '../../src/program/worker-confinement.js';
import type { WorkerConfinement } from '../../src/workers/confinement.js';
import { DocumentPool } from '../support/document-pool.js';
import { calm, entry, openPool, program } from '../support/workers.js';

const { landlockAbi, systemCallFilter } = confinementSupport();
const without = (what: string): string => `the kernel ${release()} has no ${what}`;
const landlock = landlockAbi > 0 ? {} : { skip: without('Landlock') };
const seccomp = systemCallFilter ? {} : { skip: without('seccomp') };
const both = { ...landlock, ...seccomp };

const command = entry('confined-entry');

function confinement(models: string[] = []): WorkerConfinement {
  // As on a machine without LibreOffice, whose files would be open, too.
  const found = confineWorkers('auto', models, command, process.env, null).confinement;
  if (found === null) throw new Error('The kernel confines nothing.');
  return found;
}

/** A local server, at a path that is short enough for a socket. */
async function localServer(t: Test): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-socket-'));
  const server = createServer().listen(join(directory, 'socket'));
  t.teardown(() => {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await once(server, 'listening');
  return join(directory, 'socket');
}

/** As in a service: no loader of TypeScript wants to start programs. */
function strict(parts: { files?: boolean; systemCalls?: boolean } = {}): WorkerConfinement {
  return { files: parts.files === false ? null : confinement().files, systemCalls: parts.systemCalls === false ? null : { programs: false } };
}

function places(t: Test): { root: string; ask: (verb: string, path: string | number) => Promise<unknown>; openIn: (confined: WorkerConfinement | null) => void } {
  const root = t.testdir({ state: { tasks: { other: { inputs: { '0': 'another one\'s document' } } } }, access: 'key anna researcher sha256:00', models: { 'a.gguf': 'GGUF' } });
  let run: ((verb: string, path: string | number) => Promise<unknown>) | undefined;
  return {
    root,
    openIn: (confined) => {
      const { pool } = openPool(t, { command, confinement: confined, filesDirectory: join(root, 'state', 'workers') });
      run = (verb, path) => pool.run(verb, path, { limits: calm });
    },
    ask: (verb, path) => run!(verb, path),
  };
}

t.test('files of others are closed, also to threads that start later; what a worker needs is open', landlock, async (t) => {
  const { root, ask, openIn } = places(t);
  openIn({ ...confinement([join(root, 'models')]), systemCalls: null });
  for (const path of ['/etc/passwd', '/etc/hostname', '/proc/1/cmdline', join(root, 'access'), join(root, 'state/tasks/other/inputs/0'), join(packageRoot(), '.git/HEAD')].filter(existsSync)) {
    t.equal(await ask('read', path), 'EACCES', path);
    t.equal(await ask('readInThread', path), 'EACCES', `${path} in a thread`);
  }
  for (const path of ['/etc', '/root', '/home', root, join(root, 'state/tasks'), join(root, 'state/workers')].filter(existsSync)) t.equal(await ask('list', path), 'EACCES', path);
  t.equal(await ask('overwrite', join(packageRoot(), 'package.json')), 'EACCES', 'the program is read only');
  t.equal(await ask('overwrite', join(root, 'models/a.gguf')), 'EACCES', 'models are read only');
  t.equal(await ask('move', join(root, 'state/tasks/other/inputs/0')), 'EXDEV', 'nothing is moved in');
  t.equal(await ask('makeDirectory', join(root, 'state/tasks/mine')), 'EACCES');
  t.equal(await ask('symlink', join(root, 'access')), 'EACCES', 'a link would have the parent read what it names');
  for (const path of [join(root, 'models/a.gguf'), join(packageRoot(), 'package.json'), '/proc/self/status', '/dev/urandom'].slice(0, 3)) t.equal(await ask('read', path), 'done', path);
});

t.test('no network and no program, by files alone', landlock, async (t) => {
  const { ask, openIn } = places(t);
  openIn(strict({ systemCalls: false }));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  if (landlockAbi >= 4) {
    t.equal(await ask('connect', port), 'EACCES');
    t.equal(await ask('listen', ''), 'EACCES');
  } else t.comment(without('Landlock 4: ports are left to seccomp'));
  t.equal(await ask('run', '/usr/bin/env'), 'EACCES');
  if (landlockAbi >= 6) t.equal(await ask('signal', process.pid), 'EPERM', 'its parent');
  else t.comment(without('Landlock 6: signals are left to seccomp'));
});

t.test('no network, no program, no link and no signal, by system calls alone', seccomp, async (t) => {
  const { root, ask, openIn } = places(t);
  openIn(strict({ files: false }));
  t.match(await ask('status', ''), /^NoNewPrivs:\s+1$[^]*^Seccomp:\s+2$/m);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  t.equal(await ask('connect', port), 'EPERM');
  t.equal(await ask('connectLocal', await localServer(t)), 'EPERM');
  t.equal(await ask('listen', ''), 'EPERM');
  t.equal(await ask('send', port), 'EPERM');
  t.equal(await ask('run', '/usr/bin/env'), 'EPERM');
  t.equal(await ask('signal', process.pid), 'EPERM', 'its parent');
  t.equal(await ask('link', join(root, 'access')), 'EPERM');
  t.equal(await ask('symlink', join(root, 'access')), 'EPERM');
});

t.test('where programs are needed, local sockets are there and lead nowhere', both, async (t) => {
  const { ask, openIn } = places(t);
  openIn({ files: confinement().files, systemCalls: { programs: true } });
  t.equal(await ask('connectLocal', await localServer(t)), 'EPERM');
  t.equal(await ask('connect', 80), 'EPERM');
  t.equal(await ask('run', '/usr/bin/env'), 'EACCES', 'only programs that are listed');
});

t.test('files of a job come in read-only, and what it makes comes out', both, async (t) => {
  const root = t.testdir({ upload: 'words', made: {} });
  const { pool } = openPool(t, { command, confinement: strict(), filesDirectory: join(root, 'workers') });
  const counted: string[] = [];
  const answer = await pool.run('write-outputs', (at) => ({ input: at('input'), output: at('output') }), {
    limits: calm,
    files: {
      inputs: { input: join(root, 'upload') }, outputs: { output: { path: join(root, 'made'), kind: 'directory' } }, onWriting: (directory) => counted.push(directory),
    },
  });
  t.strictSame(answer, { input: 'EACCES', beside: 'EACCES' });
  t.equal(readFileSync(join(root, 'made/copy'), 'utf8'), 'words');
  t.equal(counted.length, 1);
  t.notOk(existsSync(counted[0]!), 'nothing of it stays with the worker');
});

t.test('a worker that is free leaves no link that the parent would follow', async (t) => {
  const root = t.testdir({ secret: 'words', upload: 'x' });
  const { pool } = openPool(t, { command, filesDirectory: join(root, 'workers') });
  let output = '';
  await t.rejects(pool.run('echo-nothing', (at) => {
    output = at('output');
    // As a worker without Landlock could.
    symlinkSync(join(root, 'secret'), join(output, 'content.json'));
    return null;
  }, { limits: calm, files: { inputs: {}, outputs: { output: { path: join(root, 'made'), kind: 'directory' } } } }), { code: 'invalid_request' });
  const kept = pool.run('status', (at) => {
    symlinkSync(join(root, 'secret'), join(at('output'), 'content.json'));
    return null;
  }, { limits: calm, files: { inputs: {}, outputs: { output: { path: join(root, 'made'), kind: 'directory' } } } });
  await t.rejects(kept, { code: 'internal' });
  t.notOk(existsSync(join(root, 'made')));
});

t.test('confined workers convert PDF, scans and office files as free ones do', both, async (t) => {
  const compiled = join(packageRoot(), 'dist/src/worker.js');
  const worker = existsSync(compiled) ? { execPath: process.execPath, args: [compiled] } : program(new URL('../../src/worker.ts', import.meta.url));
  const { confinement: confined } = confineWorkers('auto', [], worker);
  const fixture = (name: string): [string, Uint8Array] => [name.split('/').at(-1)!, readFileSync(join(packageRoot(), 'test/fixtures', name))];
  // Emptied, whatever a run that was cut off left there.
  const root = t.testdir();
  const texts: (string | null)[][] = [];
  for (const confinement of [confined, null]) {
    const directory = join(root, confinement === null ? 'free' : 'confined');
    mkdirSync(directory, { recursive: true });
    const documents = new DocumentPool(directory, {}, undefined, { command: worker, confinement });
    const found: (string | null)[] = [];
    for (const [name, bytes] of [fixture('pdf/invoice.pdf'), fixture('pdf/scan-with-text.pdf'), fixture('formats/mail.eml'), fixture('formats/web.html')]) {
      const { outcome, document } = await documents.convert(name, bytes, { forceOcr: name.startsWith('scan') });
      t.equal(outcome.status, 'success', name);
      found.push(document.md_content);
    }
    await documents.close();
    t.strictSame(documents.lines, []);
    texts.push(found);
  }
  t.strictSame(texts[0], texts[1]);
  t.ok(texts[0]!.every((text) => text !== null && text.length > 100));
});

t.test('the report says what is in force', async (t) => {
  t.strictSame(confineWorkers('off', [], command).confinement, null);
  const { what } = confineWorkers('auto', [], command);
  if (landlockAbi > 0) t.match(what, `Landlock ${landlockAbi}`);
  if (systemCallFilter) t.match(what, 'seccomp');
});
