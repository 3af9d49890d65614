/** Pages of words, lines and shades that a bench puts together: what a PDF page is for the table finder. */
import type { Box, Font, PageContent, Word } from '../src/pdf/pdf-page.js';

export type DrawnWord = Pick<Word, 'text' | 'box' | 'baseline' | 'size'> & { bold: boolean; italic?: boolean };

const fontOf = (bold: boolean, italic: boolean): Font => ({ name: bold ? 'Drawn-Bold' : 'Drawn', weight: bold ? 700 : 400, bold, italic, monospace: false, symbolic: false });

/** `words` in the order in which the page paints them; `filled` are shades, `framed` boxes with an outline alone. */
export function drawnPage(size: { width: number; height: number }, drawn: DrawnWord[], rulings: PageContent['rulings'], filled: Box[], framed: Box[] = []): PageContent {
  const words = drawn.map(({ bold, italic = false, ...word }, order): Word => ({
    ...word, font: fontOf(bold, italic), color: 0, angle: 0, glued: false, softHyphen: false, invisible: false, order, link: -1, underline: false, strike: false, mcid: -1,
  }));
  return {
    pageIndex: 0, ...size, rotation: 0, words, lines: [], rulings, boxes: [...filled.map((box) => ({ box, fill: 0xeeeeee, stroke: -1 })), ...framed.map((box) => ({ box, fill: -1, stroke: 0 }))],
    images: [], drawings: [], links: [], structure: [],
    hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 }, unmappedCharacters: 0, characters: words.reduce((sum, { text }) => sum + text.length, 0),
  };
}
