/** Renders pages to pixels: the page with its annotations and form fields on white, whole or a region. */
import { heightOf, widthOf } from '../geometry/box.js';
import { LecternError } from '../errors.js';
import { OPAQUE_WHITE } from './colors.js';
import type { PageFrame } from './matrix.js';
import type { Bitmap, Box } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

/** About an A2 page at 200 dpi. */
const MAX_PIXELS = 32_000_000;
const BGRA = 4;
const ANNOTATIONS = 1;
const RGB_ORDER = 0x10;

/** `region` in points on the displayed page; throws `too_large` above 32 million pixels. */
export function renderRegion(pdfium: Pdfium, page: number, form: number, frame: PageFrame, region: Box, dpi: number): Bitmap {
  const scale = dpi / 72;
  const width = Math.round(widthOf(region) * scale);
  const height = Math.round(heightOf(region) * scale);
  if (!(dpi > 0) || !(width >= 1) || !(height >= 1)) throw new LecternError('invalid_request', 'The region to draw is empty.');
  if (width * height > MAX_PIXELS) {
    throw new LecternError('too_large', `A bitmap of ${width} x ${height} pixels is larger than the ${MAX_PIXELS} that are drawn at once.`);
  }
  const { call } = pdfium;
  const bitmap = call.FPDFBitmap_CreateEx(width, height, BGRA, 0, 0);
  if (bitmap === 0) throw new LecternError('too_large', `There is no memory for a bitmap of ${width} x ${height} pixels.`);
  try {
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, OPAQUE_WHITE);
    const left = Math.round(-region.left * scale);
    const top = Math.round(-region.top * scale);
    const across = Math.round(frame.width * scale);
    const down = Math.round(frame.height * scale);
    call.FPDF_RenderPageBitmap(bitmap, page, left, top, across, down, frame.turned, ANNOTATIONS | RGB_ORDER);
    if (form !== 0) call.FPDF_FFLDraw(form, bitmap, page, left, top, across, down, frame.turned, ANNOTATIONS | RGB_ORDER);
    const stride = call.FPDFBitmap_GetStride(bitmap);
    const pixels = call.FPDFBitmap_GetBuffer(bitmap) >>> 0;
    return { data: pdfium.u8.slice(pixels, pixels + stride * height), width, height, stride };
  } finally {
    call.FPDFBitmap_Destroy(bitmap);
  }
}
