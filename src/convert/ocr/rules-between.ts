/** Splits recognised lines that cross the rulings between cells. The recogniser sometimes returns a ruling as an upright stroke. */
import { lastOf, splitWhere } from '../page/group-by-baseline.js';
import { middleX, middleY, widthOf } from '../../geometry/box.js';
import type { ReadLine, ReadRuling, ReadWord } from '../../engine/port.js';

const onlyStrokes = /^[|¦]+$/u;
/** Pixels: the largest distance between a ruling and the place of its stroke. */
const reach = 4;

/** Vertical rulings that cross the word's middle between `from` and `to`, from the left. */
function rulesIn(word: ReadWord, from: number, to: number, rulings: ReadRuling[]): ReadRuling[] {
  const middle = middleY(word);
  return rulings.filter(({ horizontal, position, start, end }) => !horizontal && position >= from && position <= to && start < middle && end > middle).sort((a, b) => a.position - b.position);
}

/** Characters like an upright stroke. They are letters unless a ruling stands there. */
function isRule(word: ReadWord, rulings: ReadRuling[]): boolean {
  if (!onlyStrokes.test(word.text)) return false;
  const middle = middleX(word);
  const across = Math.max(reach, widthOf(word));
  return rulings.some(({ horizontal, position, start, end }) => !horizontal && Math.abs(position - middle) <= across && start < word.bottom && end > word.top);
}

/** Splits `line` at rulings, and removes the strokes that were recognised from them. */
export function cutAtRules(line: ReadLine, rulings: ReadRuling[]): ReadLine[] {
  const words = line.words.filter((word) => !isRule(word, rulings));
  const pieces = splitWhere(words, (piece, word) => {
    const before = lastOf(piece);
    return before.right <= word.left && rulesIn(word, before.right - 1, word.left + 1, rulings).length > 0;
  });
  return pieces.map((piece) => ({ ...line, words: piece }));
}
