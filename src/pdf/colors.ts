/** Colours as numbers: 0xAARRGGBB as PDFium reports them, 0xRRGGBB on pages. */

const RED_SHIFT = 16;
const GREEN_SHIFT = 8;
const CHANNEL = 0xff;
const ALPHA_SHIFT = 24;
const RGB = 0xffffff;

/** Alpha of an opaque colour. */
export const OPAQUE = 0xff;
export const OPAQUE_BLACK = 0xff000000;
export const OPAQUE_WHITE = 0xffffffff;
/** Of 0xRRGGBB. */
export const WHITE = 0xffffff;

/** 0..255 of 0xAARRGGBB. */
export function alphaOf(color: number): number {
  return color >>> ALPHA_SHIFT;
}

/** 0xRRGGBB of 0xAARRGGBB. */
export function withoutAlpha(color: number): number {
  return color & RGB;
}

/** Red, green and blue, 0..255, of 0xRRGGBB; red holds all higher bits. */
export function channelsOf(color: number): [red: number, green: number, blue: number] {
  return [color >> RED_SHIFT, (color >> GREEN_SHIFT) & CHANNEL, color & CHANNEL];
}

/** Sum of the differences of the channels of two colours 0xRRGGBB. */
export function colorDistance(a: number, b: number): number {
  return Math.abs((a >> RED_SHIFT) - (b >> RED_SHIFT)) + Math.abs(((a >> GREEN_SHIFT) & CHANNEL) - ((b >> GREEN_SHIFT) & CHANNEL)) + Math.abs((a & CHANNEL) - (b & CHANNEL));
}

/** 0xAARRGGBB of channels from 0 to 255. */
export function packColor(red: number, green: number, blue: number, alpha: number): number {
  return ((alpha << ALPHA_SHIFT) | (red << RED_SHIFT) | (green << GREEN_SHIFT) | blue) >>> 0;
}
