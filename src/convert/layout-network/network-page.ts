/** A page of a document as the line network knows pages: its lines of text, and what is drawn beside them. */
import { horizontalGap } from '../../geometry/box.js';
import { lineExtent } from '../../geometry/em.js';
import type { Box, Line, PageContent, Word } from '../../pdf/pdf-page.js';
import { lineOfWords } from '../page/text-line.js';
import type { DrawnItem, LayoutLine, LayoutPage } from './items.js';
import { isListMark } from './text-features.js';

/** A gap wider than this many times the text's size parts a line; behind the mark of a list's item it may be wider. */
const pieceGap = 0.8;
const markGap = 2;
/** Degrees by which a line may lean. */
const leaning = 3;

export interface LookedAt {
  page: LayoutPage;
  /** Of each of its lines. */
  words: Word[][];
}

/** What the network is shown of a page. Lines that do not run from left to right are left out. */
export function lookAt(content: PageContent): LookedAt {
  const words = content.lines.filter(({ angle }) => Math.abs(angle) <= leaning).flatMap(partsOf);
  return { page: { width: content.width, height: content.height, lines: words.map(layoutLine), drawn: drawnOn(content) }, words };
}

function partsOf(line: Line): Word[][] {
  const parts: Word[][] = [];
  for (const word of line.words) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part === undefined || last === undefined) {
      parts.push([word]);
      continue;
    }
    const gap = horizontalGap(word.box, last.box) / Math.max(word.size, last.size);
    const isMark = (): boolean => gap < markGap && isListMark(part.map(({ text }) => text).join(' '));
    if (word.glued || gap <= pieceGap || isMark()) part.push(word);
    else parts.push([word]);
  }
  return parts;
}

/** From a picture. Of such lines nothing was known of weight or slant where the network learned. */
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
