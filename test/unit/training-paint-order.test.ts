/** Painting orders that training makes: permutations in which each text line stays whole, others for other seeds, the same for one seed. */
import t from 'tap';
import { paintOrder } from '../../models/training/documents/network/paint-order.js';
import type { NodeWord } from '../../src/convert/relations/nodes.js';

const words = Array.from({ length: 60 }, (_, index): NodeWord => {
  const [line, place] = [Math.floor(index / 3), index % 3];
  const top = 14 * (line % 10);
  const left = (line < 10 ? 50 : 300) + 30 * place;
  return {
    text: `w${index}`, box: { left, top, right: left + 20, bottom: top + 9 }, baseline: top + 8, size: 10, weight: 400, bold: false, italic: false, monospace: false, symbolic: false,
    underline: false, strike: false, link: false, glued: false, invisible: false, color: 0, angle: 0, line,
  };
});
const seeds = Array.from({ length: 20 }, (_, seed) => `shard ${seed}`);

t.test('every order is a permutation that keeps the words of a line together', (t) => {
  for (const seed of seeds) {
    const order = paintOrder({ words }, seed);
    t.same([...order].sort((a, b) => a - b), [...words.keys()]);
    t.ok(order.every((word, at) => at % 3 === 0 || word === order[at - 1]! + 1), `lines of ${seed} stay whole`);
  }
  t.end();
});

t.test('orders differ by seed, some run over both columns, and a seed gives one order', (t) => {
  const orders = seeds.map((seed) => paintOrder({ words }, seed));
  t.ok(new Set(orders.map(String)).size > seeds.length / 2);
  t.ok(orders.some((order) => order[3] === 30), 'the first line of the second column follows the first of the first');
  t.same(paintOrder({ words }, seeds[0]!), orders[0]);
  t.same(paintOrder({ words: [] }, 'empty'), []);
  t.end();
});
