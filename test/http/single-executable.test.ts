// dist/lectern as it is copied to another machine: in an empty directory, without a PATH, without Node.
import t from 'tap';
import { execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot, packageVersion } from '../../src/platform/package-files.js';
import { createPool } from '../../src/workers/pool.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { writeMadeModel } from '../support/made-model.js';
import { serveProgram } from '../support/serving-program.js';

const run = promisify(execFile);
const patience = { timeout: 600_000 };

t.test('dist/lectern', patience, async (t) => {
  const directory = t.testdir();
  const home = join(directory, 'home');
  mkdirSync(home);
  const target = join(packageRoot(), 'dist', 'lectern');
  await run(process.execPath, [fileURLToPath(new URL('../../packaging/src/build.js', import.meta.url))]);
  const lectern = join(directory, 'lectern');
  cpSync(target, lectern);
  const words = (...args: string[]) => run(lectern, args, { cwd: home, env: { HOME: home } });

  await t.test('answers at once, before anything is unpacked', async (t) => {
    t.equal((await words('--version')).stdout, `${packageVersion()}\n`);
    t.match((await words('--help')).stdout, /Usage: lectern COMMAND/);
    t.strictSame(readdirSync(home), []);
  });

  await t.test('tells what a command takes', async (t) => {
    t.match((await words('help', 'chat')).stdout, /Usage: lectern chat \[options\] \[model\]/);
    t.match((await words('help')).stdout, /Usage: lectern COMMAND/);
  });

  await t.test('its workers take the code that was compiled with the program', async (t) => {
    // As the executable starts them: it takes no flag of V8 as a word.
    const starter = join(directory, 'start-worker');
    writeFileSync(starter, `#!/bin/sh\nHOME='${home}' NODE_OPTIONS=$1 exec '${lectern}' worker --keep-code\n`, { mode: 0o755 });
    const pool = createPool({ command: { execPath: starter, args: [] }, size: 1, maxResidentBytes: 2 ** 30 });
    t.teardown(() => pool.close());
    t.equal(await pool.run('tookCode', {}, { limits: { silenceMs: 60_000, totalMs: 60_000 } }), true);
  });

  await t.test('converts', async (t) => {
    cpSync(join(fixturesDirectory(), 'invoice.pdf'), join(home, 'invoice.pdf'));
    t.match((await words('convert', 'invoice.pdf')).stdout, /## Invoice 2025-0417/);
  });

  await t.test('unpacks into a private directory, and mends it', async (t) => {
    const cache = join(home, '.cache', 'lectern');
    const [content, ...more] = readdirSync(cache);
    t.strictSame(more, [], 'once for all processes');
    const unpacked = join(cache, content as string);
    t.equal(statSync(unpacked).mode & 0o777, 0o700);
    truncateSync(join(unpacked, 'build', 'native', 'lectern.node'), 10);
    rmSync(join(unpacked, 'src', 'main.js'));
    t.match((await words('convert', 'invoice.pdf')).stdout, /## Invoice 2025-0417/, 'after a cleaner was there');
    t.strictSame(readdirSync(cache), [content]);
    const script = join(unpacked, 'src', 'main.js');
    const whole = readFileSync(script);
    // What a loss of power leaves: the size is right.
    writeFileSync(script, Buffer.alloc(whole.length));
    const [abandoned, young] = [join(cache, 'unpacking-abandoned'), join(cache, 'unpacking-young')];
    for (const directory of [abandoned, young]) mkdirSync(directory);
    utimesSync(abandoned, 0, 0);
    t.match((await words('convert', 'invoice.pdf')).stdout, /## Invoice 2025-0417/);
    t.ok(readFileSync(script).equals(whole));
    t.strictSame(readdirSync(cache).sort(), [content, 'unpacking-young'], 'what was killed long ago is gone');
    const [unused, used] = [join(cache, '0'.repeat(32)), join(cache, '1'.repeat(32))];
    for (const version of [unused, used]) mkdirSync(join(version, 'src'), { recursive: true });
    utimesSync(unused, 0, 0);
    utimesSync(unpacked, 0, 0);
    await words('settings');
    t.ok(Date.now() - statSync(unpacked).mtimeMs < 600_000, 'a start says that the version is in use');
    rmSync(unpacked, { recursive: true });
    await words('settings');
    t.strictSame(readdirSync(cache).sort(), [basename(used), content, 'unpacking-young'].sort(), 'a new version removes what nobody uses');
  });

  await t.test('runs for a user whom no list of users knows, as a container may have one', { skip: process.getuid?.() === 0 ? false : 'only root can become another user' }, async (t) => {
    const place = mkdtempSync(join(tmpdir(), 'lectern-stranger-'));
    t.teardown(() => rmSync(place, { recursive: true, force: true }));
    chmodSync(place, 0o777);
    for (const file of [lectern, join(home, 'invoice.pdf')]) cpSync(file, join(place, basename(file)));
    const asStranger = (...args: string[]) => run(join(place, 'lectern'), args, { cwd: place, env: { TMPDIR: place }, uid: 54_321, gid: 54_321 });
    t.match((await asStranger('convert', 'invoice.pdf')).stdout, /## Invoice 2025-0417/);
    t.ok(statSync(join(place, 'lectern-54321')).isDirectory(), 'unpacked below the temporary directory');
    t.match((await asStranger('settings')).stdout, /^ {4}\/\.local\/state\/lectern {2}\(default\)$/m);
  });

  await t.test('a home where nothing can be made is none', async (t) => {
    const place = mkdtempSync(join(tmpdir(), 'lectern-homeless-'));
    t.teardown(() => rmSync(place, { recursive: true, force: true }));
    const { stdout } = await run(lectern, ['convert', 'invoice.pdf'], { cwd: home, env: { HOME: '/proc/nope', TMPDIR: place }, timeout: 60_000 });
    t.match(stdout, /## Invoice 2025-0417/);
  });

  await t.test('a working directory that is gone is told', async (t) => {
    const failed = await run('/bin/sh', ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', lectern, 'convert', 'x.pdf'], { cwd: home, env: { HOME: home, PATH: process.env['PATH'] } })
      .then(() => ({ code: 0, stderr: '' }), (thrown: { code: number; stderr: string }) => thrown);
    t.match([failed.code, failed.stderr], [66, 'lectern: The working directory is gone: change to another one.\n']);
  });

  await t.test('a place where it does not fit is told, and nothing is left there', async (t) => {
    const place = join(directory, 'place');
    // Files may have 1 MB: what a full disk does, without one.
    const failed = await run('/bin/sh', ['-c', 'ulimit -f 2048; trap "" XFSZ; exec "$0" "$@"', lectern, 'convert', 'invoice.pdf'], { cwd: home, env: { HOME: home, XDG_CACHE_HOME: place } })
      .then(() => ({ code: 0, stderr: '' }), (thrown: { code: number; stderr: string }) => thrown);
    t.match([failed.code, failed.stderr], [1, /^lectern: The program cannot unpack itself into .*XDG_CACHE_HOME names another place\.\n$/]);
    t.strictSame(readdirSync(join(place, 'lectern')), []);
  });

  await t.test('serves and chats', async (t) => {
    const models = join(directory, 'models');
    mkdirSync(models);
    writeMadeModel(join(models, 'made.gguf'));
    const service = await serveProgram(home, ['--models', models], [lectern]);
    t.teardown(() => service.end('SIGTERM'));
    const chat = spawn(lectern, ['chat', '--url', service.url], { cwd: home, env: { HOME: home } });
    chat.stdin.end('hello');
    let said = '';
    chat.stdout.setEncoding('utf8').on('data', (text: string) => { said += text; });
    const code = await new Promise((resolve) => chat.on('close', resolve));
    t.equal(code, 0);
    t.match(said, /\n$/, 'whatever a made model says');
    t.match((await words('convert', '--url', service.url, 'invoice.pdf')).stdout, /## Invoice 2025-0417/);

    // The page for people comes out of the executable, too, with all that its scripts ask for.
    const root = await fetch(service.url, { headers: { accept: 'text/html' } });
    t.equal(root.url, `${service.url}/ui/`);
    const pages = [await root.text(), await (await fetch(`${service.url}/docs`)).text()];
    const names = new Set(pages.join('\n').match(/[\w-]+-[\w-]{8}\.(?:js|css)/g));
    t.ok(names.size >= 4, 'the page and the reference have each a script and a style');
    for (const name of names) {
      const file = await fetch(`${service.url}/ui/${name}`);
      t.match([file.status, file.headers.get('content-type')], [200, /^text\/(?:javascript|css)/], name);
      for (const further of (await file.text()).match(/(?<=["'`]\.\/)[\w-]+-[\w-]{8}\.(?:js|css)/g) ?? []) names.add(further);
    }
    t.ok(names.size >= 9, `${names.size} files, those of the other views among them`);
  });

  const hasCurl = await run('curl', ['--version']).then(() => true, () => false);
  await t.test('the script that tries it on a host holds here on the processor, and tells that there is no GPU', hasCurl ? {} : { skip: 'curl is not installed' }, async (t) => {
    const script = join(packageRoot(), 'packaging', 'try-on-host.sh');
    // A user who runs a service has its settings in the environment; the trial must not take them.
    const env = { ...process.env, LECTERN_STATE: '/proc/nope', LECTERN_CONFIG: '/proc/nope' };
    const tried = (...args: string[]) => run('/bin/sh', [script, lectern, ...args], { timeout: 120_000, env })
      .then(({ stdout }) => ({ code: 0, stdout }), (thrown: { code: number; stdout: string }) => ({ code: thrown.code, stdout: thrown.stdout }));
    const { code, stdout } = await tried('cpu', join(home, 'invoice.pdf'));
    t.equal(code, 0);
    t.strictSame(stdout.match(/^(?:NOT )?ok: .*$/gimu), [
      'ok: it becomes ready on cpu', 'ok: it chats', 'ok: it converts', "ok: none of CUDA's libraries but the driver's is open", 'ok: it ends with 0 when it is stopped (was 0)',
    ]);
    if (readdirSync('/dev').some((name) => /^nvidia\d/u.test(name))) return;
    const onNone = await tried('cuda');
    t.equal(onNone.code, 1);
    t.match(onNone.stdout, /^NOT OK: it becomes ready on cuda$/m);
  });
});
