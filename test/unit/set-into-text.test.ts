/** Sentences that go on around what a page sets into them. */
import t from 'tap';
import { linesOf, plainText } from '../../src/convert/structure/block.js';
import type { Block } from '../../src/convert/structure/block.js';
import { textPanels } from '../../src/convert/layout/panels.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const beginsOf = (blocks: Block[]): string[] => blocks.flatMap((block) => (block.kind === 'text' ? [plainText(block).split(' ')[0]!] : []));
const text = (pieces: TextLine[], panels: { left: number; right: number; top: number; bottom: number }[] = []): Block[] => structureDocument([pageStructure(0, pieces, { panels })], [], false).blocks;
/** Running text whose last line is as full as the others. */
const open = (...given: Parameters<typeof paragraph>): TextLine[] => {
  const [left, baseline, width, count, word, style] = given;
  return paragraph(left, baseline, width, count + 1, word, style).slice(0, count);
};

t.test('a sentence beside a box goes on below it, the box stands behind the paragraph', (t) => {
  const box = [line(360, 112, 'In short', { bold: true }), ...paragraph(360, 124, 180, 3, 'shortly')];
  const pieces = [...open(40, 100, 300, 5, 'hill'), ...box, ...paragraph(40, 160, 500, 3, 'valley'), ...paragraph(40, 220, 500, 8, 'after')];
  const blocks = text(pieces);
  t.same(beginsOf(blocks), ['hill0', 'In', 'shortly0', 'after0']);
  t.equal(linesOf(blocks[0]! as Block & { kind: 'text' }).length, 8);
  const apart = pieces.map((piece) => (piece.text.startsWith('valley') ? { ...piece, baseline: piece.baseline + 20, box: { ...piece.box, top: piece.box.top + 20, bottom: piece.box.bottom + 20 } } : piece));
  t.same(beginsOf(text(apart)).filter((word) => word === 'valley0'), ['valley0'], 'white between them');
  t.end();
});

t.test('beside a box at the left it goes on farther out', (t) => {
  const box = [line(40, 112, 'In short', { bold: true }), ...paragraph(40, 124, 180, 3, 'shortly')];
  const blocks = text([...open(240, 100, 300, 5, 'hill'), ...box, ...paragraph(40, 160, 500, 3, 'valley'), ...paragraph(40, 220, 500, 8, 'after')]);
  t.ok(beginsOf(blocks).includes('hill0'));
  t.notOk(beginsOf(blocks).includes('valley0'), beginsOf(blocks).join(' '));
  t.end();
});

t.test('a box with a title amid a column parts no sentence, a program that it speaks of does', (t) => {
  const panel = { left: 36, right: 544, top: 140, bottom: 200 };
  const box = [line(44, 156, 'Fares in winter', { bold: true }), ...paragraph(44, 172, 480, 2, 'penny')];
  const pieces = [...open(40, 100, 500, 3, 'hill'), ...box, ...paragraph(40, 220, 500, 3, 'valley')];
  t.same(beginsOf(text(pieces, [panel])), ['hill0', 'Fares', 'penny0']);
  t.same(beginsOf(text(pieces)), ['hill0', 'Fares', 'penny0', 'valley0'], 'without the ground there is no box');
  const program = [0, 1, 2].map((at) => line(44, 156 + 12 * at, `call(${at});`, { monospace: true, font: 'Mono' }));
  t.same(beginsOf(text([...pieces.slice(0, 3), ...program, ...pieces.slice(-3)], [panel])).at(-1), 'valley0');
  t.end();
});

t.test('words in larger or smaller letters over the text of one column part it', (t) => {
  const pieces = (size: number): TextLine[] => [...open(40, 100, 500, 3, 'hill'), line(60, 150, 'We crossed at night so that nobody saw us', { size, italic: true }), ...paragraph(40, 176, 500, 3, 'valley')];
  t.same(beginsOf(text(pieces(15))), ['hill0', 'We', 'valley0'], 'over the text of one column nothing tells them from its title');
  t.same(beginsOf(text(pieces(8.5))), ['hill0', 'We', 'valley0']);
  const numbered = pieces(15).map((piece) => (piece.size > 10 ? { ...piece, text: '2.1 We crossed at night' } : piece));
  t.same(beginsOf(text(numbered)), ['hill0', '2.1', 'valley0'], 'a heading');
  t.end();
});

t.test('a title in larger letters over its text parts no sentence, though none ends before it', (t) => {
  const title = (baseline: number, name: string): TextLine => line(40, baseline, name, { size: 13, bold: true });
  const pieces = [...paragraph(40, 60, 500, 6, 'after'), title(160, 'copy'), ...open(40, 176, 500, 2, 'hill'), title(226, 'move'), ...open(40, 242, 500, 2, 'valley'), title(292, 'list'), ...open(40, 308, 500, 2, 'mill')];
  t.same(beginsOf(text(pieces)), ['after0', 'copy', 'hill0', 'move', 'valley0', 'list', 'mill0']);
  t.end();
});

t.test('a box at the head of the next column parts no sentence', (t) => {
  const panel = { left: 316, right: 544, top: 90, bottom: 160 };
  const box = [line(320, 104, 'Fares in winter', { bold: true }), ...paragraph(320, 120, 210, 3, 'penny')];
  const pieces = [...open(40, 100, 240, 30, 'hill'), ...box, ...paragraph(316, 180, 240, 20, 'valley')];
  t.same(beginsOf(text(pieces, [panel])), ['hill0', 'Fares', 'penny0']);
  t.same(beginsOf(text(pieces)).at(-1), 'valley0');
  t.end();
});

t.test('grounds and frames that are seen and large enough may hold text', (t) => {
  const drawn = (right: number, fill: number, stroke: number): Parameters<typeof textPanels>[0][number] => ({ box: { left: 0, right, top: 0, bottom: 40 }, fill, stroke });
  t.same(textPanels([drawn(100, 0xeeeeee, -1), drawn(101, -1, 0), drawn(102, 0xffffff, -1), drawn(10, 0, 0)]).map(({ right }) => right), [100, 101]);
  t.end();
});
