/** Levels of headings where capitals make the difference: a title in mixed case does not stand below sections in capitals of its own size. */
import t from 'tap';
import { plainText } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const head = { size: 13, bold: true, font: 'Sans-Bold' };
/** Headings, each over running text. */
const over = (...heads: [string, Partial<TextLine>?][]): TextLine[] =>
  heads.flatMap(([text, style = head], at) => [line(50, 60 + 90 * at, text, style), ...paragraph(50, 80 + 90 * at, 480, 4, `${'abcdefgh'[at]!}a`)]);
const levels = (pieces: TextLine[]): [string, number][] => structureDocument([pageStructure(0, pieces)], [], false).blocks
  .flatMap((block): [string, number][] => (block.kind === 'text' && block.role === 'heading' ? [[plainText(block), block.level]] : []));

t.test('the first heading is the title, though sections in capitals look heavier', (t) => {
  t.same(levels(over(['Harbour Dues in the North'], ['SUMMARY'], ['1 TONNAGE'], ['2 PILOTS'], ['Dues of Pilots'], ['SOURCES'])), [
    ['Harbour Dues in the North', 0], ['SUMMARY', 1], ['1 TONNAGE', 1], ['2 PILOTS', 1], ['Dues of Pilots', 2], ['SOURCES', 1],
  ]);
  t.end();
});

t.test('sections that are larger, or that stand over text of their own before it, keep their place', (t) => {
  const larger = { ...head, size: 16 };
  t.same(levels(over(['Dues of Pilots'], ['TONNAGE', larger], ['Ships'], ['SOURCES', larger])).map(([, level]) => level), [2, 1, 2, 1], 'a larger face is heavier by itself');
  t.same(levels([...paragraph(50, 20, 480, 2, 'xx'), ...over(['Dues of Pilots'], ['TONNAGE'], ['SOURCES'], ['Ships'])]).map(([, level]) => level), [2, 1, 1, 2], 'text before it: a page of a longer document');
  t.end();
});
