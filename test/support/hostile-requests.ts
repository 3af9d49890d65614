/** Requests that once held the event loop, or might: each is answered, or refused with a code, while other requests are answered at once. */
import { request } from 'node:http';
import { join } from 'node:path';
import { toolTemplate, writeMadeEmbedder, writeMadeModel } from './made-model.js';

export interface HostileRequest {
  name: string;
  path: string;
  body: () => string | Uint8Array;
  type?: string;
  /** What it may be answered with. */
  status: readonly number[];
}

/** `in` of texts in which every place nearly fits: no engine interrupts it. */
const endless = "{% set ns = namespace(s='a') %}{% for i in range(19) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ (ns.s ~ 'b' ~ ns.s) in (ns.s ~ ns.s ~ ns.s ~ ns.s) }}";
const growing = "{% set ns = namespace(x=[]) %}{% for i in range(99) %}{% set ns.x = ns.x + [messages[0].content.split(' ')] %}{% endfor %}{{ ns.x | length }}";
const nested = '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}';

/** The models that the requests name. */
export function writeHostileModels(folder: string): void {
  const shape = { context: 2048, template: toolTemplate };
  writeMadeModel(join(folder, 'chat.gguf'), shape);
  writeMadeEmbedder(join(folder, 'embedder.gguf'), { context: 2048 });
  for (const [name, template] of Object.entries({ endless, growing, nested })) writeMadeModel(join(folder, `${name}.gguf`), { ...shape, template });
  writeMadeModel(join(folder, 'damaged.gguf'), { ...shape, badWeight: NaN });
}

const user = [{ role: 'user', content: 'hi' }];
const chat = (more: object): string => JSON.stringify({ model: 'chat', messages: user, max_tokens: 2, ...more });
const schema = (value: object, strict = true): string => chat({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema: value, strict } } });
const pattern = (text: string): string => schema({ type: 'string', pattern: text });
const everySecond = (count: number): string => Array.from({ length: count }, (_, index) => String.fromCharCode(0x100 + 2 * index)).join('');
const tools = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ type: 'function', function: { name: `a${index}` } }));
const completions = '/v1/chat/completions';
const numbered = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const boundary = 'x-boundary-x';
const form = (parts: string[]): string => `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;
const field = (name: string, value: string, type = ''): string => `content-disposition: form-data; name="${name}"${type === '' ? '' : `\r\ncontent-type: ${type}`}\r\n\r\n${value}`;

export const hostileRequests: readonly HostileRequest[] = [
  { name: 'an empty group, repeated 99,999,999,999 times', path: completions, status: [400], body: () => pattern('(){99999999999}') },
  { name: 'the same, which may be left out', path: completions, status: [200], body: () => schema({ type: 'string', pattern: '(){99999999999}' }, false) },
  { name: 'a class of 5,000 ranges, repeated', path: completions, status: [400], body: () => pattern(`[${everySecond(5000)}]{1,50}x[${everySecond(2000)}]*`) },
  { name: 'nested quantifiers', path: completions, status: [200, 400], body: () => pattern('((a{1,90}){1,90}){1,90}(x+x+)+(.*.*)*y') },
  { name: '2,000 lookaheads', path: completions, status: [200, 400], body: () => pattern('(?=.*a)'.repeat(1400)) },
  { name: '200 large patterns', path: completions, status: [400], body: () => schema({ type: 'object', properties: Object.fromEntries(numbered(200, (index) => [`p${index}`, { type: 'string', pattern: `.*a${index}.{9}` }])) }) },
  { name: 'a template that does not end', path: completions, status: [500], body: () => chat({ model: 'endless' }) },
  { name: 'a template that loops 10^12 times', path: completions, status: [500], body: () => chat({ model: 'nested' }) },
  { name: 'a template that fills the memory', path: completions, status: [400, 500], body: () => chat({ model: 'growing', messages: [{ role: 'user', content: 'a '.repeat(500_000) }] }) },
  { name: '2,000 tools', path: completions, status: [200, 400], body: () => chat({ tools: tools(2_000) }) },
  { name: '40,000 tools', path: completions, status: [400], body: () => chat({ tools: tools(40_000) }) },
  { name: '6,000 tools, the last of them twice', path: completions, status: [400], body: () => chat({ tools: [...tools(6_000), ...tools(6_000).slice(-1)] }) },
  { name: 'a million messages', path: completions, status: [400, 413], body: () => chat({ messages: numbered(500_000, () => ({ role: 'user' })) }) },
  { name: '9,000 messages', path: completions, status: [400], body: () => chat({ messages: numbered(9_000, () => user[0]) }) },
  { name: '9,000 messages, of which the oldest may go', path: '/api/chat', status: [200, 400], body: () => JSON.stringify({ model: 'chat', messages: numbered(9_000, (index) => ({ role: index % 2 ? 'user' : 'assistant', content: 'hi' })), stream: false, options: { num_predict: 2 } }) },
  { name: '15 MB of [', path: completions, status: [400], body: () => '['.repeat(15_000_000) },
  { name: '60 KB of [', path: completions, status: [400], body: () => '['.repeat(60_000) },
  { name: '15 MB of {"a":', path: completions, status: [400], body: () => '{"a":'.repeat(3_000_000) },
  { name: 'a million biases', path: completions, status: [400], body: () => chat({ logit_bias: Object.fromEntries(numbered(1_000_000, (index) => [index, 1])) }) },
  { name: '20,000 biases', path: completions, status: [200, 400], body: () => chat({ logit_bias: Object.fromEntries(numbered(20_000, (index) => [index % 270, 1])) }) },
  { name: 'one text of 50 MB', path: completions, status: [413], body: () => chat({ messages: [{ role: 'user', content: 'x'.repeat(50_000_000) }] }) },
  { name: 'one text of 15 MB', path: completions, status: [400], body: () => chat({ messages: [{ role: 'user', content: 'x'.repeat(15_000_000) }] }) },
  { name: 'one text of 15 MB beyond ASCII', path: completions, status: [400], body: () => chat({ messages: [{ role: 'user', content: 'é'.repeat(7_500_000) }] }) },
  { name: 'a prompt of 15 MB', path: '/v1/completions', status: [400], body: () => JSON.stringify({ model: 'chat', prompt: 'the '.repeat(3_700_000) }) },
  { name: 'a text of 15 MB by Anthropic\'s route', path: '/v1/messages', status: [400], body: () => JSON.stringify({ model: 'chat', max_tokens: 2, messages: [{ role: 'user', content: 'x'.repeat(15_000_000) }] }) },
  { name: 'a text of 15 MB to count', path: '/v1/messages/count_tokens', status: [200, 400, 500], body: () => JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'the '.repeat(3_700_000) }] }) },
  { name: 'a text of 15 MB to tokenise', path: '/tokenize', status: [400], body: () => JSON.stringify({ model: 'chat', prompt: 'the '.repeat(3_700_000) }) },
  { name: 'a million characters to tokenise', path: '/tokenize', status: [200], body: () => JSON.stringify({ model: 'chat', prompt: 'x'.repeat(1_000_000), with_pieces: true }) },
  { name: '499,000 tokens to become text', path: '/detokenize', status: [200, 400], body: () => JSON.stringify({ model: 'chat', tokens: numbered(499_000, () => 7) }) },
  { name: '100,000 stop strings', path: completions, status: [400], body: () => chat({ stop: numbered(100_000, (index) => `s${index}`) }) },
  { name: 'names of 15 MB that are unknown', path: completions, status: [400], body: () => chat({ [`x${'y'.repeat(15_000_000)}`]: 1 }) },
  { name: 'an enum of 40,000 values', path: completions, status: [200, 400], body: () => schema({ enum: numbered(40_000, (index) => `value ${index}`) }) },
  { name: '20,000 properties', path: completions, status: [200, 400], body: () => schema({ type: 'object', properties: Object.fromEntries(numbered(8_000, (index) => [`p${index}`, { type: 'integer' }])) }) },
  { name: '2,048 texts to embed', path: '/v1/embeddings', status: [200], body: () => JSON.stringify({ model: 'embedder', input: numbered(2_048, (index) => `text ${index}`) }) },
  { name: '30,000 texts to embed', path: '/v1/embeddings', status: [400], body: () => JSON.stringify({ model: 'embedder', input: numbered(30_000, () => 'a') }) },
  { name: '30,000 texts to embed by Ollama\'s route', path: '/api/embed', status: [200, 400], body: () => JSON.stringify({ model: 'embedder', input: numbered(30_000, () => 'a') }) },
  { name: '400,000 token ids to embed', path: '/v1/embeddings', status: [400], body: () => JSON.stringify({ model: 'embedder', input: numbered(400_000, () => 7) }) },
  { name: '5 million token ids', path: '/v1/embeddings', status: [400], body: () => JSON.stringify({ model: 'embedder', input: numbered(5_000_000, () => 7) }) },
  { name: 'arguments that nest 100,000 levels deep', path: completions, status: [400], body: () => chat({ messages: [...user, { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` } }] }, ...user] }) },
  { name: 'a million values in a call\'s arguments', path: completions, status: [400], body: () => chat({ messages: [...user, { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: `{"a":[${'{},'.repeat(1_000_000)}1]}` } }] }, ...user] }) },
  { name: '20 alternatives for each of 4,000 tokens', path: completions, status: [200], body: () => chat({ n: 20, max_tokens: 200, ignore_eos: true, logprobs: true, top_logprobs: 20 }) },
  { name: 'a response that repeats 2 MB of its request', path: '/v1/responses', status: [200], body: () => JSON.stringify({ model: 'chat', input: 'hi', max_output_tokens: 2, stream: true, metadata: { a: 'x'.repeat(1_990_000) } }) },
  { name: 'a response that would repeat 15 MB of its request', path: '/v1/responses', status: [400], body: () => JSON.stringify({ model: 'chat', input: 'hi', max_output_tokens: 2, metadata: { a: 'x'.repeat(15_000_000) } }) },
  { name: 'weights that are no numbers', path: completions, status: [500], body: () => chat({ model: 'damaged' }) },
  { name: 'a conversion with 4 million values for options', path: '/v1/convert/source', status: [400, 413, 422], body: () => `{"options":{"x":[${'{},'.repeat(2_000_000)}1]},"sources":[]}` },
  { name: 'a conversion with 100,000 sources', path: '/v1/convert/source', status: [400, 413, 422], body: () => JSON.stringify({ sources: numbered(100_000, () => ({ kind: 'x' })) }) },
  { name: 'a form with 100,000 fields', path: '/v1/convert/file', type: `multipart/form-data; boundary=${boundary}`, status: [400], body: () => form(numbered(100_000, () => field('x', '1'))) },
  { name: 'a form with JSON of 1 MB in each of 6 fields', path: '/v1/convert/file', type: `multipart/form-data; boundary=${boundary}`, status: [400, 413, 422], body: () => form(numbered(6, (index) => field(`x${index}`, `[${'[],'.repeat(340_000)}1]`, 'application/json'))) },
];

/** Status 0 where the connection ended without an answer. */
export function sendHostile(base: string, { path, type = 'application/json' }: HostileRequest, body: string | Uint8Array): Promise<{ status: number; ms: number; message: string }> {
  const began = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, message: string): void => resolve({ status, ms: performance.now() - began, message });
    const asking = request(`${base}${path}`, { method: 'POST', headers: { 'content-type': type, 'content-length': Buffer.byteLength(body) } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => { text = (text + piece).slice(0, 10_000); });
      answer.on('end', () => end(answer.statusCode ?? 0, text)).on('error', (error) => end(0, error.message));
    });
    asking.on('error', (error) => end(0, error.message));
    asking.end(body);
  });
}
