/** Pictures that the layout network sees and geometry does not: of strokes, of labels alone, of ink on a scan. */
import type { Box } from '../../pdf/page.js';
import { shareWithin } from '../layout-network/opinion.js';
import type { PageOpinion } from '../layout-network/opinion.js';
import { holdsText, readsAsLabels, sizeOfText, textShare } from './figures.js';
import type { FigureRegion } from './figures.js';
import { unionBox } from './text-line.js';
import type { TextLine } from './text-line.js';

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

/** The figures found and those proposed, top to bottom; what is found in parts becomes one. Nothing of `objects`, which are tables, is a picture. */
export function withProposedFigures(found: FigureRegion[], opinion: PageOpinion | null, objects: Box[], pieces: TextLine[]): FigureRegion[] {
  let figures = found;
  for (const region of opinion?.regions ?? []) {
    const { left, top, right, bottom } = region;
    if (region.label !== 'picture' || region.score < sureRegion || !region.drawn || right - left < smallestFigure || bottom - top < smallestFigure) continue;
    if (objects.some((object) => shareWithin(object, region) > 0.1 || shareWithin(region, object) > 0.1)) continue;
    const inside = figures.filter(({ box }) => shareWithin(box, region) > mostly);
    const others = figures.filter((figure) => !inside.includes(figure));
    if (others.some(({ box }) => shareWithin(region, box) > 0.1 || shareWithin(box, region) > 0.1)) continue;
    const box = unionBox([{ left, top, right, bottom }, ...inside.map((figure) => figure.box)]);
    if (pieces.filter((piece) => shareWithin(piece.box, box) > mostly && piece.text.split(' ').length >= fewestWords).length >= fewestLines) continue;
    if (textShare(box, pieces) > mostText || !readsAsLabels(box, pieces) || holdsText(box, pieces, sizeOfText(pieces))) continue;
    figures = [...others, { box, chart: inside.some(({ chart }) => chart), ownsText: true }];
  }
  return figures === found ? found : figures.sort((a, b) => a.box.top - b.box.top);
}
