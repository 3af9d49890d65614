/** Pages as models/training/layout/layers.py draws them for the test of the layout network, and the same as pages of a document. */
import type { DrawnItem, LayoutLine, LayoutPage } from '../src/convert/layout-network/items.js';
import type { Box, DrawnBox, Font, Line, PageContent, Ruling, Word } from '../src/pdf/pdf-page.js';

export interface DrawnPage {
  width: number;
  height: number;
  lines: LayoutLine[];
  /** Left, top, right, bottom, kind. */
  drawn: [number, number, number, number, number][];
  /** Number of the label, left, top, right, bottom. */
  regions: [number, number, number, number, number][];
  family: string;
  scanned: boolean;
}

export interface DrawnPages {
  labels: string[];
  pages: DrawnPage[];
}

const kinds: readonly DrawnItem['kind'][] = ['stroke', 'area', 'image'];
/** Pixels: strokes are no thicker. */
const thin = 2;
/** Of the size of letters: how far below its baseline a line's box ends. */
const below = 0.22;

export function layoutPageOf({ drawn, ...rest }: DrawnPage): LayoutPage {
  return { ...rest, drawn: drawn.map(([left, top, right, bottom, kind]) => ({ left, top, right, bottom, kind: kinds[kind] ?? 'area' })) };
}

function fontOf({ bold, italic }: LayoutLine): Font {
  return { name: `Drawn${bold ? '-Bold' : ''}${italic ? '-Italic' : ''}`, weight: bold ? 700 : 400, bold, italic, monospace: false, symbolic: false };
}

/** Its words as wide as they have letters. */
function lineOf(line: LayoutLine, first: number, scanned: boolean): Line {
  const { left, right, top, bottom, size, text } = line;
  const baseline = bottom - below * size;
  const wide = (right - left) / Math.max(1, text.length);
  const words: Word[] = [];
  for (const match of text.matchAll(/\S+/gu)) {
    words.push({
      text: match[0], box: { left: left + wide * match.index, right: left + wide * (match.index + match[0].length), top, bottom }, baseline, font: fontOf(line), size,
      color: 0, angle: 0, glued: false, softHyphen: false, invisible: false, order: first + words.length, link: -1, underline: false, strike: false, mcid: -1, ...(scanned && { confidence: 0.95 }),
    });
  }
  return { words, box: { left, top, right, bottom }, baseline, size, angle: 0 };
}

function rulingOf({ left, top, right, bottom }: Box): Ruling {
  const horizontal = right - left > bottom - top;
  return horizontal ? { orientation: 'horizontal', position: (top + bottom) / 2, start: left, end: right, thickness: Math.max(0.5, bottom - top), color: 0 }
    : { orientation: 'vertical', position: (left + right) / 2, start: top, end: bottom, thickness: Math.max(0.5, right - left), color: 0 };
}

/** What a file, or its reader, would tell of the page. */
export function contentOf(page: DrawnPage): PageContent {
  const lines: Line[] = [];
  let count = 0;
  for (const line of page.lines) {
    const made = lineOf(line, count, page.scanned);
    if (made.words.length === 0) continue;
    lines.push(made);
    count += made.words.length;
  }
  const { drawn } = layoutPageOf(page);
  const isRule = ({ left, top, right, bottom }: Box): boolean => Math.min(right - left, bottom - top) < thin;
  const boxes = drawn.flatMap((item): DrawnBox[] => (item.kind === 'image' || isRule(item) ? [] : [{ box: item, fill: item.kind === 'area' ? 0x808080 : -1, stroke: item.kind === 'area' ? -1 : 0 }]));
  return {
    pageIndex: 0, width: page.width, height: page.height, rotation: 0, words: lines.flatMap(({ words }) => words), lines, rulings: drawn.filter((item) => item.kind !== 'image' && isRule(item)).map(rulingOf), boxes,
    images: drawn.filter(({ kind }) => kind === 'image').map((box, object) => ({ box, width: 300, height: 300, object })), drawings: [],
    links: [], structure: [], hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 }, unmappedCharacters: 0, characters: page.lines.reduce((sum, { text }) => sum + text.length, 0),
  };
}
