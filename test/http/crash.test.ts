// kill -9 at random moments: what was accepted ends in a result or a stated failure, nothing is lost and nothing is there twice.
// CI_FULL=1: 200 tasks and 20 kills.
import t from 'tap';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixturesDirectory } from '../support/fixtures.js';
import { mainScript } from '../support/program.js';
import { randomFrom } from '../support/random.js';
import { serveProgram } from '../support/serving-program.js';

const [taskCount, killCount] = process.env['CI_FULL'] === '1' ? [200, 20] : [30, 3];
const patience = 600_000;

interface Status { task_status: string; error_message: string | null; task_meta: { pages_done: number } }

t.test(`${taskCount} tasks, ${killCount} kills`, { timeout: patience }, async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'lectern-crash-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const document = new Blob([await readFile(join(fixturesDirectory(), 'invoice.pdf'))]);
  const random = randomFrom(20261122);
  const accepted = new Map<string, string>();
  let sent = 0;
  let service = await serveProgram(home);

  /** One upload; a connection that broke before the answer was no acceptance. */
  const submit = async (): Promise<boolean> => {
    const name = `document-${sent++}.pdf`;
    const form = new FormData();
    form.append('files', document, name);
    try {
      const answer = await fetch(`${service.url}/v1/convert/file/async`, { method: 'POST', body: form });
      if (answer.status !== 200) return false;
      const { task_id: id } = await answer.json() as { task_id: string };
      accepted.set(id, name);
      return true;
    } catch {
      return false;
    }
  };

  for (let kill = 0; kill < killCount; kill++) {
    const share = Math.floor((taskCount * (kill + 1)) / killCount);
    const killed = sleep(random() * 1500).then(() => service.end('SIGKILL'));
    while (accepted.size < share && await submit());
    await killed;
    service = await serveProgram(home);
  }
  while (accepted.size < taskCount) if (!await submit()) await sleep(50);

  const ends = new Map<string, number>();
  for (const [id, name] of accepted) {
    let status: Status;
    do {
      const answer = await fetch(`${service.url}/v1/status/poll/${id}?wait=20`);
      t.equal(answer.status, 200, `${name} is known`);
      if (answer.status !== 200) return;
      status = await answer.json() as Status;
    } while (status.task_status === 'pending' || status.task_status === 'started');
    ends.set(status.task_status, (ends.get(status.task_status) ?? 0) + 1);
    if (status.task_status === 'failure') {
      t.match(status.error_message, /ended 2 times/, `${name} says why`);
      continue;
    }
    const result = await (await fetch(`${service.url}/v1/result/${id}`)).json() as { document: { filename: string; md_content: string } };
    t.equal(result.document.filename, name, 'its own result');
    t.match(result.document.md_content, /Invoice 2025-0417/);
  }
  t.comment(`${sent} sent, ${accepted.size} accepted: ${JSON.stringify(Object.fromEntries(ends))}`);
  t.ok((ends.get('success') ?? 0) > 0);

  await service.end('SIGTERM');
  const names: string[] = [];
  for (const id of (await readdir(join(home, 'state', 'tasks'))).filter((entry) => entry !== 'lock')) {
    const record = JSON.parse(await readFile(join(home, 'state', 'tasks', id, 'task.json'), 'utf8')) as { status: string; summary: { documents: { filename: string }[] } | null };
    names.push(...(record.summary?.documents.map(({ filename }) => filename) ?? []));
  }
  t.equal(new Set(names).size, names.length, 'no document was converted into two results');
});

t.test('documents of before a kill keep the service from no readiness', { timeout: patience }, async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'lectern-crash-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const document = new Blob([await readFile(join(fixturesDirectory(), 'report-100-pages.pdf'))]);
  // Its worker starts so late that all of them wait for it. A confined worker could not read the script that delays it.
  const late = join(home, 'late.mjs');
  await writeFile(late, "if (process.argv.includes('worker')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);");
  const serve = (): ReturnType<typeof serveProgram> => serveProgram(home, ['--workers', '1', '--worker-sandbox', 'off'], [process.execPath, '--import', late, mainScript]);
  const before = await serve();
  const ids: string[] = [];
  while (ids.length < 2) {
    const form = new FormData();
    form.append('files', document, 'report.pdf');
    ids.push((await (await fetch(`${before.url}/v1/convert/file/async`, { method: 'POST', body: form })).json() as { task_id: string }).task_id);
  }
  await before.end('SIGKILL');
  const service = await serve();
  t.teardown(() => service.end('SIGTERM'));
  while ((await fetch(`${service.url}/ready`)).status !== 200) await sleep(20);
  const [first] = await Promise.all(ids.map(async (id) => await (await fetch(`${service.url}/v1/status/poll/${id}`)).json() as Status));
  t.ok((first?.task_meta.pages_done ?? 100) < 50, `ready while the first of them, at page ${first?.task_meta.pages_done}, has its worker`);
});
