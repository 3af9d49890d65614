// The contract of every language engine, kept by the native one; and what only the native one can show.
import t from 'tap';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { failureOf } from '../support/failure-of.js';
import { languageContract } from '../support/language-contract.js';
import { madeModels, writeMadeModel } from '../support/made-model.js';

const { folder, chat, embedder } = madeModels(t);
const damaged = join(folder, 'damaged.gguf');
writeFileSync(damaged, 'GGUF, it says.');
const slow = join(folder, 'slow.gguf');
writeMadeModel(slow, { context: 16_384, layers: 6, embedding: 256, feedForward: 1024 });
const engine = openEngine();
t.teardown(() => engine.close());

await languageContract(t, { engine, chat, slow, embedder, missing: join(folder, 'missing.gguf'), damaged });

t.test('a long text that is being tokenised is given up, and the next has its turn', async (t) => {
  // Seconds of work, were it done to its end.
  const text = Array.from({ length: 1 << 21 }, (_, place) => String.fromCharCode(97 + ((place * 7919) >>> 5) % 26)).join('').repeat(8);
  const [writer, vectors] = await Promise.all([engine.openModel(chat), engine.openModel(embedder)]);
  for (const work of [
    (signal: AbortSignal) => writer.tokenize(text, { signal }), (signal: AbortSignal) => writer.countTokens(text, { signal }),
    (signal: AbortSignal) => writer.generate(text, { signal }), (signal: AbortSignal) => vectors.embed(text, { signal }),
  ]) {
    const leaving = new AbortController();
    const begun = work(leaving.signal);
    setTimeout(() => leaving.abort(), 30);
    t.equal((await failureOf(begun)).code, 'cancelled', String(work));
  }
  t.same(await writer.tokenize('the'), await writer.tokenize('the'));
});
