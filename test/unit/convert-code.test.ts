/** Program text: which lines are, where a listing ends, and how its lines stand. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import type { Block, TextBlock } from '../../src/convert/structure/block.js';
import { plainText } from '../../src/convert/structure/block.js';
import { codeText } from '../../src/convert/structure/code.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { line, pageStructure, paragraph } from '../support/page-structures.js';

const mono = { monospace: true, font: 'Mono' };

const structure = (pages: PageStructure[]): Block[] => structureDocument(pages, [], false).blocks;

const ofRole = (blocks: Block[], role: TextBlock['role']): TextBlock[] => blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === role);

const texts = (blocks: Block[], role: TextBlock['role']): string[] => ofRole(blocks, role).map(plainText);

/** The document's listings as they are written. */
const listings = (pages: PageStructure[]): string[] => ofRole(structure(pages), 'code').map(({ columnParts }) => codeText(columnParts));

/** Lines of a program from `top` down, 12 points apart; their spaces at the begin are indents, empty ones are left out. */
const program = (left: number, top: number, lines: string[], style: Partial<TextLine> = {}): TextLine[] =>
  lines.flatMap((text, index) => (text === '' ? [] : [line(left + 5 * text.search(/\S/), top + 12 * index, text.trimStart(), { ...mono, ...style })]));

t.test('code in a document that is mostly code; none in one that is typewritten', (t) => {
  const listing = (top: number): ReturnType<typeof line>[] => ['def read(path):', 'with open(path) as file:', 'for each in file:', 'yield each.strip()', '', '# the rest', 'table = {"a": 1, "b": [1, 2]}']
    .flatMap((text, index) => (text === '' ? [] : [line(50 + 12 * (index % 4), top + 12 * index, text, mono)]));
  const letter = ['We write to you about the gate that was painted', 'in the spring of that year by the men of the mill', 'and which the flood has since then carried away.'].map((text, index) => line(50, 500 + 12 * index, text, mono));
  const mixed = structure([pageStructure(0, [line(50, 60, 'The function below is important, and so is the table.'), ...listing(100), line(50, 220, 'After the code comes one more sentence of text.'), ...listing(250), ...letter])]);
  t.equal(texts(mixed, 'code').length, 2, 'an empty line parts no listing');
  t.match(texts(mixed, 'text').at(-1), /^We write .* away\.$/, 'sentences in the same font are none');
  const typewritten = structure([pageStructure(0, [...listing(100), ...letter])]);
  t.equal(texts(typewritten, 'code').length, 0);
  t.end();
});

t.test('empty lines of a listing stay as many as there are', (t) => {
  const lines = ['import os', '', '', 'def read(path):', '    return open(path)', '', 'read("a")'];
  t.same(listings([pageStructure(0, [...paragraph(50, 60, 480, 10, 'mill'), ...program(50, 250, lines), ...paragraph(50, 400, 480, 20, 'swim')])]), [lines.join('\n')]);
  t.end();
});

t.test('wide white in the lines of a listing makes no letter wider', (t) => {
  const lines = ['x = 1       # the first', 'length = 2  # the second', 'if x:       # or not', '    y = 3   # the third', '        z = 4'];
  const apart = lines.flatMap((text, index) => [...text.matchAll(/\S+(?: \S+)*/g)].map((piece) => line(50 + 5 * piece.index, 250 + 12 * index, piece[0], mono)));
  t.same(listings([pageStructure(0, [...paragraph(50, 60, 480, 10, 'mill'), ...apart, ...paragraph(50, 400, 480, 20, 'swim')])]), [lines.join('\n')]);
  t.end();
});

t.test('a listing that is painted twice has a leading all the same', (t) => {
  const lines = ['import os', 'import sys', 'def read(path):', '    return open(path)', 'read("a")'];
  const twice = program(50, 250, lines).flatMap((each) => [each, { ...each }]);
  t.same(listings([pageStructure(0, [...paragraph(50, 60, 480, 10, 'mill'), ...twice, ...paragraph(50, 400, 480, 20, 'swim')])]), [lines.flatMap((each) => [each, each]).join('\n')]);
  t.end();
});

t.test('a listing that a page parts is one', (t) => {
  const above = ['def read(path):', '    for each in open(path):', '        if each == "":'];
  const below = ['            continue', '        yield each', 'read("a")'];
  const whole = [...above, ...below].join('\n');
  const header = (page: number): TextLine => line(500, 30, `${page}`, { size: 8 });
  const first = (end: TextLine[], left = 50): PageStructure => pageStructure(0, [header(1), ...paragraph(left, 80, 480, 50, 'mill'), ...end]);
  const second = (begin: TextLine[], left = 50): PageStructure => pageStructure(1, [header(2), ...begin, ...paragraph(left, 140, 480, 45, 'swim')]);
  const foot = program(50, 690, above);
  const head = program(50, 80, below);
  t.same(listings([first(foot), second(head)]), [whole]);
  for (const left of [83, 30]) t.same(listings([first(foot), second(program(left, 80, below), left)]), [whole], 'pages with other margins');
  t.same(listings([first(foot), pageStructure(1, [header(2), ...program(50, 80, below.slice(0, 2))]), pageStructure(2, paragraph(50, 80, 480, 50, 'swim'))]), [[...above, ...below.slice(0, 2)].join('\n')], 'a page on which every line is set in');
  t.same(listings([first(foot), second(program(50, 80, ['}']))]), [[...above, '}'].join('\n')]);
  t.same(listings([first(foot), second(program(50, 80, ['pass']))]), [[...above, 'pass'].join('\n')], 'one line that may be anything');
  const apart = [above.join('\n'), program(50, 80, below).map(({ text, box }) => ' '.repeat((box.left - 50) / 5) + text).join('\n')];
  t.same(listings([first(foot), second(program(50, 80, below, { size: 8 }))]).length, 2, 'smaller');
  t.same(listings([first(foot), second(program(50, 80, below, { font: 'Other' }))]), apart, 'another face');
  t.same(listings([first(foot), second([...paragraph(50, 80, 480, 1, 'then'), ...program(50, 92, below)])]), apart, 'text between');
  t.same(listings([first(foot), pageStructure(1, []), pageStructure(2, [header(3), ...head, ...paragraph(50, 140, 480, 45, 'swim')])]), apart, 'a page between');
  t.same(listings([pageStructure(0, [header(1), ...paragraph(50, 80, 480, 40, 'mill'), ...program(50, 570, above)]), second(head), pageStructure(2, paragraph(50, 80, 480, 54, 'wood'))]), apart, 'room is left on the page');
  t.same(listings([first(foot), pageStructure(1, [header(2), ...program(50, 200, below), ...paragraph(50, 260, 480, 35, 'swim')]), pageStructure(2, paragraph(50, 80, 480, 54, 'wood'))]), apart, 'white above');
  const short = pageStructure(0, [header(1), ...paragraph(50, 80, 480, 10, 'mill'), ...program(50, 210, above)]);
  t.same(listings([short, pageStructure(1, [header(2), ...head, ...paragraph(50, 140, 480, 8, 'swim')])]), apart, 'no page is full');
  t.end();
});

t.test('a listing that a note at the foot or a column parts is one', (t) => {
  const lines = (from: number): string[] => [0, 1, 2].map((index) => `call(${from + index});`);
  const whole = [[...lines(1), ...lines(4)].join('\n')];
  const note = [line(50, 690, '1 This note is set in smaller letters below a rule', { size: 8 }), ...paragraph(50, 700, 480, 5, 'note', { size: 8 })];
  const noted = pageStructure(0, [...paragraph(50, 80, 480, 46, 'mill'), ...program(50, 640, lines(1)), ...note], { separators: [{ y: 678, left: 50, right: 200 }] });
  t.same(listings([noted, pageStructure(1, [...program(50, 80, lines(4)), ...paragraph(50, 140, 480, 52, 'swim')]), pageStructure(2, paragraph(50, 80, 480, 57, 'wood'))]), whole);
  const columns = [...paragraph(50, 80, 240, 50, 'mill'), ...program(50, 690, lines(1)), ...program(310, 80, lines(4)), ...paragraph(310, 130, 240, 48, 'swim')];
  t.same(listings([pageStructure(0, columns)]), whole);
  const besides = [...paragraph(50, 80, 500, 20, 'mill'), ...program(50, 340, lines(1)), ...program(310, 340, lines(4)), ...paragraph(50, 390, 500, 28, 'swim')];
  t.equal(listings([pageStructure(0, besides)]).includes(whole[0]!), false, 'side by side in the midst of a page');
  t.end();
});

t.test("a frame's edge beside the braces of a program is no rule between columns", (t) => {
  const lines = ['int main(int count, char **names)', '{', '    int sum = 0;', '    for (int i = 0; i < count; i++)', '        sum += read(names[i]);', '    if (sum == 0)', '        return 1;', '    print(sum);', '    return 0;', '}'];
  const frame = [{ x: 47, top: 240, bottom: 364 }, { x: 530, top: 240, bottom: 364 }];
  t.same(listings([pageStructure(0, [...paragraph(50, 60, 480, 10, 'mill'), ...program(50, 250, lines), ...paragraph(50, 400, 480, 20, 'swim')], { columnRules: frame })]), [lines.join('\n')]);
  t.end();
});

t.test('the name of an option in other letters below a listing is none of its lines', (t) => {
  const lines = ['$ ringq stats mail.db', '$ ringq drain --until 22:00'];
  const page = (size: number): PageStructure => pageStructure(0, [...paragraph(50, 60, 480, 10, 'mill'), ...program(75, 250, lines, { size: 8.6 }), line(50, 286, '--until TIME', { ...mono, size }), ...paragraph(75, 310, 400, 20, 'swim')]);
  t.same(listings([page(9)]), [lines.join('\n')]);
  t.equal(listings([page(8.6)])[0]?.split('\n').length, 4, 'in the same letters it is');
  t.end();
});
