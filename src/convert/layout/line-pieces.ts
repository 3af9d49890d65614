/** Lines cut into pieces at wide white space and at words that belong to a table, a formula or a listing. */
import { gapTolerances } from '../page/tolerances.js';
import { horizontalGap } from '../../geometry/box.js';
import type { Line, Word } from '../../pdf/pdf-page.js';

/** The words of a line, split where white space wider than between words opens, or where words are taken. The words of a line that is partly read from the right are not in reading order. */
export function piecesOfLine(line: Line, taken: Set<Word>): Word[][] {
  if (line.angle === 0 && line.words.some((word, index) => index > 0 && word.box.left < line.words[index - 1]!.box.left)) return piecesByPlace(line.words, taken);
  return partsOf(line.words, taken, line.angle === 0);
}

/** The words of a line, parted where a gap wider than `gapTolerances.fragment` opens or where words are taken. */
export function partsOf(words: Word[], taken: Set<Word>, isUpright = true): Word[][] {
  const pieces: Word[][] = [];
  let last: Word | null = null;
  for (const word of words) {
    if (taken.has(word)) {
      last = null;
      continue;
    }
    const gap = last === null ? Infinity : horizontalGap(word.box, last.box);
    if (last === null || (gap > gapTolerances.fragment * Math.max(word.size, last.size) && !word.glued && isUpright)) pieces.push([word]);
    else pieces.at(-1)!.push(word);
    last = word;
  }
  return pieces;
}

/** The same by the places of the words; each piece is in reading order. */
function piecesByPlace(words: Word[], taken: Set<Word>): Word[][] {
  const places = new Map<Word, number>();
  let [place, right, size] = [0, -Infinity, 0];
  for (const word of [...words].sort((a, b) => a.box.left - b.box.left)) {
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
