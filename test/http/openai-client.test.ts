// The npm client `openai` against the whole service over the real engine: what people's programs call.
import t from 'tap';
import OpenAI from 'openai';
import { LecternError } from '../../src/errors.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 2048 } });
const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'none', maxRetries: 0 });
const model = 'chat';
const messages = [{ role: 'user', content: 'the world' }] as const satisfies OpenAI.ChatCompletionMessageParam[];
const asked = { model, messages: [...messages], temperature: 0, max_tokens: 12 };

t.test('chat: the same request and seed give the same answer', async (t) => {
  const once = await client.chat.completions.create({ ...asked, temperature: 1, seed: 7 });
  const [choice] = once.choices;
  t.match(once, { object: 'chat.completion', model, choices: [{ index: 0, message: { role: 'assistant' } }] });
  t.ok(choice !== undefined && ['stop', 'length'].includes(choice.finish_reason));
  t.equal(once.usage?.total_tokens, (once.usage?.prompt_tokens ?? 0) + (once.usage?.completion_tokens ?? 0));
  t.type(once.usage?.prompt_tokens_details?.cached_tokens, 'number');
  const again = await client.chat.completions.create({ ...asked, temperature: 1, seed: 7 });
  t.equal(again.choices[0]?.message.content, choice?.message.content);
  const many = await client.chat.completions.create({ ...asked, temperature: 1, seed: 7, n: 3 });
  t.strictSame(many.choices.map(({ index }) => index), [0, 1, 2]);
  t.equal(many.choices[0]?.message.content, choice?.message.content, 'the first of several is the one alone');
});

t.test('logprobs, stop, logit_bias, limits', async (t) => {
  const told = await client.chat.completions.create({ ...asked, logprobs: true, top_logprobs: 3, max_tokens: 4 });
  const content = told.choices[0]?.logprobs?.content ?? [];
  t.equal(content.length, told.usage?.completion_tokens);
  for (const { logprob, top_logprobs: top } of content) {
    t.ok(logprob <= 0 && top.length === 3 && top.every((one, index) => index === 0 || one.logprob <= (top[index - 1]?.logprob ?? 0)));
    t.ok(Math.abs((top[0]?.logprob ?? 1) - logprob) < 1e-6, 'the most probable was taken');
  }
  const banned = content[0]?.bytes ?? [];
  t.ok(banned.length > 0);
  const whole = (await client.chat.completions.create({ ...asked, max_completion_tokens: 30, max_tokens: null })).choices[0]?.message.content ?? '';
  const [stop = ''] = /[ -~]/.exec(whole) ?? [];
  t.equal(stop.length, 1, 'there is a character to stop at');
  const cut = (await client.chat.completions.create({ ...asked, max_tokens: 30, stop: [stop] })).choices[0];
  t.match(cut, { finish_reason: 'stop', message: { content: whole.slice(0, whole.indexOf(stop)) } });
  await t.rejects(client.chat.completions.create({ ...asked, logit_bias: { 99999: 1 } }), { status: 400, message: /99999|vocabulary/ });
});

t.test('streams: chunks, the helper, usage, abort', async (t) => {
  const whole = await client.chat.completions.create(asked);
  let text = '';
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } })) {
    text += chunk.choices[0]?.delta.content ?? '';
    usage = chunk.usage;
  }
  t.equal(text, whole.choices[0]?.message.content);
  t.match(usage, { completion_tokens: whole.usage?.completion_tokens, prompt_tokens: whole.usage?.prompt_tokens });
  const final = await client.chat.completions.stream(asked).finalChatCompletion();
  t.match(final.choices[0]?.message, { role: 'assistant', content: text });
  const endless = await client.completions.create({ model, prompt: 'the', max_tokens: 2000, stream: true, ...{ ignore_eos: true } });
  for await (const chunk of endless) {
    t.type(chunk.choices[0]?.text, 'string');
    break;
  }
  await service.untilMetric('lectern_slot_requests{lane="chat",state="working"}', 0);
});

t.test('embeddings by the default encoding, batches as single texts, dimensions', async (t) => {
  const texts = ['hello world', 'the', 'a1'];
  const batch = await client.embeddings.create({ model: 'embedder', input: texts });
  t.strictSame(batch.data.map(({ index }) => index), [0, 1, 2]);
  for (const [index, input] of texts.entries()) {
    const alone = await client.embeddings.create({ model: 'embedder', input });
    t.strictSame(alone.data[0]?.embedding, batch.data[index]?.embedding, 'bit for bit');
  }
  const [vector] = (await client.embeddings.create({ model: 'embedder', input: texts, encoding_format: 'float' })).data;
  t.strictSame(vector?.embedding, batch.data[0]?.embedding, 'both encodings say the same');
  t.ok(Math.abs(Math.hypot(...vector?.embedding ?? []) - 1) < 1e-5);
  t.equal((await client.embeddings.create({ model: 'embedder', input: 'the', dimensions: 8 })).data[0]?.embedding.length, 8);
  await t.rejects(client.embeddings.create({ model, input: 'the' }), { status: 400, message: /generates text: use \/v1\/chat\/completions/ });
});

t.test('models, completions, responses', async (t) => {
  const ids: string[] = [];
  for await (const one of client.models.list()) ids.push(one.id);
  t.strictSame(ids.sort(), ['chat', 'embedder']);
  t.match(await client.models.retrieve('chat'), { id: 'chat', object: 'model' });
  await t.rejects(client.models.retrieve('nobody'), { status: 404, code: 'model_not_found' });
  const { choices } = await client.completions.create({ model, prompt: ['the', 'a'], max_tokens: 3, temperature: 0, logprobs: 2 });
  t.strictSame(choices.map(({ index }) => index), [0, 1]);
  t.ok(choices.every(({ logprobs }) => logprobs?.tokens?.length === logprobs?.token_logprobs?.length));
  const response = await client.responses.create({ model, input: 'the world', max_output_tokens: 5, temperature: 0 });
  t.type(response.output_text, 'string');
  const events: string[] = [];
  for await (const event of await client.responses.create({ model, input: 'the world', max_output_tokens: 5, temperature: 0, stream: true })) events.push(event.type);
  t.match([events[0], events.at(-1)], ['response.created', /response\.(completed|incomplete)/]);
});

t.test('errors are the client\'s own classes', async (t) => {
  await t.rejects(client.chat.completions.create({ ...asked, model: 'nobody' }), { constructor: OpenAI.NotFoundError, code: 'model_not_found', param: 'model' });
  await t.rejects(client.chat.completions.create({ ...asked, messages: [] }), { constructor: OpenAI.BadRequestError, message: /messages/, param: 'messages' });
  const long = client.chat.completions.create({ ...asked, messages: [{ role: 'user', content: 'x'.repeat(5000) }] });
  await t.rejects(long, { status: 400, code: 'context_length_exceeded', message: /50\d\d.*2048/ });
});

t.test('a busy service is asked again by the client itself', async (t) => {
  const language = fakeLanguage();
  const { run } = language.slots;
  let refusals = 2;
  language.slots = { ...language.slots, run: (use) => (refusals-- > 0 ? Promise.reject(new LecternError('queue_full')) : run(use)) };
  const busy = await startTestService({}, { language });
  t.teardown(() => busy.close());
  const patient = new OpenAI({ baseURL: `${await busy.listen()}/v1`, apiKey: 'none' });
  const answer = await patient.chat.completions.create({ model: 'talker', messages: [{ role: 'user', content: 'one two' }] });
  t.equal(answer.choices[0]?.message.content, 'one two');
  t.equal(refusals, -1, 'twice refused, then served');
  refusals = 1;
  await t.rejects(patient.chat.completions.create({ model: 'talker', messages: [{ role: 'user', content: 'x' }] }, { maxRetries: 0 }), { status: 503, code: 'server_busy' });
});
