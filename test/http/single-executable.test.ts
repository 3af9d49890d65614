// dist/lectern as it is copied to another machine: in an empty directory, without a PATH, without Node.
import t from 'tap';
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot, packageVersion } from '../../src/package-files.js';
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
    t.match((await words('--help')).stdout, /usage: lectern COMMAND/);
    t.strictSame(readdirSync(home), []);
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
  });
});
