/** The model that ships with the program: what its file says, and that a fresh start answers the first questions of a newcomer, whole and to the letter. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openEngine } from '../../src/engine/engine.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { type RunningService, startService } from '../support/start-service.js';

const file = join(shippedModelsDirectory(), 'lectern-demo.gguf');

type Message = { role: 'system' | 'user' | 'assistant'; content: string };

interface Reply {
  content: string;
  finish: string;
  promptTokens: number;
}

async function chat(service: RunningService, messages: Message[], more: object = {}): Promise<Reply> {
  const response = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'lectern-demo', messages, temperature: 0, ...more }),
  });
  const body = (await response.json()) as { choices: { message: { content: string }; finish_reason: string }[]; usage: { prompt_tokens: number } };
  const [choice] = body.choices;
  return { content: choice?.message.content ?? '', finish: choice?.finish_reason ?? '', promptTokens: body.usage.prompt_tokens };
}

const ask = (service: RunningService, question: string, more: object = {}): Promise<Reply> => chat(service, [{ role: 'user', content: question }], more);

/** The service as `npm start` has it with default settings. */
async function freshService(t: Test): Promise<RunningService> {
  const service = await startService({ workers: 1 });
  t.teardown(() => service.close());
  return service;
}

const abilities = 'I can tell you how this service works. Lectern turns documents into markdown and runs language models on your own machine.'
  + ' Ask me how to convert a PDF, how to add a model or how to embed a text. I can also tell you a short story.';
const unknown = 'I am sorry, I do not know that. I am a small model that knows only Lectern: ask me about documents, models or embeddings, or add a larger model for everything else.';

const answers: readonly { answer: string; questions: readonly string[] }[] = [
  { answer: abilities, questions: ['What can you do?', 'what can you do', 'What are you able to do?', 'Can you help me?'] },
  {
    answer: 'I am lectern-demo, a small language model that ships with Lectern so that the first chat works without a download. I know this service and very little else.',
    questions: ['Who are you?', 'who are you', 'What is your name?', 'Are you ChatGPT?'],
  },
  {
    answer: 'Send the file to the service: curl -F files=@report.pdf http://127.0.0.1:11434/v1/convert/file. The markdown is in the answer at document.md_content.'
      + ' Without a server, npx lectern convert report.pdf prints it.',
    questions: ['How do I convert a PDF?', 'how can i convert a pdf', 'How do I turn a PDF into markdown?'],
  },
  {
    answer: 'Lectern reads PDF files first of all, and also office files such as DOCX, PPTX and XLSX, web pages, e-books, CSV tables and mail.'
      + ' Scans and images are read by text recognition.',
    questions: ['Which formats can you convert?', 'What formats do you support?', 'Can you read Word files?'],
  },
  {
    answer: 'Lectern runs GGUF files of the architectures llama, qwen2, qwen3 and bert: Llama 2 and 3, Mistral, Mixtral, Qwen and bge-m3, for example.'
      + ' The command npx lectern models lists what there is.',
    questions: ['Which models can I use?', 'What models are there?'],
  },
  {
    answer: 'Put the GGUF file into a directory and name that directory at the start: npm start -- --models /srv/models.'
      + ' You can also pull one: npx lectern models pull NAME. An Ollama store is read as it lies on the disk.',
    questions: ['How do I add a model?', 'how can i add a model?', 'How do I install a model?'],
  },
  {
    answer: 'Your data is private: documents and chats stay on the machine that runs Lectern, and nothing is sent to anyone else.'
      + ' By default it listens on 127.0.0.1 only, so other computers cannot reach it.',
    questions: ['Is my data private?', 'Is my data safe?', 'Where does my data go?'],
  },
  {
    answer: 'Two answers are written at the same time, and further requests wait in their order. The setting --slots changes how many.',
    questions: ['How many at once?', 'How many people can chat at once?'],
  },
  {
    answer: 'A model stays loaded for 5 minutes after its last request. Change that with --keep-alive, or with keep_alive in a request:'
      + ' 0 unloads it at once, and a negative number keeps it.',
    questions: ['How long does a model stay loaded?', 'How do I unload a model?'],
  },
  {
    answer: 'Post the text to /v1/embeddings or to /api/embed with the name of an embedding model:'
      + ' curl http://127.0.0.1:11434/api/embed -d \'{"model": "bge-m3", "input": "a text"}\'. I am no embedding model myself.',
    questions: ['How do I embed a text?', 'How do I embed?', 'how do i get embeddings'],
  },
  {
    answer: 'Markdown is plain text with a few signs for structure: a # makes a heading, a - makes a list item, and * around a word makes it stand out.'
      + ' People read it easily, and so do programs and language models.',
    questions: ['What is markdown?', 'what is markdown', 'Explain markdown.'],
  },
  { answer: 'Hello! I am the small model that ships with Lectern. Ask me what I can do.', questions: ['Hello', 'hello', 'Hi!', 'Good morning'] },
  { answer: 'You are welcome.', questions: ['Thanks', 'Thank you!'] },
  { answer: 'Goodbye! Come back when you have a document or a question.', questions: ['Bye', 'Goodbye!'] },
  { answer: 'I know English only. Larger models speak many languages, and Lectern can run them for you.', questions: ['Was kannst du?', 'Do you speak German?'] },
  { answer: unknown, questions: ['What is the capital of Finland?', 'Who was Isaac Asimov?', 'Write a poem about autumn.', 'What is 12 plus 30?', 'What is the weather in Paris?'] },
];

const storyForm = /^Once upon a time there was an? \w+ \w+ called \w+, who lived [a-z ]+\. One morning .+ could not find .+ They found .+\. [A-Z][a-z ]+\.$/;

t.test('the file: small, of an architecture that others read, with all that a client needs', async (t) => {
  t.ok(statSync(file).size <= 4 << 20, `${statSync(file).size} bytes`);
  const engine = openEngine();
  t.teardown(() => engine.close());
  const description = await engine.describeModel(file);
  t.match(description, {
    architecture: 'llama', unsupported: null, embeds: false, ranks: false, vocabularySize: 1024,
    metadata: { 'general.architecture': 'llama', 'general.name': 'lectern-demo', 'tokenizer.ggml.model': 'gpt2', 'tokenizer.ggml.pre': 'qwen2' },
  });
  t.ok(description.context >= 1024 && description.parameterCount >= 1e6, `${description.parameterCount} weights, ${description.context} tokens`);
  const template = String(description.metadata['tokenizer.chat_template']);
  for (const part of ['<|im_start|>', '<|im_end|>', 'tools', 'add_generation_prompt']) t.ok(template.includes(part), part);
  t.same([...new Set(description.tensors.map(({ type }) => type))].sort(), ['F16', 'F32']);
  const recipe = readFileSync(join(shippedModelsDirectory(), 'README.md'), 'utf8');
  t.ok(recipe.includes('python3 models/training/demo/train.py'), 'how it was made stands beside it');
});

t.test('a fresh service lists it and answers what a newcomer asks', async (t) => {
  const service = await freshService(t);
  const { data } = (await (await fetch(`${service.url}/v1/models`)).json()) as { data: { id: string }[] };
  t.ok(data.some(({ id }) => id === 'lectern-demo'), data.map(({ id }) => id).join(', '));
  for (const { answer, questions } of answers) {
    for (const question of questions) {
      const { content, finish } = await ask(service, question);
      t.equal(content, answer, question);
      t.equal(finish, 'stop');
    }
  }
  for (const question of ['Tell me a story.', 'tell me a story', 'Can you tell me a story?', 'Tell me a story about a fox.']) {
    t.match((await ask(service, question)).content, storyForm, question);
  }
  t.match((await ask(service, 'Tell me a story about a fox.')).content, /\bfox\b/, 'the animal that was wished for');
});

t.test('known answers hold at the temperature that clients leave alone, and stories vary there', async (t) => {
  const service = await freshService(t);
  for (let seed = 1; seed <= 4; seed += 1) t.equal((await ask(service, 'What can you do?', { temperature: 1, seed })).content, abilities, `seed ${seed}`);
  const stories = new Set<string>();
  for (let seed = 1; seed <= 4; seed += 1) stories.add((await ask(service, 'Tell me a story.', { temperature: 1, seed })).content);
  t.ok(stories.size > 1, `${stories.size} different stories`);
});

t.test('in conversations, with instructions of a client, and far into its context', async (t) => {
  const service = await freshService(t);
  const talk: Message[] = [{ role: 'system', content: 'You are a helpful assistant.' }];
  let longest = 0;
  for (let turn = 0; longest < 750; turn += 1) {
    const { answer, questions } = answers[turn % answers.length] as (typeof answers)[number];
    talk.push({ role: 'user', content: questions[0] as string });
    const { content, promptTokens } = await chat(service, talk);
    t.equal(content, answer, `turn ${turn + 1} at ${promptTokens} tokens`);
    talk.push({ role: 'assistant', content });
    longest = promptTokens;
  }
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } } }];
  t.equal((await ask(service, 'What can you do?', { tools })).content, abilities, 'beside tools');
});
