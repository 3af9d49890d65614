/** Several texts of one request: together, so that the engine can fill its passes, in their order, each failure with its number. */
import t from 'tap';
import { LecternError } from '../../src/errors.js';
import { embedAll } from '../../src/http/embedding.js';
import type { Lease } from '../../src/models/types.js';

const { signal } = new AbortController();

/** A model that answers when it was asked for `together` texts; `long` is too long, `` is none. */
function lease(together: number): { lease: Lease; asked: string[] } {
  const asked: string[] = [];
  let open: () => void = () => undefined;
  const full = new Promise<void>((resolve) => { open = resolve; });
  const embed = async (text: string): Promise<{ vector: Float32Array; promptTokens: number }> => {
    asked.push(text);
    if (asked.length >= together) open();
    await full;
    if (text === 'long') throw new LecternError('context_overflow', 'The text has 9 tokens.');
    if (text === '') throw new LecternError('invalid_request', 'The text is empty.');
    return { vector: new Float32Array([text.length]), promptTokens: text.length };
  };
  return { lease: { model: { embed } } as unknown as Lease, asked };
}

t.test('all texts of a request are asked for at once, those that are too long are mended in their places', async (t) => {
  const { lease: four, asked } = lease(4);
  const mended: number[] = [];
  const made = await embedAll(four, ['a', 'long', 'ccc', 'long'], { signal }, async (index) => {
    mended.push(index);
    return { vector: new Float32Array([100 + index]), promptTokens: 8 };
  });
  t.same(asked, ['a', 'long', 'ccc', 'long']);
  t.same(mended, [1, 3]);
  t.same(made.map(({ vector }) => vector[0]), [1, 101, 3, 103]);
});

t.test('a failure names its text', async (t) => {
  await t.rejects(embedAll(lease(2).lease, ['a', ''], { signal }, async () => t.fail('not too long') as never), { code: 'invalid_request', message: 'Input 1: The text is empty.' });
  await t.rejects(embedAll(lease(2).lease, ['a', 'long'], { signal }), { code: 'context_overflow', message: 'Input 1: The text has 9 tokens.' });
  await t.rejects(embedAll(lease(1).lease, ['long'], { signal }, async (_, error) => { throw error; }), { message: 'The text has 9 tokens.' });
});
