/** Key figures and other cards side by side. */
import t from 'tap';
import { cardRows } from '../../src/convert/layout/cards.js';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { plainText } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const figures = [['4.81', 'litres delivered'], ['212 km', 'of mains in service'], ['6.4 %', 'lost']];
const lines = figures.flatMap(([value, label], at): TextLine[] => [line(80 + 150 * at, 130, value!, { size: 18, bold: true }), line(70 + 150 * at, 148, label!, { size: 8 })]);
const boxes = figures.map((_, at) => ({ box: { left: 60 + 150 * at, right: 200 + 150 * at, top: 110, bottom: 160 }, fill: 0xe6f1f5, stroke: -1 }));

/** Roles and texts. */
function read(page: PageStructure): string[] {
  return structureDocument([page], [], false).blocks.flatMap((block) => (block.kind === 'text' ? [`${block.role}: ${plainText(block)}`] : [])).filter((text) => !/mill|swim/u.test(text));
}

t.test('cards are read one after the other, and a figure with its unit is no heading', (t) => {
  const rows = cardRows(boxes, lines, []);
  t.equal(rows.length, 1);
  const page = pageStructure(0, [...paragraph(50, 60, 480, 4, 'mill'), ...lines, ...paragraph(50, 200, 480, 20, 'swim')], { cardRows: rows });
  t.same(read(page), figures.flatMap(([value, label]) => [`text: ${value!}`, `text: ${label!}`]));
  t.end();
});

t.test('an ordinal number is no figure with its unit', (t) => {
  const heading = (text: string): string[] => read(pageStructure(0, [line(50, 80, text, { size: 16, bold: true }), ...paragraph(50, 120, 480, 20, 'swim')])).filter((said) => said.endsWith(text));
  t.same(heading('19th'), ['heading: 19th']);
  t.same(heading('19 kg'), ['text: 19 kg']);
  const began = performance.now();
  heading(`1${' .'.repeat(20_000)} Abc`);
  t.ok(performance.now() - began < 1000, 'dots without end take no time');
  t.end();
});

t.test('what are no cards', (t) => {
  t.same(cardRows(boxes.slice(0, 2), lines.slice(0, 4), []), [], 'two columns');
  t.same(cardRows(boxes, lines.slice(0, 4), []), [], 'an empty one');
  t.same(cardRows(boxes, [...lines, line(150, 150, 'across two of them')], []), [], 'text across');
  t.same(cardRows(boxes, lines.filter((_, at) => at % 2 === 0), []), [], 'one line each');
  t.same(cardRows(boxes, lines, [{ left: 50, right: 550, top: 100, bottom: 400 }]), [], 'in a table');
  t.same(cardRows(boxes.map(({ box, ...rest }, at) => ({ ...rest, box: { ...box, left: 60 + 140 * at, right: 200 + 140 * at } })), lines, []), [], 'cells that touch');
  t.end();
});

t.test('a card in a card is one of them, and what it says is said once', (t) => {
  const inner = boxes.map(({ box, ...rest }) => ({ ...rest, box: { left: box.left + 6, right: box.right - 6, top: box.top + 6, bottom: box.bottom - 6 } }));
  const rows = cardRows([...boxes, ...inner], lines, []);
  t.equal(rows.length, 1);
  const page = pageStructure(0, [...paragraph(50, 60, 480, 4, 'mill'), ...lines, ...paragraph(50, 200, 480, 20, 'swim')], { cardRows: rows });
  t.equal(read(page).length, lines.length);
  t.end();
});

t.test('columns of text in a panel are read one after the other', (t) => {
  const panel = { box: { left: 40, right: 380, top: 86, bottom: 240 }, fill: 0xfaf0e0, stroke: -1 };
  const beside = paragraph(400, 97.5, 150, 10, 'mill');
  const rows = [{ box: panel.box, cards: [panel.box] }];
  const { blocks } = structureDocument([pageStructure(0, [...paragraph(50, 100, 150, 10, 'left'), ...paragraph(220, 100, 150, 10, 'right'), ...beside, ...paragraph(40, 300, 480, 20, 'swim')], { cardRows: rows })], [], false);
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [plainText(block)] : [])).join(' ');
  t.ok(texts.lastIndexOf('left') < texts.indexOf('right') && texts.includes('left'), texts.slice(0, 200));
  t.end();
});

t.test('a panel whose ground ends near the text beside it breaks none of its sentences', (t) => {
  const panel = { box: { left: 214, right: 400, top: 86, bottom: 240 }, fill: 0xfaf0e0, stroke: -1 };
  const beside = paragraph(40, 100, 170, 12, 'main');
  const page = pageStructure(0, [...beside, ...paragraph(226, 106, 160, 10, 'aside'), ...paragraph(40, 300, 480, 20, 'swim')], { cardRows: [{ box: panel.box, cards: [panel.box] }] });
  const texts = structureDocument([page], [], false).blocks.flatMap((block) => (block.kind === 'text' ? [plainText(block)] : [])).join(' ');
  t.ok(texts.lastIndexOf('main') < texts.indexOf('aside'), texts.slice(0, 300));
  t.end();
});

t.test('what stands on a panel beside text is read by itself', (t) => {
  const panel = { box: { left: 40, right: 160, top: 86, bottom: 240 }, fill: 0xfaf0e0, stroke: -1 };
  const list = ['Flour', 'Butter', 'Sugar', 'One egg', 'A pinch of salt'].map((text, at) => line(48, 105 + 16.5 * at, text));
  const method = paragraph(176, 97.5, 200, 10, 'mill');
  const rows = cardRows([panel], [...list, ...method], []);
  t.same(rows.map(({ cards }) => cards), [[panel.box]]);
  const { blocks } = structureDocument([pageStructure(0, [...list, ...method, ...paragraph(40, 300, 480, 20, 'swim')], { cardRows: rows })], [], false);
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [plainText(block)] : [])).join(' ');
  t.match(texts, /Flour Butter Sugar One egg A pinch of salt mill0/u);
  t.same(cardRows([panel], [...list, ...list.map((piece) => ({ ...piece, box: { ...piece.box, left: 200, right: 240 } }))], []), [], 'a column of a table');
  t.same(cardRows([panel], list, []), [], 'with nothing beside it');
  t.same(cardRows([panel], [...list.slice(1), ...method], []), [], 'four lines may be a heading');
  t.same(cardRows([panel], [...list, ...method, line(120, 190, 'words over its edge')], []), [], 'text over its edge');
  t.same(cardRows([{ ...panel, fill: -1, stroke: 0 }], [...list, ...method], []), [], 'not filled');
  t.end();
});

t.test('hundreds of grounds on a page of thousands of lines cost little', (t) => {
  const pieces = [...Array.from({ length: 4000 }, (_, at) => line(100, 10 + 0.19 * at, 'aside')), ...Array.from({ length: 4000 }, (_, at) => line(300, 11.1 + 0.19 * at + (at % 2), 'words'))];
  const grounds = Array.from({ length: 390 }, (_, at) => ({ box: { left: 40 + 0.1 * at, right: 250, top: 0, bottom: 800 }, fill: 0xeeeeee, stroke: -1 }));
  const before = process.cpuUsage().user;
  cardRows(grounds, pieces, []);
  const took = (process.cpuUsage().user - before) / 1000;
  t.ok(took < 1500, `${Math.round(took)} ms`);
  t.end();
});
