/** What stands between columns of text and is none of it: numbers of lines, lines made of signs; and numbers of pages under a running head. */
import t from 'tap';
import { plainText } from '../../src/convert/structure/block.js';
import { findLineNumbers } from '../../src/convert/structure/line-numbers.js';
import { findSignRules } from '../../src/convert/structure/character-rules.js';
import { linesOfPage } from '../../src/convert/structure/blocks-of-page.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const columns = [...paragraph(40, 100, 240, 26, 'hill'), ...paragraph(316, 100, 240, 26, 'valley')];
const numbers = (...values: number[]): TextLine[] => values.map((value, at) => line(296 - 2.5 * String(value).length, 160 + 60 * at, String(value)));
const found = (pieces: TextLine[]): string[] => findLineNumbers([linesOfPage(pageStructure(0, pieces))]).map(({ text }) => text);

t.test('numbers of every fifth line between two columns are no part of the text', (t) => {
  const pieces = [...columns, ...numbers(5, 10, 15, 20)];
  t.same(found(pieces), ['5', '10', '15', '20']);
  const { blocks } = structureDocument([pageStructure(0, pieces)], [], false);
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
  const { blocks } = structureDocument([pageStructure(0, [line(40, 56, 'US 11,987,654 B2', { bold: true }), line(160, 66, '1'), line(436, 66, '2'), ...columns])], [], false);
  t.same(blocks.flatMap((block) => (block.kind === 'text' && /^\d$/.test(plainText(block)) ? [block.role] : [])), ['page_header', 'page_header']);
  t.end();
});

t.test('brackets below one another between the parties of a case are a line', (t) => {
  const parties = ['MERIDIAN BIOTECH, INC.,', 'Petitioner,', 'v.', 'BOARD OF PHARMACY,', 'Respondent.'].map((text, at) => line(79, 160 + 19 * at, text));
  const brackets = parties.map(({ baseline }) => line(298, baseline, ')'));
  const page = (signs: TextLine[]): string => structureDocument([pageStructure(0, [...parties, ...signs, line(317, 160, 'Case No. 24-0317'), line(317, 179, 'Argued: March 4, 2026'), line(317, 198, 'Decided: June 17, 2026'), ...paragraph(77, 300, 450, 8, 'court')])], [], false)
    .blocks.map((block) => (block.kind === 'text' && block.role === 'text' ? plainText(block) : '')).join(' ');
  t.notMatch(page(brackets), ')');
  t.match(page(brackets), /Respondent\..*Case No/);
  t.match(page(brackets.slice(0, 3)), ')', 'three may be anything');
  t.end();
});

t.test('colons of a form are text, as are bars of a listing and brackets of boxes to tick', (t) => {
  const names = ['Name', 'Birth', 'Work', 'Wife', 'Sons'].map((text, at) => line(60, 160 + 19 * at, text));
  const signs = (text: string, left: number, style = {}): TextLine[] => names.map(({ baseline }) => line(left, baseline, text, style));
  const rules = (...pieces: TextLine[]): number => findSignRules([{ ...linesOfPage(pageStructure(0, columns)), outside: [...names, ...pieces] }]).length;
  t.equal(rules(...signs(':', 100), ...signs('as the book of the parish says', 115)), 0);
  t.equal(rules(...signs('|', 200, { monospace: true })), 0);
  t.equal(rules(...signs('(', 180), ...signs(')', 200)), 0);
  t.equal(rules(...signs('§', 200)), 5, 'nothing at their right');
  t.end();
});

t.test('a page of numbers without end is not gone through', (t) => {
  const page = linesOfPage(pageStructure(0, [...columns, ...numbers(5, 10, 15, 20)]));
  const many = Array.from({ length: 12_000 }, (_, at) => line((2.1 * at) % 590, 1.2 * Math.floor(at / 280), String(5 * (at % 199))));
  const started = performance.now();
  t.same(findLineNumbers([{ ...page, outside: [...page.outside, ...many] }]), []);
  t.ok(performance.now() - started < 300, `${performance.now() - started}`);
  t.end();
});
