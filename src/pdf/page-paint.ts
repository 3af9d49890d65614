/** The characters and paths of a page with the colours in which the file paints them, before any correction: two prints of one document are compared by them. */
import { readColor } from './text-runs.js';
import { withoutAlpha } from './colors.js';
import type { PageFrame } from './matrix.js';
import { objectBounds, walkObjects } from './page-objects.js';
import type { Box } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

/** Out parameters of FPDFText_GetCharOrigin. */
const ORIGIN = { x: 0, y: 1 };
/** The colour of a character that belongs to no text object. */
export const NO_COLOR = -1;

export interface PagePaint {
  /** By the index that `WordTrace` gives for the characters of a word: code, place of the origin on the displayed page (points), 0xRRGGBB or NO_COLOR. */
  codes: Uint32Array;
  x: Float64Array;
  y: Float64Array;
  colors: Int32Array;
  /** Paths in painting order, if they were asked for; 0xRRGGBB of stroke and fill, whether drawn or not. */
  paths: { stroke: number; fill: number; box: Box }[];
}

/** `page` is open. */
export function readPaint(pdfium: Pdfium, page: number, frame: PageFrame, withPaths: boolean): PagePaint {
  const paths = withPaths ? readPathColors(pdfium, page, frame) : [];
  const { call } = pdfium;
  const textPage = call.FPDFText_LoadPage(page);
  if (textPage === 0) return { codes: new Uint32Array(0), x: new Float64Array(0), y: new Float64Array(0), colors: new Int32Array(0), paths };
  try {
    const count = Math.max(0, call.FPDFText_CountChars(textPage));
    const paint: PagePaint = { codes: new Uint32Array(count), x: new Float64Array(count), y: new Float64Array(count), colors: new Int32Array(count), paths };
    const { a, b, c, d, e, f } = frame.toSeen;
    let [last, color] = [0, NO_COLOR];
    for (let index = 0; index < count; index++) {
      const object = call.FPDFText_GetTextObject(textPage, index);
      if (object !== last) [last, color] = [object, object === 0 ? NO_COLOR : withoutAlpha(readColor(pdfium, object, 'fill'))];
      call.FPDFText_GetCharOrigin(textPage, index, pdfium.out64(ORIGIN.x), pdfium.out64(ORIGIN.y));
      const [x, y] = [pdfium.double(ORIGIN.x), pdfium.double(ORIGIN.y)];
      paint.codes[index] = call.FPDFText_GetUnicode(textPage, index) >>> 0;
      paint.x[index] = a * x + c * y + e;
      paint.y[index] = b * x + d * y + f;
      paint.colors[index] = color;
    }
    return paint;
  } finally {
    call.FPDFText_ClosePage(textPage);
  }
}

function readPathColors(pdfium: Pdfium, page: number, frame: PageFrame): PagePaint['paths'] {
  const paths: PagePaint['paths'] = [];
  for (const object of walkObjects(pdfium, page, frame.toSeen).objects) {
    if (object.kind !== 'path') continue;
    const box = objectBounds(pdfium, object);
    if (box !== null) paths.push({ stroke: withoutAlpha(readColor(pdfium, object.pointer, 'stroke')), fill: withoutAlpha(readColor(pdfium, object.pointer, 'fill')), box });
  }
  return paths;
}
