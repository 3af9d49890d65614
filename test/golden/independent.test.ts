/**
 * Documents of independent writers (pandoc, LibreOffice, Python libraries), whose truth is the source: every word once and in its order, every table a grid of its own. They are made by
 * test/fixtures/independent/make.py in an ignored folder; without it the test is skipped.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { detectFormat } from '../../src/convert/input/input-format.js';
import { gridOf } from '../../src/document/table-grid.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import { findFormat } from '../../src/formats/index.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { readFormat } from '../support/read-format.js';

interface Truth {
  /** In their order. */
  words: string[];
  /** Notes: anywhere. */
  aside: string[];
  tables: string[][][];
}

const directory = process.env['LECTERN_INDEPENDENT'] ?? join(packageRoot(), 'scratch/independent');
/** A word of the truth ends with its number, which no other has. */
const madeWord = /[\p{L}\p{M}]+\d+/gu;
/** Words of whole numbers alone, as cells of sheets have them. */
const number = /^\d+$/;
const only = process.env['LECTERN_INDEPENDENT_ONLY'];
/** What a format or its writer cannot keep, by the folder's beginning: its tables are no tables there. */
const withoutTables = /^(?:fb2|man|ics|vcf|mbox|eml|textile)-/;

/** RTF has rows and no tables: of two tables without a paragraph between them, as pandoc writes them, the rows are one table. Compared are the rows, without empty cells behind the last. */
const tablesTouch = /^rtf-pandoc$/;
const asOneTable = (tables: string[][][]): string[][][] => (tables.length === 0 ? [] : [tables.flat().map((row) => row.slice(0, row.findLastIndex((cell) => cell !== '') + 1))]);

function repeated(words: string[]): string[] {
  const seen = new Set<string>();
  return words.filter((word) => seen.has(word) || !seen.add(word));
}

/** The first word that stands before one that it should follow. */
function misplaced(wanted: string[], found: string[]): string | undefined {
  const places = new Map(found.map((word, index) => [word, index]));
  let last = -1;
  for (const word of wanted) {
    const place = places.get(word) ?? last;
    if (place < last) return word;
    last = place;
  }
  return undefined;
}

function check(truth: Truth, markdown: string, grids: string[][][]): string[] {
  const plain = markdown.replace(/<!--[^]*?-->|<[^>\s][^>]*>|\]\([^)\s]*\)/g, ' ').replace(/\\(?=[!-/:-@[-`{-~])/g, '').replace(/\*\*|~~|\*/g, '').normalize('NFC');
  const found = plain.match(madeWord) ?? [];
  const wanted = truth.words.filter((word) => !number.test(word)).map((word) => word.normalize('NFC'));
  // A word all in script characters is one of the source, too; marks of notes behind a word are none of it.
  const known = new Set([...found, ...plain.normalize('NFKC').match(madeWord) ?? []]);
  const faults = [...wanted, ...truth.aside.map((word) => word.normalize('NFC'))].filter((word) => !known.has(word)).map((word) => `lost ${word}`);
  faults.push(...repeated(found).map((word) => `twice ${word}`));
  const first = misplaced(wanted, found);
  if (first !== undefined) faults.push(`out of order: ${first}`);
  const left = new Set(grids.map((grid) => JSON.stringify(grid)));
  for (const table of truth.tables) if (!left.delete(JSON.stringify(table.map((row) => row.map((cell) => cell.normalize('NFC')))))) faults.push(`no table ${JSON.stringify(table).slice(0, 200)}`);
  return faults;
}

const families = existsSync(directory) ? readdirSync(directory).filter((name) => only === undefined || name.startsWith(only)) : [];
if (families.length === 0) t.test('documents of independent writers', { skip: 'test/fixtures/independent/make.py has made nothing here' }, () => undefined);

for (const family of families) {
  const names = readdirSync(join(directory, family)).filter((name) => existsSync(join(directory, family, `${name}.truth.json`)));
  t.test(`${family}: ${names.length} documents`, async (t) => {
    for (const name of names) {
      const bytes = readFileSync(join(directory, family, name));
      const { name: format } = detectFormat(bytes, name);
      if (await findFormat(format)?.load() === null) {
        t.comment(`${family}: ${findFormat(format)?.needs ?? ''} is not installed`);
        break;
      }
      const { document, losses } = await readFormat(format, bytes, name);
      const truth = JSON.parse(readFileSync(join(directory, family, `${name}.truth.json`), 'utf8')) as Truth;
      const grids = document.tables.map(({ data }) => gridOf(data).map((row) => row.map((cell) => (cell?.text ?? '').replace(/\s+/g, ' ').normalize('NFC'))));
      t.same(losses, [], name);
      const tables = withoutTables.test(family) ? [] : tablesTouch.test(family) ? asOneTable(truth.tables) : truth.tables;
      t.same(check({ ...truth, tables }, [...writeMarkdown(document, { keepFurniture: true })].join(''), tablesTouch.test(family) ? asOneTable(grids) : grids), [], name);
    }
  });
}
