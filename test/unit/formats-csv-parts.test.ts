/** Tables that are too large for one: several tables with one header, each of whose cells are made when they are asked for. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { writeMarkdown } from '../../src/document/markdown.js';
import { DocumentBuilder } from '../../src/document/builder.js';
import type { DoclingDocument } from '../../src/document/model.js';
import { addCsvParts } from '../../src/formats/csv-chunks.js';
import type { ReadOptions } from '../../src/formats/index.js';
import { readFormat } from '../support/read-format.js';

const controller = new AbortController();
let signs = 0;
const options: ReadOptions = { filename: 'a.csv', mimetype: 'text/csv', sha256: '0'.repeat(64), password: null, pageRange: [1, 1], keepNotes: false, signal: controller.signal, alive: () => { signs++; } };

function inParts(source: string | Uint8Array, named: string | null = null): { document: DoclingDocument; remarks: string[] } {
  const builder = new DocumentBuilder({ name: 'a', coordOrigin: 'TOPLEFT' });
  return { remarks: addCsvParts(builder, typeof source === 'string' ? Buffer.from(source) : source, named, options), document: builder.document };
}

t.test('every row once, in its order, below the header', (t) => {
  const rows = Array.from({ length: 40_000 }, (_, index) => `${index},"pump, ${index}",${index % 7 === 0 ? '"two\nlines ""said"""' : 'x'}`);
  const { document, remarks } = inParts(`id,name,note\r\n${rows.join('\r\n')}\r\n\r\n`);
  t.match(remarks, [/^The table has more cells than one table may hold: it is given as 3 tables of at most 16,666 rows/]);
  let next = 0;
  for (const { data } of document.tables) {
    t.equal(data.num_cols, 3);
    t.ok(data.num_rows <= 16_667);
    t.same(data.table_cells.slice(0, 3).map(({ text, column_header: isHeader }) => [text, isHeader]), [['id', true], ['name', true], ['note', true]]);
    for (let at = 3; at < data.table_cells.length; at += 3, next++) {
      const found = data.table_cells.slice(at, at + 3).map(({ text }) => text);
      if (found[0] !== String(next) || found[1] !== `pump, ${next}` || found[2] !== (next % 7 === 0 ? 'two\nlines "said"' : 'x')) throw new Error(`row ${next}: ${found.join('|')}`);
    }
  }
  t.equal(next, 40_000);
  t.ok(signs >= 3, 'each part is a sign of life');
  t.end();
});

t.test('a part is made anew after another was asked for, and is the same', (t) => {
  const { document } = inParts(`a;b\n${Array.from({ length: 40_000 }, (_, index) => `${index};\u00e4`).join('\n')}`);
  const [first, second] = document.tables;
  const before = first?.data;
  t.equal(first?.data, before, 'while it is the last one, it is kept');
  t.ok((second?.data.table_cells.length ?? 0) > 0);
  t.not(first?.data, before);
  t.equal(JSON.stringify(first?.data), JSON.stringify(before));
  const markdown = [...writeMarkdown(document, { compactTables: true })].join('');
  t.equal(markdown.match(/^\| a \| b \|$/gm)?.length, document.tables.length);
  t.equal(markdown.match(/\u00e4/g)?.length, 40_000);
  t.end();
});

t.test('encodings, stated separators, tabs, damaged quotes', (t) => {
  const line = 'Gr\u00fc\u00dfe;M\u00e4rz';
  const western = inParts(Buffer.from(`sep=;\na;b\n${`${'plain;words\n'.repeat(30_000)}${line}\n`}`, 'latin1'));
  t.match(western.remarks, [/does not name its encoding/, /tables/]);
  t.same(western.document.tables.at(-1)?.data.table_cells.slice(-2).map(({ text }) => text), ['Gr\u00fc\u00dfe', 'M\u00e4rz']);
  t.same(inParts('a,b\tc\n1,2\t3\n', '\t').document.tables[0]?.data.table_cells.map(({ text }) => text), ['a,b', 'c', '1,2', '3']);
  t.throws(() => inParts(Buffer.from(`a;b\n${'1;2\n'.repeat(2000)}`, 'utf16le')), { code: 'too_large', message: /UTF-16/ });
  t.ok(inParts(`a,b\n"never closed,1\n${'1,2\n'.repeat(100)}`).document.tables[0]?.data);
  t.equal(inParts('').document.tables.length, 0);
  t.end();
});

t.test('by the reader: more cells than one table may hold', async (t) => {
  const { document, losses, remarks } = await readFormat('csv', `${`${','.repeat(999)}\n`.repeat(2001)}`);
  t.same(losses, []);
  t.match(remarks, [/it is given as 40 tables/]);
  t.equal(document.tables.length, 40);
});

t.test('a row that is much wider than others widens no more than its own part', (t) => {
  const { document } = inParts(`a,b\n${'x,y\n'.repeat(4000)}${'z,'.repeat(3999)}z\n${'x,y\n'.repeat(10)}`);
  const sizes = document.tables.map(({ data }) => [data.num_rows, data.num_cols]);
  t.same(sizes.map(([, columns]) => columns), [2, 4000]);
  t.equal(sizes.reduce((sum, [rows = 0]) => sum + rows - 1, 0), 4011, 'no row is lost');
  t.throws(() => inParts(`${'a,'.repeat(60_000)}a\n${'x\n'.repeat(20_000)}`), { code: 'too_large' }, 'a header that is repeated too often');
  t.throws(() => inParts(`a,b\n${'z,'.repeat(1_500_000)}z\n`).document.tables.map(({ data }) => data.num_cols), { code: 'too_large' }, 'one row of too many cells');
  t.end();
});

t.test('a mark of the encoding is none of the header', (t) => {
  const { document } = inParts(`\ufeff"na\nme",b\n${'x,y\n'.repeat(10)}`);
  t.same(document.tables[0]?.data.table_cells.slice(0, 2).map(({ text }) => text), ['na\nme', 'b']);
  t.end();
});

t.test('memory does not grow with the number of rows, and a cancellation ends it', (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const row = `${'1234567,'.repeat(9)}north\n`;
  const { document } = inParts(`${'name,'.repeat(9)}pier\n${row.repeat(60_000)}`);
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const [first] = document.tables;
  t.ok(first?.data);
  const before = used();
  for (const { data } of document.tables) if (data.num_rows === 0) t.fail('no rows');
  t.ok(used() - before < 25, 'one part is kept at a time');
  controller.abort();
  t.throws(() => first?.data, { code: 'cancelled' });
  t.end();
});
