/** A page's bitmap turned upright, and the way back from its pixels to the page. */
import type { Sharp } from '../input/image-library.js';
import type { Bitmap } from '../../bitmap.js';
import type { Box, QuarterTurn } from '../../pdf/pdf-page.js';

export type { QuarterTurn };

/** The bitmap turned clockwise by `quarter` degrees. */
export async function turnQuarter(bitmap: Bitmap, quarter: QuarterTurn): Promise<Bitmap> {
  return quarter === 0 ? bitmap : rotated(bitmap, quarter);
}

/** The bitmap turned clockwise by `degrees`, larger by the corners, filled with white. */
export async function rotated(bitmap: Bitmap, degrees: number): Promise<Bitmap> {
  return bitmapOf((await open(bitmap)).rotate(degrees, { background: '#ffffff' }));
}

/** Half as wide and high where that leaves 1,000 pixels: enough to see lines of text lean. */
export async function halved(bitmap: Bitmap): Promise<Bitmap> {
  const width = Math.round(bitmap.width / 2);
  return width < 1000 ? bitmap : bitmapOf((await open(bitmap)).resize({ width }));
}

async function open(bitmap: Bitmap): Promise<Sharp> {
  const { width, height, stride, data } = bitmap;
  const packed = stride === width * 4 ? data.subarray(0, width * 4 * height) : packRows(bitmap);
  // Loaded by the first page that is turned: most documents have none.
  const { sharp } = await import('../input/image-library.js');
  return sharp(packed, { raw: { width, height, channels: 4 } });
}

async function bitmapOf(picture: Sharp): Promise<Bitmap> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, stride: info.width * 4 };
}

function packRows({ data, width, height, stride }: Bitmap): Uint8Array {
  const packed = new Uint8Array(width * 4 * height);
  for (let y = 0; y < height; y++) packed.set(data.subarray(y * stride, y * stride + width * 4), y * width * 4);
  return packed;
}

interface PageSize {
  width: number;
  height: number;
}

/**
 * A page that was read upright and straight, as the file shows it: its size, and where boxes of the upright page lie on it, kept within its edges; no function where nothing was
 * turned. `turn` is what made it upright, degrees clockwise, `lean` by what its lines leaned then, degrees counter-clockwise. A box that leaned becomes the one around it.
 */
export function placeOnPage({ width, height }: PageSize, { turn, lean }: { turn: number; lean: number }): { size: PageSize; toPage: ((box: Box) => Box) | null } {
  const sideways = turn === 90 || turn === 270;
  const size = sideways ? { width: height, height: width } : { width, height };
  if (turn === 0 && lean === 0) return { size, toPage: null };
  const [cosine, sine] = [Math.cos((lean * Math.PI) / 180), Math.sin((lean * Math.PI) / 180)];
  const point = (x: number, y: number): [number, number] => {
    const [right, down] = [x - width / 2, y - height / 2];
    const [leanX, leanY] = [width / 2 + right * cosine + down * sine, height / 2 - right * sine + down * cosine];
    if (turn === 90) return [leanY, width - leanX];
    if (turn === 180) return [width - leanX, height - leanY];
    return turn === 270 ? [height - leanY, leanX] : [leanX, leanY];
  };
  const toPage = ({ left, top, right, bottom }: Box): Box => {
    const corners = [point(left, top), point(right, top), point(right, bottom), point(left, bottom)];
    const [xs, ys] = [corners.map(([x]) => Math.min(size.width, Math.max(0, x))), corners.map(([, y]) => Math.min(size.height, Math.max(0, y)))];
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  };
  return { size, toPage };
}
