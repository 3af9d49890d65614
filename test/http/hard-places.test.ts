// The program where its surroundings fail: a full disk behind its output or its log, a terminal that is closed, a supervisor that ends it.
import t from 'tap';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { moveResult } from '../../src/cli/result-places.js';
import { makeDirectoryTree } from '../../src/platform/make-directory-tree.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { mainScript } from '../support/program.js';
import { serveProgram } from '../support/serving-program.js';
import { until } from '../support/until.js';

const home = await mkdtemp(join(tmpdir(), 'lectern-hard-'));
t.teardown(() => rm(home, { recursive: true, force: true }));
await copyFile(join(fixturesDirectory(), 'invoice.pdf'), join(home, 'invoice.pdf'));
const patience = { timeout: 120_000 };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

t.test('no room for what is printed is one sentence, and nobody who reads it none; no files stay behind', patience, async (t) => {
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  for (const [output, end] of [[full, [1, /^lectern: Standard output cannot be written: ENOSPC[^\n]*\n$/]], ['pipe', [0, /^$/]]] as const) {
    const scratch = await mkdtemp(join(home, 'printed-'));
    const child = spawn(process.execPath, [mainScript, 'convert', 'invoice.pdf'], { cwd: home, env: { HOME: home, TMPDIR: scratch }, stdio: ['ignore', output, 'pipe'] });
    child.stdout?.destroy();
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => { said += text; });
    const [code] = await once(child, 'close') as [number];
    t.match([code, said], end);
    t.strictSame(await readdir(scratch), []);
  }
});

t.test('a result that cannot be written whole leaves the one before', async (t) => {
  const place = join(home, 'out', 'report.md');
  await mkdir(join(home, 'out'));
  await writeFile(place, 'of yesterday');
  // Reading it fails, after the place was opened.
  await t.rejects(moveResult(home, place), { code: 'forbidden', message: /report\.md cannot be written: EISDIR/ });
  t.equal(await readFile(place, 'utf8'), 'of yesterday');
  t.strictSame(await readdir(join(home, 'out')), ['report.md']);
});

t.test('a result has the place and the rights of the file that it replaces, however long its name', async (t) => {
  const directory = join(home, 'places');
  await mkdir(directory);
  const from = join(home, 'result');
  await writeFile(from, 'of today', { mode: 0o600 });
  const long = join(directory, `${'a'.repeat(252)}.md`);
  await moveResult(from, long);
  await writeFile(join(directory, 'secret.md'), 'of yesterday', { mode: 0o600 });
  await moveResult(from, join(directory, 'secret.md'));
  t.equal((await stat(join(directory, 'secret.md'))).mode & 0o777, 0o600);
  await chmod(long, 0o664);
  await moveResult(from, long);
  t.equal((await stat(long)).mode & 0o777, 0o664, 'whatever rights new files get');
  for (const target of ['there', 'not-yet']) {
    if (target === 'there') await writeFile(join(home, target), 'of yesterday');
    await symlink(join('..', target), join(directory, `${target}.md`));
    await moveResult(from, join(directory, `${target}.md`));
    t.equal(await readFile(join(home, target), 'utf8'), 'of today');
    t.ok((await lstat(join(directory, `${target}.md`))).isSymbolicLink());
  }
  await symlink('/dev/null', join(directory, 'nowhere.md'));
  await moveResult(from, join(directory, 'nowhere.md'));
  t.ok((await stat('/dev/null')).isCharacterDevice());
  t.equal((await readdir(directory)).length, 5);
});

t.test('a service whose log has no room serves, and ends when it is told to', patience, async (t) => {
  const full = openSync('/dev/full', 'w');
  const port = await freePort();
  const child = spawn(process.execPath, [mainScript, 'serve', '--listen', `127.0.0.1:${port}`, '--state', join(home, 'unlogged')], { env: { HOME: home }, stdio: ['ignore', 'ignore', full] });
  closeSync(full);
  t.teardown(() => child.kill('SIGKILL'));
  const health = (): Promise<number> => fetch(`http://127.0.0.1:${port}/health`).then(({ status }) => status, () => 0);
  await until('it serves', async () => child.exitCode !== null || await health() === 200);
  for (let asked = 0; asked < 3; asked++) t.equal(await health(), 200);
  child.kill('SIGTERM');
  t.strictSame(await once(child, 'close'), [0, null]);
});

t.test('a service that may hold few files open takes no more connections than it can serve', patience, async (t) => {
  const { url, said, end } = await serveProgram(home, ['--workers', '1', '--queue-size', '10', '--connections-per-address', '53'], ['/bin/sh', '-c', 'ulimit -n 200 && exec "$@"', 'sh', process.execPath, mainScript]);
  t.teardown(() => end('SIGKILL'));
  const short = said.filter((line) => line.startsWith('{"level":"warn"') && line.includes('--max-connections')).join('');
  t.match(short, /"Connections: only 200 open files are allowed, and --max-connections 2000 needs 2147: 53 are taken on each address; allow more \(LimitNOFILE/);
  const { port } = new URL(url);
  const sockets = Array.from({ length: 53 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // Each begins an upload, for which it wants a file.
  const begun = 'POST /v1/convert/file HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 1000\r\n\r\n--x\r\ncontent-disposition: form-data; name="files"; filename="a.md"\r\n\r\n# A';
  const answers = await Promise.all(sockets.map((socket) => new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('waits'), 3_000);
    socket.once('data', (bytes: Buffer) => { clearTimeout(timer); resolve(bytes.toString('latin1').slice(9, 12)); });
    socket.write(begun);
  })));
  t.strictSame([answers.filter((answer) => answer === 'waits').length, answers.filter((answer) => answer === '503').length], [11, 42], 'as many as the queue takes');
  const beyond = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  await once(beyond, 'close');
  t.equal(said.filter((line) => line.includes('EMFILE')).length, 0);
});

t.test('a terminal that is closed ends a service in order, although it says so twice', patience, async (t) => {
  const { child, end } = await serveProgram(home);
  const ended = once(child, 'exit');
  child.kill('SIGHUP');
  await end('SIGHUP');
  t.strictSame(await ended, [0, null]);
  t.notOk(existsSync(join(home, 'state', 'tasks', 'lock')));
});

t.test('a service under nohup outlives its terminal', { ...patience, skip: existsSync('/bin/bash') ? false : 'needs bash, which tells what it starts' }, async (t) => {
  const { url, child, end } = await serveProgram(home, [], ['/bin/bash', '-c', 'nohup "$@"', 'bash', process.execPath, mainScript]);
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  child.kill('SIGHUP');
  // A process that ends serves no client soon.
  await sleep(500);
  t.equal((await fetch(`${url}/health`)).status, 200);
  await end('SIGTERM');
  t.strictSame(await ended, [0, null]);
});

t.test('a service whose working directory is deleted goes on', patience, async (t) => {
  const place = await mkdtemp(join(home, 'place-'));
  const service = await serveProgram(home, [], ['/bin/sh', '-c', 'cd "$0" && exec "$@"', place, process.execPath, mainScript]);
  t.teardown(() => service.end('SIGTERM'));
  await rmdir(place);
  const form = new FormData();
  form.append('files', new Blob([await readFile(join(home, 'invoice.pdf'))]), 'invoice.pdf');
  const answer = await fetch(`${service.url}/v1/convert/file`, { method: 'POST', body: form });
  t.match(await answer.text(), /"status":"success"/);
});

t.test('a place where the file system makes no directories is told', patience, async (t) => {
  t.throws(() => makeDirectoryTree('/proc/nope/deeper', 0o700), { code: 'ENOENT' });
  makeDirectoryTree(join(home, 'a', 'b', 'c'), 0o700);
  t.ok(existsSync(join(home, 'a', 'b', 'c')));
});

t.test('a conversion that is ended leaves no files of its own', patience, async (t) => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const scratch = await mkdtemp(join(home, 'tmp-'));
    const child = spawn(process.execPath, [mainScript, 'convert', '-o', 'many', ...Array.from({ length: 100 }, () => 'invoice.pdf')], { cwd: home, env: { HOME: home, TMPDIR: scratch }, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => { said += text; });
    await until('it has files', async () => (await readdir(scratch)).length > 0);
    child.kill(signal);
    t.strictSame(await once(child, 'close'), [130, null]);
    t.match(said, /^lectern: The work was cancelled\.( \d+ of \d+ documents were done; --resume goes on\.)?\n$/m);
    t.strictSame(await readdir(scratch), []);
  }
});

t.test('what a conversion leaves that is killed goes with a later one, a day after', patience, async (t) => {
  const scratch = await mkdtemp(join(home, 'tmp-'));
  const begin = (...files: string[]) => spawn(process.execPath, [mainScript, 'convert', '-o', 'killed', ...files], { cwd: home, env: { HOME: home, TMPDIR: scratch }, stdio: 'ignore' });
  const killed = begin(...Array.from({ length: 100 }, () => 'invoice.pdf'));
  const ended = once(killed, 'exit');
  await until('it has files', async () => (await readdir(scratch)).length > 0);
  killed.kill('SIGKILL');
  await ended;
  const [left = ''] = await readdir(scratch);
  t.strictSame([await once(begin('invoice.pdf'), 'exit'), await readdir(scratch)], [[0, null], [left]], 'it may be of another container');
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(scratch, left), yesterday, yesterday);
  t.strictSame([await once(begin('invoice.pdf'), 'exit'), await readdir(scratch)], [[0, null], []]);
});

t.test('a service that is told twice to end leaves what its next start removes', patience, async (t) => {
  const scratch = await mkdtemp(join(home, 'tmp-'));
  const shared = (pid: number): string[] => [scratch, '/dev/shm'].flatMap((place) => (existsSync(place) ? readdirSync(place) : [])).filter((name) => name.startsWith(`lectern-workers-${pid}-`));
  const serve = () => serveProgram(home, [], ['/usr/bin/env', `TMPDIR=${scratch}`, process.execPath, mainScript]);
  const impatient = await serve();
  const pid = impatient.child.pid as number;
  // An upload that is under way keeps it from ending at once.
  const open = connect(Number(new URL(impatient.url).port), '127.0.0.1').on('error', () => undefined);
  open.write('POST /v1/convert/file HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 1000\r\n\r\n--x\r\n');
  await until('it shares files with workers', () => shared(pid).length === 1);
  const ended = once(impatient.child, 'exit');
  impatient.child.kill('SIGTERM');
  await until('it ends', () => impatient.said.some((line) => line.includes('Lectern stops')));
  impatient.child.kill('SIGTERM');
  t.strictSame([await ended, shared(pid).length], [[1, null], 1]);
  const next = await serve();
  t.strictSame([shared(pid).length, shared(next.child.pid as number).length], [0, 1]);
  await next.end('SIGTERM');
  t.equal(shared(next.child.pid as number).length, 0);
});
