/** Reads one whole page: walks its objects, makes lines of glyphs and rulings and boxes of paths, and returns plain data. */
import { clusterStrokes } from './drawing-regions.js';
import { addDrawnMarks } from './drawn-marks.js';
import type { FontTable } from './fonts.js';
import { readFields } from './form-fields.js';
import { linkWords, readLinks } from './links.js';
import type { PageFrame } from './matrix.js';
import { countOutlinedLetters } from './outlined-letters.js';
import { readPageGraphics } from './page-graphics.js';
import { readPageText } from './page-text.js';
import type { Box, Line, PageContent, Word, WordTrace } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';
import { mergeBoxes, mergeRulings } from './rulings.js';
import { readStructure } from './structure-tree.js';
import { markUnderlines } from './underlines.js';

/** `document` and `page` are open, `form` is the form environment or 0; the result refers to none of them. `trace` receives each word of the page's text with its characters. */
export function readPage(pdfium: Pdfium, document: number, form: number, page: number, pageIndex: number, frame: PageFrame, fonts: FontTable, trace?: WordTrace): PageContent {
  const seen: Box = { left: 0, top: 0, right: frame.width, bottom: frame.height };
  const drawn = readPageGraphics(pdfium, page, frame, seen);
  const { graphics } = drawn;
  const walls = mergeRulings(graphics.rulings);
  const text = readPageText(pdfium, page, frame, seen, drawn, fonts, walls, trace);
  const { lines } = text;
  const fields = readFields(pdfium, page, form, frame.toSeen, lines, text.end);
  lines.push(...fields.lines);
  const { rulings, fractions } = addDrawnMarks(lines, graphics, walls, fields.ticks, seen);
  const outlinedLetters = countOutlinedLetters(graphics.strokes);
  const links = readLinks(pdfium, document, page, frame.toSeen, seen);
  linkWords(lines, links);
  return {
    pageIndex,
    width: frame.width,
    height: frame.height,
    rotation: frame.rotation,
    words: wordsInPaintingOrder(lines),
    lines,
    rulings: markUnderlines(lines, rulings, fractions),
    boxes: mergeBoxes(graphics.boxes),
    images: drawn.images,
    drawings: clusterStrokes(graphics.strokes, seen),
    ...(outlinedLetters > 0 && { outlinedLetters }),
    links,
    structure: readStructure(pdfium, page),
    hidden: text.hidden,
    unmappedCharacters: text.unmapped,
    characters: text.characters,
  };
}

function wordsInPaintingOrder(lines: Line[]): Word[] {
  return lines.flatMap((line) => line.words).sort((a, b) => a.order - b.order);
}
