/** Numbers of lines between columns of running text, and of pages under a running head. */
import t from 'tap';
import { plainText } from '../../src/convert/structure/block.js';
import { findLineNumbers } from '../../src/convert/structure/line-numbers.js';
import { textOfPage } from '../../src/convert/structure/blocks-of-page.js';
import { structureDocument } from '../../src/convert/structure/structure.js';
import type { TextLine } from '../../src/convert/layout/text-line.js';
import { line, paragraph, sketch } from '../support/sketches.js';

const columns = [...paragraph(40, 100, 240, 26, 'hill'), ...paragraph(316, 100, 240, 26, 'valley')];
const numbers = (...values: number[]): TextLine[] => values.map((value, at) => line(296 - 2.5 * String(value).length, 160 + 60 * at, String(value)));
const found = (pieces: TextLine[]): string[] => findLineNumbers([textOfPage(sketch(0, pieces))]).map(({ text }) => text);

t.test('numbers of every fifth line between two columns are no part of the text', (t) => {
  const pieces = [...columns, ...numbers(5, 10, 15, 20)];
  t.same(found(pieces), ['5', '10', '15', '20']);
  const { blocks } = structureDocument([sketch(0, pieces)], [], false);
  t.same(blocks.flatMap((block) => (block.kind === 'text' && block.role === 'text' ? [plainText(block).split(' ')[0]] : [])), ['hill0', 'valley0']);
  t.same(found([...columns, ...numbers(5, 10, 15)]), [], 'three may be anything');
  t.same(found([...columns, ...numbers(5, 10, 15, 30)]), [], 'no count');
  t.same(found([...columns.filter(({ text }) => text.startsWith('hill')), ...numbers(5, 10, 15, 20)]), [], 'text on one side: a column of a table');
  t.same(found([...columns, ...numbers(5, 10, 15, 20), line(290, 190, 'km')]), [], 'something else in their strip');
  const odd = numbers(5, 10, 15, 20).map((piece, at) => ({ ...piece, baseline: piece.baseline + (at === 1 ? 30 : 0) }));
  t.same(found([...columns, ...odd]), [], 'here near, there far');
  t.end();
});

t.test('the numbers of columns below a bold head are furniture, too', (t) => {
  const { blocks } = structureDocument([sketch(0, [line(40, 56, 'US 11,987,654 B2', { bold: true }), line(160, 66, '1'), line(436, 66, '2'), ...columns])], [], false);
  t.same(blocks.flatMap((block) => (block.kind === 'text' && /^\d$/.test(plainText(block)) ? [block.role] : [])), ['page_header', 'page_header']);
  t.end();
});
