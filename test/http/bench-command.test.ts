// `lectern bench` against a running service: what it measures, what it writes, what it calls a loss.
import t from 'tap';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixturesDirectory } from '../support/fixtures.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { runProgram } from '../support/program.js';

const service = await startTestService({ maxFileSize: 2 ** 21 }, { language: fakeLanguage() });
const url = await service.listen();
const home = await mkdtemp(join(tmpdir(), 'lectern-home-'));
const environment = { HOME: home };
t.teardown(async () => {
  await service.close();
  await rm(home, { recursive: true, force: true });
});
await copyFile(join(fixturesDirectory(), 'invoice.pdf'), join(home, 'invoice.pdf'));
await writeFile(join(home, 'bad.pdf'), 'not one');

t.test('bench measures a running service and tells a loss', async (t) => {
  const [found, faster] = [join(home, 'found.jsonl'), join(home, 'faster.jsonl')];
  const measured = await runProgram(['bench', '--url', url, '--rounds', '1', '--lines', found, join(home, 'invoice.pdf')], { environment });
  t.match([measured.code, measured.err], [0, '']);
  t.match(measured.out, /^\/health, median +[\d.]+ ms$[^]*^documents +[\d.]+ documents\/s$[^]*^pages +[\d.]+ pages\/s$[^]*: first token, median +[\d.]+ ms$/m);
  const lines = await readFile(found, 'utf8');
  await writeFile(faster, lines.replace(/("name":"\/health, median","value":)[\d.e-]+/, '$10.000001'));
  const lost = await runProgram(['bench', '--url', url, '--rounds', '1', '--against', faster, '--loss', '10000%', join(home, 'invoice.pdf')], { environment });
  t.match([lost.code, lost.out], [1, /^\/health, median .* WORSE$/m]);
  t.equal(lost.out.match(/WORSE/g)?.length, 1);
  const wrong = await runProgram(['bench', '--url', url, '--against', join(home, 'none')], { environment });
  t.match([wrong.code, wrong.err], [64, /none cannot be read/]);
  t.match(await runProgram(['bench', '--url', url, join(home, 'bad.pdf'), '--rounds', '1'], { environment }), { code: 65, err: /bad\.pdf does not convert/ });
});
