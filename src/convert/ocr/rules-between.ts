/** Lines of recognised text that run over the rules between cells: cut where a rule stands, which is read as an upright stroke at times. */
import { lastOf, splitWhere } from '../page/group-by-baseline.js';
import { middleX, middleY, widthOf } from '../../geometry/box.js';
import type { ReadLine, ReadRuling, ReadWord } from '../../engine/port.js';

const onlyStrokes = /^[|¦]+$/u;
/** Pixels that a rule may stand out of the place that its stroke was read at. */
const reach = 4;

/** Upright rules that cross the word's middle and stand between `from` and `to`, from the left. */
function rulesIn(word: ReadWord, from: number, to: number, rulings: ReadRuling[]): ReadRuling[] {
  const middle = middleY(word);
  return rulings.filter(({ horizontal, position, start, end }) => !horizontal && position >= from && position <= to && start < middle && end > middle).sort((a, b) => a.position - b.position);
}

/** Such a stroke is a letter, unless a ruled line stands there. */
function isRule(word: ReadWord, rulings: ReadRuling[]): boolean {
  if (!onlyStrokes.test(word.text)) return false;
  const middle = middleX(word);
  const across = Math.max(reach, widthOf(word));
  return rulings.some(({ horizontal, position, start, end }) => !horizontal && Math.abs(position - middle) <= across && start < word.bottom && end > word.top);
}

/** `line` without what was read of rules, in pieces between which none stands. */
export function cutAtRules(line: ReadLine, rulings: ReadRuling[]): ReadLine[] {
  const words = line.words.filter((word) => !isRule(word, rulings));
  const pieces = splitWhere(words, (piece, word) => {
    const before = lastOf(piece);
    return before.right <= word.left && rulesIn(word, before.right - 1, word.left + 1, rulings).length > 0;
  });
  return pieces.map((piece) => ({ ...line, words: piece }));
}
