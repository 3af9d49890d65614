/** Measures properties of fonts on their letters that the font descriptions hide: fixed pitch, and the true size of bitmap and Type 3 fonts. */
import { heightOf, widthOf } from '../geometry/box.js';
import { median, sortedNumbers } from '../geometry/statistics.js';
import type { FontTable } from './fonts.js';
import type { Glyph } from './glyph.js';

/** Corrects `font` and `size` of the glyphs' runs in place. */
export function applyLetterShapes(glyphs: Glyph[], fonts: FontTable): void {
  markFixedPitch(glyphs, fonts);
  correctSizes(glyphs);
}

/** In ems: the largest difference between the advances of one pitch, and the least usual difference between narrow and other letters. Bitmap fonts round each advance to dots, and justified lines change them by fractions. */
const FIXED_PITCH_SLACK = 0.07;
const FIXED_PITCH_CENTRE = 0.025;
const NARROW_LETTERS = /^[ijlt.,]$/;

/** The share of a font's letters that may have other advances on either side, such as letters under an accent. */
const ODD_LETTERS = 0.03;

/** The advances of a font's letters, in ems: of letters that are narrow in other fonts, and of all others. */
interface Pitch {
  narrow: number[];
  others: number[];
}

/** Fonts whose narrow and wide letters have equal advances are monospace, whatever their names. */
function markFixedPitch(glyphs: Glyph[], fonts: FontTable): void {
  const pitches = new Map<number, Pitch>();
  for (const { run, text, u0, u1 } of glyphs) {
    if (run.font.monospace || text.length !== 1 || text < '!' || text > 'z') continue;
    let pitch = pitches.get(run.fontPointer);
    if (pitch === undefined) pitches.set(run.fontPointer, (pitch = { narrow: [], others: [] }));
    (NARROW_LETTERS.test(text) ? pitch.narrow : pitch.others).push((u1 - u0) / run.stretch);
  }
  const even = [...pitches].filter(([, { narrow, others }]) => narrow.length > 0 && spread([...narrow, ...others]) < FIXED_PITCH_SLACK);
  const areAlike = (some: number[], more: number[]): boolean => Math.abs(median(some) - median(more)) < FIXED_PITCH_CENTRE;
  const fixed = new Map(even.filter(([, { narrow, others }]) => narrow.length >= 3 && others.length >= 8 && areAlike(narrow, others)));
  // A slanted face beside it may have only a few letters: with a narrow one among them, their advances equal those of the proven font.
  const isBeside = ({ narrow, others }: Pitch): boolean => narrow.length + others.length >= 3 && [...fixed.values()].some((proven) => areAlike(narrow, proven.others) && (others.length === 0 || areAlike(others, proven.others)));
  for (const [pointer, pitch] of even) if (isBeside(pitch)) fixed.set(pointer, pitch);
  if (fixed.size === 0) return;
  for (const { run } of glyphs) if (fixed.has(run.fontPointer)) run.font = fonts.fixedPitch(run.font);
}

/** The largest difference between all advances except a few. */
function spread(advances: number[]): number {
  const sorted = sortedNumbers(advances);
  const few = Math.floor(ODD_LETTERS * sorted.length);
  return sorted.at(-1 - few)! - sorted[few]!;
}

/** Height of capitals in ems; letters with accents and descenders reach 1.2. */
const CAPITAL_HEIGHT = 0.7;
const HIGHEST_LETTER = 1.7;

/** Type 3 fonts have no name and may include their scale in the glyphs: the size follows from the ink. */
function correctSizes(glyphs: Glyph[]): void {
  const heights = new Map<number, number>();
  for (const { run, text, ink } of glyphs) {
    if (run.font.name !== '' || !/^[\p{L}\p{N}]$/u.test(text)) continue;
    const height = (run.sin === 0 ? heightOf(ink) : widthOf(ink)) / run.size;
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
