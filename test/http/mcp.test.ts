// `lectern mcp` as its clients meet it: the program over standard input and output, the SDK's own client, a running service.
import t from 'tap';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { until } from '../support/until.js';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const language = fakeLanguage();
const service = await startTestService({ maxFileSize: 2 ** 21 }, { language });
const directory = await mkdtemp(join(tmpdir(), 'lectern-mcp-'));
const opened: Client[] = [];
t.teardown(async () => {
  for (const client of opened) await client.close();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env: { LECTERN_URL: url }, stderr: 'pipe' }));
  opened.push(client);
  return client;
}

const client = await connect(await service.listen());

interface Result { isError?: boolean; content: { type: string; text: string }[] }

async function call(name: string, args: object, from = client): Promise<Result> {
  return await from.callTool({ name, arguments: args as Record<string, unknown> }) as Result;
}

async function refusal(name: string, args: object, from = client): Promise<string> {
  const result = await call(name, args, from);
  t.equal(result.isError, true, `${name} refuses`);
  return result.content.map(({ text }) => text).join('\n');
}

async function file(name: string, bytes: number | string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, typeof bytes === 'string' ? bytes : Buffer.alloc(bytes, '%PDF-1.7 '));
  return path;
}

t.test('the tools, described', async (t) => {
  const { tools } = await client.listTools();
  t.strictSame(tools.map(({ name }) => name), ['convert_document', 'chunk_document', 'task_status', 'get_result', 'cancel_task', 'list_models', 'chat', 'embed']);
  for (const { description, inputSchema } of tools) t.match([description, inputSchema.type], [/\w{4}/, 'object']);
});

t.test('documents: from a path and from bytes, in one request and as a task', async (t) => {
  const small = await call('convert_document', { path: await file('small.pdf', 'small') });
  t.strictSame([small.isError ?? false, small.content], [false, [{ type: 'text', text: '# small.pdf' }]]);
  t.strictSame(Object.values(service.inputs.at(-1) ?? {}).map(String), ['small']);
  const bytes = await call('convert_document', { content_base64: Buffer.from('inline').toString('base64'), filename: 'inline.pdf', pages: '2-' });
  t.equal(bytes.content[0]?.text, '# inline.pdf');
  t.strictSame(Object.values(service.inputs.at(-1) ?? {}).map(String), ['inline']);
  t.equal(service.payloads.at(-1)?.options.pageRange[0], 2);

  const path = await file('slow-large.pdf', 2 ** 20);
  const heard: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
  const large = client.callTool({ name: 'convert_document', arguments: { path } }, undefined, { onprogress: (one) => { heard.push(one); } }) as Promise<Result>;
  await until('progress of the task', () => heard.some(({ total }) => total === 4));
  service.release();
  t.equal((await large).content[0]?.text, '# slow-large.pdf');
  t.ok(heard.some(({ progress, total, message }) => progress === 1 && total === 4 && message === 'converting'), JSON.stringify(heard));
});

t.test('a call that stands still is told of until it ends, however small its document', async (t) => {
  const waiting = await startTestService();
  t.teardown(() => waiting.close());
  const other = await connect(await waiting.listen());
  const heard: number[] = [];
  const small = other.callTool({ name: 'convert_document', arguments: { path: await file('slow-small.pdf', 'small') } }, undefined, {
    resetTimeoutOnProgress: true, onprogress: ({ progress }) => { heard.push(progress); },
  }) as Promise<Result>;
  // Its one page is reported twice at most; the other messages say that the call is alive.
  await Promise.race([small, until('news of a call that stands still', () => heard.length >= 5)]);
  t.ok(heard.every((one, index) => index === 0 || one > (heard[index - 1] as number)), `they grow: ${heard.join(' ')}`);
  t.ok((heard.at(-1) as number) < 2, 'and claim no page that is not done');
  waiting.release();
  t.equal((await small).content[0]?.text, '# slow-small.pdf');
});

t.test('what is no document is refused in one sentence', async (t) => {
  t.match(await refusal('convert_document', { path: 'report.pdf' }), /"report\.pdf" is a relative path/);
  t.match(await refusal('convert_document', { path: '~/report.pdf' }), join(homedir(), 'report.pdf'), 'what ~ would be');
  t.match(await refusal('convert_document', { path: join(directory, 'none.pdf') }), /There is no file .*none\.pdf/);
  t.match(await refusal('convert_document', { path: directory }), /is a directory/);
  t.match(await refusal('convert_document', {}), /either path, content_base64 or url/);
  t.match(await refusal('convert_document', { content_base64: 'aGk=' }), /needs filename/);
  t.match(await refusal('convert_document', { content_base64: '!!', filename: 'a.pdf' }), /not base64/);
  t.match(await refusal('convert_document', { path: '/x', pages: 'all' }), /pages/);
  t.match(await refusal('convert_document', { path: await file('bad.pdf', 'x') }), /bad\.pdf could not be converted: The document backend could not parse/);
  t.match(await refusal('convert_document', { path: await file('broken.pdf', 2 ** 20) }), /ended unexpectedly/, 'a task that failed');
  t.match(await refusal('convert_document', { path: await file('big.pdf', 2 ** 21 + 1) }), /max_file_size/, 'the service\'s own refusal');
});

t.test('an answer that no client would take is told, and the connection stays', async (t) => {
  let text = '';
  const talkative = createServer((_request, answer) => answer.end(JSON.stringify({ task_id: 'one', task_status: 'success', task_position: null, task_meta: null, status: 'success', errors: [], document: { md_content: text } })));
  await new Promise<void>((resolve) => talkative.listen(0, '127.0.0.1', resolve));
  t.teardown(() => talkative.close());
  const from = await connect(`http://127.0.0.1:${(talkative.address() as AddressInfo).port}`);
  const path = await file('talkative.pdf', 'small');
  text = '"'.repeat(6_000_000);
  t.match(await refusal('convert_document', { path }, from), /^The answer has 12 MB, and clients of tools take 10: ask for less at a time/);
  text = 'x'.repeat(10_400_000);
  t.equal((await call('convert_document', { path }, from)).content[0]?.text.length, text.length, 'a little less');
});

t.test('language models', async (t) => {
  const models = JSON.parse((await call('list_models', {})).content[0]?.text ?? '') as { name: string; capabilities: string[] }[];
  t.match(models, [{ name: 'talker:latest' }, { name: 'gpt-4o:latest' }, { name: 'plain:1b' }, { name: 'vectors:latest', capabilities: ['embedding'] }]);
  t.equal((await call('chat', { prompt: 'say this again', system: 'Be short.', temperature: 0.5 })).content[0]?.text, 'say this again');
  const asked = language.asked.at(-1);
  t.match(asked, { input: { messages: [{ role: 'system', content: 'Be short.' }, { role: 'user' }] }, sampling: { temperature: 0.5 } });
  t.equal((await call('chat', { messages: [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'two' }, { role: 'user', content: 'three' }], model: 'plain:1b' })).content[0]?.text, 'three');
  t.strictSame((await call('chat', { prompt: 'a !cut' })).content[1]?.text, 'The answer was cut at its greatest length.');
  const vectors = JSON.parse((await call('embed', { input: ['a', 'b'] })).content[0]?.text ?? '') as { model: string; embeddings: number[][] };
  t.match(vectors, { model: 'vectors:latest', embeddings: [[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]] });
  t.match(JSON.parse((await call('embed', { input: 'a' })).content[0]?.text ?? ''), { embeddings: { length: 1 } }, 'a text alone');
  t.match(await refusal('chat', { prompt: 'x', model: 'nobody' }), /'nobody'/);
  t.match(await refusal('chat', { prompt: '!long' }), /context holds 64/);
  t.match(await refusal('chat', { prompt: '!late' }), /GPU/, 'after the stream began');
  t.match(await refusal('chat', {}), /either prompt or messages/);
});

t.test('wrong arguments are told in a sentence', async (t) => {
  for (const [tool, given, sentence] of [
    ['embed', { input: 5 }, 'input must be a text or a list of up to 256 texts.'], ['embed', { input: ['a', 5] }, 'input must be a text or a list of up to 256 texts.'], ['embed', {}, 'input is missing.'],
    ['embed', { input: [] }, 'input must have at least 1 entry.'], ['embed', { input: Array(257).fill('a') }, 'input must be a text or a list of up to 256 texts.'], ['embed', { input: 'a', model: 5 }, 'model must be a text.'],
    ['chat', { messages: [{ role: 'wizard', content: 'x' }, { role: 'user' }] }, 'messages[0].role must be one of system, user, assistant; messages[1].content is missing.'],
    ['chat', { prompt: 'x', temperature: 3, max_tokens: 0, seed: 1.5 }, 'temperature must be at most 2; max_tokens must be at least 1; seed must be a whole number.'], ['chat', { prompt: ['x'] }, 'prompt must be a text.'],
    ['convert_document', { path: '/x', pages: 'all' }, 'pages must be like 3, 3-7 or 3-.'], ['convert_document', { path: '/x', format: 'docx' }, 'format must be one of md, json, html, text, doctags, latex.'],
    ['nothing', {}, 'There is no tool "nothing", only convert_document, chunk_document, task_status, get_result, cancel_task, list_models, chat, embed.'],
  ] as const) t.equal(await refusal(tool, given), sentence);
});

t.test('a cancelled call cancels the work in the service', async (t) => {
  const stop = new AbortController();
  const answered = client.callTool({ name: 'chat', arguments: { prompt: 'wait !hang' } }, undefined, { signal: stop.signal }).then(() => 'answered', () => 'cancelled');
  const begun = language.signals.length;
  await until('the chat begins', () => language.signals.length > begun);
  stop.abort();
  t.equal(await answered, 'cancelled');
  await until('the service hears of it', () => language.signals.at(-1)?.aborted === true);

  const waiting = await startTestService({ maxFileSize: 2 ** 21 });
  t.teardown(() => waiting.close());
  const other = await connect(await waiting.listen());
  const stopTask = new AbortController();
  const path = await file('slow-cancelled.pdf', 2 ** 20);
  const task = other.callTool({ name: 'convert_document', arguments: { path } }, undefined, { signal: stopTask.signal, onprogress: () => undefined }).then(() => 'answered', () => 'cancelled');
  await until('the task runs', () => waiting.tasks.counts().running === 1);
  stopTask.abort();
  t.equal(await task, 'cancelled');
  await until('the task has ended', () => waiting.tasks.counts().running === 0 && waiting.tasks.counts().ended === 1);
});

t.test('a service that is not there, and one that is no Lectern', async (t) => {
  const other = createServer((_request, response) => { response.end('<html>'); });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  t.match(await refusal('list_models', {}, await connect(url)), /no JSON/);
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
  const gone = await connect(url);
  t.match(await refusal('list_models', {}, gone), /No service answers at .*ECONNREFUSED/);
  t.match(await refusal('convert_document', { path: await file('nobody.pdf', 'x') }, gone), /No service answers/);
});
