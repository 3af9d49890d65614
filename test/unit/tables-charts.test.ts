/** A chart's grid is no table's: bars stand across its lines, curves run over it. */
import t from 'tap';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import { withoutCharts } from '../../src/convert/decide/charts.js';
import { findTables } from '../../src/convert/tables/index.js';
import { PageMaker } from '../support/made-page.js';

function grid(): PageMaker {
  const made = new PageMaker();
  for (let row = 0; row <= 5; row++) made.horizontal(100 + 30 * row, 60, 300);
  for (let column = 0; column <= 4; column++) made.vertical(60 + 60 * column, 100, 250);
  for (let row = 0; row < 5; row++) for (let column = 0; column < 4; column++) made.text(70 + 60 * column, 118 + 30 * row, String(12 + 7 * row + column), {});
  return made;
}

t.test('bars and curves over the lines', (t) => {
  const kept = (mark: (made: PageMaker) => void, drawings: { left: number; top: number; right: number; bottom: number }[] = []): FoundTable[] => {
    const made = grid();
    mark(made);
    const page = { ...made.page(), drawings };
    return withoutCharts(findTables(grid().page(), { doTableStructure: true }), page);
  };
  t.equal(kept(() => undefined).length, 1, 'a grid of values is a table');
  t.equal(kept((made) => [0, 1, 2].forEach((bar) => made.shade(80 + 60 * bar, 112 + 37 * bar, 100 + 60 * bar, 250, 0x3366cc))).length, 0, 'bars');
  t.equal(kept((made) => [0, 1].forEach((row) => made.shade(60, 100 + 60 * row, 300, 130 + 60 * row, 0xdddddd))).length, 1, 'stripes');
  t.equal(kept((made) => made.shade(60, 100, 120, 250, 0xdddddd)).length, 1, 'the ground of a column');
  t.equal(kept((made) => [0, 1, 2].forEach((row) => made.shade(64, 105 + 30 * row, 84 + 10 * row, 125 + 30 * row, 0x3366cc))).length, 1, 'a bar in each cell');
  t.equal(kept(() => undefined, [{ left: 70, top: 110, right: 290, bottom: 240 }]).length, 0, 'a curve over all of it');
  t.equal(kept(() => undefined, [{ left: 70, top: 105, right: 100, bottom: 125 }]).length, 1, 'a sign in a cell');
  t.end();
});
