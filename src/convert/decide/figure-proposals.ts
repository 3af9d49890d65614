/** Pictures that the layout network sees and geometry does not: of strokes, of labels alone, of ink on a scan. */
import { shareWithin, unionBox } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { LayoutPrediction } from '../page/layout-prediction.js';
import { captionKind } from '../wording/captions.js';
import { holdsText, readsAsLabels, sizeOfText, textShare } from '../layout/figures.js';
import type { FigureRegion } from '../page/regions.js';
import type { TextLine } from '../page/text-line.js';

/** So sure the network must be, of a region with something drawn in it. */
const sureRegion = 0.75;
/** Points; what is smaller is an ornament, a bullet or an icon. */
const smallestFigure = 24;
/** A box of which this share lies in another belongs to that. */
const mostly = 0.5;
/** A picture has no more text in it, and fewer lines of so many words: else it is a box around text. */
const mostText = 0.3;
const fewestWords = 4;
const fewestLines = 3;

/** The figures found and those proposed, top to bottom; what is found in parts becomes one, but for pictures side by side that have a caption each. Nothing of `objects`, which are tables, is a picture. */
export function withProposedFigures(found: FigureRegion[], prediction: LayoutPrediction | null, objects: Box[], pieces: TextLine[]): FigureRegion[] {
  let figures = found;
  for (const region of prediction?.regions ?? []) {
    const { left, top, right, bottom } = region;
    if (region.label !== 'picture' || region.score < sureRegion || !region.drawn || right - left < smallestFigure || bottom - top < smallestFigure) continue;
    if (objects.some((object) => shareWithin(object, region) > 0.1 || shareWithin(region, object) > 0.1)) continue;
    const inside = figures.filter(({ box }) => shareWithin(box, region) > mostly);
    const others = figures.filter((figure) => !inside.includes(figure));
    if (others.some(({ box }) => shareWithin(region, box) > 0.1 || shareWithin(box, region) > 0.1)) continue;
    const box = unionBox([{ left, top, right, bottom }, ...inside.map((figure) => figure.box)]);
    if (pieces.filter((piece) => shareWithin(piece.box, box) > mostly && piece.text.split(' ').length >= fewestWords).length >= fewestLines) continue;
    if (textShare(box, pieces) > mostText || !readsAsLabels(box, pieces) || holdsText(box, pieces, sizeOfText(pieces))) continue;
    figures = [...others, ...partedByCaptions(box, inside.map((figure) => figure.box), pieces).map((part): FigureRegion => {
      const own = inside.filter((figure) => shareWithin(figure.box, part) > mostly);
      return { box: part, chart: own.some((figure) => figure.chart), ownsText: true, parts: own.map((figure) => figure.box) };
    })];
  }
  return figures === found ? found : figures.sort((a, b) => a.box.top - b.box.top);
}

/** Captions begin this many sizes below their picture at most. */
const captionReach = 3;

/**
 * The pictures in `box`: as many as captions stand in one row right below it, cut where it is white between those. `found` are the
 * boxes of what geometry found in it, which say how far a picture reaches to the next.
 */
function partedByCaptions(box: Box, found: Box[], pieces: TextLine[]): Box[] {
  const below = pieces.filter((piece) => captionKind(piece.text) === 'figure' && piece.box.right > box.left && piece.box.left < box.right
    && piece.box.bottom > box.bottom && piece.box.top - box.bottom < captionReach * piece.size);
  const row = below.filter(({ baseline, size }) => below.every((other) => Math.abs(other.baseline - baseline) < 0.5 * size)).sort((a, b) => a.box.left - b.box.left);
  if (row.length < 2 || row.length < below.length) return [box];
  const inner = [...found, ...pieces.filter((piece) => shareWithin(piece.box, box) > mostly).map((piece) => piece.box)];
  const cuts = row.slice(1).flatMap((caption, index) => middleOfWhite(Math.max(box.left, row[index]!.box.right), Math.min(box.right, caption.box.left), inner) ?? []);
  if (cuts.length < row.length - 1) return [box];
  return row.map((_, index) => {
    const strip = { ...box, left: cuts[index - 1] ?? box.left, right: cuts[index] ?? box.right };
    const own = inner.filter(({ left, right }) => left >= strip.left && right <= strip.right);
    if (!found.some((part) => own.includes(part))) return strip;
    const { left, right } = unionBox(own);
    return { ...strip, left: index === 0 ? strip.left : left, right: index === cuts.length ? strip.right : right };
  });
}

/** The middle of the widest range from `left` to `right` that no box reaches into, or null. */
function middleOfWhite(left: number, right: number, boxes: Box[]): number | null {
  let [middle, widest, from] = [0, 0, left];
  for (const box of [...boxes.filter((each) => each.right > left && each.left < right).sort((a, b) => a.left - b.left), { left: right, right }]) {
    if (box.left - from > widest) [middle, widest] = [(from + box.left) / 2, box.left - from];
    from = Math.max(from, box.right);
  }
  return widest > 0 ? middle : null;
}
