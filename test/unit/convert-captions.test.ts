/** Captions and the tables and figures they are tied to. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import type { Block, TextBlock } from '../../src/convert/structure/block.js';
import { plainText } from '../../src/convert/structure/block.js';
import { captionKind } from '../../src/convert/wording/captions.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { line, pageStructure, paragraph, table } from '../support/page-structures.js';

const structure = (pages: PageStructure[]): Block[] => structureDocument(pages, [], false).blocks;

const texts = (blocks: Block[], role: TextBlock['role']): string[] => blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === role).map(plainText);

/** Of each table and figure. */
const captionsOf = (blocks: Block[]): string[][] => blocks.flatMap((block) => (block.kind === 'text' ? [] : [block.captions.map(plainText)]));

t.test('captions of tables side by side, and one between two tables', (t) => {
  const rows = [['City', 'People'], ['Oslo', '709']];
  const at = (left: number, top: number): ReturnType<typeof table> => table({ left, right: left + 120, top, bottom: top + 24 }, rows);
  const blocks = structure([pageStructure(0, [
    ...paragraph(50, 60, 480, 6, 'mill'), line(50, 150, 'Table 1: Cities.'), line(303, 150, 'Table 2: Fruit.'), line(50, 202, 'Table 3: Under both.'), ...paragraph(50, 300, 480, 6, 'swim'),
  ], { tables: [at(50, 160), at(303, 160), at(50, 218)] })]);
  t.same(blocks.filter((block) => block.kind === 'table').map(({ table: { box }, captions }) => [box.left, box.top, captions.map(plainText)]),
    [[50, 160, ['Table 1: Cities.']], [303, 160, ['Table 2: Fruit.']], [50, 218, ['Table 3: Under both.']]]);
  t.same(texts(blocks, 'caption'), []);
  t.end();
});

t.test('captions below tables side by side follow each its own', (t) => {
  const rows = [['City', 'People'], ['Oslo', '709']];
  const at = (left: number): ReturnType<typeof table> => table({ left, right: left + 120, top: 160, bottom: 184 }, rows);
  const order = (lines: TextLine[]): (string | number)[] => structure([pageStructure(0, [...paragraph(50, 60, 480, 6, 'mill'), ...lines, ...paragraph(50, 300, 480, 6, 'swim')], { tables: [at(50), at(303)] })])
    .flatMap((block): (string | number)[] => (block.kind === 'table' ? [block.table.box.left] : block.kind === 'text' && /Table|Note/u.test(plainText(block)) ? [plainText(block)] : []));
  t.same(order([line(50, 200, 'Table 1: Cities.'), line(303, 200, 'Table 2: Fruit.')]), [50, 'Table 1: Cities.', 303, 'Table 2: Fruit.']);
  t.same(order([line(50, 200, 'Table 1: Cities.'), line(303, 200, 'Table 2: Fruit.'), line(50, 213, 'Note: without suburbs')]), [50, 'Table 1: Cities.', 'Note: without suburbs', 303, 'Table 2: Fruit.'], 'with a note');
  t.end();
});

t.test('a label by itself and what is said below it are one caption', (t) => {
  const rows = [['City', 'People'], ['Oslo', '709']];
  const page = (below: ReturnType<typeof line>): Block[] => structure([pageStructure(0, [...paragraph(50, 60, 480, 6, 'mill'), line(50, 150, 'Table 1', { bold: true }), below, ...paragraph(50, 300, 480, 6, 'swim')],
    { tables: [table({ left: 50, right: 250, top: 172, bottom: 200 }, rows)] })]);
  t.same(captionsOf(page(line(50, 162, 'Cities of the north'))), [['Table 1 Cities of the north']]);
  t.same(captionsOf(page(line(50, 165, 'Cities', { size: 15 }))), [['Table 1']], 'not a heading');
  t.same(captionsOf(page(line(50, 162, 'CITIES OF THE NORTH', { size: 8 }))), [['Table 1 CITIES OF THE NORTH']], 'in small capitals');
  t.same(captionsOf(page(line(50, 162, 'Cities of the north', { size: 8 }))), [['Table 1']], 'other small text');
  t.end();
});

const rivers = [['River', 'Length'], ['Danube', '350'], ['Elbe', '370'], ['Oder', '90']];
const riversAt = (left: number, top: number, right = left + 250): ReturnType<typeof table> => table({ left, right, top, bottom: top + 90 }, rivers);

/** Lines in the margin, 12 points apart. */
const margin = (left: number, top: number, words: string[]): TextLine[] => words.map((text, index) => line(left, top + 12 * index, text));

t.test('a caption that stands over or under no part of its table', (t) => {
  const page = (lines: TextLine[], tables: PageStructure['tables'], bodyLeft = 50): string[][] =>
    captionsOf(structure([pageStructure(0, [...paragraph(bodyLeft, 80, 550 - bodyLeft, 20, 'mill'), ...lines, ...paragraph(bodyLeft, 480, 550 - bodyLeft, 18, 'swim')], { tables })]));
  t.same(page([line(50, 340, 'Table 3: Rivers')], [riversAt(300, 360)]), [['Table 3: Rivers']], 'flush left, the table far right');
  t.same(page(margin(50, 350, ['Table 3:', 'Rivers of', 'the land']), [riversAt(250, 340)], 170), [['Table 3: Rivers of the land']], 'in the margin');
  t.same(page(margin(50, 350, ['Tabelle 3:', 'Flüsse des', 'Landes nach', 'ihrer Länge', 'im Jahr', 'des Frostes']), [riversAt(170, 340)], 170), [['Tabelle 3: Flüsse des Landes nach ihrer Länge im Jahr des Frostes']], 'as high as the table');
  t.same(page([line(50, 320, 'Table 3: Rivers')], [riversAt(300, 400)]), [[]], 'much white between');
  t.same(page([line(50, 340, 'Figure 3: Rivers')], [riversAt(300, 360)]), [[]], 'of a figure');
  t.same(page([line(50, 320, 'Table 3: Rivers'), line(50, 344, 'The lengths are from the almanac of that year.')], [riversAt(300, 360)]), [[]], 'a line between');
  const pages = [pageStructure(0, [...paragraph(50, 80, 500, 50, 'mill'), line(50, 700, 'Table 3: Rivers')]), pageStructure(1, [], { tables: [riversAt(300, 650)] })];
  t.same(captionsOf(structure(pages)), [[]], 'on the page before');
  const own = structure([pageStructure(0, [...paragraph(50, 80, 500, 20, 'mill'), line(300, 352, 'Table 4: The same by name'), line(50, 475, 'Table 5: Rivers'), ...paragraph(50, 520, 500, 15, 'swim')], { tables: [riversAt(300, 360)] })]);
  t.same(captionsOf(own), [['Table 4: The same by name']]);
  t.same(own.filter((block) => block.kind === 'text' && block.about !== null), [], 'the table has its own');
  t.end();
});

t.test('a caption beside the rows of two tables or figures', (t) => {
  const between = pageStructure(0, [...paragraph(50, 80, 500, 10, 'mill'), line(50, 315, 'Table 3: Rivers'), ...paragraph(50, 480, 500, 18, 'swim')], { tables: [riversAt(300, 212), riversAt(300, 330)] });
  t.same(captionsOf(structure([between])), [[], ['Table 3: Rivers']], 'of two tables the one below');
  const figure = (top: number): PageStructure['figures'][number] => ({ box: { left: 300, right: 550, top, bottom: top + 90 }, chart: false, ownsText: true });
  t.same(captionsOf(structure([{ ...between, tables: [], figures: [figure(212), figure(330)], pieces: between.pieces.map((piece) => (piece.text.startsWith('Table') ? { ...piece, text: 'Figure 3: Rivers' } : piece)) }])),
    [['Figure 3: Rivers'], []], 'of two figures the one above');
  t.end();
});

t.test('sentences about figures are no captions', (t) => {
  const page = (text: string): Block[] => structure([pageStructure(0, [...paragraph(50, 60, 480, 6, 'mill'), line(50, 150, text), ...paragraph(50, 300, 480, 6, 'swim')],
    { figures: [{ box: { left: 50, right: 250, top: 165, bottom: 280 }, chart: false, ownsText: true }] })]);
  for (const text of ['Fig. 3 [Left] shows that the pressure rises', 'Figure 2 (a) demonstrates it', 'Fig. 4 clearly shows the rise of it', 'Abb. 2 zeigt die Werte']) t.same(captionsOf(page(text)), [[]], text);
  for (const text of ['Figure 3 Plots of the pressure', 'Figure 2 (a) The pressure', 'Fig. 4: shows the rise', 'Figure 5 [Left] Details of it']) t.same(captionsOf(page(text)), [[text]], text);
  t.end();
});

t.test('a label of many figures is read in a moment', (t) => {
  t.equal(captionKind(`Table a${'1'.repeat(60)}(`), null);
  t.equal(captionKind('Table A1.2-3: Cities'), 'table');
  t.end();
});
