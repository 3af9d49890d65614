// The npm client `ollama` against the whole service over the real engine: every call it has.
import t from 'tap';
import { Ollama } from 'ollama';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 2048 }, settings: { aliases: new Map([['gpt-4o', 'chat'], ['anna/vectors:v2', 'embedder']]) } });
const client = new Ollama({ host: service.url });
const model = 'chat';
const messages = [{ role: 'user', content: 'the world' }];
const options = { temperature: 0, num_predict: 12, seed: 1 };

t.test('list, show, ps, version', async (t) => {
  const { models } = await client.list();
  t.strictSame(models.map(({ name }) => name).sort(), ['anna/vectors:v2', 'chat', 'embedder', 'gpt-4o:latest']);
  for (const { digest, size, modified_at: modified } of models) t.ok(/^[0-9a-f]{64}$/.test(digest) && Number.isInteger(size) && !Number.isNaN(Date.parse(String(modified))));
  const shown = await client.show({ model });
  t.match(shown, { details: { format: 'gguf', family: 'llama' }, template: /im_start/, modelfile: /^# Modelfile/, capabilities: ['completion'] });
  t.match(await client.show({ model: 'embedder' }), { capabilities: ['embedding'], details: { family: 'bert' } });
  await client.generate({ model, prompt: 'the', options });
  t.match((await client.ps()).models, [{ name: 'chat', context_length: 2048 }]);
  t.match(await client.version(), { version: /^\d+\.\d+\.\d+$/ });
});

t.test('chat, whole and streamed', async (t) => {
  const whole = await client.chat({ model, messages, options });
  t.match(whole, { model, done: true, message: { role: 'assistant' }, eval_count: Number, prompt_eval_count: Number });
  t.ok(whole.total_duration >= whole.eval_duration && Number.isInteger(whole.total_duration));
  let text = '';
  let ends = 0;
  for await (const part of await client.chat({ model, messages, options, stream: true })) {
    t.equal(part.message.role, 'assistant');
    text += part.message.content;
    if (part.done) ends++;
  }
  t.strictSame([text, ends], [whole.message.content, 1]);
});

t.test('generate, whole, streamed, raw and continued', async (t) => {
  const whole = await client.generate({ model, prompt: 'the', options });
  t.ok(whole.done && whole.context.length > 0);
  let text = '';
  for await (const part of await client.generate({ model, prompt: 'the', options, stream: true })) text += part.response;
  t.equal(text, whole.response);
  const raw = await client.generate({ model, prompt: 'the', raw: true, options });
  t.equal(raw.context, undefined);
  const continued = await client.generate({ model, prompt: 'a', context: whole.context, options });
  t.ok(continued.prompt_eval_count > whole.prompt_eval_count, 'what was said before stands before it');
  t.match(await client.generate({ model, prompt: '' }), { done: true, done_reason: 'load', response: '' });
});

t.test('what is too long is cut at whole messages, and said', async (t) => {
  const long = 'the world '.repeat(400);
  const talk = [{ role: 'system', content: 'a' }, ...['user', 'assistant', 'user', 'assistant', 'user'].map((role) => ({ role, content: long })), { role: 'assistant', content: 'b' }, { role: 'user', content: 'hello' }];
  const told = await client.chat({ model, messages: talk, options }) as unknown as Record<string, unknown>;
  t.match(told, { prompt_truncated: true, dropped_messages: Number });
  t.ok((told['dropped_messages'] as number) >= 1 && (told['prompt_eval_count'] as number) < 2048);
  const short = await client.chat({ model, messages, options });
  t.notOk('prompt_truncated' in short);
  await t.rejects(client.chat({ model, messages: [{ role: 'user', content: 'x'.repeat(5000) }], options }), { status_code: 400, message: /50\d\d.*2048/ });
  t.match(await client.chat({ model, messages, options: { ...options, num_ctx: 4096 } }), { done: true }, 'more than the model was trained for is no more than that');
  t.match(await client.chat({ model, messages, options: { ...options, num_ctx: 512 } }), { done: true }, 'a smaller one is no reason to load again');
  t.equal(await service.metric('lectern_model_loads_total{outcome="loaded"}'), 1);
});

t.test('embed and embeddings', async (t) => {
  const input = ['hello world', 'the', 'a1'];
  const { embeddings, prompt_eval_count: count } = await client.embed({ model: 'embedder', input });
  t.ok(count > 0);
  for (const [index, text] of input.entries()) t.strictSame((await client.embed({ model: 'embedder', input: text })).embeddings[0], embeddings[index]);
  t.strictSame((await client.embeddings({ model: 'embedder', prompt: 'the' })).embedding, embeddings[1], 'its tokenizer is BERT\'s own');
  const tooLong = 'the '.repeat(3000);
  await t.rejects(client.embed({ model: 'embedder', input: tooLong, truncate: false }), { status_code: 400, message: /exceeds the context length.*300\d.*2048/ });
  t.match(await client.embed({ model: 'embedder', input: ['the', tooLong] }), { prompt_truncated: true, truncated_inputs: [1] });
});

t.test('an alias is listed as Ollama lists a copy, and every call takes it', async (t) => {
  const { models } = await client.list();
  const named = (name: string): object => models.find((one) => one.name === name) ?? {};
  t.strictSame(named('gpt-4o:latest'), { ...named(model), name: 'gpt-4o:latest', model: 'gpt-4o:latest' });
  t.ok(models.findIndex(({ name }) => name === 'gpt-4o:latest') > models.findIndex(({ name }) => name === model), 'behind its model');
  for (const alias of ['gpt-4o', 'gpt-4o:latest']) {
    t.match(await client.show({ model: alias }), { details: { family: 'llama' }, capabilities: ['completion'] });
    t.match(await client.chat({ model: alias, messages, options }), { model: alias, done: true });
  }
  t.match(await client.embed({ model: 'anna/vectors:v2', input: 'a' }), { model: 'anna/vectors:v2', embeddings: { length: 1 } });
  const { digest } = named(model) as { digest: string };
  t.strictSame((await client.ps()).models.filter((one) => one.digest === digest).map(({ name }) => name), [model], 'loaded once, and found by the digest');
});

t.test('abort ends a stream, and the work behind it', async (t) => {
  const language = fakeLanguage();
  const endless = await startTestService({}, { language });
  t.teardown(() => endless.close());
  const other = new Ollama({ host: await endless.listen() });
  const stream = await other.chat({ model: 'talker', messages: [{ role: 'user', content: 'one !hang' }], stream: true });
  const heard: string[] = [];
  const reading = (async () => {
    for await (const part of stream) {
      heard.push(part.message.content);
      if (heard.length === 2) stream.abort();
    }
  })();
  await t.rejects(reading, { name: 'AbortError' });
  t.strictSame(heard, ['one ', '!hang']);
  const [signal] = language.signals;
  if (signal?.aborted === false) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  t.equal(signal?.aborted, true);
});

t.test('a pull of what is there succeeds at once, by every name of it', async (t) => {
  t.strictSame(await client.pull({ model }), { status: 'success' });
  t.strictSame(await client.pull({ model: 'gpt-4o' }), { status: 'success' });
  const told = [];
  for await (const part of await client.pull({ model: 'embedder:latest', stream: true })) told.push(part);
  t.match(told, [{ status: 'pulling manifest' }, { status: /^pulling [0-9a-f]{12}$/, digest: /^sha256:[0-9a-f]{64}$/, total: Number, completed: Number }, { status: 'success' }]);
  t.equal(told[1]?.completed, told[1]?.total);
  await t.rejects(client.pull({ model: 'x' }), { status_code: 405, message: /read-only.*`lectern models pull x` there fetches this one/ });
});

t.test('what would change models is refused in one sentence', async (t) => {
  const refused = { status_code: 405, message: /read-only/ };
  await t.rejects(client.pull({ model: 'x' }), refused);
  await t.rejects(client.push({ model: 'x' }), refused);
  await t.rejects(client.create({ model: 'x', from: 'chat' }), refused);
  await t.rejects(client.copy({ source: 'chat', destination: 'x' }), refused);
  await t.rejects(client.delete({ model: 'chat' }), refused);
  await t.rejects(client.show({ model: 'nobody' }), { status_code: 404, message: 'model \'nobody:latest\' not found' });
});
