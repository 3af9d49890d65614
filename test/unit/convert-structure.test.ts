/** Roles of blocks over whole documents made line by line: headings and levels, furniture, lists, notes, captions, code, tables over pages. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import type { Block, TextBlock } from '../../src/convert/structure/block.js';
import { linesOf, plainText } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import type { OutlineEntry } from '../../src/pdf/index.js';
import { line, pageStructure, paragraph, table } from '../support/page-structures.js';

function structure(pages: PageStructure[], outline: OutlineEntry[] = [], flat = false): Block[] {
  return structureDocument(pages, outline, flat).blocks;
}

function texts(blocks: Block[], role: TextBlock['role']): string[] {
  return blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === role).map(plainText);
}

/** Of all that is no furniture. */
function plainTextOf(blocks: Block[]): string {
  return blocks.map((block) => (block.kind === 'text' && !/^page_/.test(block.role) ? plainText(block) : '')).join('\n');
}

function levels(blocks: Block[]): [string, number][] {
  return blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === 'heading').map((block) => [plainText(block), block.level]);
}

t.test('what pages repeat is no measure for running text, though it be most of what they say', (t) => {
  const slides = [0, 1, 2, 3, 4].map((index) => pageStructure(index, [
    line(30, 140, `On ${['gates', 'walls', 'doors', 'locks', 'hinges'][index]!}`, { size: 16 }),
    line(30, 170, `The letter ${'abcde'[index]!} is the thickness`, { size: 11 }),
    line(30, 183, 'of them in the winter months:', { size: 11 }),
    line(30, 230, 'None of the others is as thick.', { size: 11 }),
    line(30, 780, 'A. Author (Museum of the Gates), Gates and Walls in Winter, a short tour of all of them, with many pictures', { size: 6 }),
  ]));
  t.same(texts(structure(slides), 'heading'), ['gates', 'walls', 'doors', 'locks', 'hinges'].map((each) => `On ${each}`));
  t.end();
});

t.test('headings by size and weight, levels by numbers', (t) => {
  const blocks = structure([pageStructure(0, [
    line(50, 60, 'On the Behaviour of Gates', { size: 20, bold: true }),
    line(50, 100, '1 Introduction', { size: 14, bold: true }), ...paragraph(50, 120, 480, 5, 'aa'),
    line(50, 210, '2 Method', { size: 14, bold: true }), ...paragraph(50, 230, 480, 4, 'bb'),
    line(50, 300, '2.1 Sites', { bold: true }), ...paragraph(50, 320, 480, 4, 'cc'),
    line(50, 390, '2.1.1 North bank', { italic: true, font: 'Body-Italic' }), ...paragraph(50, 410, 480, 4, 'dd'),
    line(50, 480, 'Conclusion', { size: 14, bold: true }), ...paragraph(50, 500, 480, 4, 'ee'),
  ])]);
  t.same(levels(blocks), [
    ['On the Behaviour of Gates', 0], ['1 Introduction', 1], ['2 Method', 1], ['2.1 Sites', 2], ['2.1.1 North bank', 3], ['Conclusion', 1],
  ]);
  t.equal(texts(blocks, 'text').length, 5);
  t.end();
});

t.test('flat headings are all on one level', (t) => {
  const page = pageStructure(0, [
    line(50, 60, 'Title', { size: 20, bold: true }), ...paragraph(50, 100, 480, 5, 'aa'), line(50, 210, '2.1 Sites', { bold: true }), ...paragraph(50, 230, 480, 4, 'bb'),
  ]);
  t.same(levels(structure([page], [], true)).map(([, level]) => level), [1, 1]);
  t.end();
});

t.test('headings in capitals over text are none of a list, however little white is above them', (t) => {
  const part = (top: number, title: string, indent = 0): TextLine[] => [line(50, top, title), ...paragraph(50 + indent, top + 20, 480, 5, 'mill')];
  const parts = (indent = 0): TextLine[] => [...paragraph(50, 60, 480, 4, 'swim'), ...part(125, 'I. HISTORY', indent), ...part(208, 'II. MEMBERS', indent), ...part(291, 'III. ACCOUNTS', indent)];
  const titles = (lines: TextLine[]): string[] => structure([pageStructure(0, lines)]).flatMap((block) => (block.kind === 'text' && block.role === 'heading' ? [plainText(block)] : []));
  t.same(titles(parts()), ['I. HISTORY', 'II. MEMBERS', 'III. ACCOUNTS']);
  t.same(titles(parts(20)).slice(1), [], 'items whose text is set in');
  t.same(titles([...parts().slice(0, 10), line(50, 208, 'II. MEMBERS'), line(50, 222, 'III. ACCOUNTS'), line(50, 236, 'IV. GUESTS')]).slice(1), [], 'items below one another');
  t.end();
});

t.test('a count of letters in italics, each over text that is set as far out, is one of headings, also its first', (t) => {
  const italic = { italic: true, font: 'Body-Italic' };
  const part = (top: number, title: string, set = 0): TextLine[] => [line(50, top, title, italic), line(60 + set, top + 14, 'The reading of a sensor is worth what its calibration is worth, and that is what the dust'), ...paragraph(50 + set, top + 26, 480, 3, 'aa')];
  const head = [line(50, 60, 'II. METHOD', { bold: true, size: 12 }), ...paragraph(50, 80, 480, 3, 'bb')];
  const titles = (lines: TextLine[]): string[] => structure([pageStructure(0, [...head, ...lines])]).flatMap((block) => (block.kind === 'text' && block.role === 'heading' ? [plainText(block)] : [])).slice(1);
  t.same(titles([...part(125, 'A. Model'), ...part(185, 'B. Inference')]), ['A. Model', 'B. Inference']);
  t.same(levels(structure([pageStructure(0, [...head, ...part(125, 'A. Model'), ...part(185, 'B. Inference')])])).slice(-2).map(([, level]) => level), [2, 2]);
  t.notOk(titles([...part(125, 'A. Model', 20), ...part(185, 'B. Inference', 20)]).includes('B. Inference'), 'items whose text is set in');
  t.end();
});

t.test('letters under roman numerals stand below them, an appendix beside the numbers', (t) => {
  const section = (top: number, text: string, style = {}): ReturnType<typeof line>[] => [line(50, top, text, { bold: true, ...style }), ...paragraph(50, top + 20, 480, 3, 'aa')];
  const nested = structure([pageStructure(0, ['I. One', 'A. First', 'B. Second', 'II. Two', 'A. Third'].flatMap((text, index) => section(60 + 80 * index, text)))]);
  t.same(levels(nested).map(([, level]) => level), [1, 2, 2, 1, 2]);
  const appendix = structure([pageStructure(0, ['1 One', '2 Two', 'A. Tables', 'B. Proofs'].flatMap((text, index) => section(60 + 80 * index, text)))]);
  t.same(levels(appendix).map(([, level]) => level), [1, 1, 1, 1]);
  t.end();
});

t.test('the outline names headings that look like text', (t) => {
  const page = pageStructure(0, [...paragraph(50, 60, 480, 4, 'aa'), line(50, 130, 'Plain as day'), ...paragraph(50, 160, 480, 4, 'bb')]);
  const outline = [{ title: 'Plain as Day', depth: 0, pageIndex: 0, y: 120 }];
  t.same(levels(structure([page])), []);
  t.same(levels(structure([page], outline)), [['Plain as day', 1]]);
  t.end();
});

t.test('running heads and page numbers', (t) => {
  const pages = [1, 2, 3, 4].map((number) => pageStructure(number - 1, [
    line(50, 30, number % 2 === 0 ? 'The Almanac' : 'Tides', { size: 8 }), line(520, 30, String(number + 10), { size: 8 }),
    ...paragraph(50, 80, 480, 40, ['oak', 'elm', 'ash', 'fir'][number - 1]!),
    line(50, 780, `Printed on recycled paper, sheet ${number}`, { size: 8 }),
  ]));
  const blocks = structure(pages);
  t.equal(texts(blocks, 'page_header').length, 8);
  t.equal(texts(blocks, 'page_footer').length, 4);
  t.notMatch(texts(blocks, 'text').join(' '), /Almanac|recycled/);
  t.end();
});

t.test('where pages say nothing but the same, it is what the document says', (t) => {
  const copy = (index: number, ...more: TextLine[]): PageStructure => pageStructure(index, [line(50, 60, 'Locker 17, second floor.', { size: 14 }), line(50, 78, 'Return the key by Friday', { size: 14 }), line(290, 780, String(index + 1)), ...more]);
  const blocks = structure([0, 1, 2, 3].map((index) => copy(index)));
  t.equal(plainTextOf(blocks).match(/Return the key by Friday/g)?.length, 4);
  t.same(texts(blocks, 'page_footer'), ['1', '2', '3', '4'], 'numbers of pages are theirs all the same');
  const withText = structure([0, 1, 2, 3].map((index) => copy(index, ...(index === 2 ? paragraph(50, 200, 480, 20, 'aa') : []))));
  t.notMatch(plainTextOf(withText), /Return the key/, 'beside text it is a running head');
  t.end();
});

t.test('the number of a chapter over its title is read with it, not a running head', (t) => {
  const page = (size: number, index = 0, title = 'The Harbour in Winter'): PageStructure =>
    pageStructure(index, [line(50, 45, 'Chapter 3', { size: 11 }), line(50, 70, title, { size, bold: true }), ...paragraph(50, 100, 480, 20, `a${'abcd'[index]!}`)]);
  t.same(texts(structure([page(18)]), 'page_header'), []);
  t.equal(texts(structure([page(18)]), 'text')[0], 'Chapter 3');
  const apart = (number: string, style = {}): PageStructure => pageStructure(0, [line(50, 45, number, { size: 11, ...style }), line(50, 105, 'The Harbour in Winter', { size: 24, bold: true }), ...paragraph(50, 140, 480, 20, 'aa')]);
  for (const number of ['Chapter 3', 'Глава 3', 'Κεφάλαιο 3', 'Bölüm 3']) t.same(texts(structure([apart(number)]), 'page_header'), [], `${number}, far above its title`);
  t.same(texts(structure([apart('3', { size: 20 })]), 'page_header'), [], 'a large number by itself');
  t.same(texts(structure([apart('3', { size: 9 })]), 'page_header'), ['3'], 'a small one is the page\'s');
  t.same(texts(structure([page(10)]), 'page_header'), ['Chapter 3'], 'over text it is one');
  const repeated = ['One Winter', 'Two Ships', 'Snow', 'Ice'].map((title, index) => page(18, index, title));
  t.same(texts(structure(repeated), 'page_header').length, 4, 'what all pages have is one');
  t.end();
});

t.test('one page by itself: a number at its foot, a line with a number, no heading', (t) => {
  const body = paragraph(50, 100, 480, 45, 'aa');
  t.same(texts(structure([pageStructure(0, [...body, line(290, 770, '17')])]), 'page_footer'), ['17']);
  t.same(texts(structure([pageStructure(0, [...body, line(50, 770, '54 | Misleading Data', { size: 9 })])]), 'page_footer'), ['54 | Misleading Data']);
  t.same(texts(structure([pageStructure(0, [line(50, 40, '4 Results', { size: 14, bold: true }), ...body])]), 'page_header'), []);
  t.same(texts(structure([pageStructure(0, [...body, line(50, 745, '15 https://www.example.org/content/5524', { size: 9 }), line(290, 770, '17')])]), 'page_footer'), ['17'], 'a note that is an address');
  t.end();
});

t.test('a sentence at the top of a page is none of its furniture, however short, in whatever script', (t) => {
  const body = paragraph(50, 75, 480, 40, 'aa');
  for (const first of ['Intro.', '本公司在 2024 年共销售 1250 件。']) t.same(texts(structure([pageStructure(0, [line(50, 40, first), ...body])]), 'text')[0], first);
  t.same(texts(structure([pageStructure(0, [line(50, 40, 'Intro.', { size: 8 }), ...body])]), 'page_header'), ['Intro.'], 'a small line is');
  t.end();
});

t.test('the head of a letter or an invoice is read where no other page repeats it', (t) => {
  const body = (page: number): TextLine[] => paragraph(50, 150, 480, 40, `${'abcd'[page]!}a`);
  const rows = (texts: [string, string][]): TextLine[] => texts.flatMap(([left, right], at) => [line(50, 45 + 12 * at, left), line(430, 45 + 12 * at, right)]);
  const invoice = rows([['Hill & Daughters', 'Invoice no. 2024-17'], ['Main Street 5', 'Date: 3 May 2024'], ['12345 Oldtown', 'Customer: K-993']]);
  t.same(texts(structure([pageStructure(0, [...invoice, ...body(0)])]), 'page_header'), []);
  t.same(texts(structure([pageStructure(0, [...rows([['Hill & Daughters', 'The Old Mill'], ['Main Street', 'Oldtown']]), ...body(0)])]), 'page_header'), [], 'names and addresses beside each other');
  t.equal(texts(structure([0, 1, 2, 3].map((page) => pageStructure(page, [...invoice, ...body(page)]))), 'page_header').length, 24, 'what all pages show is their head');
  t.equal(texts(structure([pageStructure(0, [line(50, 45, 'Working Paper Series no. 41', { size: 9 }), ...body(0)])]), 'page_header').length, 1, 'one row is a running head');
  t.equal(texts(structure([pageStructure(0, [...rows([['The Almanac', 'Page 17'], ['Tides', 'Winter']]), ...body(0)])]), 'page_header').length, 4, 'with the number of its page it is one');
  const started = performance.now();
  structure([pageStructure(0, [...rows([['a'.repeat(20_000), 'Winter'], ['aa:'.repeat(6_000), 'Winter']]), ...body(0)])]);
  t.ok(performance.now() - started < 2000, 'letters without end cost no time');
  t.end();
});

t.test('a bold title with its number apart from it, and titles beside each other, are read at the top of a page, too', (t) => {
  const body = paragraph(50, 75, 480, 40, 'aa');
  const headers = (...head: TextLine[]): string[] => texts(structure([pageStructure(0, [...head, ...body])]), 'page_header');
  t.same(headers(line(50, 45, '4.', { bold: true }), line(90, 45, 'LIABILITY', { bold: true })), []);
  t.same(headers(line(120, 45, 'Nájemní smlouva', { size: 13, bold: true }), line(390, 45, 'Lease Agreement', { size: 13, bold: true })), []);
  t.same(headers(line(50, 45, '4'), line(450, 45, 'The Almanac')).length, 2, 'not bold');
  t.same(headers(line(50, 45, 'Journal of Tides', { bold: true }), line(450, 45, 'Volume 4', { bold: true })).length, 2, 'no larger than the text');
  t.end();
});

t.test('clauses that hang on their numbers are one paragraph each, also of two lines', (t) => {
  const clause = (baseline: number, number: string, ...rest: string[]): TextLine[] => rest.map((text, at) => (at > 0 ? line(90, baseline + 12 * at, text)
    : { ...line(50, baseline, `${number} ${text}`), pieces: [{ start: 0, left: 50, right: 65 }, { start: number.length + 1, left: 90, right: 90 + 5 * text.length }] }));
  const long = 'Sums that are not paid when due bear interest at four per cent a year above the base rate';
  const page = pageStructure(0, [...clause(100, '1.1', long, 'of the bank.'), ...clause(132, '1.2', long, 'of the bank.'), ...clause(164, '1.3', long, 'of the bank.')]);
  t.same(texts(structure([page]), 'text'), ['1.1', '1.2', '1.3'].map((number) => `${number} ${long} of the bank.`));
  t.end();
});

t.test('lists nest by indent and count', (t) => {
  const blocks = structure([pageStructure(0, [
    ...paragraph(50, 60, 480, 3, 'aa'),
    line(50, 110, '1. Open the gate'), line(70, 124, 'a. Lift the pin'), line(70, 138, 'b. Push'), line(50, 152, '2. Close the gate'),
    ...paragraph(50, 180, 480, 3, 'bb'),
    line(50, 230, '• rope'), line(50, 244, '• tar, which comes in barrels and has'), line(60, 256, 'to be warmed'), line(50, 270, '• canvas'),
  ])]);
  const items = blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === 'list_item');
  t.same(items.map((item) => [item.marker, item.depth]), [['1.', 0], ['a.', 1], ['b.', 1], ['2.', 0], ['•', 0], ['•', 0], ['•', 0]]);
  t.equal(plainText(items[5]!), '• tar, which comes in barrels and has to be warmed');
  const fromRight = (right: number, baseline: number, text: string): ReturnType<typeof line> => line(right - 5 * text.length, baseline, text);
  const hebrew = structure([pageStructure(0, [...paragraph(50, 60, 480, 3, 'aa'), fromRight(530, 110, '• פריט'), fromRight(530, 124, '• פריט שני ארוך'), fromRight(510, 138, '• בפנים'), fromRight(530, 152, '• סוף')])]);
  t.same(hebrew.flatMap((block) => (block.kind === 'text' && block.role === 'list_item' ? [block.depth] : [])), [0, 0, 1, 0], 'from the right, too');
  t.end();
});

t.test('footnotes, captions, code', (t) => {
  const figure = { box: { left: 50, right: 300, top: 200, bottom: 320 }, chart: false, ownsText: true };
  const blocks = structure([pageStructure(0, [
    ...paragraph(50, 60, 480, 8, 'mill'),
    line(50, 335, 'Figure 1. A gate, seen from the north', { size: 9 }),
    ...paragraph(50, 370, 480, 6, 'swim'),
    line(60, 480, 'if (gate.open) {', { monospace: true, font: 'Mono' }), line(72, 492, 'close(gate);', { monospace: true, font: 'Mono' }), line(60, 504, '}', { monospace: true, font: 'Mono' }),
    ...paragraph(50, 530, 480, 8, 'lilt'),
    line(50, 740, '1 The gate was painted in 1871.', { size: 8 }),
  ], { figures: [figure], separators: [{ y: 728, left: 50, right: 200 }] })]);
  t.same(texts(blocks, 'footnote'), ['1 The gate was painted in 1871.']);
  t.equal(texts(blocks, 'code').length, 1);
  const block = blocks.find((each) => each.kind === 'figure')!;
  t.same(block.captions.map(plainText), ['Figure 1. A gate, seen from the north']);
  t.end();
});

t.test('the short last line of a narrow column in the margin is text', (t) => {
  const column = ['Protect columns by', 'defining column', 'masks'].map((words, index) => line(27, 349 + 14 * index, words, { size: 12, bold: true }));
  const page = (lines: ReturnType<typeof line>[]): Block[] => structure([pageStructure(0, [...lines, ...paragraph(153, 250, 290, 12, 'aa')])]);
  t.same(texts(page(column), 'page_header'), []);
  t.same(texts(page(column.slice(2)), 'page_header'), ['masks'], 'by itself it is none');
  t.end();
});

t.test('a word in the margin beside a line of text is its label, a number there counts the line', (t) => {
  const rows = paragraph(80, 60, 450, 9, 'said');
  const label = (row: number, text: string): ReturnType<typeof line> => line(16, 60 + 12 * row, text);
  const labelled = plainTextOf(structure([pageStructure(0, [...rows, label(0, 'Anna'), label(4, '[Sm04]')])]));
  t.match(labelled, /Anna/);
  t.match(labelled, /\[Sm04\]/);
  t.notMatch(plainTextOf(structure([pageStructure(0, [...rows, label(0, '105'), label(5, '110'), line(16, 400, 'Notes')])])), /105|110|Notes/, 'nor is what stands beside no line');
  t.end();
});

t.test('two notes whose marks stand by themselves are two', (t) => {
  const note = (top: number, mark: string, text: string): ReturnType<typeof line>[] => [line(50, top - 3, mark, { size: 5 }), line(55, top, text, { size: 8 })];
  const ragged = Array.from({ length: 20 }, (_, index) => line(50, 60 + 12 * index, 'mill and more of it '.repeat(3 + index % 3)));
  const blocks = structure([pageStructure(0, [...ragged, ...note(700, '1', 'http://www.first.example'), ...note(710, '2', 'http://www.second.example')])]);
  t.same(blocks.filter((block): block is TextBlock => block.kind === 'text').slice(-2).map(plainText), ['1 http://www.first.example', '2 http://www.second.example']);
  t.end();
});

t.test('a mark that stands as high as its note and touches it is set apart, the note with the next number is one, too', (t) => {
  const small = { size: 8 };
  const notes = (first: string, second: ReturnType<typeof line>): string[] => texts(structure([pageStructure(0, [...paragraph(50, 60, 480, 40, 'mill'), line(50, 700, first, small), second])]), 'footnote');
  t.same(notes('1Im Winter viermal in der Stunde.', line(50, 722, '2Vgl. dazu die Eingabe der Frau Becker.')), ['1 Im Winter viermal in der Stunde.', '2 Vgl. dazu die Eingabe der Frau Becker.']);
  t.same(notes('1Im Winter viermal in der Stunde.', line(50, 722, '7Vgl. dazu die Eingabe der Frau Becker.')), ['1 Im Winter viermal in der Stunde.'], 'of the size of the text and another number: none');
  t.same(notes('14C dates are given in years before present.', line(50, 722, 'The end.')), ['14C dates are given in years before present.']);
  t.end();
});

t.test('a heading in bold that runs into its paragraph begins one', (t) => {
  const head = (above: ReturnType<typeof line>): string[] => texts(structure([pageStructure(0, [
    ...paragraph(50, 60, 480, 20, 'mill'), above,
    line(50, 412, `Abstract. ${'We measured the level of a bell on the water at twelve places in fog and in frost and '.slice(0, 86)}`, { boldPrefix: 9 }), ...paragraph(50, 424, 480, 3, 'bell'),
  ])]), 'text').filter((text) => /Abstract/.test(text));
  t.match(head(line(180, 400, '* Corresponding author: anna@acoustics.example', { size: 9.4 }))[0], /^Abstract\./);
  t.match(head(line(50, 400, 'A line that is as wide as its column, so that the bold words that follow it may belong to it all'))[0], /^A line/);
  t.end();
});

t.test('a paragraph goes on in the next column and on the next page', (t) => {
  const first = paragraph(50, 80, 230, 50, 'aa');
  first.push(line(50, 680, 'the words of this line end at the right edge'));
  const blocks = structure([
    pageStructure(0, [...first, line(320, 80, 'and they go on here without a capital letter'), ...paragraph(320, 92, 230, 50, 'bb')]),
  ]);
  const joined = blocks.find((block): block is TextBlock => block.kind === 'text' && block.columnParts.length === 2);
  t.ok(joined, 'one block of two column parts');
  t.match(joined === undefined ? '' : plainText(joined), /right edge and they go on/);
  t.end();
});

t.test('a table over two pages is one, its repeated head stands once', (t) => {
  const head = ['Name', 'Place', 'Year'];
  const above = table({ left: 50, right: 500, top: 500, bottom: 760 }, [head, ['a', 'b', '1'], ['c', 'd', '2']]);
  const below = table({ left: 50, right: 500, top: 60, bottom: 200 }, [head, ['e', 'f', '3']]);
  const blocks = structure([pageStructure(0, paragraph(50, 80, 480, 20, 'aa'), { tables: [above] }), pageStructure(1, paragraph(50, 300, 480, 20, 'bb'), { tables: [below] })]);
  const tables = blocks.filter((block) => block.kind === 'table');
  t.equal(tables.length, 1);
  t.equal(tables[0]!.table.rowCount, 4);
  t.same(tables[0]!.table.cells.map((cell) => cell.lines[0]!.text).join(' '), 'Name Place Year a b 1 c d 2 e f 3');
  t.same(tables[0]!.repeatedHeads.map(({ text, pageIndex }) => [text, pageIndex]), [['Name Place Year', 1]]);
  const other = table({ left: 50, right: 500, top: 60, bottom: 200 }, [['Kind', 'Mass', 'Colour'], ['e', 'f', '3']]);
  const apart = structure([pageStructure(0, paragraph(50, 80, 480, 20, 'aa'), { tables: [table({ left: 50, right: 500, top: 500, bottom: 760 }, [head, ['a', 'b', '1']])] }),
    pageStructure(1, [...paragraph(50, 40, 480, 1, 'xx'), ...paragraph(50, 300, 480, 20, 'bb')], { tables: [other] })]);
  t.equal(apart.filter((block) => block.kind === 'table').length, 2, 'text between them keeps two tables apart');
  t.end();
});

t.test('paragraphs that are read from the right end where a line ends early on its left', (t) => {
  const fromRight = (left: number, baseline: number, right = 530): ReturnType<typeof line> => {
    const made = line(left, baseline, 'שלום עולם '.repeat(Math.ceil((right - left) / 50)).trim() + (left > 100 ? '.' : ''));
    return { ...made, box: { ...made.box, left, right } };
  };
  const blocks = structure([pageStructure(0, [fromRight(50, 60), fromRight(50, 72), fromRight(300, 84), fromRight(50, 96), fromRight(50, 108), fromRight(200, 120), fromRight(50, 132, 510), fromRight(50, 144), fromRight(51, 156)])]);
  t.same(blocks.map((block) => (block.kind === 'text' ? linesOf(block).length : 0)), [3, 3, 3]);
  t.end();
});

t.test('regions of the layout network part no paragraph that is read from the right, and no sentence', (t) => {
  const odds = Object.fromEntries(['caption', 'footnote', 'formula', 'list_item', 'page_footer', 'page_header', 'picture', 'section_header', 'table', 'text', 'title'].map((label) => [label, label === 'text' ? 1 : 0]));
  const seen = (region: number): NonNullable<ReturnType<typeof line>['prediction']> => ({ region, odds }) as unknown as NonNullable<ReturnType<typeof line>['prediction']>;
  const two = (words: string): number => structure([pageStructure(0, [0, 1].map((index) => {
    const made = line(50, 60 + 12 * index, words.repeat(6).trim(), { prediction: seen(index) });
    return { ...made, box: { ...made.box, left: 100, right: 500 } };
  }))]).length;
  t.equal(two('Words and more of them. '), 2);
  t.equal(two('words and more of them '), 1);
  t.equal(two('שלום עולם '), 1);
  const lines = (above: string, below: string, style: Partial<ReturnType<typeof line>> = {}): number => structure([pageStructure(0, [above, below].map((words, index) => {
    const made = line(50, 60 + 12 * index, words, { prediction: seen(index), ...style });
    return { ...made, box: { ...made.box, left: 100, right: index === 0 ? 400 : 500 } };
  }))]).length;
  t.equal(lines('The law, which was long prior to the reg-', 'istration and what came of it then in the end.'), 1, 'half a word');
  t.equal(lines('The cat and the mouse (the List of the', 'Assessments, updated) and what came of it then in the end.'), 1, 'half of what brackets hold');
  t.equal(lines('The cat and the mouse, which they saw', 'running in the house and in the garden and what came of it.', { confidence: 0.9 }), 1, 'half a sentence on a scan');
  t.equal(lines('We are grateful for their help, and we thank the', 'CINECA/EuroHPC/and-all-of-its-operators-who-helped team for what came of it.'), 1, 'a sentence before a name that does not fit');
  t.equal(lines('We are grateful for their help, and we thank them', 'CINECA/EuroHPC/and-all-of-its-operators-who-helped team for what came of it.'), 2);
  t.equal(lines('The cat and the mouse (the List)', 'Assessments, updated (now) and what came of it then in the end.', { confidence: 0.9 }), 2);
  t.end();
});

t.test('a Latin paragraph with right-to-left words in it is read from the left', (t) => {
  const lines = [480, 455, 470, 440, 476, 462, 448, 478, 459, 300].map((width, index) => {
    const made = line(50, 60 + 12 * index, `The verb ${index % 3 === 2 ? '' : 'שלום '}is found in line ${index} of this text and elsewhere, as many have written of`);
    return { ...made, box: { ...made.box, right: 50 + width } };
  });
  t.equal(structure([pageStructure(0, lines)]).length, 1);
  t.end();
});

t.test('entries that hang from their first line are one paragraph each, however short their lines', (t) => {
  const full = 'Bollweg, D., Goswami, J., Kaczmarek, O., Karsch, F., Mukherjee, S., Petreczky, P., Schmidt, C.';
  const right = line(50, 0, full).box.right;
  const entry = (top: number, rest: string[]): TextLine[] => [{ ...line(50, top, full), box: { ...line(50, top, full).box, right } }, ...rest.map((text, index) => line(62, top + 12 * (index + 1), text))];
  const blocks = structure([pageStructure(0, [
    ...paragraph(50, 60, 480, 6, 'mill'),
    ...entry(160, ['Scior, P., and others, in the year of 2021.', 'Second order cumulants of charge. Phys. Rev. D 104.', 'doi:10.1103/PhysRevD.104.074512.']),
    ...entry(208, ['of the lattice and all of its points, which are many more than anybody has seen, it is said']),
    ...entry(232, ['2016. Studies of baryons.']), ...paragraph(50, 280, 480, 6, 'mill'),
  ])]);
  t.same(texts(blocks, 'text').map((text) => [text.slice(0, 7), text.slice(-8)]).slice(1, 4), [['Bollweg', '.074512.'], ['Bollweg', ' is said'], ['Bollweg', 'baryons.']]);
  t.end();
});

t.test('a sentence goes on behind a full stop that ends no sentence', (t) => {
  const pages = (last: string, first: string): string[] => texts(structure([
    pageStructure(0, [...paragraph(50, 60, 480, 6, 'mill').slice(0, 5), line(50, 120, `${'words and more of them '.repeat(4)}${last}`)]),
    pageStructure(1, [line(50, 60, `${first} ${'words and more of them '.repeat(4)}`), ...paragraph(50, 72, 480, 5, 'swim')]),
  ]), 'text');
  t.equal(pages('as is seen in Fig.', '2 shows a clear').length, 1);
  t.equal(pages('as Smith et al.', 'report it').length, 1);
  t.equal(pages('as is seen here.', '2 shows a clear').length, 2);
  t.equal(pages('as Smith et al.', 'The other').length, 2);
  const inColumn = texts(structure([pageStructure(0, [...paragraph(50, 60, 480, 4, 'mill').slice(0, 3), line(50, 96, `${'words and more of them '.repeat(4)}by Eq.`), line(50, 108, '(2) implies that all of it is so, as we have seen')])]), 'text');
  t.equal(inColumn.length, 1, 'a number in brackets is no item then');
  t.end();
});

t.test('items that hang below a full line are items', (t) => {
  const full = line(50, 160, '• A tenant who leaves the house before the end of the term that was agreed on has to pay all this');
  const items = structure([pageStructure(0, [...paragraph(50, 60, 480, 6, 'mill'), full, line(60, 172, 'and what follows'), line(60, 184, '– the rent that is due'), line(60, 196, '– the tax that is due'), ...paragraph(50, 240, 480, 6, 'mill')])]);
  t.same(texts(items, 'list_item').map((text) => text.slice(0, 10)), ['• A tenant', '– the rent', '– the tax ']);
  t.end();
});

t.test('an item that ends in an abbreviation ends where the next one begins', (t) => {
  const items = (below: TextLine): string[] => texts(structure([pageStructure(0, [...paragraph(50, 60, 480, 4, 'mill'),
    line(50, 130, '1. Spin the tubes.'), line(50, 142, '2. Heat the whole block up to ninety-five degrees, as it is said above, and wait for some 30 secs.'), below, line(50, 166, '4. Let it cool.')])]), 'list_item');
  t.equal(items(line(50, 154, '3. Add the buffer.')).length, 4);
  t.notOk(items(line(50, 154, '7. and more of it.')).some((text) => text.startsWith('7.')), 'another number goes on');
  t.end();
});

t.test('numbers in wide brackets and in circles begin items', (t) => {
  const items = (marks: string[]): string[] => texts(structure([pageStructure(0, [...paragraph(50, 60, 480, 4, 'mill'), ...marks.map((mark, at) => line(60, 130 + 16 * at, `${mark}将灰度值截断并归一化，采用随机翻转进行数据增强。`)), ...paragraph(50, 220, 480, 4, 'swim')])]), 'list_item');
  t.equal(items(['（1）', '（2）', '（3）']).length, 3);
  t.equal(items(['①', '②', '③']).length, 3);
  const one = structure([pageStructure(0, [...paragraph(50, 60, 480, 4, 'mill'), line(50, 130, '将灰度值截断并归一化采用随机按照第五条第'), line(50, 142, '（2）项的规定采用随机翻转弹性形变增强将灰度值截断并归一化采用。')])]);
  t.notOk(one.some((block) => block.kind === 'text' && plainText(block).startsWith('（2）')), 'in running text');
  t.equal(items(['（甲）', '（乙）', '（丙）']).length, 0);
  t.end();
});

t.test('lines of Chinese weigh as the text they are, though they have few signs; what ends in a wide semicolon is no heading', (t) => {
  const chinese = (baseline: number, text: string, style: Partial<TextLine> = {}): TextLine => line(50, baseline, text, style);
  const body = Array.from({ length: 12 }, (_, at) => chinese(60 + 16 * at, '肺癌是全球死亡率最高的恶性肿瘤之一低剂量'));
  const notes = [0, 1, 2].map((at) => line(50, 400 + 12 * at, 'Medical image analysis of the year, and more of it', { size: 8.5 }));
  t.equal(structureDocument([pageStructure(0, [...body, ...notes])], [], false).body.size, 10);
  const page = pageStructure(0, [...notes.slice(0, 1), chinese(200, '将灰度值截断到归一化；'), ...Array.from({ length: 3 }, (_, at) => line(50, 230 + 12 * at, 'Medical image analysis of the year, and more of it', { size: 8.5 }))]);
  t.same(texts(structure([page]), 'heading'), []);
  t.end();
});
