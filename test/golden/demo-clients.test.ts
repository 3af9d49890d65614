// A fresh machine: the default settings, the model that ships, and the clients that people have.
import t from 'tap';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { startService } from '../support/start-service.js';

const model = 'lectern-demo';
const isThere = existsSync(join(shippedModelsDirectory(), `${model}.gguf`));

t.test('the first chat works with no download', { skip: isThere ? false : `models/${model}.gguf is not in this checkout` }, async (t) => {
  const service = await startService({ workers: 1 });
  t.teardown(() => service.close());
  const openAi = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const ollama = new Ollama({ host: service.url });
  t.strictSame((await ollama.list()).models.map(({ name }) => name), [model]);
  const messages = [{ role: 'user' as const, content: 'What can you do?' }];
  const asked = await openAi.chat.completions.create({ model, messages, temperature: 0 });
  const said = asked.choices[0]?.message.content ?? '';
  t.match(said, /^[A-Z][^]*\.$/, said);
  t.match(said, /Lectern|document|markdown/i);
  t.equal(asked.choices[0]?.finish_reason, 'stop');
  let streamed = '';
  for await (const { choices } of await openAi.chat.completions.create({ model, messages, temperature: 0, stream: true })) streamed += choices[0]?.delta.content ?? '';
  t.equal(streamed, said, 'streamed as whole');
  const options = { temperature: 0 };
  t.equal((await ollama.chat({ model, messages, options })).message.content, said, 'both contracts render one prompt');
  let lines = '';
  for await (const part of await ollama.chat({ model, messages, options, stream: true })) lines += part.message.content;
  t.equal(lines, said);
  t.equal((await ollama.generate({ model, prompt: 'What can you do?', options })).response, said);
  t.match((await ollama.ps()).models, [{ name: model }]);
  const talk: OpenAI.ChatCompletionMessageParam[] = [...messages];
  let cached = 0;
  let lastSaid = said;
  for (const question of ['Who are you?', 'How do I convert a PDF?', 'Thanks']) {
    talk.push({ role: 'assistant', content: lastSaid }, { role: 'user', content: question });
    const { choices, usage } = await openAi.chat.completions.create({ model, messages: talk, temperature: 0 });
    lastSaid = choices[0]?.message.content ?? '';
    t.match(lastSaid, /^[A-Z]/, `${question} ${lastSaid}`);
    cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  }
  t.ok(cached > 0, `${cached} tokens of what was said before are not computed again`);
});
