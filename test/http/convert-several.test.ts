/** `lectern convert` with several documents: side by side they become what they become one after the other, and Ctrl-C ends them all. */
import t from 'tap';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fixturesDirectory, readFixtures } from '../support/fixtures.js';
import { mainScript, runProgram } from '../support/program.js';
import { lives } from '../support/workers.js';

const home = await mkdtemp(join(tmpdir(), 'lectern-home-'));
const environment = { HOME: home };
t.teardown(() => rm(home, { recursive: true, force: true }));
await writeFile(join(home, 'bad.pdf'), 'not one');

t.test('several documents at a time: the same bytes and sentences as one after the other', async (t) => {
  const names = readFixtures().filter(({ facts }) => facts.password === null && facts.pages < 10).slice(0, 6).map(({ pdf }) => pdf);
  t.equal(names.length, 6);
  const files = ['~/bad.pdf', ...names.slice(0, 3), '~/none.pdf', ...names.slice(3), '~/bad.pdf'];
  const [one, two] = await Promise.all(['1', '2'].map((workers) => runProgram(['convert', '--workers', workers, '--to', 'md,json', '-o', `~/by-${workers}`, ...files], { environment })));
  t.equal(one?.code, 65);
  t.strictSame(two, one);
  t.equal(one?.err.match(/bad\.pdf: .* no PDF header/g)?.length, 2, `sentences: ${one?.err}`);
  const results = await readdir(join(home, 'by-1'));
  t.equal(results.length, 12);
  t.strictSame(await readdir(join(home, 'by-2')), results);
  for (const name of results) t.ok((await readFile(join(home, 'by-2', name))).equals(await readFile(join(home, 'by-1', name))), name);
});

t.test('Ctrl-C ends all that is at work', async (t) => {
  const copies = await Promise.all(Array.from({ length: 9 }, async (_, index) => {
    const path = join(home, `long-${index}.pdf`);
    await copyFile(join(fixturesDirectory(), 'report-100-pages.pdf'), path);
    return path;
  }));
  const child = spawn(process.execPath, [mainScript, 'convert', '-o', join(home, 'long'), ...copies], { env: { PATH: process.env['PATH'], ...environment }, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text; });
  const workersOf = async (): Promise<number[]> => (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);
  while ((await workersOf()).length < Math.min(2, availableParallelism())) await setTimeout(20);
  const workers = await workersOf();
  child.kill('SIGINT');
  const [code] = await once(child, 'close') as [number];
  t.match([code, err], [130, /^lectern: [^\n]*cancelled[^\n]*\n$/]);
  t.strictSame(workers.filter(lives), []);
});
