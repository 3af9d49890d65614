/** A page's bitmap turned upright, and the way back from its pixels to the page. */
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { Bitmap } from '../../bitmap.js';

export type QuarterTurn = 0 | 90 | 180 | 270;

/** The bitmap turned clockwise by `quarter` degrees. */
export async function turnQuarter(bitmap: Bitmap, quarter: QuarterTurn): Promise<Bitmap> {
  return quarter === 0 ? bitmap : rotated(bitmap, quarter);
}

/** The bitmap turned clockwise by `degrees`, larger by the corners, white around. */
export async function rotated(bitmap: Bitmap, degrees: number): Promise<Bitmap> {
  return bitmapOf(open(bitmap).rotate(degrees, { background: '#ffffff' }));
}

/** Half as wide and high where that leaves 1,000 pixels: enough to see lines of text lean. */
export async function halved(bitmap: Bitmap): Promise<Bitmap> {
  const width = Math.round(bitmap.width / 2);
  return width < 1000 ? bitmap : bitmapOf(open(bitmap).resize({ width }));
}

function open(bitmap: Bitmap): Sharp {
  const { width, height, stride, data } = bitmap;
  const packed = stride === width * 4 ? data.subarray(0, width * 4 * height) : packRows(bitmap);
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
