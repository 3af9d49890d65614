/** Proof by drawing: whether given page objects leave any mark on the page. What PDFium draws is what a reader would see. */
import type { PageFrame } from './geometry.js';
import type { Box } from './page.js';
import type { PageObject } from './objects.js';
import type { Pdfium } from './pdfium.js';

const BGRA = 4;
const MAX_PIXELS = 3_000_000;
const WHITE = 0xffffffff;
const TRANSPARENT = 0;
/** Differences up to this are rounding of the renderer. */
const NOISE = 6;

interface Drawing {
  pixels: Uint8Array;
  stride: number;
}

/** Draws one open page with some of its objects switched off. Every object is on again when a call returns. */
export class Proof {
  #pdfium: Pdfium;
  #page: number;
  #objects: PageObject[];
  #width: number;
  #height: number;
  #scale: number;

  constructor(pdfium: Pdfium, page: number, frame: PageFrame, objects: PageObject[]) {
    this.#pdfium = pdfium;
    this.#page = page;
    this.#objects = objects;
    this.#scale = Math.min(1, Math.sqrt(MAX_PIXELS / Math.max(1, frame.width * frame.height)));
    this.#width = Math.max(1, Math.round(frame.width * this.#scale));
    this.#height = Math.max(1, Math.round(frame.height * this.#scale));
  }

  /** Of `boxes`, those in which `objects` drawn alone leave no mark: clipped away, in a hidden layer, fully transparent. */
  unpainted<T>(objects: Set<PageObject>, boxes: Map<T, Box>): Set<T> {
    const drawing = this.#draw((object) => object.kind === 'form' || objects.has(object), TRANSPARENT);
    return this.#select(boxes, (at) => (drawing.pixels[at + 3] ?? 0) > NOISE, drawing.stride);
  }

  /** Of `boxes`, those in which the page looks the same without `objects`: covered, or in the colour of the ground. */
  unseen<T>(objects: Set<PageObject>, boxes: Map<T, Box>): Set<T> {
    const full = this.#draw(() => true, WHITE);
    const without = this.#draw((object) => !objects.has(object), WHITE);
    const differs = (at: number) => {
      for (let channel = at; channel < at + 3; channel++) if (Math.abs((full.pixels[channel] ?? 0) - (without.pixels[channel] ?? 0)) > NOISE) return true;
      return false;
    };
    return this.#select(boxes, differs, full.stride);
  }

  #draw(active: (object: PageObject) => boolean, ground: number): Drawing {
    const { call } = this.#pdfium;
    const off = this.#objects.filter((object) => !active(object));
    const bitmap = call.FPDFBitmap_CreateEx(this.#width, this.#height, BGRA, 0, 0);
    if (bitmap === 0) return { pixels: new Uint8Array(0), stride: 0 };
    for (const object of off) call.FPDFPageObj_SetIsActive(object.pointer, 0);
    try {
      call.FPDFBitmap_FillRect(bitmap, 0, 0, this.#width, this.#height, ground);
      call.FPDF_RenderPageBitmap(bitmap, this.#page, 0, 0, this.#width, this.#height, 0, 0);
      const stride = call.FPDFBitmap_GetStride(bitmap);
      const at = call.FPDFBitmap_GetBuffer(bitmap) >>> 0;
      return { pixels: this.#pdfium.u8.slice(at, at + stride * this.#height), stride };
    } finally {
      for (const object of off) call.FPDFPageObj_SetIsActive(object.pointer, 1);
      call.FPDFBitmap_Destroy(bitmap);
    }
  }

  #select<T>(boxes: Map<T, Box>, marked: (at: number) => boolean, stride: number): Set<T> {
    const without = new Set<T>();
    if (stride === 0) return without;
    for (const [key, box] of boxes) if (!this.#anyPixel(box, marked, stride)) without.add(key);
    return without;
  }

  #anyPixel(box: Box, marked: (at: number) => boolean, stride: number): boolean {
    const left = Math.max(0, Math.floor(box.left * this.#scale));
    const right = Math.min(this.#width - 1, Math.ceil(box.right * this.#scale));
    const top = Math.max(0, Math.floor(box.top * this.#scale));
    const bottom = Math.min(this.#height - 1, Math.ceil(box.bottom * this.#scale));
    for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) if (marked(y * stride + x * 4)) return true;
    return false;
  }
}
