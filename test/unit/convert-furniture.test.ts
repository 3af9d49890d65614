/** What differs from page to page, is there twice, or is all that a page says, is no running head. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { plainText } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

/** Of all that is no furniture. */
function textOf(pages: PageStructure[]): string {
  return structureDocument(pages, [], false).blocks.map((block) => (block.kind === 'text' && !/^page_/.test(block.role) ? plainText(block) : '')).join('\n');
}

const oneOf = (index: number): string => ['oak', 'elm', 'ash', 'fir'][index]!;

t.test('facts that differ from page to page are no running heads: invoices bound together', (t) => {
  const pages = (head: (index: number) => TextLine[]): string => textOf([0, 1, 2, 3].map((index) => pageStructure(index, [...head(index), ...paragraph(50, 120, 480, 30, oneOf(index))])));
  const invoice = (index: number): TextLine[] => [line(50, 40, 'Harbour Lights Ltd'), line(50, 54, `Invoice no. ${20931 + 17 * index}`), line(50, 68, `Date: ${4 + 3 * index} June 2024`)];
  for (const index of [0, 1, 2, 3]) for (const text of [`Invoice no. ${20931 + 17 * index}`, `Date: ${4 + 3 * index} June 2024`]) t.match(pages(invoice), text);
  t.notMatch(pages((index) => [line(50, 40, 'Harbour Lights Ltd'), line(50, 54, `Report: sheet ${index + 1} of 4`)]), 'sheet', 'numbers of pages');
  t.notMatch(pages((index) => [line(50, 40, `${[12, 47, 48, 124][index]!}   Access Control for Harbours`, { size: 8 })]), 'Access', 'of a sample, too');
  t.notMatch(pages(() => [line(50, 40, 'Invoice no. 20931', { size: 8 })]), '20931', 'one number on all pages is one invoice');
  t.end();
});

t.test('a copy of a page makes nothing of it a running head', (t) => {
  const copy = (index: number, word = 'oak'): PageStructure => pageStructure(index, [line(50, 60, 'Tenancy agreement'), line(50, 90, 'between Anna Berg and Carl Dorn of Mill Lane'), ...paragraph(50, 130, 480, 12, word), line(50, 760, 'Signed in two copies')]);
  t.equal(textOf([copy(0), copy(1)]).match(/Anna Berg/g)?.length, 2);
  t.end();
});

t.test('of a page that says nothing else what stands at its edge is text', (t) => {
  const text = (index: number): PageStructure => pageStructure(index, paragraph(50, 80, 480, 40, oneOf(index)));
  const among = (page: PageStructure): string => textOf([text(0), page, text(2)]);
  t.match(among(pageStructure(1, [line(50, 30, 'Annex B of the harbour plan')])), 'Annex B');
  t.match(among(pageStructure(1, [line(20, 500, 'Written on the side', { angle: 90 })])), 'Written');
  t.notMatch(among(pageStructure(1, [line(300, 780, '2')])), /^2$/m, 'a number is its page');
  t.end();
});

t.test('what all letters of a series begin with is text', (t) => {
  const letter = (index: number): PageStructure => pageStructure(index, [...paragraph(50, 60, 480, 3, 'series'), line(50, 120, `You owe ${oneOf(index)} and ${oneOf(3 - index)}.`), ...paragraph(50, 150, 480, 20, oneOf(index))]);
  t.equal(textOf([0, 1, 2, 3].map(letter)).match(/series0/g)?.length, 4 * textOf([letter(0)]).match(/series0/g)!.length);
  t.end();
});

t.test('what opens passages at any height of a page is text where some of them share a height', (t) => {
  const heights = [690, 700, 708, 735, 700, 683, 715, 700, 754, 692, 745, 725];
  const pages = heights.map((y, index) => pageStructure(index, [line(50, 30, 'Geometry of harbours', { size: 8 }), ...paragraph(50, 60, 480, Math.floor((y - 62) / 12), `${oneOf(index % 4)}${'abcdefghijkl'[index]!}`), line(50, y, `Remark ${index + 3}`), line(50, y + 12, `Let ${oneOf((index + 1) % 4)} be a tree of harbour ${'abcdefghijkl'[index]!}, which`)]));
  t.equal(textOf(pages).match(/Remark \d+/g)?.length, heights.length);
  t.notMatch(textOf(pages), 'Geometry of harbours');
  t.end();
});
