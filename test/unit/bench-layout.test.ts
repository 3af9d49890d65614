/** How found regions of pages are held against the true ones. */
import t from 'tap';
import { countPage, f1Of, type LabelCount, type LabelledBox, sharedOf } from '../../bench/region-f1.js';

const box = (label: string, left: number, top: number, right: number, bottom: number): LabelledBox => ({ label, left, top, right, bottom });

t.test('what two boxes share is found by counting cells', (t) => {
  for (let round = 0; round < 200; round++) {
    const side = (): number => Math.floor(Math.random() * 12);
    const [one, other] = [0, 1].map(() => {
      const [left, top] = [side(), side()];
      return box('text', left, top, left + 1 + side(), top + 1 + side());
    }) as [LabelledBox, LabelledBox];
    let [both, any] = [0, 0];
    for (let x = 0; x < 30; x++) {
      for (let y = 0; y < 30; y++) {
        const inside = [one, other].filter(({ left, top, right, bottom }) => x >= left && x < right && y >= top && y < bottom).length;
        both += inside === 2 ? 1 : 0;
        any += inside > 0 ? 1 : 0;
      }
    }
    t.ok(Math.abs(sharedOf(one, other) - both / any) < 1e-12, JSON.stringify([one, other]));
  }
  t.end();
});

t.test('each region is found once, by its label, and only where enough is shared', (t) => {
  const counts = new Map<string, LabelCount>();
  const truth = [box('text', 0, 0, 10, 10), box('text', 0, 20, 10, 30), box('title', 50, 0, 60, 10)];
  countPage(counts, [box('text', 0, 0, 10, 9), box('text', 0, 0, 10, 10), box('text', 0, 26, 10, 36), box('table', 50, 0, 60, 10)], truth);
  t.same(counts.get('text'), { right: 1, found: 3, there: 2 }, 'the second of two on one place is wrong, the one that shares a quarter too');
  t.same(counts.get('title'), { right: 0, found: 0, there: 1 });
  t.same(counts.get('table'), { right: 0, found: 1, there: 0 });
  countPage(counts, truth, truth);
  t.same(counts.get('text'), { right: 3, found: 5, there: 4 }, 'pages add up');
  t.equal(f1Of({ right: 3, found: 5, there: 4 }), 6 / 9);
  t.equal(f1Of({ right: 0, found: 0, there: 0 }), 0);
  t.end();
});
