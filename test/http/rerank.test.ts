// The routes for scores of pairs, over a model that scores by whether a document holds the query and how long it is.
import t from 'tap';
import { startTestService } from '../support/http-service.js';
import { fakeEntry, fakeLanguage } from '../support/language-service.js';

const language = fakeLanguage();
const ranker = fakeEntry('ranker');
ranker.capabilities = ['rerank'];
ranker.description = { ...ranker.description, embeds: true, ranks: true };
const models = [ranker];
const { catalogue } = language;
language.catalogue = { ...catalogue, list: async () => [...models, ...(await catalogue.list())], find: async (name) => models.find((model) => model.name === name) ?? catalogue.find(name) };
const service = await startTestService({}, { language });
t.teardown(() => service.close());
const post = (url: string, payload: object) => service.app.inject({ method: 'POST', url, payload });
const documents = ['none', 'a cat', { text: 'the old cat' }];

t.test('documents come in the order of their scores', async (t) => {
  for (const url of ['/v1/rerank', '/v2/rerank', '/rerank']) {
    const answer = await post(url, { model: 'ranker', query: 'cat', documents });
    t.equal(answer.statusCode, 200, answer.body);
    const body = answer.json() as { results: { index: number; relevance_score: number }[] };
    t.same(body.results.map(({ index }) => index), [2, 1, 0]);
    t.ok(Math.abs((body.results[0]?.relevance_score ?? 0) - 1 / (1 + Math.exp(-1.1))) < 1e-12, 'the logistic function of the score');
    t.match(body, { object: 'list', model: 'ranker', usage: { prompt_tokens: 7 + 8 + 14, total_tokens: 29 } });
  }
});

t.test('top_n, return_documents, and documents that lose their end', async (t) => {
  const best = await post('/v1/rerank', { model: 'ranker', query: 'cat', documents, top_n: 2, return_documents: true });
  t.match(best.json(), { results: [{ index: 2, document: { text: 'the old cat' } }, { index: 1, document: { text: 'a cat' } }] });
  t.equal((best.json() as { results: unknown[] }).results.length, 2);
  const cut = await post('/v1/rerank', { model: 'ranker', query: 'cat', documents: ['the old cat'], max_tokens_per_doc: 6 });
  t.ok((cut.json() as { results: { relevance_score: number }[] }).results[0]!.relevance_score < 0.05, 'what is beyond is not scored');
  const long = 'x'.repeat(70);
  t.match((await post('/v1/rerank', { model: 'ranker', query: 'cat', documents: ['a', long] })).json(), { error: { message: /^Document 1: .*73 tokens/, param: 'documents', code: 'context_length_exceeded' } });
  t.equal((await post('/v1/rerank', { model: 'ranker', query: 'cat', documents: ['a', long], truncate: true })).statusCode, 200);
});

t.test('the form of Text Embeddings Inference', async (t) => {
  const answer = await post('/rerank', { query: 'cat', texts: ['none', 'a cat'], raw_scores: true, return_text: true });
  t.same(answer.json(), [{ index: 1, score: 0.5, text: 'a cat' }, { index: 0, score: -4, text: 'none' }]);
  models.push({ ...ranker, name: 'other' });
  t.match((await post('/rerank', { query: 'cat', texts: ['a'] })).json(), { error: { param: 'model', message: /there are 2 rerank models/ } });
  t.equal((await post('/rerank', { model: 'other', query: 'cat', texts: ['a'] })).statusCode, 200);
  models.pop();
});

t.test('what is wrong is named', async (t) => {
  const cases: [object, string | null, RegExp][] = [
    [{ query: 'q', documents }, 'model', /required/], [{ model: 'ranker', documents }, 'query', /required/], [{ model: 'ranker', query: ' ', documents }, 'query', /empty/], [{ model: 'ranker', query: 'q' }, 'documents', /required/],
    [{ model: 'ranker', query: 'q', documents: [] }, 'documents', /empty/], [{ model: 'ranker', query: 'q', documents: ['a', 7] }, 'documents[1]', /string/], [{ model: 'ranker', query: 'q', documents: [{ title: 'x' }] }, 'documents[0]', /text/],
    [{ model: 'ranker', query: 'q', documents: Array(2049).fill('a') }, 'documents', /2049.*2048/], [{ model: 'ranker', query: 'q', documents, top_n: 0 }, 'top_n', /at least 1/], [{ model: 'ranker', query: 'q', documents, colour: 1 }, 'colour', /colour/],
    [{ model: 'ranker', query: 'q', documents, texts: ['a'] }, 'texts', /documents/], [{ model: 'ranker', query: 'q', texts: ['a'], truncation_direction: 'Left' }, 'truncation_direction', /right/],
    [{ model: 'talker', query: 'q', documents }, null, /'talker' generates text: use \/v1\/chat\/completions/], [{ model: 'vectors', query: 'q', documents }, null, /'vectors' makes embeddings: use \/v1\/embeddings/],
  ];
  for (const [body, param, message] of cases) {
    const answer = await post('/v1/rerank', body);
    t.match([answer.statusCode, answer.json()], [400, { error: { message, param } }], JSON.stringify(body).slice(0, 80));
  }
  t.match([(await post('/v1/rerank', { model: 'nobody', query: 'q', documents })).statusCode], [404]);
});

t.test('a rerank model is no chat and no embedding model', async (t) => {
  for (const [url, body] of [['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }], ['/v1/completions', { prompt: 'x' }], ['/v1/embeddings', { input: 'x' }], ['/v1/responses', { input: 'x' }]] as const) {
    const answer = await post(url, { model: 'ranker', ...body });
    t.match([answer.statusCode, answer.json()], [400, { error: { message: /'ranker' scores documents for a query: use \/v1\/rerank/ } }], url);
  }
  t.match((await post('/api/chat', { model: 'ranker', messages: [{ role: 'user', content: 'x' }] })).json(), { error: /use \/v1\/rerank/ });
  t.match((await post('/api/embed', { model: 'ranker', input: 'x' })).json(), { error: /use \/v1\/rerank/ });
});
