/** One page read whole: objects walked, glyphs made lines, paths made rulings and boxes; plain data comes out. */
import { intersection } from '../geometry/box.js';
import type { Box, Line, PageContent, PlacedImage, Word } from './pdf-page.js';
import { addDrawnBullets, nameLetterBullets } from './bullets.js';
import type { Cover } from './covers.js';
import { readFields } from './form-fields.js';
import type { FontTable } from './fonts.js';
import { fractionsOf } from './stacked-fractions.js';
import type { Matrix, PageFrame } from './matrix.js';
import { readGlyphs } from './glyphs.js';
import type { GlyphPage } from './glyphs.js';
import { dropHiddenLayers } from './layers.js';
import { buildLines } from './lines.js';
import { walkObjects } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import { clusterStrokes } from './drawing-regions.js';
import { readPaths, unitSquare } from './paths.js';
import type { Graphics } from './paths.js';
import type { Pdfium } from './pdfium.js';
import { Proof } from './proof-by-drawing.js';
import { mergeBoxes, mergeRulings } from './rulings.js';
import { settleGlyphs } from './settle-glyphs.js';
import { addNumberedMarks } from './numbered-marks.js';
import { addTickBoxes } from './tick-words.js';
import { markUnderlines } from './underlines.js';
import { keepVisible } from './visibility.js';
import { makeLine } from './line-words.js';
import { linkWords, readLinks } from './links.js';
import { readStructure } from './structure-tree.js';

/** `document` and `page` are open, `form` is the form environment or 0; nothing of them is kept. */
export function readPage(pdfium: Pdfium, document: number, form: number, page: number, pageIndex: number, frame: PageFrame, fonts: FontTable): PageContent {
  const seen: Box = { left: 0, top: 0, right: frame.width, bottom: frame.height };
  const walk = walkObjects(pdfium, page, frame.toSeen);
  const proof = new Proof(pdfium, page, frame, walk.objects);
  const objects = dropHiddenLayers(walk.objects, pdfium, proof);
  const graphics = readPaths(pdfium, objects, seen);
  const images = readImages(pdfium, objects, seen);
  const read = readText(pdfium, page, objects, frame.toSeen, fonts);
  const covers = coversOf(pdfium, graphics, images, objects);
  const text = keepVisible(read.glyphs, covers, seen, proof, (glyphs) => settleGlyphs(glyphs, fonts));
  const walls = mergeRulings(graphics.rulings);
  const lines = buildLines(text.glyphs, walls).map(makeLine);
  const fields = readFields(pdfium, page, form, frame.toSeen, lines, read.end);
  lines.push(...fields.lines);
  const drawn = graphics.rulings;
  addTickBoxes(lines, graphics, fields.ticks);
  const rulings = graphics.rulings.length === drawn.length ? walls : mergeRulings(graphics.rulings);
  // A denominator by itself is no bullet, and its bar underlines nothing.
  const fractions = fractionsOf(lines, rulings);
  const parts = new Set(fractions.flatMap(({ over, under }) => [...over, ...under]));
  nameLetterBullets(lines.filter(({ words }) => !words.some((word) => parts.has(word))));
  if (graphics.marks.length > 0) {
    addNumberedMarks(lines, graphics);
    const marks = new Set(graphics.marks.map(({ box }) => box));
    addDrawnBullets(lines, graphics, clusterStrokes(graphics.strokes.filter((stroke) => !marks.has(stroke)), seen));
  }
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
    images,
    drawings: clusterStrokes(graphics.strokes, seen),
    links,
    structure: readStructure(pdfium, page),
    hidden: text.hidden,
    unmappedCharacters: read.unmapped,
    characters: read.characters,
  };
}

function readText(pdfium: Pdfium, page: number, objects: PageObject[], toSeen: Matrix, fonts: FontTable): GlyphPage {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return { glyphs: [], characters: 0, unmapped: 0, end: 0 };
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
    const box = intersection(unitSquare(pdfium, object), object.clip === null ? seen : intersection(object.clip, seen));
    if (box.right <= box.left || box.bottom <= box.top) continue;
    const at = pdfium.scratch;
    const known = pdfium.call.FPDFImageObj_GetImagePixelSize(object.pointer, at, at + 4) !== 0;
    const i32 = pdfium.i32;
    images.push({ box, width: known ? (i32[at >> 2] ?? 0) : 0, height: known ? (i32[(at >> 2) + 1] ?? 0) : 0, object: object.order });
  }
  return images;
}

/** Filled boxes and images, in painting order. */
function coversOf(pdfium: Pdfium, graphics: Graphics, images: PlacedImage[], objects: PageObject[]): Cover[] {
  const byOrder = new Map(objects.map((object) => [object.order, object]));
  const covers: Cover[] = graphics.boxes.filter((box) => box.fill >= 0).map(({ box, order, fill, opaque }) => ({ box, order, color: fill, opaque, image: false }));
  for (const { box, object: order } of images) {
    const object = byOrder.get(order);
    const opaque = object !== undefined && pdfium.call.FPDFPageObj_HasTransparency(object.pointer) === 0;
    covers.push({ box, order, color: -1, opaque, image: true });
  }
  return covers.sort((a, b) => a.order - b.order);
}
