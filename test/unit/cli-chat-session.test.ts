// A conversation typed ahead: nothing is lost, and words with a slash never reach the model.
import t from 'tap';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ChatConversation, type AskModel, type CheckModel } from '../../src/cli/chat-conversation.js';
import { converse } from '../../src/cli/chat-session.js';
import { chooseModel, requireModel } from '../../src/client/language-requests.js';
import { Service } from '../../src/client/service.js';
import { LecternError } from '../../src/errors.js';

/** A service that answers each question with its own text, but for "fail". */
function conversationOf(): { conversation: ChatConversation; requests: Parameters<AskModel>[0][] } {
  const requests: Parameters<AskModel>[0][] = [];
  const ask: AskModel = async (request) => {
    await new Promise(setImmediate);
    const text = request.messages.at(-1)?.content as string;
    if (text === 'fail') throw new LecternError('timeout', 'It took too long.');
    requests.push({ ...request, messages: [...request.messages] });
    return { text: `re: ${text}`, finishReason: 'stop', promptTokens: 1, completionTokens: 1 };
  };
  const check: CheckModel = async (name) => { if (name.startsWith('none')) throw new LecternError('model_not_found', `There is no model "${name}".`); };
  return { conversation: new ChatConversation(ask, check, 'm', undefined, {}), requests };
}

async function type(typed: string): Promise<{ asked: string[]; requests: Parameters<AskModel>[0][]; shown: string; history: string[] }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { conversation, requests } = conversationOf();
  let history: string[] = [];
  const shown = text(output);
  const running = converse({ input, output, conversation, keepHistory: (lines) => { history = lines; } });
  input.end(typed);
  await running;
  output.end();
  return { asked: requests.map(({ messages }) => messages.at(-1)?.content as string), requests, shown: await shown, history };
}

t.test('lines behind one that is being answered wait', async (t) => {
  t.strictSame((await type('Tell me a story\nHello\n\nfail\nlast')).asked, ['Tell me a story', 'Hello', 'last']);
  const { shown, requests } = await type('one\nfail\ntwo\n');
  t.match(shown, /lectern: It took too long\.\n/);
  t.strictSame(requests.at(-1)?.messages.map(({ content }) => content), ['one', 're: one', 'two'], 'a question without an answer is left out');
});

t.test('several lines are one question', async (t) => {
  t.strictSame((await type('"""a\n b\n\nc"""\nx\\\ny\n"""one line"""\n"""\nfenced\n"""\n')).asked, ['a\n b\n\nc', 'x\ny', 'one line', '\nfenced\n']);
});

t.test('commands', async (t) => {
  const { asked, shown } = await type('one\n/help\n/clear\n/wat\n/etc/hosts has what?\n/bye\nunheard\n');
  t.strictSame(asked, ['one', '/etc/hosts has what?']);
  t.match(shown, /\/clear +forget[^]*\/bye/);
  t.match(shown, /There is no \/wat/);
});

t.test('Ctrl-C drops what is typed, and ends the conversation only when pressed twice', async (t) => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const { conversation, requests } = conversationOf();
  const shown = text(output);
  const running = converse({ input, output, conversation });
  const press = async (keys: string): Promise<void> => {
    input.write(keys);
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  for (const keys of ['half a line', '\u0003', 'hello\r', '"""\r', 'a\r', '\u0003', 'after\r', '\u0003', '\u0003']) await press(keys);
  await running;
  output.end();
  t.strictSame(requests.map(({ messages }) => messages.at(-1)?.content), ['hello', 'after']);
  t.match(await shown, /The line is dropped\.[^]*Ctrl-C once more/);
});

t.test('a model that the service does not have is refused at once, and the one before goes on', async (t) => {
  const { requests, shown } = await type('/model none:7b\nhi\n/model other\n/model none\nho\n/model\n');
  t.match(shown, /lectern: There is no model "none:7b"\. The model stays m\.\n[^]*The model is other\.\n[^]*There is no model "none"\. The model stays other\.\n[^]*The model is other\.\n/);
  t.strictSame(requests.map(({ model }) => model), ['m', 'other']);
});

t.test('a saved conversation goes on with the present model where its own is gone', async (t) => {
  const file = join(t.testdir(), 'saved.json');
  writeFileSync(file, JSON.stringify({ model: 'none', messages: [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }] }));
  const { requests, shown } = await type(`/load ${file}\nhi\n`);
  t.match(shown, /There is no model "none"\. The model stays m\./);
  t.match(requests, [{ model: 'm', messages: [{ content: 'a' }, { content: 'b' }, { content: 'hi' }] }]);
});

t.test('a model is checked by name and by what it can do', async (t) => {
  const paths: string[] = [];
  const service = new Service('127.0.0.1:1');
  service.send = async (path, ask) => {
    paths.push(path);
    return Response.json(path === 'api/show' ? { capabilities: (ask?.json as { model: string }).model.startsWith('embed') ? ['embedding'] : ['completion'] } : {});
  };
  await requireModel(service, 'hf.co/a b/c:q4', 'completion');
  t.strictSame(paths, ['v1/models/hf.co/a%20b/c%3Aq4', 'api/show']);
  await t.rejects(requireModel(service, 'embed', 'completion'), { code: 'invalid_request', message: 'The model "embed" cannot chat.' });
});

t.test('model, instructions and sampling change; retry asks again', async (t) => {
  const { requests, shown } = await type('/system Be kind.\n/model other:7b\n/set temperature 0.5\n/set seed 7\nhi\n/retry\n/set temperature\nho\n/set warmth 1\n/system\n');
  t.match(requests[0], { model: 'other:7b', temperature: 0.5, seed: 7, messages: [{ role: 'system', content: 'Be kind.' }, { content: 'hi' }] });
  t.strictSame(requests[1]?.messages, requests[0]?.messages);
  t.match(requests[2], { temperature: undefined, seed: 7 });
  t.equal(requests[2]?.messages.length, 4);
  t.match(shown, /The model is other:7b\.\n[^]*It is written \/set temperature\|seed NUMBER\.[^]*The instructions: Be kind\./);
  t.match((await type('/retry\n')).shown, /There is no question yet/);
});

t.test('a conversation is saved, loaded and forgotten', async (t) => {
  const file = join(t.testdir({ 'bad.json': '{"messages": 1}' }), 'talk.json');
  t.match((await type(`/system S\nhi\n/save ${file}\n`)).shown, new RegExp(`2 messages are in ${file}`));
  const { requests } = await type(`/load ${file}\nmore\n/clear\nfresh\n`);
  t.strictSame(requests[0]?.messages.map(({ content }) => content), ['S', 'hi', 're: hi', 'more']);
  t.strictSame(requests[1]?.messages.map(({ content }) => content), ['S', 'fresh']);
  const { shown } = await type(`/load ${join(file, '..', 'bad.json')}\n/load ${file}x\n/save\n/save /proc/x\n`);
  for (const sentence of [/holds no conversation/, /cannot be read/, /needs the name of a file/, /cannot be written/]) t.match(shown, sentence);
});

t.test('the model that ships is the last choice', async (t) => {
  const serving = (...names: string[]): Service => ({ address: 'x', json: async () => ({ models: names.map((name) => ({ name, digest: name === 'fast' ? 'lectern-demo' : name, size: 1, capabilities: ['completion'] })) }) }) as unknown as Service;
  t.equal(await chooseModel(serving('lectern-demo:latest', 'big:7b'), undefined, 'completion'), 'big:7b');
  t.equal(await chooseModel(serving('lectern-demo'), undefined, 'completion'), 'lectern-demo');
  t.equal(await chooseModel(serving('lectern-demo', 'fast', 'big:7b'), undefined, 'completion'), 'big:7b', 'under another name, too');
});

t.test('a certificate of an unknown issuer is no missing service', (t) => {
  const service = new Service('https://host');
  const broken = (code: string): string => (service.broken(Object.assign(new TypeError('fetch failed'), { cause: { code } }), undefined) as Error).message;
  for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED']) t.match(broken(code), /certificate of https:\/\/host is not trusted/);
  t.match(broken('ECONNREFUSED'), /No service answers/);
  t.match(broken('ERR_SSL_WRONG_VERSION_NUMBER'), /speaks http, not https: write http:\/\/host\./);
  t.match(broken('ENOTFOUND'), /There is no host host/);
  t.equal(new Service('http://host:1/proxy/v1/').address, 'http://host:1/proxy', 'the base address of OpenAI\'s clients');
  t.end();
});
