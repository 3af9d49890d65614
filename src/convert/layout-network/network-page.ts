/** A page of a document as input of the layout network: its text lines and its drawings. */
import { lastOf, splitWhere } from '../page/group-by-baseline.js';
import { gapTolerances } from '../page/tolerances.js';
import { horizontalGap } from '../../geometry/box.js';
import { lineExtent } from '../../geometry/em.js';
import type { Box, Line, PageContent, Word } from '../../pdf/pdf-page.js';
import { lineOfWords } from '../page/text-line.js';
import type { DrawnItem, LayoutLine, LayoutPage } from './items.js';
import { isTrainedListMarker } from './text-features.js';

/** Degrees by which a line may lean. */
const leaning = 3;

export interface NetworkPage {
  page: LayoutPage;
  /** The words of each line. */
  words: Word[][];
}

/** The page as input of the network. Lines that do not run from left to right are left out. */
export function networkPageOf(content: PageContent): NetworkPage {
  const words = content.lines.filter(({ angle }) => Math.abs(angle) <= leaning).flatMap(partsOf);
  return { page: { width: content.width, height: content.height, lines: words.map(layoutLine), drawn: drawnOn(content) }, words };
}

function partsOf(line: Line): Word[][] {
  return splitWhere(line.words, (part, word) => {
    const last = lastOf(part);
    const gap = horizontalGap(word.box, last.box) / Math.max(word.size, last.size);
    if (word.glued || gap <= gapTolerances.fragment) return false;
    return gap >= gapTolerances.afterMarker || !isTrainedListMarker(part.map(({ text }) => text).join(' '));
  });
}

/** Whether the word was recognised in a picture. The network was trained without the weight and slant of such lines. */
const isRead = ({ confidence }: Word): boolean => confidence !== undefined;

function layoutLine(words: Word[]): LayoutLine {
  const { text, box, baseline, size, bold, italic } = lineOfWords(words, [], () => '');
  const isKnown = !words.some(isRead);
  return { left: box.left, right: box.right, ...lineExtent({ baseline, size }), size, bold: isKnown && bold, italic: isKnown && italic, text };
}

function drawnOn({ rulings, boxes, drawings, images }: PageContent): DrawnItem[] {
  const of = (box: Box, kind: DrawnItem['kind']): DrawnItem => ({ left: box.left, top: box.top, right: box.right, bottom: box.bottom, kind });
  const white = 0xffffff;
  return [
    ...rulings.map(({ orientation, position, start, end }) => of(orientation === 'horizontal' ? { left: start, right: end, top: position, bottom: position } : { left: position, right: position, top: start, bottom: end }, 'stroke')),
    ...boxes.flatMap(({ box, fill, stroke }) => (fill >= 0 && fill !== white ? [of(box, 'area')] : stroke >= 0 && stroke !== white ? [of(box, 'stroke')] : [])),
    ...drawings.map((box) => of(box, 'stroke')), ...images.map(({ box }) => of(box, 'image')),
  ];
}
