/** The shared ground of geometry: boxes, medians, search, rows of text by their baselines. */
import t from 'tap';
import { areaOf, boxesOverlap, containsBox, containsPoint, holdsMiddle, holdsPoint, horizontalExtent, horizontalGap, horizontalOverlap, intersection, shareWithin, translated, union, unionBox, verticalGap, verticalOverlap } from '../../src/geometry/box.js';
import type { Box } from '../../src/geometry/box.js';
import { lineExtent, middleOfLetters } from '../../src/geometry/em.js';
import { partitionPoint } from '../../src/geometry/search.js';
import { lowerMedian, median, quantile, quantileInside, weightedMedian } from '../../src/geometry/statistics.js';
import { areLevel, fromLeft, fromTop, gapInEms, lastOf, rowsByBaseline, splitWhere } from '../../src/convert/page/group-by-baseline.js';

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });
const [a, b, inside] = [box(0, 0, 10, 10), box(15, 4, 20, 30), box(2, 2, 4, 8)];

t.test('boxes: union, intersection, overlaps and gaps', (t) => {
  t.same(unionBox([a, b, inside]), box(0, 0, 20, 30));
  t.same(unionBox([]), box(Infinity, Infinity, -Infinity, -Infinity), 'around none it is inverted');
  t.same(union(a, b), unionBox([a, b]));
  t.same(intersection(a, inside), inside);
  t.equal(areaOf(intersection(a, b)), 0, 'nothing in common has no area');
  t.same(horizontalExtent([a, b]), { left: 0, right: 20 });
  t.equal(horizontalOverlap(a, b), -5, 'a negative overlap is the gap');
  t.equal(horizontalGap(a, b), 5);
  t.equal(horizontalGap(b, a), 5, 'in either order');
  t.equal(verticalOverlap(a, b), 6);
  t.equal(verticalGap(a, b), -6, 'a negative gap is the way to move apart');
  t.equal(horizontalGap(a, inside), -4, 'of a box inside another: to the nearer side');
  t.equal(horizontalOverlap(a, inside), 2, 'and its whole width overlaps');
  t.same(translated(inside, 1, -2), box(3, 0, 5, 6));
  t.end();
});

t.test('boxes: what lies in what', (t) => {
  t.ok(containsBox(a, inside) && !containsBox(inside, a));
  t.ok(containsBox(a, box(-1, 0, 10, 10), 1) && !containsBox(a, box(-1, 0, 10, 10), 0.5), 'as far out as the slack');
  t.ok(containsPoint(a, 10, 10) && !holdsPoint(a, 10, 10), 'the edge belongs to one and not to the other');
  t.ok(holdsPoint(a, 10, 10, 0.1));
  t.ok(holdsMiddle(a, box(4, 4, 14, 14)) && !holdsMiddle(a, box(6, 6, 16, 16)));
  t.ok(!boxesOverlap(a, box(10, 0, 12, 5)) && boxesOverlap(a, box(10, 0, 12, 5), 0.1), 'boxes that touch do not overlap');
  t.equal(shareWithin(box(5, 0, 15, 10), a), 0.5);
  t.equal(shareWithin(box(5, 0, 5, 10), a), 0, 'nothing of nothing');
  t.end();
});

t.test('statistics leave their list as it is', (t) => {
  const values = [9, 1, 5, 3];
  t.equal(median(values), 5);
  t.equal(lowerMedian(values), 3);
  t.equal(quantile(values, 0.4), 3);
  t.equal(quantileInside(values, 1), 9);
  t.equal(quantileInside([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9), 9);
  t.equal(median([], 10), 10, 'of none the given value');
  t.equal(weightedMedian([{ value: 7, weight: 1 }, { value: 2, weight: 5 }]), 2);
  t.same(values, [9, 1, 5, 3]);
  t.equal(partitionPoint([1, 3, 3, 7], (value) => value < 3), 1);
  t.equal(partitionPoint([1, 3], () => true), 2);
  t.equal(partitionPoint([1, 3], () => false), 0);
  t.end();
});

t.test('rows by baseline', (t) => {
  const item = (left: number, baseline: number, size = 10) => ({ baseline, size, box: box(left, baseline - size, left + 5, baseline) });
  const tolerance = { ems: 0.3, of: 'own' } as const;
  const words = [item(20, 101), item(0, 100), item(40, 103), item(0, 106)];
  const rows = rowsByBaseline(fromTop(words), tolerance);
  t.same(rows.map((row) => fromLeft(row).map(({ box: { left } }) => left)), [[0, 20, 40], [0]], 'measured from the first item of the row, up to the tolerance itself');
  const steps = [item(0, 100), item(10, 102), item(20, 104), item(30, 106)];
  t.equal(rowsByBaseline(steps, tolerance).length, 2);
  t.equal(rowsByBaseline(steps, tolerance, lastOf).length, 1, 'or from the last one');
  t.ok(areLevel(item(0, 104, 20), item(0, 100), { ems: 0.3, of: 'own' }) && !areLevel(item(0, 104, 20), item(0, 100), { ems: 0.3, of: 'smaller' }) && areLevel(item(0, 104), item(0, 100, 20), { ems: 0.3, of: 'larger' }));
  t.same(rowsByBaseline([], tolerance), []);
  t.same(splitWhere([1, 2, 4, 5, 9], (open, value) => value - lastOf(open) > 1), [[1, 2], [4, 5], [9]]);
  t.equal(gapInEms({ right: 10, size: 10 }, { left: 30, size: 20 }), 1, 'in ems of the larger one');
  t.same(lineExtent({ baseline: 100, size: 10 }), { top: 100 - 0.74 * 10, bottom: 100 + 0.22 * 10 });
  t.equal(middleOfLetters({ baseline: 100, size: 10 }), 97);
  t.end();
});
