/** Rows across the whole width of a page: words on one baseline, split into texts at wide white space. */
import { fromLeft, fromTop, lastOf, rowsByBaseline, splitWhere } from '../../page/group-by-baseline.js';
import { baselineTolerances, gapTolerances } from '../../page/tolerances.js';
import { isFigureOrListingCaption, isTableCaption } from '../../wording/captions.js';
import { horizontalExtent } from '../../../geometry/box.js';
import { lineExtent } from '../../../geometry/em.js';
import { median } from '../../../geometry/statistics.js';
import type { Box, Word } from '../../../pdf/pdf-page.js';
import { hasLeader } from '../../wording/cell-text.js';

export interface TextRow {
  words: Word[];
  /** Texts with white space between them, from the left. */
  texts: Box[];
  box: Box;
  size: number;
}

/** The rows of the texts that lie at least partly between the sides of `over`, from the top. */
export function rowsOf(words: Word[], over: Pick<Box, 'left' | 'right'> = { left: -Infinity, right: Infinity }): TextRow[] {
  return rowsByBaseline(fromTop(words), baselineTolerances.pageRow).flatMap((row): TextRow[] => {
    const own = textsOf(row).filter(({ box }) => box.right > over.left && box.left < over.right);
    if (own.length === 0) return [];
    const inRow = own.flatMap((text) => text.words);
    const [baseline, size] = [median(inRow.map((word) => word.baseline)), median(inRow.map((word) => word.size))];
    const texts = own.map(({ box }) => box);
    return [{ words: inRow, texts, size, box: { ...horizontalExtent(texts), ...lineExtent({ baseline, size }) } }];
  });
}

/** The row's words, split at wide white space. A text is as high as its first word. */
function textsOf(row: Word[]): { box: Box; words: Word[] }[] {
  let right = 0;
  const texts = splitWhere(fromLeft(row), (text, word) => {
    right = text.length === 1 ? text[0]!.box.right : Math.max(right, lastOf(text).box.right);
    return word.box.left - right >= gapTolerances.rowText * word.size;
  });
  return texts.map((words) => ({ box: { ...words[0]!.box, ...horizontalExtent(words.map(({ box }) => box)) }, words }));
}

/** A caption, or a line of a table of contents. */
export function isForeign({ words }: TextRow): boolean {
  const text = words.map((word) => word.text).join(' ');
  return isTableCaption(text) || isFigureOrListingCaption(text) || hasLeader(text);
}
