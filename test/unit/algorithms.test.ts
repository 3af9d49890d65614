/** Algorithms whose lines are numbered: kept line by line, with their indents, and no table or formula. */
import { unionBox } from '../../src/geometry/box.js';
import t from 'tap';
import { findAlgorithms } from '../../src/convert/layout/algorithms.js';
import { structurePage } from '../../src/convert/pipeline/structure-page.js';
import { codeText } from '../../src/convert/structure/code.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import type { PageContent } from '../../src/pdf/pdf-page.js';
import { PageMaker } from '../support/made-page.js';
import { regionsOf } from '../support/page-structures.js';
import type { Style } from '../support/made-page.js';

const steps = ['M ← ∅', 'sort E by weight', 'for each edge e in E do', '  if u and v are free then', '    M ← M ∪ e', '  end if', 'end for', 'return M'];

function pageOf(lines: string[], { mark = ':', heads = ['Require: graph G', 'Ensure: matching M'], ...style }: Style & { mark?: string; heads?: string[] } = {}): PageContent {
  const made = new PageMaker();
  made.paragraph(60, 60, 480, 'The method walks over the graph once and keeps the best candidate so far. '.repeat(4));
  for (const [at, text] of heads.entries()) made.text(60, 176 + 12 * at, text, style);
  for (const [at, text] of lines.entries()) {
    made.text(74, 200 + 12 * at, `${at + 1}${mark}`, { ...style, align: 'right' });
    made.text(80 + 5 * text.search(/\S/), 200 + 12 * at, text.trimStart(), style);
  }
  made.paragraph(60, 330, 480, 'The loop runs once for each edge, so that sorting them dominates the cost of all. '.repeat(4));
  return made.page();
}

/** The page with a line for each baseline. */
function withLines(page: PageContent): PageContent {
  const baselines = [...new Set(page.words.map(({ baseline }) => baseline))];
  return { ...page, lines: baselines.map((baseline) => {
    const words = page.words.filter((word) => word.baseline === baseline);
    return { words, baseline, box: unionBox(words.map(({ box }) => box)), angle: 0, size: 10 };
  }) };
}

const linesIn = (page: PageContent): string[][] => findAlgorithms(page).map((lines) => lines.map((words) => words.map(({ text }) => text).join(' ')));

t.test('numbered lines with the words and signs of algorithms, and the heads above them', (t) => {
  t.same(linesIn(pageOf(steps)), [['Require: graph G', 'Ensure: matching M', ...steps.map((text, at) => `${at + 1}: ${text.trim()}`)]]);
  t.same(linesIn(pageOf(steps, { mark: '', heads: [] }))[0]?.length, 8, 'numbers without a colon');
  t.same(linesIn(pageOf(['Open the lid', 'Wait for the light', 'Close it if it is red', 'Call for help'])), [], 'steps for people');
  t.same(linesIn(pageOf(steps.slice(0, 3))), [], 'three lines');
  t.same(linesIn(pageOf(steps, { monospace: true })), [], 'a program');
  const wrapped = new PageMaker();
  for (const [at, text] of steps.entries()) {
    wrapped.text(74, 200 + 24 * at, `${at + 1}:`, { align: 'right' });
    wrapped.text(80, 200 + 24 * at, text.trim());
    if (at % 2 === 0 && at > 0) wrapped.text(90, 212 + 24 * at, 'as above');
  }
  wrapped.text(74, 204 + 24 * steps.length, '9:', { align: 'right' });
  wrapped.text(80, 204 + 24 * steps.length, 'end');
  t.same(linesIn(wrapped.page())[0]?.length, 9);
  t.end();
});

t.test('a line that goes on below, and a remark at the end of one', (t) => {
  const made = new PageMaker();
  made.horizontal(190, 58, 400);
  for (const [at, text] of steps.entries()) {
    const y = 200 + 12 * (at < 3 ? at : at + 1);
    made.text(74, y, `${at + 1}:`, { align: 'right' });
    made.text(80, y, text.trim());
  }
  made.text(90, 236, 'that is not marked');
  made.text(398, 212, 'largest first', { align: 'right' });
  const [lines] = linesIn(made.page());
  t.same(lines?.slice(1, 4), ['2: sort E by weight largest first', '3: for each edge e in E do', 'that is not marked']);
  t.end();
});

t.test('it becomes one block of code with its indents', (t) => {
  const content = withLines(pageOf(steps));
  const { blocks } = structureDocument([structurePage({ ...regionsOf(content), listings: findAlgorithms(content) })], [], false);
  t.same(blocks.map((block) => (block.kind === 'text' ? block.role : block.kind)), ['text', 'code', 'text']);
  const [, code] = blocks;
  t.match(code?.kind === 'text' ? codeText(code.columnParts) : '', /\n *3: +for each edge e in E do\n *4: {3,}if u and v are free then\n *5: {5,}M ← M ∪ e\n/);
  t.end();
});

t.test('a page of numbers without end costs no time', (t) => {
  const made = new PageMaker();
  for (let index = 0; index < 60_000; index++) made.text(60 + index % 50, 100 + index / 100, `${index % 7}:`, { size: 9 });
  const few = new PageMaker();
  for (let index = 0; index < 990; index++) few.row(100 + index, [60, 90], [`${index}:`, 'do it if then']);
  const started = performance.now();
  t.same(findAlgorithms(made.page()), []);
  findAlgorithms(few.page());
  t.ok(performance.now() - started < 1500, `${performance.now() - started}`);
  t.end();
});

const spelled = ['for each item in the list that is given to us do', 'if item is larger than the best one we had then', 'best := item, and its place is kept for later', 'end if, as nothing else is to be done for it', 'end for and the best is what was found, so it', 'return best and the place it was kept with'];

t.test('two side by side hold each word once, and text beside one is none of it', (t) => {
  const made = new PageMaker();
  const beside = new PageMaker();
  for (const [at, text] of spelled.entries()) {
    made.text(50, 200 + 13 * at, `${at + 1}: ${text}`, { size: 10.6 });
    made.text(305, 200 + 13 * at, `${at + 1}: ${text}`, { size: 10.6 });
    beside.text(50, 200 + 12 * at, `${at + 1}: ${text}`, { size: 10.6 });
  }
  beside.paragraph(305, 80, 240, 'The committee met again in spring and looked at every proposal that had been sent. '.repeat(20), { leading: 12 });
  const own = spelled.map((text, at) => `${at + 1}: ${text}`);
  t.same(linesIn(made.page()), [own, own]);
  t.same(linesIn(beside.page()), [own]);
  t.end();
});

t.test('numbers in the margin of a draft do not say an algorithm a second time', (t) => {
  const made = new PageMaker();
  for (const [at, text] of spelled.entries()) made.row(200 + 14 * at, [40, 72], [String(101 + at), `${at + 1}: ${text}`]);
  t.same(linesIn(made.page()), [spelled.map((text, at) => `${at + 1}: ${text}`)]);
  t.end();
});

t.test('numbered lines of speech that end in words of algorithms are none', (t) => {
  const speech = ['And what did you do then', 'For a while I did not do', 'anything, and if he asked I do', 'not know. Then she came in and', 'would do it too, and then', 'And until then what did he do'];
  t.same(linesIn(pageOf(speech, { mark: '', heads: [] })), []);
  t.end();
});

t.test('a page of counts without end has no algorithms', (t) => {
  const made = new PageMaker();
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 60; column++) {
      made.text(10 + 9.5 * column, 100 + 10 * row, `${row + 1}:`, { size: 5 });
      made.text(14.5 + 9.5 * column, 100 + 10 * row, 'x:=do', { size: 1.6 });
    }
  }
  t.same(linesIn(made.page()), []);
  t.end();
});
