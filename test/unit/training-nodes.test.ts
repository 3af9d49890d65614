/** The nodes that the relation network reads: every word in one node, cuts at gaps, drawn lines and styles, numbers that are finite. */
import t from 'tap';
import { FEATURES, GEOMETRY, type NodePage, type NodeWord, pageNodes, TEXT } from '../../src/convert/relations/nodes.js';

const word = (text: string, left: number, line: number, more: Partial<NodeWord> = {}): NodeWord => {
  const top = 100 + 14 * line;
  return {
    text, box: { left, top, right: left + 5 * text.length, bottom: top + 9 }, baseline: top + 8, size: 10, weight: 400, bold: false, italic: false, monospace: false, symbolic: false,
    underline: false, strike: false, link: false, glued: false, invisible: false, color: 0, angle: 0, line, ...more,
  };
};
const page = (words: NodeWord[], more: Partial<NodePage> = {}): NodePage => ({ width: 600, height: 800, words, rulings: [], fills: [], pictures: [], ...more });
const texts = (given: NodePage): string[] => pageNodes(given).nodes.map(({ words }) => words.map((index) => given.words[index]!.text).join(' '));

t.test('a line is cut where a gap is wider than its word spaces', (t) => {
  t.same(texts(page([word('two', 50, 0), word('words', 68, 0), word('12.5', 140, 0)])), ['two words', '12.5']);
  t.same(texts(page([word('wide', 50, 0), word('but', 76, 0), word('even', 97, 0), word('a', 50, 1), word('full', 57, 1), word('line', 97, 1)])).slice(0, 1), ['wide but even'], 'a justified line ends where a neighbour does');
  t.end();
});

t.test('rows of short cells are cut though their gaps are all alike', (t) => {
  const row = (line: number, ...cells: string[]): NodeWord[] => cells.map((text, column) => word(text, 50 + 16 * column, line));
  t.same(texts(page([...row(0, '17', '7', '14'), ...row(1, '3', '21', '9')])), ['17', '7', '14', '3', '21', '9'], 'lines that end elsewhere are not justified');
  t.same(texts(page([...row(0, '17', '70', '14'), ...row(1, '31', '21', '92'), ...row(2, '11', '60', '40')])).length, 9, 'rows of one width have gaps at one place');
  const monospace = { monospace: true };
  t.same(texts(page([word('let', 50, 0, monospace), word('it', 71, 0, monospace), word('be', 87, 0, monospace)])), ['let it be'], 'a monospaced space is .6 em wide');
  t.end();
});

t.test('vertical text of two columns is cut between them', (t) => {
  const turned = (text: string, left: number, top: number): NodeWord => word(text, left, 0, { angle: 90, box: { left, top, right: left + 9, bottom: top + 5 * text.length } });
  t.same(texts(page([turned('up', 50, 115), turned('going', 50, 87), turned('next', 61, 105)])), ['up going', 'next']);
  t.end();
});

t.test('a line is cut at a drawn line and where it becomes bold or larger', (t) => {
  const words = [word('one', 50, 0), word('two', 68, 0)];
  const ruling = { orientation: 'vertical' as const, position: 66.5, start: 90, end: 120, thickness: 0.5 };
  t.same(texts(page(words, { rulings: [ruling] })), ['one', 'two']);
  t.same(texts(page(words, { rulings: [{ ...ruling, start: 300, end: 400 }] })), ['one two'], 'it does not reach the line');
  t.same(texts(page([word('Total', 50, 0, { bold: true }), word('sum', 78, 0)])), ['Total', 'sum']);
  t.same(texts(page([word('x', 50, 0), word('2', 55.5, 0, { size: 6, baseline: 104, glued: true })])), ['x 2'], 'a superscript stays');
  t.end();
});

t.test('every word stands in one node, and all numbers are finite', (t) => {
  const words = [word('Title', 50, 0, { size: 18, bold: true }), word('\u05d0\u05d1', 90, 1, { angle: 90 }), word('', 120, 1), word('end.', 300, 2, { color: 0xff0000 })];
  const given = page(words, { fills: [{ box: { left: 40, top: 95, right: 400, bottom: 130 }, fill: 0xeeeeee }], pictures: [{ left: 10, top: 300, right: 200, bottom: 400 }, { left: 0, top: 0, right: 1, bottom: 1 }] });
  const { nodes, features, geometry, text, em } = pageNodes(given);
  t.same(nodes.flatMap((node) => node.words).sort(), [0, 1, 2, 3]);
  t.equal(nodes.filter((node) => node.words.length === 0).length, 1, 'a picture of a point is none');
  t.same([features.length, geometry.length, text.length], [FEATURES, GEOMETRY, TEXT].map((width) => width * nodes.length));
  t.ok([...features, ...geometry].every(Number.isFinite));
  t.equal(em, 10);
  t.same(pageNodes(page([])).nodes, []);
  t.end();
});
