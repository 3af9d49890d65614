/** The fake engine of the tests keeps the contract of the real one. */
import t from 'tap';
import { fakeLanguageEngine } from '../support/fake-language-engine.js';
import { languageContract } from '../support/language-contract.js';

const engine = fakeLanguageEngine({ chat: { context: 256 }, slow: { context: 8192, tokenMs: 1 }, embedder: { context: 256, embeds: true }, damaged: { damaged: true } });
await languageContract(t, { engine, chat: 'chat', slow: 'slow', embedder: 'embedder', missing: 'missing', damaged: 'damaged' });

t.test('it tells what was asked of it and answers what it is told to', async (t) => {
  const told = fakeLanguageEngine({ chat: { answer: (prompt) => `You said ${prompt}.` } });
  const model = await told.openModel('chat', { slots: 1 });
  t.equal(told.open.size, 1);
  let text = '';
  const result = await model.generate('yes', { onTokens: (burst) => { text += burst.text; } });
  t.equal(text, 'You said yes.');
  t.equal(result.finishReason, 'stop');
  t.match(told.generated, [{ path: 'chat', prompt: 'yes' }]);
  t.match(told.opened, [{ path: 'chat', options: { slots: 1 } }]);
  await model.close();
  t.equal(told.open.size, 0);
});
