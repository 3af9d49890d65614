/** Where lists end, and lines that are items or lines though no mark says so. */
import t from 'tap';
import { plainText } from '../../src/convert/structure/block.js';
import type { Block } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure.js';
import type { TextLine } from '../../src/convert/layout/text-line.js';
import { line, paragraph, sketch } from '../support/sketches.js';

const text = (pieces: TextLine[]): Block[] => structureDocument([sketch(0, pieces)], [], false).blocks;
const beginsOf = (blocks: Block[]): string[] => blocks.flatMap((block) => (block.kind === 'text' ? [plainText(block).split(' ')[0]!] : []));

t.test('text below a list is none of its last item', (t) => {
  const items = ['• Cart with two horses', '• Cattle, a penny a head', '• Clergy and midwives'].map((words, at) => line(40, 200 + 12 * at, words));
  t.same(beginsOf(text([...paragraph(40, 100, 500, 6), ...items, ...paragraph(40, 236, 500, 2, 'Bells')])).slice(-2), ['•', 'Bells0']);
  t.end();
});
