/** Where lists end, and lines that are items or lines though no mark says so. */
import t from 'tap';
import { plainText } from '../../src/convert/structure/block.js';
import type { Block } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { joinPieces } from '../../src/convert/page/text-line.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const text = (pieces: TextLine[]): Block[] => structureDocument([pageStructure(0, pieces)], [], false).blocks;
const beginsOf = (blocks: Block[]): string[] => blocks.flatMap((block) => (block.kind === 'text' ? [plainText(block).split(' ')[0]!] : []));

t.test('text below a list is none of its last item', (t) => {
  const items = ['• Cart with two horses', '• Cattle, a penny a head', '• Clergy and midwives'].map((words, at) => line(40, 200 + 12 * at, words));
  t.same(beginsOf(text([...paragraph(40, 100, 500, 6), ...items, ...paragraph(40, 236, 500, 2, 'Bells')])).slice(-2), ['•', 'Bells0']);
  t.end();
});

t.test('lines that begin with an amount and leave room for the next are one each', (t) => {
  const amounts = ['250 g of flour', '125g butter', '½ tsp salt', '1 egg', '2 tbsp of semolina, which may be'].map((words, at) => line(40, 200 + 12 * at, words));
  const wrapped = [...paragraph(40, 100, 240, 6), ...amounts, line(40, 260, 'replaced by bread crumbs'), ...paragraph(40, 320, 240, 4, 'Then')];
  t.same(beginsOf(text(wrapped)), ['word0', '250', '125g', '½', '1', '2', 'Then0']);
  t.same(beginsOf(text([...paragraph(40, 100, 240, 6), ...paragraph(40, 200, 240, 3, '8 tons')])), ['word0', '8'], 'lines that are full');
  t.end();
});

t.test('three of them below one another are items of a list, a count is none', (t) => {
  const roles = (lines: string[]): string[] => text([...paragraph(40, 60, 240, 4), line(40, 130, 'For the dough', { bold: true }), ...lines.map((words, at) => line(40, 150 + 16 * at, words)), ...paragraph(40, 320, 240, 4, 'Then')]).map((block) => (block.kind === 'text' ? block.role : ''));
  t.same(roles(['250 g of flour', '1 egg', '2 eggs', '½ tsp salt']), ['text', 'heading', 'list_item', 'list_item', 'list_item', 'list_item', 'text']);
  t.notOk(roles(['250 g of flour', '1 egg']).includes('list_item'), 'two of them');
  t.notOk(roles(['1 Export the archive', '2 Upload it', '3 Point the address to us']).includes('list_item'), 'steps');
  t.notOk(roles(['3 May: papers', '17 May: a choir', '31 May: the slip']).includes('list_item'), 'dates');
  t.notOk(roles(['31 May: the slip', '3 June: papers', '2 July: a choir', '1 August: holidays']).includes('list_item'), 'dates of several months');
  t.notOk(roles(['2021 the harbour', '2019 a loss', '2015 the fire']).includes('list_item'), 'years');
  t.notOk(roles(['3D models', '3D printers', '2D drawings']).includes('list_item'), 'names that begin with a figure');
  const long = [0, 1, 2].flatMap((at) => [line(40, 150 + 40 * at, `${9 - at} horses drew the cart up the hill until the evening came`), line(40, 162 + 40 * at, 'and nobody went home before it.')]);
  t.notOk(text([...paragraph(40, 60, 240, 4), ...long, ...paragraph(40, 320, 240, 4, 'Then')]).some((block) => block.kind === 'text' && block.role === 'list_item'), 'paragraphs');
  t.end();
});

t.test('rows of names and what is said of them are one each', (t) => {
  const row = (baseline: number, name: string, said: string, left = 160): TextLine => joinPieces([line(40, baseline, name), line(left, baseline, said)]);
  const facts = [row(200, 'Instructor', 'Dr. Renata Silva'), row(212, 'Office hours', 'Tuesdays from two to four, in the old hall, and by'), line(160, 224, 'appointment at any time'), row(236, 'Email', 'silva@college.test')];
  t.same(beginsOf(text([...paragraph(40, 100, 500, 6), ...facts])), ['word0', 'Instructor', 'Office', 'Email']);
  const loose = [row(200, 'The mill stood by', 'the river until the flood that spring', 150), row(212, 'carried it away', 'and nobody will tell you who it was', 140)];
  t.same(beginsOf(text([...paragraph(40, 100, 240, 6), ...loose])), ['word0', 'The'], 'loose lines');
  t.end();
});

t.test('lines that begin with one box to tick are items with a state, several boxes in a line are its answers', (t) => {
  const shown = (lines: string[]): string[] => text([...paragraph(40, 60, 400, 4), ...lines.map((words, at) => line(40, 150 + 12 * at, words))]).slice(1)
    .map((block) => (block.kind === 'text' ? `${block.role}${block.checked === null || block.checked === undefined ? '' : ` ${block.checked}`}: ${plainText(block)}` : ''));
  t.same(shown(['☐ I have read the sheet.', '☒ I agree.', '⊠ You may write to me.']), ['list_item false: ☐ I have read the sheet.', 'list_item true: ☒ I agree.', 'list_item true: ⊠ You may write to me.']);
  t.same(shown(['□ insurance card', '⊠ list of medicines']), ['list_item false: □ insurance card', 'list_item true: ⊠ list of medicines'], 'an empty square beside a ticked one');
  const between = Array.from({ length: 10 }, (_, at) => `Paragraph ${at} of a text that stands between and ends here.`);
  t.match(shown(['□ insurance card', '□ list of medicines', ...between, '☒ I agree.']), ['list_item: □ insurance card'], 'far from it');
  t.same(shown(['□ insurance card', '□ list of medicines']), ['list_item: □ insurance card', 'list_item: □ list of medicines'], 'squares that are bullets');
  t.same(shown(['Do you smoke? ☐ Yes ☒ No', 'Are you taking any medicines that your doctor prescribed? ☒ Yes ☐ No', '☐ Yes ☒ No']),
    ['text: Do you smoke? ☐ Yes ☒ No', 'text: Are you taking any medicines that your doctor prescribed? ☒ Yes ☐ No', 'text: ☐ Yes ☒ No']);
  t.end();
});
