/** Pages as the PDF room yields them, made word by word without a PDF. */
import type { Box, DrawnBox, Font, PageContent, Ruling, Word } from '../../src/pdf/pdf-page.js';

export interface Style {
  size?: number;
  bold?: boolean;
  monospace?: boolean;
  color?: number;
  align?: 'left' | 'right' | 'center';
}

const letterWidth = 0.5;
const spaceWidth = 0.28;

/** Gathers words, lines and boxes; `page()` gives what they make. */
export class PageMaker {
  readonly words: Word[] = [];
  readonly rulings: Ruling[] = [];
  readonly boxes: DrawnBox[] = [];

  constructor(readonly width = 600, readonly height = 800) {}

  /** Writes words from `x` on (or up to it, or around it) with word spaces between; returns where the text ends. */
  text(x: number, baseline: number, text: string, style: Style = {}): number {
    const size = style.size ?? 10;
    const parts = text.split(' ').filter((part) => part !== '');
    const length = widthOf(text, size);
    let left = style.align === 'right' ? x - length : style.align === 'center' ? x - length / 2 : x;
    for (const part of parts) {
      const right = left + letterWidth * size * part.length;
      this.words.push(this.word(part, { left, top: baseline - 0.7 * size, right, bottom: baseline + 0.05 * size }, baseline, style));
      left = right + spaceWidth * size;
    }
    return left - spaceWidth * size;
  }

  /** Breaks text into lines that fit `width`, `leading` apart; returns the baseline after the last one. */
  paragraph(x: number, baseline: number, width: number, text: string, style: Style & { leading?: number } = {}): number {
    const size = style.size ?? 10;
    const leading = style.leading ?? 1.2 * size;
    let line = '';
    let y = baseline;
    for (const part of text.split(' ')) {
      const longer = line === '' ? part : `${line} ${part}`;
      if (line !== '' && widthOf(longer, size) > width) {
        this.text(x, y, line, style);
        y += leading;
        line = part;
      } else line = longer;
    }
    this.text(x, y, line, style);
    return y + leading;
  }

  /** Writes a text upwards (or downwards): `x` is the middle of its line, `end` the y of its lower end. */
  turned(x: number, end: number, text: string, down = false, size = 10): void {
    const parts = text.split(' ').filter((part) => part !== '');
    let bottom = end;
    for (const part of down ? parts.reverse() : parts) {
      const top = bottom - letterWidth * size * part.length;
      const box = { left: x - 0.35 * size, top, right: x + 0.35 * size, bottom };
      this.words.push({ ...this.word(part, box, down ? top : bottom, { size }), angle: down ? 270 : 90 });
      bottom = top - spaceWidth * size;
    }
  }

  /** One row of texts at the same baseline, each set at its column's place. */
  row(baseline: number, columns: number[], texts: string[], styles: Style[] | Style = {}): void {
    for (const [index, text] of texts.entries()) this.text(columns[index] ?? 0, baseline, text, Array.isArray(styles) ? styles[index] ?? {} : styles);
  }

  horizontal(y: number, start: number, end: number, joints?: number[]): void {
    this.rulings.push({ orientation: 'horizontal', position: y, start, end, thickness: 0.5, color: 0, ...(joints === undefined ? {} : { joints }) });
  }

  vertical(x: number, start: number, end: number): void {
    this.rulings.push({ orientation: 'vertical', position: x, start, end, thickness: 0.5, color: 0 });
  }

  shade(left: number, top: number, right: number, bottom: number, fill = 0xeeeeee): void {
    this.boxes.push({ box: { left, top, right, bottom }, fill, stroke: -1 });
  }

  page(): PageContent {
    return {
      pageIndex: 0, width: this.width, height: this.height, rotation: 0, words: this.words, lines: [], rulings: this.rulings, boxes: this.boxes,
      images: [], drawings: [], links: [], structure: [],
      hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 },
      unmappedCharacters: 0, characters: this.words.reduce((sum, word) => sum + word.text.length, 0),
    };
  }

  private word(text: string, box: Box, baseline: number, style: Style): Word {
    const bold = style.bold === true;
    const font: Font = { name: bold ? 'Body-Bold' : 'Body', weight: bold ? 700 : 400, bold, italic: false, monospace: style.monospace === true, symbolic: false };
    return {
      text, box, baseline, font, size: style.size ?? 10, color: style.color ?? 0, angle: 0, glued: false, softHyphen: false, invisible: false,
      order: this.words.length, link: -1, underline: false, strike: false, mcid: -1,
    };
  }
}

/** Width that `text()` gives a text. */
export function widthOf(text: string, size = 10): number {
  const parts = text.split(' ').filter((part) => part !== '');
  return parts.reduce((sum, part) => sum + letterWidth * size * part.length, 0) + spaceWidth * size * (parts.length - 1);
}

/** The same page written upwards: turned by 90 degrees counter-clockwise. */
export function turnedPage(page: PageContent): PageContent {
  const turn = (box: Box): Box => ({ left: box.top, top: page.width - box.right, right: box.bottom, bottom: page.width - box.left });
  return {
    ...page,
    width: page.height,
    height: page.width,
    words: page.words.map((word) => ({ ...word, box: turn(word.box), baseline: page.width - word.box.left, angle: 90 })),
    rulings: page.rulings.map((ruling) =>
      ruling.orientation === 'horizontal'
        ? { ...ruling, orientation: 'vertical' as const, start: page.width - ruling.end, end: page.width - ruling.start }
        : { ...ruling, orientation: 'horizontal' as const, position: page.width - ruling.position },
    ),
    boxes: page.boxes.map((drawn) => ({ ...drawn, box: turn(drawn.box) })),
  };
}
