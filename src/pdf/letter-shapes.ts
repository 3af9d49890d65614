/** What letters show of their font that its description hides: fixed pitch, and the true size of bitmap and drawn fonts. */
import type { FontTable } from './fonts.js';
import type { Glyph } from './glyphs.js';

/** Corrects `font` and `size` of the glyphs' runs in place. */
export function heedShapes(glyphs: Glyph[], fonts: FontTable): void {
  markFixedPitch(glyphs, fonts);
  correctSizes(glyphs);
}

/** Of the size: bitmap fonts round each advance to dots of 600 to the inch. Narrow letters of other fonts are narrower by a tenth at least. */
const FIXED_PITCH_SLACK = 0.025;
const NARROW_LETTERS = /^[ijlt.,]$/;

/** Least and greatest advance of a font's letters, in sizes, and how many there are. */
interface Pitch {
  least: number;
  most: number;
  narrow: number;
  others: number;
}

/** Fonts whose narrow and wide letters advance alike are typewriters, whatever they are called. */
function markFixedPitch(glyphs: Glyph[], fonts: FontTable): void {
  const pitches = new Map<number, Pitch>();
  for (const { run, text, u0, u1 } of glyphs) {
    if (run.font.monospace || text.length !== 1 || text < '!' || text > 'z') continue;
    const advance = (u1 - u0) / run.stretch;
    const pitch = pitches.get(run.fontPointer);
    if (pitch === undefined) pitches.set(run.fontPointer, { least: advance, most: advance, narrow: 0, others: 0 });
    else {
      if (advance < pitch.least) pitch.least = advance;
      if (advance > pitch.most) pitch.most = advance;
      if (NARROW_LETTERS.test(text)) pitch.narrow++;
      else pitch.others++;
    }
  }
  const even = [...pitches].filter(([, { least, most }]) => most - least < FIXED_PITCH_SLACK);
  const fixed = new Map(even.filter(([, { narrow, others }]) => narrow >= 3 && others >= 8));
  // What is typed in a slanted face beside it may be a few letters: with a narrow one among them that advances as the proven font's do.
  const isAlike = ({ least, most, narrow, others }: Pitch): boolean => narrow >= 1 && narrow + others >= 3 && [...fixed.values()].some((proven) => Math.max(most, proven.most) - Math.min(least, proven.least) < FIXED_PITCH_SLACK);
  for (const [pointer, pitch] of even) if (isAlike(pitch)) fixed.set(pointer, pitch);
  if (fixed.size === 0) return;
  for (const { run } of glyphs) if (fixed.has(run.fontPointer)) run.font = fonts.fixedPitch(run.font);
}

/** Capitals are this high in parts of the size; letters with accents and descenders reach 1.2. */
const CAPITAL_HEIGHT = 0.7;
const HIGHEST_LETTER = 1.7;

/** Drawn (Type 3) fonts carry no name and may put their scale into the glyphs: their size is told by their ink. */
function correctSizes(glyphs: Glyph[]): void {
  const heights = new Map<number, number>();
  for (const { run, text, ink } of glyphs) {
    if (run.font.name !== '' || !/^[\p{L}\p{N}]$/u.test(text)) continue;
    const height = (run.sin === 0 ? ink.bottom - ink.top : ink.right - ink.left) / run.size;
    if (height > (heights.get(run.fontPointer) ?? 0)) heights.set(run.fontPointer, height);
  }
  const corrected = new Set<Glyph['run']>();
  for (const { run } of glyphs) {
    const height = heights.get(run.fontPointer) ?? 0;
    if (height <= HIGHEST_LETTER || corrected.has(run)) continue;
    corrected.add(run);
    run.size *= height / CAPITAL_HEIGHT;
  }
}
