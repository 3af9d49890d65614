// What a client hears while it waits for a slot: headers at once, comments on event streams, nothing on JSON lines. The clock is the test's.
import t, { type Test } from 'tap';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { LecternError } from '../../src/errors.js';
import { deferred } from '../support/deferred.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

/** Routes whose slots open when the test says so. */
async function waitingService(t: Test) {
  const language = fakeLanguage();
  let report: (position: number) => void = () => undefined;
  const open = deferred();
  const came = deferred();
  const { run } = language.slots;
  language.slots = { ...language.slots, run: async (use) => {
    report = use.onPosition ?? report;
    report(4);
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
  return { open, came, ask, move: (position: number) => report(position) };
}

const messages = [{ role: 'user', content: 'one two' }];

for (const [path, body] of [
  ['/v1/chat/completions', { model: 'talker', stream: true, messages }], ['/v1/completions', { model: 'talker', stream: true, prompt: 'one two' }],
  ['/v1/responses', { model: 'talker', stream: true, input: 'one two' }],
] as const) {
  t.test(`${path}: the place in the queue at once and at each change, a comment every 15 s, then the answer`, async (t) => {
    mock.timers.enable({ apis: ['setInterval'] });
    t.teardown(() => mock.timers.reset());
    const { open, came, ask, move } = await waitingService(t);
    const asked = ask(path, body);
    await came.promise;
    const [answer] = await asked;
    t.match(answer.headers, { 'content-type': /^text\/event-stream/, 'x-queue-position': '4' }, 'with no time gone by');
    mock.timers.tick(15_000);
    move(2);
    mock.timers.tick(15_000);
    open.resolve();
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    t.strictSame(text.split('\n\n').filter((event) => event.startsWith(':')), [': queue-position 4', ': waiting', ': queue-position 2', ': waiting', ': queue-position 0']);
    t.ok(text.startsWith(': queue-position 4\n\n'));
    t.match(text, /one [^]*two/);
    mock.timers.tick(60_000);
  });

  t.test(`${path}: without a queue nothing but the answer, and a failure keeps its status`, async (t) => {
    const language = fakeLanguage();
    const service = await startTestService({}, { language });
    t.teardown(() => service.close());
    const { headers, body: text } = await service.app.inject({ method: 'POST', url: path, payload: body });
    t.equal(headers['x-queue-position'], '0');
    t.notMatch(text, /^:/m);
    language.answer = async () => { throw new LecternError('context_overflow', 'too long'); };
    t.equal((await service.app.inject({ method: 'POST', url: path, payload: body })).statusCode, 400);
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
    const [answer] = await asked;
    t.match(answer.headers, { 'content-type': /^application\/x-ndjson/, 'x-queue-position': '4' }, 'the headers come at once');
    open.resolve();
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    const lines = text.trimEnd().split('\n');
    t.equal(lines.length, 3);
    for (const line of lines) t.type(JSON.parse(line), 'object');
  });
}
