/** Splits lines into pieces at wide white space and at words that belong to a table, a formula or a listing. */
import { firstOf, fromLeft, lastOf, splitWhere } from '../page/group-by-baseline.js';
import { gapTolerances } from '../page/tolerances.js';
import { horizontalGap } from '../../geometry/box.js';
import type { Line, Word } from '../../pdf/pdf-page.js';

/** The words of a line, split where a gap wider than a word space opens, or where words are taken. If a line is partly read from the right, its words are not in reading order. */
export function piecesOfLine(line: Line, taken: Set<Word>): Word[][] {
  if (line.angle === 0 && line.words.some((word, index) => index > 0 && word.box.left < line.words[index - 1]!.box.left)) return piecesByPlace(line.words, taken);
  return partsOf(line.words, taken, line.angle === 0);
}

/** The words of a line without those that are taken, split where words are taken and where a gap wider than `gapTolerances.fragment` opens. */
export function partsOf(words: Word[], taken: Set<Word>, isUpright = true): Word[][] {
  const isGap = (last: Word, word: Word): boolean => isUpright && !word.glued && horizontalGap(word.box, last.box) > gapTolerances.fragment * Math.max(word.size, last.size);
  const parts = splitWhere(words, (open, word) => taken.has(word) || taken.has(lastOf(open)) || isGap(lastOf(open), word));
  return parts.filter((part) => !taken.has(firstOf(part)));
}

/**
 * The same by the places of the words; each piece keeps the reading order. `splitWhere` does not fit: a gap is measured from the rightmost edge so far, which a word of an
 * earlier piece may have, and the pieces are not runs of `words`.
 */
function piecesByPlace(words: Word[], taken: Set<Word>): Word[][] {
  const places = new Map<Word, number>();
  let [place, right, size] = [0, -Infinity, 0];
  for (const word of fromLeft(words)) {
    if (word.box.left - right > gapTolerances.fragment * Math.max(word.size, size) && right > -Infinity) place++;
    places.set(word, taken.has(word) ? place++ : place);
    right = Math.max(right, word.box.right);
    size = word.size;
  }
  const pieces = new Map<number, Word[]>();
  for (const word of words) {
    if (taken.has(word)) continue;
    const known = pieces.get(places.get(word)!);
    if (known === undefined) pieces.set(places.get(word)!, [word]);
    else known.push(word);
  }
  return [...pieces.values()];
}
