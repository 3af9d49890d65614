/** The codes of TeX's fonts of large symbols (CMEX and fonts of its layout) where they might be ASCII: large delimiters and the pieces of taller ones. */
import type { Glyph } from './glyph.js';

/** Fonts with CMEX's layout. */
export const extensionFont = /^(?:CMEX\d|LMMathExtension|(?:tx|px|ntx|npx)exx?[as]?\b|zplmex|MTEX\b|EUEX\d)/i;

/** From code 0x20 on: delimiters three ems high, pieces of taller ones, angle brackets. */
const firstCode = 0x20;
const signs = '()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪|⎝⎠⎜⎟⟨⟩';
/** Advances in cmex10.tfm, ems, of the codes from 0x20 on, and of the sizes of the signs whose ASCII codes are among them. */
const advances = [
  0.792, 0.792, 0.583, 0.583, 0.639, 0.639, 0.639, 0.639, 0.806, 0.806, 0.806, 0.806, 1.278, 1.278, 0.811, 0.811, 0.875, 0.875, 0.667, 0.667, 0.667, 0.667, 0.667, 0.667, 0.889, 0.889, 0.889, 0.889, 0.889, 0.889,
  0.889, 0.667, 0.875, 0.875, 0.875, 0.875, 0.611, 0.611,
];
const advancesOf: Record<string, number[]> = { '(': [0.458, 0.597, 0.736, 0.792], ')': [0.458, 0.597, 0.736, 0.792], '/': [0.578, 0.811, 1.044, 1.278] };

const near = (advance: number, widths: number[]): number => Math.min(...widths.map((width) => Math.abs(width - advance)));

/**
 * Sets the signs of such codes in place. A file without a Unicode map gives codes instead of characters: then other codes of the font lie below 0x20. For a font without such codes on the
 * page the advance decides: a brace three ems high (code 0x28) is wider than every parenthesis.
 */
export function decodeExtensionCodes(glyphs: Glyph[]): void {
  const raw = new Set<number>();
  for (const { run, code } of glyphs) if (code < firstCode && code > 0 && extensionFont.test(run.font.name)) raw.add(run.fontPointer);
  for (const glyph of glyphs) {
    const sign = signs[glyph.code - firstCode];
    if (sign === undefined || !extensionFont.test(glyph.run.font.name)) continue;
    const advance = (glyph.u1 - glyph.u0) / glyph.run.stretch;
    const ascii = advancesOf[String.fromCharCode(glyph.code)];
    const isCode = raw.has(glyph.run.fontPointer) || ascii === undefined || near(advance, [advances[glyph.code - firstCode]!]) < near(advance, ascii);
    if (!isCode) continue;
    glyph.text = sign;
    glyph.space = false;
  }
}
