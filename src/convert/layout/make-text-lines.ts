/** Makes the text lines of a page from the lines of its words (src/pdf/glyphs-to-lines.ts groups by baseline): lines and pieces of lines, also of formulas and listings. */
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import type { FoundFormula } from '../formulas/find.js';
import { withHangingSigns } from '../formulas/hanging.js';
import { withFractionsInLine } from '../formulas/in-line.js';
import type { LayoutPrediction } from '../page/layout-prediction.js';
import type { Listing } from '../page/regions.js';
import { joinPieces, lineOfWords } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import { partsOf, piecesOfLine } from './line-pieces.js';
import { withLooseLines } from './loose-lines.js';
import { tagRoles } from './tag-roles.js';

/** The formulas and listings of a page, and the layout prediction for the other lines. */
export interface LineRegions {
  /** Words outside all text lines: those of tables, formulas and listings. */
  taken: Set<Word>;
  formulas: FoundFormula[];
  listings: Listing[];
  prediction: LayoutPrediction | null;
}

/** Returns the lines in the page's order, followed by formulas and the lines of listings. */
export function textLinesOf(content: PageContent, { taken, formulas, listings, prediction }: LineRegions): TextLine[] {
  const roleOf = tagRoles(content.structure);
  const pieces: TextLine[] = [];
  const lines = content.lines.filter(({ words }) => !words.every((word) => taken.has(word)));
  const loose = withLooseLines(withHangingSigns(withFractionsInLine(lines, content.rulings), content.rulings));
  for (const line of loose.lines) {
    const parts = loose.whole.has(line) && !line.words.some((word) => taken.has(word)) ? [line.words] : piecesOfLine(line, taken);
    for (const words of parts) pieces.push(withPrediction(lineOfWords(words, content.links, roleOf), words, prediction));
  }
  for (const formula of formulas) pieces.push(lineOfFormula(formula));
  for (const [index, listing] of listings.entries()) for (const words of listing) pieces.push({ ...wholeLine(words, content, roleOf), listing: index });
  return pieces;
}

function withPrediction(line: TextLine, [first]: Word[], prediction: LayoutPrediction | null): TextLine {
  const ofLine = first === undefined ? undefined : prediction?.lines.get(first);
  return ofLine === undefined ? line : { ...line, prediction: ofLine };
}

/** The confidence of a formula whose structure is not sure: its signs are right, their order may not be. */
const unsureFormula = 0.5;

/** One text line replaces the lines of a formula. */
function lineOfFormula({ words, box, baseline, size, text, latex, sure }: FoundFormula): TextLine {
  return { ...lineOfWords(words, [], () => 'Formula'), ...(!sure && { confidence: unsureFormula }), text, latex, box, baseline, size, spans: [], bold: false, boldPrefix: 0, order: Math.min(...words.map((word) => word.order)) };
}

/** A line that stays whole, however wide its gaps are. */
function wholeLine(words: Word[], content: PageContent, roleOf: (mcid: number) => string): TextLine {
  return joinPieces(partsOf(words, new Set()).map((part) => lineOfWords(part, content.links, roleOf)));
}
