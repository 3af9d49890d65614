/** Lines that are stretched to their column's edge: they stay one, and two columns stay two. */
import t from 'tap';
import { withLooseLines } from '../../src/convert/layout/loose-lines.js';
import type { Line } from '../../src/pdf/index.js';
import { PageMaker } from '../support/made-page.js';

/** Words of a line at `left`, `gaps` points apart; a gap beyond 15 parts it, as the reader of pages does. */
function lines(left: number, baseline: number, text: string, gaps: number[], size = 10): Line[] {
  const maker = new PageMaker();
  let x = left;
  for (const [index, word] of text.split(' ').entries()) x = maker.text(x, baseline, word, { size }) + (gaps[index] ?? gaps.at(-1)!);
  const made: Line[] = [];
  for (const word of maker.words) {
    const last = made.at(-1)?.words.at(-1);
    if (last !== undefined && word.box.left - last.box.right <= 15) made.at(-1)!.words.push(word);
    else made.push({ words: [word], box: word.box, baseline, size, angle: 0 });
  }
  return made.map((line) => ({ ...line, box: { left: line.words[0]!.box.left, right: line.words.at(-1)!.box.right, top: baseline - 7, bottom: baseline + 1 } }));
}

const textsOf = (found: Line[]): string[] => found.map(({ words }) => words.map(({ text }) => text).join(' '));
const dense = (left: number, baseline: number): Line[] => lines(left, baseline, 'plain words that fill the line up to its very end now', [3]);

t.test('a stretched line is one and whole where the lines around run across its white', (t) => {
  const loose = lines(100, 112, 'of open charm hadrons. Physics Letters B', [9, 9, 9, 21, 9, 9]);
  t.equal(loose.length, 2);
  const { lines: found, whole } = withLooseLines([...dense(100, 100), ...loose]);
  t.same(textsOf(found), ['plain words that fill the line up to its very end now', 'of open charm hadrons. Physics Letters B']);
  t.same([...whole].map((line) => textsOf([line])[0]), ['of open charm hadrons. Physics Letters B']);
  t.same([found[1]!.box.left, found[1]!.box.right > 290], [100, true]);
  t.end();
});

t.test('what is no stretched line', (t) => {
  const isLeft = (around: Line[], loose: Line[], why: string): void => {
    const { lines: found, whole } = withLooseLines([...around, ...loose]);
    t.same(textsOf(found), textsOf([...around, ...loose]), why);
    t.notOk([...whole].some(({ words }) => words.length > 4), why);
  };
  isLeft([], lines(100, 112, 'of open charm hadrons. Physics Letters B', [9, 9, 9, 21, 9, 9]), 'nothing runs across the white');
  isLeft(dense(100, 100), lines(100, 112, 'of open charm hadrons. Physics Letters B', [4, 9, 9, 21, 4, 9]), 'uneven white, as in a row of a table');
  isLeft(dense(100, 100), lines(100, 112, 'of open charm hadrons Physics Letters B', [9, 9, 9, 21, 9, 9]), 'more white in the midst of a sentence');
  isLeft(dense(100, 100), lines(100, 112, 'hadrons. Physics Letters', [18, 9]), 'too few words to tell');
  isLeft(dense(100, 150), lines(100, 112, 'of open charm hadrons. Physics Letters B', [9, 9, 9, 21, 9, 9]), 'far from the line that runs across');
  isLeft(dense(100, 100), lines(100, 112, 'of open charm hadrons. Physics Letters B', [3, 3, 3, 16, 3, 3]), 'text that is set as usual');
  t.end();
});

t.test('two columns with stretched lines side by side stay two', (t) => {
  const [left, right] = [lines(100, 112, 'of all charm hadrons, seen here,', [9]), lines(300, 112, 'another one is, too, by chance,', [9])];
  const white = right[0]!.box.left - left[0]!.box.right;
  t.ok(white > 15 && white < 30, 'near enough to be taken for the white of a sentence');
  const { lines: found } = withLooseLines([...lines(100, 100, 'plain words that fill it all', [3]), ...lines(300, 100, 'and other words that fill it', [3]), ...left, ...right]);
  t.equal(found.length, 4);
  t.end();
});
