// A conversation typed ahead: nothing is lost, and words with a slash never reach the model.
import t from 'tap';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { converse } from '../../src/cli/chat-session.js';
import { chooseModel } from '../../src/client/language-requests.js';
import { Service } from '../../src/client/service.js';
import { LecternError } from '../../src/errors.js';

async function type(typed: string): Promise<{ asked: string[]; shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked: string[] = [];
  const shown = text(output);
  const running = converse({
    input, output, model: 'm', clear: () => asked.push('(clear)'),
    answer: async (question) => {
      await new Promise(setImmediate);
      if (question === 'fail') throw new LecternError('timeout', 'It took too long.');
      asked.push(question);
    },
  });
  input.end(typed);
  await running;
  output.end();
  return { asked, shown: await shown };
}

t.test('lines behind one that is being answered wait', async (t) => {
  t.strictSame((await type('Tell me a story\nHello\n\nfail\nlast')).asked, ['Tell me a story', 'Hello', 'last']);
  t.match((await type('fail\n')).shown, /lectern: It took too long\.\n/);
});

t.test('commands', async (t) => {
  const { asked, shown } = await type('one\n/help\n/clear\n/wat\n/etc/hosts has what?\n/bye\nunheard\n');
  t.strictSame(asked, ['one', '(clear)', '/etc/hosts has what?']);
  t.match(shown, /\/clear forgets.*\/bye/);
  t.match(shown, /There is no \/wat/);
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
  t.end();
});
