import t from 'tap';
import type { Test } from 'tap';
import { makeChunks } from '../../src/convert/tables/evidence/chunks.js';
import { findTables } from '../../src/convert/tables/index.js';
import { PageMaker, widthOf } from '../support/made-page.js';

const prose =
  'the committee met on several occasions during the year and heard from many witnesses who spoke about the state of the roads and bridges in the county and about what it would cost to repair them before another winter came and made matters worse than they already were at the time of writing';

/** Fails with what was found. */
function none(t: Test, made: PageMaker): void {
  const tables = findTables(made.page(), { doTableStructure: true });
  t.strictSame(tables.map((table) => table.cells.map((cell) => cell.words.map((word) => word.text).join(' '))), []);
}

t.test('columns of running text', async (t) => {
  for (const columns of [2, 3]) {
    const made = new PageMaker();
    const width = (520 - 20 * (columns - 1)) / columns;
    for (let column = 0; column < columns; column++) {
      const left = 40 + column * (width + 20);
      let y = made.paragraph(left, 80, width, `${prose} ${prose}`);
      y = made.paragraph(left, y + 6 + 3 * column, width, prose);
      made.text(left, y + 14, 'A heading of its own', { bold: true });
      made.paragraph(left, y + 30, width, `${prose} ${prose}`);
    }
    none(t, made);
  }
});

t.test('text columns between a rule at the head and one at the foot of the page', async (t) => {
  const made = new PageMaker();
  made.horizontal(60, 40, 560);
  made.horizontal(740, 40, 560);
  for (const left of [40, 310]) made.paragraph(left, 80, 250, `${prose} ${prose} ${prose}`);
  none(t, made);
});

t.test('lists with bullets, with numbers, in two columns', async (t) => {
  const made = new PageMaker();
  for (const left of [40, 320]) {
    for (let item = 0; item < 6; item++) {
      made.text(left, 100 + item * 15, '•');
      made.text(left + 16, 100 + item * 15, `an item about roads and their repair in year ${item}`.slice(0, 30 + 3 * item));
      made.text(left, 300 + item * 15, `${item + 1}.`);
      made.text(left + 20, 300 + item * 15, `another item about bridges and winters ${item}`.slice(0, 28 + 3 * item));
    }
  }
  none(t, made);
});

t.test('tables of contents with leaders and without', async (t) => {
  const titles = ['Introduction', 'The roads of the county', 'Bridges', 'What repairs cost', 'Looking ahead'];
  const led = new PageMaker();
  const bare = new PageMaker();
  for (const [index, title] of titles.entries()) {
    const y = 120 + index * 16;
    for (const made of [led, bare]) {
      made.text(60, y, `${index + 1}`);
      const end = made.text(80, y, title);
      if (made === led) made.text(end + 6, y, '.'.repeat(Math.floor((500 - end) / 5)));
      made.text(540, y, `${3 + index * index}`, { align: 'right' });
    }
  }
  none(t, led);
  none(t, bare);
});

t.test('program text with line numbers', async (t) => {
  const made = new PageMaker();
  for (let line = 0; line < 12; line++) {
    made.text(60, 100 + line * 11, `${line + 41}`, { size: 8, monospace: true, align: 'right' });
    made.text(75 + 12 * (line % 3), 100 + line * 11, `total = add(total, row[${line}]);`, { size: 8, monospace: true });
  }
  none(t, made);
});

t.test('files as a terminal lists them, in letters of one width and of any', async (t) => {
  const lines = [
    'drwxr-xr-x  5 root root  4096 Nov 23 06:44 .', 'drwxr-xr-x 11 root root  4096 Nov 23 06:44 ..', '-rw-r--r--  1 root root 10201 Nov 23 06:44 chat.ts', '-rw-r--r--  1 root root  2902 Nov 23 06:44 convert-here.ts',
    '-rw-r--r--  1 root root  6297 Nov 23 06:44 convert-peer.ts', '-rwxr-xr-x  1 root root   795 Nov 23 06:44 gpu.sh', 'lrwxrwxrwx  1 root root    11 Nov 23 06:44 current -> convert.ts',
  ];
  for (const monospace of [true, false]) {
    const made = new PageMaker();
    made.paragraph(50, 100, 480, prose);
    for (const [at, line] of lines.entries()) for (const { 0: text, index } of line.matchAll(/\S+/gu)) made.text(50 + 5 * index, 200 + 12 * at, text, { monospace });
    none(t, made);
  }
  const listed = new PageMaker();
  for (const [at, row] of [['Mode', 'Files', 'Share'], ['read', '12', '40 %'], ['write', '9', '30 %'], ['all', '9', '30 %'], ['none', '0', '0 %']].entries()) listed.row(100 + 14 * at, [50, 200, 300], row);
  t.equal(findTables(listed.page(), { doTableStructure: true }).length, 1, 'a table about files is one');
});

t.test('equations with their numbers', async (t) => {
  const made = new PageMaker();
  made.paragraph(60, 80, 460, prose);
  for (let row = 0; row < 3; row++) {
    made.text(200, 160 + row * 20, `a${row} = b + c · d`);
    made.text(520, 160 + row * 20, `(${row + 1})`, { align: 'right' });
  }
  none(t, made);
});

t.test('a boxed paragraph, underlined headings, words in boxes', async (t) => {
  const made = new PageMaker();
  made.boxes.push({ box: { left: 50, top: 90, right: 500, bottom: 150 }, fill: 0xf4f4f4, stroke: 0x888888 });
  made.paragraph(60, 106, 430, prose);
  for (const y of [200, 300]) {
    made.text(50, y, 'What the winter did', { bold: true, size: 14 });
    made.horizontal(y + 5, 50, 500);
    made.paragraph(50, y + 22, 450, prose);
  }
  const y = 400;
  const start = made.text(50, y, 'Press the key') + 3;
  made.boxes.push({ box: { left: start - 1, top: y - 8, right: start + widthOf('Enter') + 1, bottom: y + 3 }, fill: -1, stroke: 0 });
  made.text(start, y, 'Enter and then the other one');
  none(t, made);
});

t.test('the lines of a chart', async (t) => {
  const made = new PageMaker();
  for (let line = 0; line <= 5; line++) {
    made.horizontal(300 - line * 30, 100, 400);
    made.text(95, 303 - line * 30, `${line * 10}`, { align: 'right', size: 8 });
  }
  made.vertical(100, 150, 300);
  for (let bar = 0; bar < 6; bar++) {
    made.shade(120 + bar * 45, 300 - 20 * (bar + 1), 150 + bar * 45, 300, 0x3366aa);
    made.text(135 + bar * 45, 312, `${2001 + bar}`, { align: 'center', size: 8 });
  }
  none(t, made);
});

t.test('lines of entry fields', async (t) => {
  const made = new PageMaker();
  for (const [row, label] of ['Name:', 'Street and number:', 'Town:', 'Date and signature:'].entries()) {
    made.text(60, 100 + row * 24, label);
    made.horizontal(102 + row * 24, 170, 400);
  }
  none(t, made);
});

t.test('running text level with the rows of a table in the next column is no column of it', async (t) => {
  const made = new PageMaker();
  made.text(330, 84, 'TABLE I', { size: 8 });
  const rows = [['Summer', '4.2', '2.9', '1.9'], ['Autumn', '3.1', '2.2', '1.8'], ['Winter', '7.9', '4.4', '3.0'], ['Spring', '5.3', '3.1', '2.5'], ['Mean', '5.1', '3.2', '2.3']];
  const words = ['Our method assumes that neighbours see', 'similar air and in the streets of old towns', 'this fails for minutes at a time, but what', 'comes of all measures hides most of it and', 'the sensors at the edge profit least of it.'];
  for (const [index, row] of rows.entries()) {
    made.text(40, 100 + 12 * index, words[index]!);
    for (const [column, cell] of row.entries()) made.text(330 + 55 * column, 100 + 12 * index, cell);
  }
  const [table] = findTables(made.page(), { doTableStructure: true });
  t.equal(table?.columnCount, 4);
  t.notMatch(JSON.stringify(table?.cells.map(({ words: own }) => own.map(({ text }) => text).join(' '))), /method|streets/);
});

t.test('what is read from the right ends at the left: chunks have their words as they are read', (t) => {
  const made = new PageMaker();
  made.text(50, 100, '. ההרשמה במזכירות בלבד');
  const [chunk] = makeChunks(made.words.map((word) => ({ word, left: word.box.left, right: word.box.right, baseline: word.baseline, size: word.size })), []);
  t.equal(chunk?.text, 'בלבד במזכירות ההרשמה .');
  const mixed = new PageMaker();
  mixed.text(50, 100, 'Microsoft Word 365 ההרשמה במזכירות בלבד עם');
  const [name] = makeChunks(mixed.words.map((word) => ({ word, left: word.box.left, right: word.box.right, baseline: word.baseline, size: word.size })), []);
  t.equal(name?.text, 'עם בלבד במזכירות ההרשמה Microsoft Word 365', 'names in it are read from the left');
  t.end();
});
