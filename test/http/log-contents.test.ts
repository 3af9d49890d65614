// Logs name requests, tasks and models, and nothing of what they are about: not at the most talkative level, nor where something goes wrong.
import t from 'tap';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeMadeModel } from '../support/made-model.js';
import { serveProgram } from '../support/serving-program.js';

/** Stands in every place that a stranger fills. */
const secret = 'kingfisher';

const home = mkdtempSync(join(tmpdir(), 'lectern-logs-'));
t.teardown(() => rmSync(home, { recursive: true, force: true }));
writeMadeModel(join(home, 'made.gguf'));
const { url, said, end } = await serveProgram(home, ['--models', home, '--workers', '1', '--log-level', 'debug']);
t.teardown(() => end('SIGTERM'));

/** The response, which may mention it: the client knows its own request. */
async function post(path: string, body: string | FormData): Promise<[number, string]> {
  const answer = await fetch(url + path, { method: 'POST', body });
  return [answer.status, await answer.text()];
}

function formOf(name: string, content: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('files', new Blob([content]), name);
  return form;
}

t.test('documents', async (t) => {
  const [status, text] = await post('/v1/convert/file', formOf(`${secret}.md`, `# ${secret}\n\n${secret} text\n`, { [secret]: secret, md_page_break_placeholder: secret }));
  t.match([status, text], [200, new RegExp(secret)]);
  t.equal((await post('/v1/convert/file', formOf(`${secret}.pdf`, `%PDF-1.7 ${secret}`, { pdf_password: secret })))[0], 200, 'one that is broken');
  t.equal((await post('/v1/convert/file', formOf(`${secret}.md`, secret, { to_formats: secret })))[0], 422);
  t.match(await post('/v1/convert/source', `{"sources": ${secret}`), [422]);
  t.equal((await fetch(`${url}/v1/result/${secret}`)).status, 404);
});

t.test('chats', async (t) => {
  const messages = [{ role: 'system', content: secret }, { role: 'user', content: `say ${secret}` }];
  t.equal((await post('/v1/chat/completions', JSON.stringify({ model: 'made', messages, max_tokens: 4, stop: [secret], user: secret })))[0], 200);
  t.equal((await post('/api/chat', JSON.stringify({ model: 'made', messages, options: { num_predict: 4, [secret]: 1 } })))[0], 200);
  t.equal((await post('/v1/chat/completions', JSON.stringify({ model: 'made', messages: [{ role: secret, content: secret }] })))[0], 400);
  for (const body of [`${secret} {`, `{"messages": "${secret}" x`, `{"messages": "${secret}`]) {
    const [status, text] = await post('/v1/chat/completions', body);
    t.match([status, text], [400, /not valid JSON/]);
    t.notMatch(text, secret, 'nor does the answer repeat what is no JSON');
  }
});

t.test('nothing of it is in the log', async (t) => {
  await end('SIGTERM');
  t.ok(said.filter((line) => line.includes('a request ended')).length >= 10, 'all that was asked has its line');
  t.strictSame(said.filter((line) => line.toLowerCase().includes(secret)), []);
});

t.test('what became of each document is, by the task of its request', async (t) => {
  const lines = said.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  const ended = lines.filter(({ msg }) => msg === 'a document ended');
  t.match(ended, [
    { level: 'info', format: 'md', status: 'success', errors: undefined },
    { level: 'info', format: 'pdf', status: 'failure', pages: 0, errors: 1, firstError: 'document_backend pdf backend_failure' },
  ]);
  const ofRequests = lines.filter(({ msg, route, status }) => msg === 'a request ended' && route === '/v1/convert/file' && status === 200);
  t.strictSame(ofRequests.map(({ taskId }) => taskId), ended.map(({ taskId }) => taskId));
  t.type(ended[0]?.['taskId'], 'string');
});
