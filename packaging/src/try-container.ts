/**
 * Runs the steps of the Containerfile where no container engine is at hand: images are bare Debian roots, RUN is chroot. Then it starts the image's entrypoint as its
 * user, and tries it. `packaging/try-container.sh [--build-arg NAME=VALUE ...] [--root DIRECTORY]`; needs root, debootstrap, Debian's archive and npm's registry.
 * The stand-ins: `debian` is Debian 12 by debootstrap, `node` the same with this machine's Node, `nvidia/cuda` the same with this machine's CUDA toolkit.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../src/platform/package-files.js';
import { bareRoot, buildStages, insideWords, type BuiltImage } from './container-stages.js';
import { parseInstructions, stagesOf } from './containerfile.js';

const context = packageRoot();
/** Seconds within which the service must respond, and end. */
const patienceS = 60;

let count = 0;
function ok(holds: boolean, title: string, output = ''): void {
  process.stdout.write(`${holds ? 'ok' : 'not ok'} ${++count} - ${title}\n`);
  if (holds) return;
  if (output !== '') process.stdout.write(`# ${output.trimEnd().replaceAll('\n', '\n# ')}\n`);
  process.exitCode = 1;
}

function given(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined) throw new Error(`--build-arg takes NAME=VALUE, not ${word}.`);
    return [name, value];
  }));
}

/** As `podman run IMAGE WORDS` would: the entrypoint as the image's user. */
function runImage(image: BuiltImage, words: readonly string[], environment: Record<string, string> = {}): { status: number | null; output: string; stdout: string } {
  const { status, stdout, stderr } = spawnSync('chroot', insideWords(image, [...image.entrypoint, ...words], environment), { encoding: 'utf8' });
  return { status, stdout, output: stdout + stderr };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function responds(address: string, child: ChildProcess): Promise<boolean> {
  for (let left = patienceS * 2; left > 0; left--) {
    if (await fetch(`${address}/health`).then((response) => response.ok, () => false)) return true;
    if (child.exitCode !== null) return false;
    await wait(500);
  }
  return false;
}

function uidOf(child: ChildProcess): number {
  return statSync(`/proc/${child.pid}`).uid;
}

async function tryService(image: BuiltImage): Promise<void> {
  const list = join(image.root, 'etc/lectern/access');
  rmSync(list, { force: true });
  const refused = runImage(image, image.command);
  ok(refused.status !== 0 && refused.output.includes('/etc/lectern/access'), 'without an access list the service does not start, and names the file', refused.output);
  writeFileSync(list, '127.0.0.0/8 administrator\n');
  const port = await freePort();
  const environment = { LECTERN_LISTEN: `0.0.0.0:${port}` };
  const child = spawn('chroot', insideWords(image, [...image.entrypoint, ...image.command], environment), { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (bytes: Buffer) => { log += bytes.toString(); });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const address = `http://127.0.0.1:${port}`;
  const isUp = await responds(address, child);
  ok(isUp, 'with one it responds on /health', log);
  if (!isUp) return void child.kill('SIGKILL');
  const uid = uidOf(child);
  ok(uid === 10001, `it runs as user ${uid}`);
  process.stdout.write(`# ${/Workers are confined: [^"]*/.exec(log)?.[0]}\n`);
  const { status } = spawnSync('chroot', insideWords(image, image.healthCheck ?? [], environment));
  const dead = spawnSync('chroot', insideWords(image, image.healthCheck ?? [], { LECTERN_LISTEN: '0.0.0.0:1' }));
  ok(status === 0 && dead.status === 1, 'HEALTHCHECK says 0 of a service that responds and 1 of none');
  const body = new FormData();
  body.append('files', new Blob([readFileSync(join(context, 'test/fixtures/pdf/invoice.pdf'))]), 'invoice.pdf');
  const converted = await fetch(`${address}/v1/convert/file`, { method: 'POST', body }).then((response) => response.text());
  ok(converted.includes('Invoice 2025-0417'), 'the service converts a document', converted.slice(0, 500));
  const answer = await fetch(`${address}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'lectern-demo', max_tokens: 8, messages: [{ role: 'user', content: 'What can you do?' }] }) });
  ok(answer.status === 200, 'the model that ships responds', await answer.text());
  const state = join(image.root, 'var/lib/lectern');
  ok(readdirSync(state).length > 0 && readdirSync(state).every((name) => lstatSync(join(state, name)).uid === uid), 'its state lies in the volume and is its own');
  child.kill('SIGTERM');
  const code = await Promise.race([ended.then(([value]) => value), wait(patienceS * 1000, 'no end')]);
  ok(code === 0, `SIGTERM ends it with ${code}`, log);
  if (code === 'no end') child.kill('SIGKILL');
}

async function tryImage(image: BuiltImage, version: string): Promise<void> {
  const said = runImage(image, ['--version']);
  ok(said.status === 0 && said.stdout.trim() === version, 'the entrypoint starts the program', said.output);
  const documents = join(image.root, 'documents');
  mkdirSync(documents, { recursive: true });
  copyFileSync(join(context, 'test/fixtures/pdf/invoice.pdf'), join(documents, 'invoice.pdf'));
  const converted = runImage(image, ['convert', '/documents/invoice.pdf']);
  ok(converted.status === 0 && converted.stdout.includes('Invoice 2025-0417'), 'a document is converted without a service and without an access list', converted.output);
  const writable = runImage(image, ['models', 'list', '--json']);
  ok(writable.status === 0 && writable.stdout.includes('lectern-demo'), 'the models are listed', writable.output);
  await tryService(image);
}

const { values } = parseArgs({ options: { 'build-arg': { type: 'string', multiple: true, default: [] }, root: { type: 'string' } } });
const directory = values.root === undefined ? mkdtempSync(join(tmpdir(), 'lectern-container-')) : resolve(values.root);
mkdirSync(directory, { recursive: true });
const roots = (): string[] => readdirSync(directory).filter((name) => name.startsWith('stage-')).map((name) => join(directory, name));
const clear = (): void => {
  for (const root of roots()) {
    bareRoot(context, ['leave_root', root]);
    // Never into what is mounted there.
    execFileSync('rm', ['-rf', '--one-file-system', root]);
  }
};
try {
  clear();
  const stages = stagesOf(parseInstructions(readFileSync(join(context, 'Containerfile'), 'utf8')), given(values['build-arg']));
  const image = buildStages(stages, { context, directory, given: given(values['build-arg']), log: (line) => process.stdout.write(`# ${line}\n`) });
  ok(image.user !== 'root' && image.volumes.length === 2 && image.healthCheck !== null, `the image is built: user ${image.user}, volumes ${image.volumes.join(' and ')}`);
  const { version } = JSON.parse(readFileSync(join(context, 'package.json'), 'utf8')) as { version: string };
  await tryImage(image, version);
  const sizes = execFileSync('du', ['-smx', join(image.root, 'opt/lectern'), image.root], { encoding: 'utf8' });
  process.stdout.write(`# MiB of the program, and of the image: ${sizes.split('\n').map((line) => line.split('\t')[0]).join(' ').trim()}\n1..${count}\n`);
} finally {
  clear();
  if (values.root === undefined) execFileSync('rm', ['-rf', '--one-file-system', directory]);
}
