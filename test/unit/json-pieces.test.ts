// JSON in pieces is what JSON.stringify writes, and other work comes between the pieces.
import t from 'tap';
import { jsonPieces } from '../../src/http/json-pieces.js';

async function textOf(value: unknown): Promise<string> {
  return Buffer.concat(await jsonPieces(value)).toString();
}

t.test('the text is that of JSON.stringify', async (t) => {
  const long = 'a"\\\n\u2028é'.repeat(30_000);
  for (const value of [
    null, true, 0, -1.5e-7, NaN, '', 'é"\\\u0000\ud800', [], {}, [[], {}, [null]], { a: undefined, b: [undefined, 1], '__proto__x': 1, 'quo"te': { c: 'd' } },
    long, [long, { long }], new Array(3).fill({ x: [1, 2, { y: null }] }),
    // A character of two halves at each of the places where a long text is cut.
    ...[0, 1, 2].map((before) => 'x'.repeat(65_534 + before) + '😀'.repeat(40_000)), '😀'.repeat(100_000), `${'x'.repeat(65_535)}\ud83d`,
  ]) t.equal(await textOf(value), JSON.stringify(value));
});

t.test('iterators become lists, whose items are made when they are written', async (t) => {
  let made = 0;
  function* items(count: number): Generator<unknown> {
    for (let index = 0; index < count; index += 1) {
      made += 1;
      yield index === 1 ? undefined : { index };
    }
  }
  const value = { before: 1, none: items(0), items: items(3), after: [items(1)] };
  t.equal(made, 0);
  t.equal(await textOf(value), '{"before":1,"none":[],"items":[{"index":0},null,{"index":2}],"after":[[{"index":0}]]}');
});

t.test('other work comes between the pieces of what takes long', async (t) => {
  function* items(): Generator<unknown> {
    for (let index = 0; index < 50; index += 1) {
      for (const until = performance.now() + 2; performance.now() < until;);
      yield index;
    }
  }
  for (const value of [{ items: items() }, Array.from({ length: 300 }, () => '\u0001'.repeat(60_000)), '\u0001'.repeat(20_000_000)]) {
    let turns = 0;
    const count = (): void => { turns += 1; next = setImmediate(count); };
    let next = setImmediate(count);
    const pieces = await jsonPieces(value);
    clearImmediate(next);
    t.ok(pieces.length > 3 && turns >= pieces.length - 1, `${pieces.length} pieces, ${turns} turns`);
  }
});
