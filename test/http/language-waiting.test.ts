// What a client hears while it waits for a slot: comments on event streams, nothing on JSON lines. The clock is the test's.
import t, { type Test } from 'tap';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { deferred } from '../support/deferred.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

/** Routes whose slots open when the test says so. */
async function waitingService(t: Test) {
  const language = fakeLanguage({ waiting: 4 });
  const open = deferred();
  const came = deferred();
  const { run } = language.slots;
  language.slots = { ...language.slots, run: async (use) => {
    came.resolve();
    await open.promise;
    return run(use);
  } };
  const service = await startTestService({}, { language });
  t.teardown(() => service.close());
  const url = await service.listen();
  const ask = (path: string, body: object): Promise<[IncomingMessage]> => {
    const asking = request(url + path, { method: 'POST', agent: false });
    asking.end(JSON.stringify(body));
    return once(asking, 'response') as Promise<[IncomingMessage]>;
  };
  return { open, came, ask };
}

const messages = [{ role: 'user', content: 'one two' }];

for (const [path, body] of [
  ['/v1/chat/completions', { model: 'talker', stream: true, messages }], ['/v1/completions', { model: 'talker', stream: true, prompt: 'one two' }],
  ['/v1/responses', { model: 'talker', stream: true, input: 'one two' }],
] as const) {
  t.test(`${path}: a comment every 15 s, then the answer`, async (t) => {
    mock.timers.enable({ apis: ['setInterval'] });
    t.teardown(() => mock.timers.reset());
    const { open, came, ask } = await waitingService(t);
    const asked = ask(path, body);
    await came.promise;
    mock.timers.tick(14_999);
    let answered = false;
    void asked.then(() => { answered = true; });
    await new Promise((resolve) => setImmediate(resolve));
    t.equal(answered, false, 'until then it may still be an ordinary failure');
    mock.timers.tick(1);
    const [answer] = await asked;
    t.match(answer.headers, { 'content-type': /^text\/event-stream/, 'x-queue-position': '4' });
    mock.timers.tick(15_000);
    open.resolve();
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    t.equal(text.split('\n\n').filter((event) => event === ': waiting').length, 2);
    t.ok(text.startsWith(': waiting\n\n: waiting\n\n'));
    t.match(text, /one [^]*two/);
    mock.timers.tick(60_000);
  });
}

for (const [path, body] of [['/api/chat', { model: 'talker', messages }], ['/api/generate', { model: 'talker', prompt: 'one two' }]] as const) {
  t.test(`${path}: nothing but its lines`, async (t) => {
    mock.timers.enable({ apis: ['setInterval'] });
    t.teardown(() => mock.timers.reset());
    const { open, came, ask } = await waitingService(t);
    const asked = ask(path, body);
    await came.promise;
    mock.timers.tick(60_000);
    open.resolve();
    const [answer] = await asked;
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    const lines = text.trimEnd().split('\n');
    t.equal(lines.length, 3);
    for (const line of lines) t.type(JSON.parse(line), 'object');
  });
}
