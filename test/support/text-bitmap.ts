/** A page of letter-like strokes at any angle, drawn pixel by pixel: bitmaps whose lean is known without fonts or a renderer. */
import type { Bitmap } from '../../src/bitmap.js';

const letterSize = 6;
const linePitch = 16;

/**
 * White page, black text, leaning by `degrees` counter-clockwise around its middle. `padding` is added to each row beyond
 * the pixels; the bytes there are no part of the picture.
 */
export function textBitmap(width: number, height: number, degrees: number, padding = 0): Bitmap {
  const stride = width * 4 + padding;
  const data = new Uint8Array(stride * height).fill(255);
  const cosine = Math.cos((degrees * Math.PI) / 180);
  const sine = Math.sin((degrees * Math.PI) / 180);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let ink = 0;
      for (let sample = 0; sample < 4; sample += 1) {
        const dx = x + 0.25 + (sample % 2) / 2 - width / 2;
        const dy = y + 0.25 + Math.floor(sample / 2) / 2 - height / 2;
        ink += isInk(dx * cosine - dy * sine + width / 2, dx * sine + dy * cosine + height / 2, width, height);
      }
      data.fill(255 - Math.round((ink * 255) / 4), y * stride + x * 4, y * stride + x * 4 + 3);
    }
  }
  return { data, width, height, stride };
}

/** Whether the upright page has ink at a point: 1 or 0. */
function isInk(x: number, y: number, width: number, height: number): number {
  const marginX = width / 8;
  const marginY = height / 10;
  if (x < marginX || x > width - marginX || y < marginY || y > height - marginY) return 0;
  const line = Math.floor(y / linePitch);
  const column = Math.floor(x / (letterSize * 1.1));
  const shape = hash(line * 7919 + column);
  // Every sixth place or so is a space.
  if (shape % 6 === 0) return 0;
  const u = (x - column * letterSize * 1.1) / letterSize;
  const v = 1 - (y - line * linePitch - 4) / letterSize; // 0 on the baseline, 1 at the x-height
  const top = shape % 5 === 1 ? 1.5 : 1;
  const foot = shape % 7 === 2 ? -0.4 : 0;
  if (u < 0.18) return v > foot && v < top ? 1 : 0;
  if (u > 0.85 || v < 0 || v > 1) return 0;
  if (shape & 64 && u > 0.67) return 1;
  if (shape & 128 && v < 0.18) return 1;
  if (shape & 256 && v > 0.82) return 1;
  return v > 0.4 && v < 0.58 ? 1 : 0;
}

/** A well-mixed number for a number, so that the page is the same on every run. */
function hash(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
