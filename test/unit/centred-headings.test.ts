/** Headings as large as the text, centred over it in a face of their own. */
import t from 'tap';
import { plainText } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const middle = (40 + Math.max(...paragraph(40, 0, 500, 4, 'hill').map(({ box }) => box.right))) / 2;
const centred = (baseline: number, text: string, style: Partial<TextLine> = {}): TextLine => {
  const { left, right } = line(0, baseline, text, style).box;
  return line(middle - (right - left) / 2, baseline, text, style);
};
/** The lines, each over running text. */
const over = (...lines: ((baseline: number) => TextLine)[]): TextLine[] => lines.flatMap((head, at) => [head(100 + 90 * at), ...paragraph(40, 116 + 90 * at, 500, 4, 'hill')]);
const headings = (pieces: TextLine[]): string[] => structureDocument([pageStructure(0, [...paragraph(40, 60, 500, 2), ...pieces])], [], false).blocks.flatMap((block) => (block.kind === 'text' && block.role === 'heading' ? [plainText(block)] : []));
const small = { font: 'SmallCaps' };

t.test('centred lines in another face over running text are headings where there are several', (t) => {
  const heads = [(y: number): TextLine => centred(y, 'The estimate', small), (y: number): TextLine => centred(y, 'Acknowledgements', small)];
  t.same(headings(over(...heads)), ['The estimate', 'Acknowledgements']);
  t.same(headings(over(heads[0]!)), [], 'one may be a name');
  t.same(headings(over(...heads.map((head) => (y: number) => ({ ...head(y), font: 'Body' })))), [], 'in the face of the text');
  t.same(headings(over(...heads.map((head) => (y: number) => line(40, y, head(y).text, small)))), [], 'at its edge');
  t.same(headings(over((y) => centred(y, 'We remark that,', small), (y) => centred(y, 'and conclude that,', small))), [], 'parts of sentences');
  t.same(headings([centred(100, 'The hill', small), centred(130, 'The mill', small), ...paragraph(40, 150, 500, 4)]), [], 'lines of verse, of which one stands over text');
  t.end();
});
