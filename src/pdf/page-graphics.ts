/** The graphics of a page: walks its objects, converts paths to rulings and boxes, and places pictures and covers. */
import { intersection } from '../geometry/box.js';
import type { Cover } from './covers.js';
import { dropHiddenLayers } from './layers.js';
import type { PageFrame } from './matrix.js';
import { walkObjects } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import { readPaths, unitSquare } from './paths.js';
import type { Graphics } from './paths.js';
import type { Box, PlacedImage } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';
import { Proof } from './proof-by-drawing.js';

export interface PageGraphics {
  /** In painting order, without those of hidden layers. */
  objects: PageObject[];
  graphics: Graphics;
  images: PlacedImage[];
  /** Filled boxes and images, in painting order. */
  covers: Cover[];
  proof: Proof;
}

/** `page` is open; `seen` is its visible box in points. */
export function readPageGraphics(pdfium: Pdfium, page: number, frame: PageFrame, seen: Box): PageGraphics {
  const walk = walkObjects(pdfium, page, frame.toSeen);
  const proof = new Proof(pdfium, page, frame, walk.objects);
  const objects = dropHiddenLayers(walk.objects, pdfium, proof);
  const graphics = readPaths(pdfium, objects, seen);
  const images = readImages(pdfium, objects, seen);
  return { objects, graphics, images, covers: coversOf(pdfium, graphics, images, objects), proof };
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
