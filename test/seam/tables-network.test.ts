import t from 'tap';
import { defaultConvertOptions } from '../../src/convert/options.js';
import { tableByNetwork } from '../../src/convert/tables/network/cells-of-table.js';
import { findTables, shippedCellFinder, tableWords } from '../../src/convert/tables/index.js';
import { openEngine } from '../../src/engine/engine.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { PageMaker } from '../support/made-page.js';

t.test('the network that ships finds rows and columns of a table without rules, the same ones every time', async (t) => {
  const engine = openEngine();
  t.teardown(() => engine.close());
  const made = new PageMaker();
  const right = { align: 'right' } as const;
  made.row(100, [50, 260, 350, 440], ['Region', 'Sales', 'Costs', 'Share'], [{ bold: true }, { ...right, bold: true }, { ...right, bold: true }, { ...right, bold: true }]);
  for (let row = 0; row < 6; row++) made.row(118 + 16 * row, [50, 260, 350, 440], [`District ${'north south east west inner outer'.split(' ')[row]}`, `${1250 + row * 317}`, `${980 + row * 21}`, `${(row + 1) * 7}%`], [{}, right, right, right]);
  const page = made.page();
  const find = shippedCellFinder(() => engine, shippedModelsDirectory())!;
  const [table] = findTables(page, defaultConvertOptions);
  const { signal } = new AbortController();
  const read = await tableByNetwork(table!, page, find, signal);
  t.match(read, { rowCount: 7, columnCount: 4 });
  t.equal(tableWords([read!]).size, page.words.length);
  t.equal(read!.cells.find(({ row, column }) => row === 3 && column === 0)?.words.map(({ text }) => text).join(' '), 'District east');
  t.strictSame(await tableByNetwork(table!, page, find, signal), read);
  t.equal(shippedCellFinder(() => engine, t.testdir()), null, 'none is there');
  await t.rejects(find({ data: new Uint8Array(4 * 3 * 3), width: 3, height: 3, stride: 12 }, AbortSignal.abort()), { code: 'cancelled' });
});
