/** Which nodes the relation network compares: fixed slots by direction, none twice, and a cost that is linear in the nodes. */
import t from 'tap';
import { neighbourhoodOf, NEIGHBOURS, neighboursOf } from '../../src/convert/relations/neighbours.js';

const box = (left: number, top: number, width = 10, height = 8) => ({ left, top, right: left + width, bottom: top + height });
const slotsOf = (made: Int32Array, node: number): number[] => [...made.subarray(node * NEIGHBOURS, (node + 1) * NEIGHBOURS)];

t.test('the nearest of each direction stand in its slots, the nearest first', (t) => {
  // Three rows of three cells; 4 is the middle.
  const made = neighboursOf([0, 10, 20].flatMap((top) => [0, 20, 40].map((left) => box(left, top))));
  const middle = slotsOf(made, 4);
  t.same([middle[0], middle[4], middle[8], middle[12]], [3, 5, 1, 7]);
  t.same(middle.slice(16, 22).filter((index) => index >= 0).sort(), [0, 2, 6, 8], 'the corners are among the nearest of any direction');
  t.same(middle.slice(22), [-1, -1], 'the node before and the one after are to its left and right already');
  t.same(slotsOf(made, 0).slice(4, 7), [1, 2, -1]);
  // Six rows of five cells: the end of a row is far from the start of the next.
  const wide = neighboursOf([0, 10, 20, 30, 40, 50].flatMap((top) => [0, 100, 200, 300, 400].map((left) => box(left, top))));
  t.same(slotsOf(wide, 4).slice(22), [-1, 5], 'the node after starts another row');
  t.end();
});

t.test('none is twice in a row, none its own neighbour, and one alone has none', (t) => {
  const made = neighboursOf(Array.from({ length: 60 }, (_, at) => box((at * 37) % 100, (at * 61) % 90, 5 + (at % 30), 3 + (at % 11))));
  for (let node = 0; node < 60; node++) {
    const slots = slotsOf(made, node).filter((index) => index >= 0);
    t.equal(new Set(slots).size, slots.length);
    t.notOk(slots.includes(node));
    t.ok(slots.every((index) => index < 60));
  }
  t.same(slotsOf(neighboursOf([box(0, 0)]), 0), new Array(NEIGHBOURS).fill(-1));
  t.same(neighboursOf([]).length, 0);
  t.end();
});

t.test('the search that ends early finds the gaps that trying all nodes finds', (t) => {
  const boxes = Array.from({ length: 900 }, (_, at) => box(40 * (at % 6), 10 * Math.floor(at / 6), 20 + (at % 7), 7));
  const { neighbours, gaps } = neighbourhoodOf(boxes, 0);
  for (const node of [0, 5, 300, 451, 899]) {
    const { left, right, top, bottom } = boxes[node]!;
    const others = boxes.filter((_, at) => at !== node);
    const beside = others.filter((its) => its.top < bottom && its.bottom > top);
    const below = others.filter((its) => its.left < right && its.right > left && its.top >= bottom);
    t.equal(gaps[4 * node], Math.min(...beside.filter((its) => its.right <= left).map((its) => left - its.right)));
    t.equal(gaps[4 * node + 3], Math.min(...below.map((its) => its.top - bottom)));
  }
  t.equal(slotsOf(neighbours, 451).slice(16).filter((index) => index >= 0).length, 6, 'the node before and the one after are beside it');
  t.end();
});
