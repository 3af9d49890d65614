/** One page read whole: objects walked, glyphs made lines, paths made rulings and boxes; plain data comes out. */
import type { Box, Line, PageContent, PlacedImage, Word } from './page.js';
import type { FontTable } from './fonts.js';
import { intersect } from './geometry.js';
import type { Matrix, PageFrame } from './geometry.js';
import { readGlyphs } from './glyphs.js';
import type { GlyphPage } from './glyphs.js';
import { buildLines } from './lines.js';
import { walkObjects } from './objects.js';
import type { PageObject } from './objects.js';
import { clusterStrokes, readPaths, unitSquare } from './paths.js';
import type { Pdfium } from './pdfium.js';
import { makeLine } from './words.js';

export function readPage(pdfium: Pdfium, page: number, pageIndex: number, frame: PageFrame, fonts: FontTable): PageContent {
  const seen: Box = { left: 0, top: 0, right: frame.width, bottom: frame.height };
  const { objects } = walkObjects(pdfium, page, frame.toSeen);
  const graphics = readPaths(pdfium, objects, seen);
  const text = readText(pdfium, page, objects, frame.toSeen, fonts);
  const lines = buildLines(text.glyphs, graphics.rulings).map(makeLine);
  return {
    pageIndex,
    width: frame.width,
    height: frame.height,
    rotation: frame.rotation,
    words: wordsInPaintingOrder(lines),
    lines,
    rulings: graphics.rulings,
    boxes: graphics.boxes.map(({ box, fill, stroke }) => ({ box, fill, stroke })),
    images: readImages(pdfium, objects, seen),
    drawings: clusterStrokes(graphics.strokes, seen),
    links: [],
    structure: [],
    hidden: { outsidePage: 0, clipped: 0, covered: 0, hiddenLayer: 0, invisible: 0 },
    unmappedCharacters: text.unmapped,
    characters: text.characters,
  };
}

function readText(pdfium: Pdfium, page: number, objects: PageObject[], toSeen: Matrix, fonts: FontTable): GlyphPage {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return { glyphs: [], characters: 0, unmapped: 0 };
  try {
    return readGlyphs(pdfium, textPage, objects, toSeen, fonts);
  } finally {
    pdfium.call.FPDFText_ClosePage(textPage);
  }
}

function wordsInPaintingOrder(lines: Line[]): Word[] {
  return lines.flatMap((line) => line.words).sort((a, b) => a.order - b.order);
}

function readImages(pdfium: Pdfium, objects: PageObject[], seen: Box): PlacedImage[] {
  const images: PlacedImage[] = [];
  for (const object of objects) {
    if (object.kind !== 'image') continue;
    const box = intersect(unitSquare(pdfium, object), object.clip === null ? seen : intersect(object.clip, seen));
    if (box.right <= box.left || box.bottom <= box.top) continue;
    const at = pdfium.scratch;
    const known = pdfium.call.FPDFImageObj_GetImagePixelSize(object.pointer, at, at + 4) !== 0;
    const i32 = pdfium.i32;
    images.push({ box, width: known ? (i32[at >> 2] ?? 0) : 0, height: known ? (i32[(at >> 2) + 1] ?? 0) : 0, object: object.order });
  }
  return images;
}
