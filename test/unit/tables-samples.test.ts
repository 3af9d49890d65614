import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findTables } from '../../src/convert/tables/index.js';
import { openPdf } from '../../src/pdf/index.js';
import { sharedPath } from '../support/shared.js';

/** Rows and columns of each table in a truth's markdown. */
function shapesOf(markdown: string): string[] {
  return [...markdown.matchAll(/<table.*?<\/table>/gs)].map(([table]) => {
    const rows = table.match(/<tr/g)?.length ?? 0;
    const first = /<tr.*?<\/tr>/s.exec(table)?.[0] ?? '';
    const columns = [...first.matchAll(/<t[dh]([^>]*)>/g)].reduce((sum, [, attributes]) => sum + Number(/colspan="(\d+)"/.exec(attributes ?? '')?.[1] ?? 1), 0);
    return `${rows}x${columns}`;
  });
}

/** Share of the truth's tables that are found with as many rows and columns, how many are found where there is none, and words in two cells. */
async function measure(folder: string, ending: string): Promise<{ share: number; count: number; surplus: number; twice: number }> {
  let [hits, count, surplus, twice] = [0, 0, 0, 0];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.pdf'))) {
    const truth = shapesOf(readFileSync(join(folder, file.replace(/\.pdf$/, ending)), 'utf8'));
    const document = await openPdf(readFileSync(join(folder, file)));
    const found: string[] = [];
    for (let index = 0; index < document.pageCount; index++) {
      const tables = findTables(document.readPage(index), { doTableStructure: true });
      const words = tables.flatMap((table) => table.cells.flatMap((cell) => cell.words));
      twice += words.length - new Set(words).size;
      found.push(...tables.map((table) => `${table.rowCount}x${table.columnCount}`));
    }
    document.close();
    count += truth.length;
    if (truth.length === 0) surplus += found.length;
    for (const shape of truth) {
      const at = found.indexOf(shape);
      if (at < 0) continue;
      found.splice(at, 1);
      hits++;
    }
  }
  return { share: hits / count, count, surplus, twice };
}

for (const [name, ending, least] of [['replica', '.body.md', 0.9], ['styled', '.md', 0.82]] as const) {
  t.test(`tables of the ${name} samples have the truth's rows and columns`, async (t) => {
    const folder = sharedPath(`samples/${name}`);
    if (folder === null) return;
    const { share, count, surplus, twice } = await measure(folder, ending);
    t.comment(`${Math.round(share * count)} of ${count} tables`);
    t.ok(count >= 13, 'there are tables to hold the code against');
    t.ok(share >= least, `${share.toFixed(2)} of the tables have the right shape`);
    t.equal(surplus, 0, 'no table where the truth has none');
    t.equal(twice, 0, 'no word in two cells');
  });
}
