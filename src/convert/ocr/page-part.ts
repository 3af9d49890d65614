/** A part of a page as a separate page, and the mapping of its recognised lines back to the page. */
import { heightOf, intersection, translated, widthOf } from '../../geometry/box.js';
import type { Box, Line, PageContent } from '../../pdf/pdf-page.js';
import type { Drawing } from './read-picture.js';

/** The part of the page in `box`, without the file's text and drawings. */
export function partOf(pages: Drawing, { pageIndex, hidden }: PageContent, box: Box): { pages: Drawing; content: PageContent } {
  return {
    pages: { render: (index, part, dpi) => pages.render(index, translated(part, box.left, box.top), dpi) },
    content: {
      pageIndex, width: widthOf(box), height: heightOf(box), rotation: 0, words: [], lines: [], rulings: [], boxes: [], images: [], drawings: [], links: [], structure: [],
      characters: 0, unmappedCharacters: 0, hidden,
    },
  };
}

/** Lines of the part in `box`, moved to their place on its page. */
export function linesOnPage(lines: Line[], box: Box): Line[] {
  return lines.map((line) => {
    const words = line.words.map((word) => ({ ...word, box: translated(word.box, box.left, box.top), baseline: word.baseline + box.top }));
    return { ...line, words, box: translated(line.box, box.left, box.top), baseline: line.baseline + box.top };
  });
}

/** The rectangle around `lines`, enlarged by `around` of their sizes, and at their ends by `behind` of their lengths, within the page. */
export function boxAround(lines: Line[], { around, behind }: { around: number; behind: number }, { width, height }: Pick<PageContent, 'width' | 'height'>): Box {
  const box = { left: width, top: height, right: 0, bottom: 0 };
  for (const { box: { left, top, right, bottom }, size } of lines) {
    box.left = Math.min(box.left, left - around * size);
    box.top = Math.min(box.top, top - around * size);
    box.right = Math.max(box.right, right + around * size + behind * (right - left));
    box.bottom = Math.max(box.bottom, bottom + around * size);
  }
  return intersection(box, { left: 0, top: 0, right: width, bottom: height });
}
