/** Settings and state that version 0.1.0 wrote (test/fixtures/state-0.1.0: killed with a finished and a waiting task) are read by this version. */
import t from 'tap';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-files.js';
import { serveProgram } from '../support/serving-program.js';

const [finished, waiting] = ['22dd6bdf-9c9f-4dbb-8c68-7c8b3ce20e6c', 'd59cc4f7-5976-4a16-9300-4e0aa191997b'] as const;
const root = mkdtempSync(join(tmpdir(), 'lectern-upgrade-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));

/** A copy of the state, which the service changes. */
function stateCopy(name: string): string {
  const state = join(root, name);
  cpSync(join(packageRoot(), 'test/fixtures/state-0.1.0'), state, { recursive: true });
  return state;
}

interface Result {
  document: { md_content: string };
}

t.test('a finished result is served, and an accepted task is converted', { timeout: 120_000 }, async (t) => {
  const state = stateCopy('upgraded');
  const { url, end } = await serveProgram(root, ['--config', join(state, 'settings'), '--state', state]);
  t.teardown(() => end('SIGTERM'));
  const ask = async <T>(path: string): Promise<T> => await (await fetch(url + path)).json() as T;
  t.match((await ask<Result>(`/v1/result/${finished}`)).document.md_content, /A result of an earlier version\./);
  let status = '';
  for (let polls = 0; polls < 20 && status !== 'success'; polls++) status = (await ask<{ task_status: string }>(`/v1/status/poll/${waiting}?wait=5`)).task_status;
  t.equal(status, 'success');
  t.match((await ask<Result>(`/v1/result/${waiting}`)).document.md_content, /Accepted by an earlier version\./);
});

t.test('a record that only a later version can read is set aside and told, and the others are served', { timeout: 120_000 }, async (t) => {
  const state = stateCopy('downgraded');
  const record = join(state, 'tasks', waiting, 'task.json');
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')) as object, version: 999, readableBy: 999 }));
  const { url, end, said } = await serveProgram(root, ['--config', join(state, 'settings'), '--state', state]);
  t.teardown(() => end('SIGTERM'));
  const refused = await fetch(`${url}/v1/status/poll/${waiting}`);
  t.match([refused.status, await refused.text()], [500, /Its files are kept/]);
  t.match(said.join('\n'), new RegExp(`${waiting}[^\\n]*999|999[^\\n]*${waiting}`), 'the log names the task and the version');
  t.equal((await fetch(`${url}/v1/result/${finished}`)).status, 200);
});
