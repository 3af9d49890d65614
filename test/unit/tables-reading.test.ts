import t from 'tap';
import type { TableCell } from '../../src/convert/page/found-table.js';
import { isBetter, type Reading, seemsTable } from '../../src/convert/decide/geometry-or-network-cells.js';
import { PageMaker } from '../support/made-page.js';

/** A reading of texts at columns 100 points apart, of whose cells the network holds this share for wrong. */
function readingOf(rows: string[][], wrong: number, columnHeader = true): Reading {
  const cells = rows.flatMap((texts, row) => texts.map((text, column): TableCell => {
    const made = new PageMaker();
    if (text !== '') made.text(50 + 100 * column, 100 + 18 * row, text);
    const box = { left: 50 + 100 * column, top: 90 + 18 * row, right: 150 + 100 * column, bottom: 108 + 18 * row };
    return { row, column, rowSpan: 1, columnSpan: 1, columnHeader: columnHeader && row === 0, rowHeader: false, words: made.words, box };
  }));
  return { box: { left: 0, top: 0, right: 600, bottom: 800 }, rowCount: rows.length, columnCount: rows[0]?.length ?? 0, cells, evidence: 'unruled', confidence: 1, certainty: Math.exp(-wrong) };
}

const rows = [['Country', 'Rule', 'Year'], ['France', 'None', '1994'], ['Spain', 'Some', '1995'], ['Italy', 'None', '1996'], ['Malta', 'Some', '1997']];
/** A text that goes on in a row of its own is two doubts. */
const torn = [...rows.slice(0, 2), ['', 'with a word behind', ''], ...rows.slice(2)];

t.test('its cells are taken where they leave fewer doubts than geometry\'s, or as few and it is sure of them', (t) => {
  t.equal(isBetter(readingOf(rows, 0.1), 0), true, 'as few, and sure');
  t.equal(isBetter(readingOf(rows, 0.2), 0), false, 'as few, and unsure');
  t.equal(isBetter(readingOf(rows, 0.2), 0.1), true, 'fewer, and unsure');
  t.equal(isBetter(readingOf(torn, 0), 0), false, 'more, and sure');
  t.equal(isBetter(readingOf(torn, 0), 2 / 16 - 0.005), true, 'one in two hundred cells more is about as few');
  t.end();
});

t.test('what it reads seems a table by its rows, its head and how sure it is, and none by labels, marks and captions', (t) => {
  t.equal(seemsTable(readingOf(rows, 0.1)), true);
  t.equal(seemsTable(readingOf(rows, 0.8)), false, 'unsure');
  t.equal(seemsTable(readingOf(rows.slice(0, 2), 0.1, false)), false, 'two rows without a head');
  t.equal(seemsTable(readingOf(rows.map(([name, ...rest]) => [`${name}:`, ...rest.map((text) => `${text}:`)]), 0.1)), false, 'a form');
  t.equal(seemsTable(readingOf(rows.map(([, ...rest]) => ['•', ...rest]), 0.1, false)), false, 'a list');
  t.equal(seemsTable(readingOf([...rows.slice(0, 4), ['Figure 3', 'None', '1997']], 0.1)), false, 'a chart');
  t.end();
});
