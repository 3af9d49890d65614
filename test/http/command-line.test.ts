// What the `ollama` command line sends, byte for byte as Go's client writes it, on one connection a command; and that Go can decode each answer.
import t, { type Test } from 'tap';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 2048 } });
const { host, port, hostname } = new URL(service.url);

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Reads answers off a connection, one after another. */
class Wire {
  #rest = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(readonly socket: Socket) {
    socket.on('data', (bytes) => {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      this.#wake();
    });
    socket.on('close', () => this.#wake());
  }

  async #until(fits: () => boolean): Promise<void> {
    while (!fits()) {
      if (this.socket.destroyed) throw new Error('the connection ended early');
      await new Promise<void>((resolve) => { this.#wake = resolve; });
    }
  }

  async #line(): Promise<string> {
    await this.#until(() => this.#rest.includes('\r\n'));
    const at = this.#rest.indexOf('\r\n');
    const line = this.#rest.subarray(0, at).toString();
    this.#rest = this.#rest.subarray(at + 2);
    return line;
  }

  async #bytes(count: number): Promise<string> {
    await this.#until(() => this.#rest.length >= count);
    const text = this.#rest.subarray(0, count).toString();
    this.#rest = this.#rest.subarray(count);
    return text;
  }

  async answer(hasBody: boolean): Promise<Answer> {
    const status = Number((await this.#line()).split(' ')[1]);
    const headers: Record<string, string> = {};
    for (let line = await this.#line(); line !== ''; line = await this.#line()) {
      const at = line.indexOf(':');
      headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
    }
    let body = '';
    if (hasBody && headers['transfer-encoding'] === 'chunked') {
      for (let size = -1; size !== 0;) {
        size = Number.parseInt(await this.#line(), 16);
        body += await this.#bytes(size);
        await this.#line();
      }
    } else if (hasBody) body = await this.#bytes(Number(headers['content-length']));
    return { status, headers, body };
  }
}

/** One command: its requests go over one connection, as Go keeps it. */
async function command(t: Test): Promise<{ send: (method: string, path: string, body?: string, accept?: string) => Promise<Answer> }> {
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  t.teardown(() => socket.destroy());
  const wire = new Wire(socket);
  return {
    send: async (method, path, body, accept = 'application/json') => {
      const length = body === undefined ? (method === 'POST' ? 'Content-Length: 0\r\n' : '') : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
      const coding = method === 'HEAD' ? '' : 'Accept-Encoding: gzip\r\n';
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ollama/0.33.0 (amd64 linux) Go/go1.24.1\r\n${length}Accept: ${accept}\r\nContent-Type: application/json\r\n${coding}\r\n${body ?? ''}`);
      return wire.answer(method !== 'HEAD');
    },
  };
}

const stream = 'application/x-ndjson';
type Json = Record<string, unknown>;
const integerKeys = /"(size|size_vram|context_length|\w+_duration|\w+_count|total|completed)":(?!-?\d+[,}\]])/;
const times = /"(created_at|modified_at|expires_at)":"(?!\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")/;

/** What breaks Go's decoder: numbers with a fraction where it has integers, times that are none, texts that are none. */
function decodable(t: Test, text: string): Json {
  t.notMatch(text, integerKeys);
  t.notMatch(text, times);
  const value = JSON.parse(text) as Json;
  for (const key of ['license', 'parameters', 'template', 'system', 'modelfile', 'response', 'error']) if (key in value) t.type(value[key], 'string', key);
  for (const model of (value['models'] ?? []) as Json[]) t.ok(String(model['digest']).length >= 12, 'the command line cuts it to 12');
  return value;
}

function lines(t: Test, { headers, body }: Answer): Json[] {
  t.equal(headers['content-type'], stream);
  t.ok(body.endsWith('\n') && !/\n\s*\n/.test(body), 'one object a line, and nothing between');
  return body.trimEnd().split('\n').map((line) => decodable(t, line));
}

t.test('--version, list, ps', async (t) => {
  const { send } = await command(t);
  t.match(decodable(t, (await send('GET', '/api/version')).body), { version: /^\d+\.\d+\.\d+$/ });
  t.match(await send('HEAD', '/'), { status: 200, body: '' });
  const tags = await send('GET', '/api/tags');
  t.match(tags.headers['content-type'], /^application\/json\b/);
  t.strictSame((decodable(t, tags.body)['models'] as Json[]).map(({ name }) => name).sort(), ['chat', 'embedder']);
  await send('HEAD', '/');
  t.strictSame(decodable(t, (await send('GET', '/api/ps')).body), { models: [], queue: { waiting: 0, own: [] } });
});

t.test('show by the deprecated name, model empty', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  const show = (name: string) => send('POST', '/api/show', `{"model":"","system":"","template":"","verbose":false,"options":null,"name":"${name}"}`);
  const shown = decodable(t, (await show('chat')).body);
  t.match(shown, { capabilities: ['completion'], model_info: { 'general.architecture': 'llama', 'llama.context_length': 2048, 'llama.embedding_length': 64, 'tokenizer.ggml.tokens': null }, details: { parameter_size: /^\d+(\.\d+)?[KMB]$/ } });
  const unknown = await show('nobody');
  t.match([unknown.status, unknown.body], [404, '{"error":"model \'nobody:latest\' not found"}']);
});

t.test('run on a terminal: show, show, load, chat without a stream field', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  const show = '{"model":"chat","system":"","template":"","verbose":false,"options":null,"name":""}';
  for (const answer of [await send('POST', '/api/show', show), await send('POST', '/api/show', show)]) t.equal(answer.status, 200);
  const load = await send('POST', '/api/generate', '{"model":"chat","prompt":"","suffix":"","system":"","template":"","options":null}', stream);
  t.match(decodable(t, load.body), { model: 'chat', response: '', done: true, done_reason: 'load' });
  t.equal(load.body.trimEnd().includes('\n'), false, 'one line, which Go reads as a stream of one');
  const told = lines(t, await send('POST', '/api/chat', '{"model":"chat","messages":[{"role":"user","content":"the world"}],"options":{"num_predict":9}}', stream));
  t.ok(told.every((line) => (line['message'] as Json)['role'] === 'assistant'), 'the last one\'s role is what goes back');
  t.match(told.at(-1), { done: true, done_reason: /stop|length/, total_duration: Number, prompt_eval_count: Number });
  t.ok(told.slice(0, -1).every(({ done }) => done === false));
  t.match((decodable(t, (await send('GET', '/api/ps')).body)['models'] as Json[])[0], { name: 'chat', size_vram: 0, context_length: 2048, expires_at: String });
});

t.test('run with a prompt: generate, its context given back', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  await send('POST', '/api/show', '{"model":"chat","system":"","template":"","verbose":false,"options":null,"name":""}');
  const told = lines(t, await send('POST', '/api/generate', '{"model":"chat","prompt":"the","suffix":"","system":"","template":"","options":{"num_predict":5}}', stream));
  const end = told.at(-1) as Json;
  t.match(end, { response: '', done: true });
  t.ok((end['context'] as unknown[]).every((id) => Number.isInteger(id)));
  const again = lines(t, await send('POST', '/api/generate', JSON.stringify({ model: 'chat', prompt: 'a', suffix: '', system: '', template: '', context: end['context'], options: { num_predict: 2 } }), stream));
  t.ok((again.at(-1)?.['prompt_eval_count'] as number) > (end['prompt_eval_count'] as number));
});

t.test('run of an embedding model', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  t.match(decodable(t, (await send('POST', '/api/show', '{"model":"embedder","system":"","template":"","verbose":false,"options":null,"name":""}')).body), { capabilities: ['embedding'] });
  const { embeddings } = decodable(t, (await send('POST', '/api/embed', '{"model":"embedder","input":"hello world","options":null}')).body) as { embeddings: number[][] };
  t.strictSame(embeddings.map(({ length }) => length), [64]);
});

t.test('stop: show, then generate with keep_alive "0s"', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  await send('POST', '/api/show', '{"model":"chat","system":"","template":"","verbose":false,"options":null,"name":""}');
  const ended = await send('POST', '/api/generate', '{"model":"chat","prompt":"","suffix":"","system":"","template":"","keep_alive":"0s","options":null}', stream);
  t.match(decodable(t, ended.body), { done: true, done_reason: 'unload' });
  for (const name of ['chat', 'embedder']) await send('POST', '/api/generate', `{"model":"${name}","keep_alive":"0s"}`, stream);
  while ((decodable(t, (await send('GET', '/api/ps')).body)['models'] as Json[]).length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
});

t.test('pull of what is there: its bar is full, and it succeeds', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  const { status, body } = await send('POST', '/api/pull', '{"model":"","username":"","password":"","name":"chat"}', stream);
  t.equal(status, 200);
  const lines = body.trimEnd().split('\n').map((line) => decodable(t, line));
  t.match(lines, [{ status: 'pulling manifest' }, { digest: /^sha256:/ }, { status: 'success' }]);
});

t.test('rm, cp, pull, push, create: refused with a sentence that the command line shows', async (t) => {
  const { send } = await command(t);
  await send('HEAD', '/');
  const refused = [
    await send('DELETE', '/api/delete', '{"model":"","name":"chat"}'), await send('POST', '/api/copy', '{"source":"chat","destination":"b"}'),
    await send('POST', '/api/pull', '{"model":"","username":"","password":"","name":"x"}', stream), await send('POST', '/api/push', '{"model":"","username":"","password":"","name":"x"}', stream),
    await send('POST', `/api/blobs/sha256:${'0'.repeat(64)}`, 'GGUF'), await send('POST', '/api/create', '{"model":"b","files":{},"name":""}', stream),
  ];
  for (const { status, body } of refused) t.match([status, decodable(t, body)], [405, { error: /read-only/ }]);
  t.equal((await send('GET', '/api/tags')).status, 200, 'and the connection is still good');
});

t.test('the bare command: what it asks is answered', async (t) => {
  const { send } = await command(t);
  t.match(await send('HEAD', '/'), { status: 200 });
  t.match([(await send('POST', '/api/me')).status, (await send('GET', '/api/status')).body], [503, '{"cloud":{"disabled":true,"source":"config"}}']);
  t.equal((await send('GET', '/api/experimental/model-recommendations')).status, 404, 'a failure that it tolerates');
});
