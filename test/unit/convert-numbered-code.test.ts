/** Listings with numbers beside their lines: the numbers are left out, the program is kept from the finder of tables, and tables that resemble one stay. */
import t from 'tap';
import { numberedListings } from '../../src/convert/layout/numbered-code.js';
import { steppedListings } from '../../src/convert/layout/stepped-listings.js';
import { markdownOf, prose } from '../support/made-markdown.js';
import { PageMaker } from '../support/made-page.js';
import type { Style } from '../support/made-page.js';
import { text } from '../support/pdf-content.js';

const program = ['int count(FILE *file)', '{', '    int lines = 0;', '    for (int c; (c = getc(file)) != EOF;)', '        lines += c == 10;', '', '    return lines;', '}'];
const session = ['$ ringq stats mail.db', 'waiting    17', 'running     2', 'dead        0', '$ ringq drain --until 22:00'];

t.test('a program with small numbers outside its edge, a session with pale ones within it', async (t) => {
  const written = (lines: string[], draw: (line: string, y: number, number: number) => string[], top: number): string[] => lines.flatMap((line, index) => draw(line, top - 11 * index, index + 1));
  const pieces = (line: string, x: number, y: number, size: number): string[] => [...line.matchAll(/\S+(?: \S+)*/g)].map((piece) => text(x + 0.6 * size * piece.index, y, size, piece[0], { font: 'Courier' }));
  const small = written(program, (line, y, number) => [text(number > 9 ? 60 : 63, y, 5, `${number}`), ...pieces(line, 72, y, 9)], 560);
  const pale = written(session, (line, y, number) => [text(78, y, 9, `${number}`, { font: 'Courier', color: 0x999999 }), ...pieces(line, 95, y, 9)], 420);
  const md = await markdownOf(t, [...prose(700), ...small, text(72, 445, 10, 'A session looks like this.'), ...pale, ...prose(330)]);
  t.match(md, `\n\`\`\`\n${program.join('\n')}\n\`\`\`\n`);
  t.match(md, `\n\`\`\`\n${session.join('\n')}\n\`\`\`\n`);
  t.notMatch(md, '|', 'no table');
});

/** The numbers of the listings on a page of lines 12 points apart, numbered from `first` on. */
function numbersOf(lines: string[], { first = 1, gap = 15, ...style }: Style & { first?: number; gap?: number } = {}, add: (made: PageMaker, y: number, index: number) => void = () => undefined): string[] {
  const made = new PageMaker();
  for (const [index, line] of lines.entries()) {
    made.text(60, 100 + 12 * index, `${first + index}`, { size: 9, monospace: true, align: 'right', ...style });
    if (line !== '') made.text(60 + gap + 4.5 * line.search(/\S/), 100 + 12 * index, line.trimStart(), { size: 9, monospace: true });
    add(made, 100 + 12 * index, index);
  }
  return numberedListings(made.page()).flatMap(({ numbers }) => numbers.map((word) => word.text));
}

t.test('what numbers lines of a program, and what are values of a table', (t) => {
  t.same(numbersOf(program), ['1', '2', '3', '4', '5', '6', '7', '8'], 'set like the program');
  t.same(numbersOf(program.slice(0, 3), { size: 5, first: 9 }), ['9', '10', '11'], 'from a later line on');
  const names = ['VCC', 'GND', 'RESET', 'CLOCK', 'DATA', 'READY'];
  t.same(numbersOf(names, { size: 5 }), [], 'pins and their names');
  t.same(numbersOf(['get()', 'name', 'other', 'open()', 'more'], {}), [], 'few signs of a program, numbers like it');
  t.same(numbersOf(program.slice(0, 4)), [], 'few lines, numbers like them');
  t.same(numbersOf(program, { size: 12 }), [], 'larger numbers');
  t.same(numbersOf(program, { gap: 80 }), [], 'far from the numbers');
  t.same(numbersOf(program, { size: 5 }, (made, y) => made.text(300, y, 'what it does')), [], 'another column says what they do');
  t.same(numbersOf(program, { size: 5 }, (made, y) => made.horizontal(y + 3, 50, 400)), [], 'rules between the rows');
  t.same(numbersOf(program, { size: 5, monospace: false }, (made, y) => made.vertical(67, y - 8, y + 4)).length, 8, 'a rule between the numbers and the program');
  t.end();
});

t.test('numbers of every fifth line are none of the program, where they stand at the lines that they count', (t) => {
  const lines = [...program, '', 'int main(void)', '{', '    FILE *file = fopen(name);', '    count(file);', '}'];
  const numbersAt = (numbered: Record<number, string>, write = lines, style: Style = {}): string[] => {
    const made = new PageMaker();
    for (const [index, line] of write.entries()) {
      const number = numbered[index + 1];
      if (number !== undefined) made.text(60, 100 + 12 * index, number, { size: 5, align: 'right', ...style });
      if (line !== '') made.text(75 + 4.5 * line.search(/\S/), 100 + 12 * index, line.trimStart(), { size: 9, monospace: true });
    }
    return steppedListings(made.page()).flatMap(({ numbers, code }) => [...numbers.map(({ text: each }) => each), code.at(-1)!.text]);
  };
  t.same(numbersAt({ 1: '1', 5: '5', 10: '10' }), ['1', '5', '10', '}']);
  t.same(numbersAt({ 3: '20', 8: '25' }), ['20', '25', '}'], 'from a later line on');
  t.same(numbersAt({ 1: '1', 5: '7', 10: '16' }), [], 'no count of lines');
  t.same(numbersAt({ 5: '5' }), [], 'one number');
  t.same(numbersAt({ 5: '5', 10: '10' }, lines.map((line) => line.replace(/[{}();=<>+*]/g, ' ').trim() || 'name')), [], 'no signs of a program');
  t.same(numbersAt({ 5: '5', 10: '10' }, lines, { size: 12 }), [], 'larger numbers');
  t.end();
});

t.test('a page of numbers without end costs no time', (t) => {
  const made = new PageMaker();
  for (let index = 0; index < 60_000; index++) made.text(60 + index % 50, 100 + index / 100, `${index % 7}`, { size: 9, monospace: true });
  const started = performance.now();
  t.same(numberedListings(made.page()), []);
  t.same(steppedListings(made.page()), []);
  t.ok(performance.now() - started < 2000);
  t.end();
});

t.test('a typewritten table with a counted column is no program', async (t) => {
  const goods = ['Bolt M8 (steel)      $3.50', 'Nut M8 (brass)       $1.20', 'Washer               $0.10', 'Screw (long)         $2.40', 'Rivet (copper)       $0.80', 'Nail                 $0.05'];
  t.strictSame(numbersOf(goods), []);
  t.strictSame(numbersOf(['int main() {', 'int x = f();', 'if (x == 3) {', 'g(x);', '}', '}']), ['1', '2', '3', '4', '5', '6']);
});
