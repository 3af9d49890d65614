/** Rotates page bitmaps, and maps boxes of the rotated page back to the page as the file shows it. read-picture.ts decides by how many degrees. */
import type { Sharp } from '../input/image-library.js';
import type { Bitmap } from '../../bitmap.js';
import { HALF_TURN, QUARTER_TURN, THREE_QUARTER_TURN } from '../../pdf/angles.js';
import type { Box, QuarterTurn } from '../../pdf/pdf-page.js';

export type { QuarterTurn };

/** Bytes of a pixel, and channels: red, green, blue, alpha. */
const pixelBytes = 4;
/** Pixels: a narrower bitmap is not halved. On 1,000 pixels the slant of text lines can still be measured. */
const narrowestHalf = 1000;

/** The bitmap turned clockwise by `quarter` degrees. */
export async function turnQuarter(bitmap: Bitmap, quarter: QuarterTurn): Promise<Bitmap> {
  return quarter === 0 ? bitmap : rotated(bitmap, quarter);
}

/** The bitmap turned clockwise by `degrees`. It grows to hold the corners; white fills the new area. */
export async function rotated(bitmap: Bitmap, degrees: number): Promise<Bitmap> {
  return bitmapOf((await open(bitmap)).rotate(degrees, { background: '#ffffff' }));
}

/** Half as wide and high where that leaves `narrowestHalf` pixels. */
export async function halved(bitmap: Bitmap): Promise<Bitmap> {
  const width = Math.round(bitmap.width / 2);
  return width < narrowestHalf ? bitmap : bitmapOf((await open(bitmap)).resize({ width }));
}

async function open(bitmap: Bitmap): Promise<Sharp> {
  const { width, height, stride, data } = bitmap;
  const packed = stride === width * pixelBytes ? data.subarray(0, width * pixelBytes * height) : packRows(bitmap);
  // The first page that is turned loads the library: most documents have no such page.
  const { sharp } = await import('../input/image-library.js');
  return sharp(packed, { raw: { width, height, channels: pixelBytes } });
}

async function bitmapOf(picture: Sharp): Promise<Bitmap> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, stride: info.width * pixelBytes };
}

function packRows({ data, width, height, stride }: Bitmap): Uint8Array {
  const rowBytes = width * pixelBytes;
  const packed = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) packed.set(data.subarray(y * stride, y * stride + rowBytes), y * rowBytes);
  return packed;
}

interface PageSize {
  width: number;
  height: number;
}

/**
 * The way back from a page that was turned upright and straightened before it was read to the page as the file shows it.
 * `turn` made it upright, in degrees clockwise; then its lines leaned by `lean` degrees counter-clockwise. Returns the size of the page in the file, and the function that maps boxes of the
 * upright page to it; null where nothing was turned. The function returns the box around the rotated one, clipped at the page's edges.
 */
export function placeOnPage({ width, height }: PageSize, { turn, lean }: { turn: number; lean: number }): { size: PageSize; toPage: ((box: Box) => Box) | null } {
  const sideways = turn === QUARTER_TURN || turn === THREE_QUARTER_TURN;
  const size = sideways ? { width: height, height: width } : { width, height };
  if (turn === 0 && lean === 0) return { size, toPage: null };
  const [cosine, sine] = [Math.cos((lean * Math.PI) / HALF_TURN), Math.sin((lean * Math.PI) / HALF_TURN)];
  const point = (x: number, y: number): [number, number] => {
    const [right, down] = [x - width / 2, y - height / 2];
    const [leanX, leanY] = [width / 2 + right * cosine + down * sine, height / 2 - right * sine + down * cosine];
    if (turn === QUARTER_TURN) return [leanY, width - leanX];
    if (turn === HALF_TURN) return [width - leanX, height - leanY];
    return turn === THREE_QUARTER_TURN ? [height - leanY, leanX] : [leanX, leanY];
  };
  const toPage = ({ left, top, right, bottom }: Box): Box => {
    const corners = [point(left, top), point(right, top), point(right, bottom), point(left, bottom)];
    const [xs, ys] = [corners.map(([x]) => Math.min(size.width, Math.max(0, x))), corners.map(([, y]) => Math.min(size.height, Math.max(0, y)))];
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  };
  return { size, toPage };
}
