/** Tokens counted by a vocabulary that is opened alone: as many as the loaded model counts, and as bad files deserve. */
import t from 'tap';
import { appendFileSync, copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { failureOf } from '../support/failure-of.js';
import { madeModels } from '../support/made-model.js';
import { randomFrom } from '../support/random.js';

const { folder, chat, embedder } = madeModels(t);
const demo = join(shippedModelsDirectory(), 'lectern-demo.gguf');
const engine = openEngine();
t.teardown(() => engine.close());

t.test('as many as the loaded model has, without begin and end', async (t) => {
  const random = randomFrom(3);
  const words = ['the', 'Größe', 'x', '漢字', '😀', '\n', '1234', '<|im_end|>', 'internationalization', '\ud800', ''];
  const texts = Array.from({ length: 200 }, () => Array.from({ length: Math.floor(random() * 30) }, () => words[Math.floor(random() * words.length)]).join(random() < 0.5 ? ' ' : ''));
  let tokens = 0;
  for (const path of [demo, chat, embedder]) {
    const model = await engine.openModel(path, { slots: 1, context: 256 });
    const wanted: number[] = [];
    for (const text of texts) wanted.push((await model.tokenize(text, { addSpecial: false })).length);
    await model.close();
    t.same(Array.from(await engine.countTokens(path, texts)), wanted, path.slice(folder.length));
    tokens += wanted.reduce((sum, one) => sum + one, 0);
  }
  t.ok(tokens > 1000, 'there was something to count');
  t.same(Array.from(await engine.countTokens(demo, [])), []);
});

t.test('a vocabulary that is there no more, or another now', async (t) => {
  const path = join(folder, 'changing.gguf');
  copyFileSync(demo, path);
  const before = Array.from(await engine.countTokens(path, ['documents to markdown']));
  appendFileSync(path, ' ');
  t.same(Array.from(await engine.countTokens(path, ['documents to markdown'])), before, 'opened again where it was written to');
  truncateSync(path, 100);
  t.equal((await failureOf(engine.countTokens(path, ['a']))).code, 'invalid_model');
  writeFileSync(path, 'text');
  t.equal((await failureOf(engine.countTokens(path, ['a']))).code, 'invalid_model');
  t.equal((await failureOf(engine.countTokens(join(folder, 'none.gguf'), ['a']))).code, 'model_not_found');
  t.same(Array.from(await engine.countTokens(demo, ['documents to markdown'])), before, 'the next one is served');
});

t.test('bad arguments, and one that has left', async (t) => {
  for (const texts of ['a', [1], null, [undefined]]) t.equal((await failureOf(engine.countTokens(demo, texts as unknown as string[]))).code, 'invalid_request', JSON.stringify(texts));
  t.equal((await failureOf(engine.countTokens('', ['a']))).code, 'invalid_request');
  const leaving = new AbortController();
  const counting = engine.countTokens(demo, Array.from({ length: 200 }, () => 'a long text '.repeat(100_000)), { signal: leaving.signal });
  setTimeout(() => leaving.abort(), 30);
  t.equal((await failureOf(counting)).code, 'cancelled');
});
