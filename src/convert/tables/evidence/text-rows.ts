/** Rows of a page as they are seen across its whole width: words on one baseline, and the texts that white makes of them. */
import type { Box, Word } from '../../../pdf/pdf-page.js';
import { hasLeader, isFigureCaption, isTableCaption } from '../../wording/cell-text.js';

/** White between two texts of a row, in sizes. */
const parting = 1.15;
/** Of the size, how far the baselines of one row's words may be apart. */
const level = 0.35;
/** Of the size, how far letters reach above and below their baseline. */
const above = 0.74;
const below = 0.22;

export interface TextRow {
  words: Word[];
  /** Texts with white between them, from the left. */
  texts: Box[];
  box: Box;
  size: number;
}

/** The rows of the texts that stand, at least with a part, between the sides of `over`, from the top. */
export function rowsOf(words: Word[], over: Pick<Box, 'left' | 'right'> = { left: -Infinity, right: Infinity }): TextRow[] {
  const lines: Word[][] = [];
  for (const word of [...words].sort((a, b) => a.baseline - b.baseline)) {
    const line = lines.at(-1);
    if (line !== undefined && word.baseline - (line[0]?.baseline ?? 0) < level * word.size) line.push(word);
    else lines.push([word]);
  }
  return lines.flatMap((line): TextRow[] => {
    const texts: { box: Box; words: Word[] }[] = [];
    for (const word of line.sort((a, b) => a.box.left - b.box.left)) {
      const last = texts.at(-1);
      if (last !== undefined && word.box.left - last.box.right < parting * word.size) {
        last.words.push(word);
        last.box.right = Math.max(last.box.right, word.box.right);
      } else texts.push({ box: { ...word.box }, words: [word] });
    }
    const own = texts.filter(({ box }) => box.right > over.left && box.left < over.right);
    if (own.length === 0) return [];
    const inRow = own.flatMap((text) => text.words);
    const [baseline, size] = [medianOf(inRow.map((word) => word.baseline)), medianOf(inRow.map((word) => word.size))];
    const sides = own.map(({ box }) => box);
    return [{ words: inRow, texts: sides, size, box: { left: Math.min(...sides.map(({ left }) => left)), right: Math.max(...sides.map(({ right }) => right)), top: baseline - above * size, bottom: baseline + below * size } }];
  });
}

/** A caption, or a line of a table of contents. */
export function isForeign({ words }: TextRow): boolean {
  const text = words.map((word) => word.text).join(' ');
  return isTableCaption(text) || isFigureCaption(text) || hasLeader(text);
}

/** The upper one of two; 0 of none. */
export function medianOf(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
