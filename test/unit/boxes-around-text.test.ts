/** Boxes with round corners and other drawings around text, which are no pictures. */
import t from 'tap';
import { findFigures, holdsText } from '../../src/convert/layout/figures.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { PageMaker } from '../support/made-page.js';
import { line } from '../support/page-structures.js';

const box = { left: 50, top: 100, right: 450, bottom: 180 };
const centred = (baseline: number, text: string, size: number): TextLine => {
  const made = line(0, baseline, text, { size });
  const by = 250 - made.box.right / 2;
  return { ...made, box: { ...made.box, left: by, right: made.box.right + by } };
};

t.test('a title in a box, and what it is about', (t) => {
  const block = [line(60, 115, 'Remember', { size: 12 }), line(60, 130, 'Do not tidy the garden before April.')];
  t.ok(holdsText(box, block, 10));
  t.ok(holdsText(box, [...block, line(60, 150, 'And then', { size: 12 }), line(60, 165, 'Let ice grow between the cells.')], 10), 'two of them');
  t.notOk(holdsText(box, [line(60, 115, 'Cells', { size: 12 }), line(60, 130, 'Salt')], 10), 'labels');
  t.notOk(holdsText(box, [line(60, 130, 'Let ice grow between the cells.'), line(60, 150, 'Cells', { size: 12 })], 10), 'a label below');
  t.notOk(holdsText(box, [line(80, 115, 'Remember', { size: 12 }), block[1]!], 10), 'not at one edge');
  t.end();
});

t.test('a title in the middle of a wide box', (t) => {
  t.ok(holdsText(box, [centred(125, 'Insects in Winter', 17), centred(150, 'A short tour', 12)], 10));
  t.notOk(holdsText({ ...box, bottom: 300 }, [centred(125, 'Insects in Winter', 17)], 10), 'a high one');
  t.notOk(holdsText(box, [centred(125, 'Insects in Winter', 10)], 10), 'as large as text');
  t.notOk(holdsText(box, [centred(125, 'Insects in Winter', 17), line(60, 150, 'A label', { size: 12 })], 10), 'something beside the middle');
  t.end();
});

t.test('a frame around text and a drawing is none of the drawing', (t) => {
  const page = (texts: string[]): number[] => {
    const made = new PageMaker();
    made.boxes.push({ box: { left: 40, right: 400, top: 80, bottom: 400 }, fill: -1, stroke: 0xcccccc });
    const drawing = { left: 60, right: 380, top: 130, bottom: 280 };
    return findFigures({ ...made.page(), drawings: [drawing] }, [], texts.map((text, at) => line(50, 320 + 14 * at, text))).map(({ box }) => box.bottom);
  };
  t.same(page(['Abundance fell six weeks before the symptoms', 'came, and calprotectin rose only a week', 'before that in most of the patients.']), [280]);
  t.same(page(['Weeks before relapse', 'Patients', 'Controls']), [400], 'labels are its own');
  t.end();
});
