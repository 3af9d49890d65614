/** The measures that the golden tests hold documents against: what they forgive and what they do not. */
import t from 'tap';
import { measureQuality, plainText, similarity } from '../support/quality.js';

t.test('plain text', async (t) => {
  t.equal(plainText('## A \\_b\\_ **c** `d` [e](http://x/(y))\n\n- f &amp; g'), 'A _b_ c d e f & g');
  t.equal(plainText('“a” – ‘b’ so\u00adft ..... 7'), '"a" - \'b\' soft 7');
});

t.test('similarity is twice the common subsequence over both lengths', async (t) => {
  t.equal(similarity('', ''), 1);
  t.equal(similarity('abcd', 'abcd'), 1);
  t.equal(similarity('abcd', 'wxyz'), 0);
  t.equal(similarity('abcd', 'axbxcx'), 6 / 10);
  const long = 'one two three four five '.repeat(10);
  t.equal(similarity(long, long.replace('three', '')), (2 * (long.length - 5)) / (2 * long.length - 5), 'across the 32 bits of a word');
  const book = 'alpha beta gamma delta '.repeat(2000);
  t.ok(similarity(book, book.replace('beta', 'omega')) > 0.999, 'long ones by words');
  t.ok(similarity(book, book.replaceAll('beta', 'omega')) < 0.8);
});

t.test('headings count with their level', async (t) => {
  const truth = '# One\n\n## Two\n\n## Three';
  t.equal(measureQuality(truth, truth).headings, 1);
  t.equal(measureQuality(truth, '# One\n\n### Two\n\n## Three').headings, 4 / 6);
  t.equal(measureQuality(truth, '# One\n\n## Two\n\n## Three\n\n## Four').headings, 6 / 7);
  t.equal(measureQuality('## Only', '#### Only').headings, 1, 'not where the truth knows one level');
  t.equal(measureQuality('none', '# One').headings, null);
  t.equal(measureQuality('# One', '```\n# One\n```').headings, 0, 'a remark in code is none');
});

t.test('blocks must be whole', async (t) => {
  t.equal(measureQuality('One two.\n\nThree.', 'One two.\n\nThree.').blocks, 1);
  t.equal(measureQuality('One two.\n\nThree.', 'One two. Three.').blocks, 0);
  t.equal(measureQuality('- a\n    - b', '- a\n- b').blocks, 0.5, 'depth counts');
  t.equal(measureQuality('```\na = 1\nb = 2\n```', 'a = 1\n\nb = 2').blocks, 0);
});

t.test('tables are compared as grids in which spans repeat', async (t) => {
  const truth = 'Text.\n\n<table><tr><td rowspan="2">A</td><td colspan="2">B</td></tr><tr><td>c</td><td>d</td></tr></table>';
  const answer = 'Text.\n\n| A   | B   | B   |\n|-----|-----|-----|\n| A   | c   | d   |';
  t.same(measureQuality(truth, answer), { text: 1, blocks: 1, lists: null, headings: null, cells: 1, shapes: 1 });
  t.equal(measureQuality(truth, answer.replace('| A   | c   | d   |', '| A   | c d |')).cells, (2 * 4) / (6 + 5));
  t.same(measureQuality(truth, 'Text. A B c d').cells, 0);
  t.equal(measureQuality(truth, answer.replaceAll('| A   ', '| A   | x   ')).shapes, 0);
});
