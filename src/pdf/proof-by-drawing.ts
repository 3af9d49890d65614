/** Tests by drawing whether page objects leave a mark on the page: PDFium draws what a reader would see. */
import { OPAQUE_WHITE } from './colors.js';
import type { PageFrame } from './matrix.js';
import type { Box } from './pdf-page.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';

const BGRA = 4;
const MAX_PIXELS = 3_000_000;
const TRANSPARENT = 0;
/** Differences up to this are rounding errors of the renderer. */
const NOISE = 6;

/** Pixels of the page; `right` and `bottom` are the last ones. */
type PixelRange = Box;

interface DrawnPixels {
  pixels: Uint8Array;
  stride: number;
  /** The pixels of the whole page, and their origin. */
  left: number;
  top: number;
}

/** Draws one open page with some of its objects switched off. All objects are on again when a call returns. */
export class Proof {
  #pdfium: Pdfium;
  #page: number;
  #objects: PageObject[];
  #width: number;
  #height: number;
  #scale: number;
  #turned: number;

  constructor(pdfium: Pdfium, page: number, frame: PageFrame, objects: PageObject[]) {
    this.#pdfium = pdfium;
    this.#page = page;
    this.#objects = objects;
    this.#turned = frame.turned;
    this.#scale = Math.min(1, Math.sqrt(MAX_PIXELS / Math.max(1, frame.width * frame.height)));
    this.#width = Math.max(1, Math.round(frame.width * this.#scale));
    this.#height = Math.max(1, Math.round(frame.height * this.#scale));
  }

  /** The `boxes` in which `objects` drawn alone leave no mark: clipped away, in a hidden layer, or fully transparent. */
  unpainted<T>(objects: Set<PageObject>, boxes: Map<T, Box>): Set<T> {
    const drawing = this.#draw((object) => object.kind === 'form' || objects.has(object), TRANSPARENT, this.#around(boxes));
    return this.#select(boxes, (at) => (drawing.pixels[at + 3] ?? 0) > NOISE, drawing);
  }

  /** The `boxes` in which the page appears the same without `objects`: covered, or in the colour of the background. */
  unseen<T>(objects: Set<PageObject>, boxes: Map<T, Box>): Set<T> {
    const part = this.#around(boxes);
    const full = this.#draw(() => true, OPAQUE_WHITE, part);
    const without = this.#draw((object) => !objects.has(object), OPAQUE_WHITE, part);
    const differs = (at: number) => {
      for (let channel = at; channel < at + 3; channel++) if (Math.abs((full.pixels[channel] ?? 0) - (without.pixels[channel] ?? 0)) > NOISE) return true;
      return false;
    };
    return this.#select(boxes, differs, full);
  }

  /** The compared area; the rest of the page need not be drawn. */
  #around<T>(boxes: Map<T, Box>): PixelRange {
    const part = { left: this.#width, top: this.#height, right: 0, bottom: 0 };
    for (const box of boxes.values()) {
      const { left, top, right, bottom } = this.#pixelsOf(box);
      part.left = Math.min(part.left, left);
      part.top = Math.min(part.top, top);
      part.right = Math.max(part.right, right);
      part.bottom = Math.max(part.bottom, bottom);
    }
    return part;
  }

  #pixelsOf(box: Box): PixelRange {
    return {
      left: Math.max(0, Math.floor(box.left * this.#scale)), right: Math.min(this.#width - 1, Math.ceil(box.right * this.#scale)),
      top: Math.max(0, Math.floor(box.top * this.#scale)), bottom: Math.min(this.#height - 1, Math.ceil(box.bottom * this.#scale)),
    };
  }

  #draw(active: (object: PageObject) => boolean, ground: number, { left, top, right, bottom }: PixelRange): DrawnPixels {
    const { call } = this.#pdfium;
    const off = this.#objects.filter((object) => !active(object));
    const [width, height] = [right - left + 1, bottom - top + 1];
    const bitmap = width < 1 || height < 1 ? 0 : call.FPDFBitmap_CreateEx(width, height, BGRA, 0, 0);
    if (bitmap === 0) return { pixels: new Uint8Array(0), stride: 0, left, top };
    for (const object of off) call.FPDFPageObj_SetIsActive(object.pointer, 0);
    try {
      call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, ground);
      call.FPDF_RenderPageBitmap(bitmap, this.#page, -left, -top, this.#width, this.#height, this.#turned, 0);
      const stride = call.FPDFBitmap_GetStride(bitmap);
      const at = call.FPDFBitmap_GetBuffer(bitmap) >>> 0;
      return { pixels: this.#pdfium.u8.slice(at, at + stride * height), stride, left, top };
    } finally {
      for (const object of off) call.FPDFPageObj_SetIsActive(object.pointer, 1);
      call.FPDFBitmap_Destroy(bitmap);
    }
  }

  #select<T>(boxes: Map<T, Box>, marked: (at: number) => boolean, drawing: DrawnPixels): Set<T> {
    const without = new Set<T>();
    if (drawing.stride === 0) return without;
    for (const [key, box] of boxes) if (!this.#anyPixel(box, marked, drawing)) without.add(key);
    return without;
  }

  #anyPixel(box: Box, marked: (at: number) => boolean, { stride, ...origin }: DrawnPixels): boolean {
    const { left, top, right, bottom } = this.#pixelsOf(box);
    for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) if (marked((y - origin.top) * stride + (x - origin.left) * 4)) return true;
    return false;
  }
}
