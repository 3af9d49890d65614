/** Finds the pictures, drawings and charts of a page, and the text inside them. */
import { fromTop } from '../page/group-by-baseline.js';
import { areaOf, boxesOverlap, heightOf, holdsMiddle, horizontalGap, horizontalOverlap, intersection, middleX, middleY, unionBox, verticalOverlap, widthOf } from '../../geometry/box.js';
import { median, sortedNumbers } from '../../geometry/statistics.js';
import type { Box, PageContent } from '../../pdf/pdf-page.js';
import type { FigureRegion } from '../page/regions.js';
import type { TextLine } from '../page/text-line.js';

/** Points: a smaller object is an ornament, a bullet or an icon. */
const smallestFigure = 24;

interface Part {
  box: Box;
  kind: 'image' | 'drawing' | 'bar' | 'frame';
}

function isWhite(color: number): boolean {
  return (color >> 16) > 0xf4 && ((color >> 8) & 0xff) > 0xf4 && (color & 0xff) > 0xf4;
}

function clipped(box: Box, content: PageContent): Box {
  return intersection(box, { left: 0, top: 0, right: content.width, bottom: content.height });
}

function collectParts(content: PageContent, tables: Box[], pieces: TextLine[]): Part[] {
  const pageArea = content.width * content.height;
  const parts: Part[] = [];
  const add = (box: Box, kind: Part['kind']): void => {
    const seen = clipped(box, content);
    const area = widthOf(seen) * heightOf(seen);
    if (seen.right <= seen.left || seen.bottom <= seen.top || area > 0.85 * pageArea && pieces.length > 0) return;
    if (!tables.some((table) => holdsMiddle(table, seen, 1))) parts.push({ box: seen, kind });
  };
  for (const image of content.images) add(image.box, 'image');
  for (const drawing of content.drawings) add(drawing, 'drawing');
  for (const drawn of content.boxes) {
    const { box } = drawn;
    if (drawn.fill >= 0 && !isWhite(drawn.fill)) {
      // A filled box with text in it is the background of a heading or a cell; a bar of a chart contains no text.
      if (Math.min(widthOf(box), heightOf(box)) >= 2 && !pieces.some((piece) => holdsMiddle(box, piece.box))) add(box, 'bar');
    } else if (drawn.stroke >= 0 && !framesText(box, pieces)) {
      add(box, 'frame');
    }
    if (parts.length > 400) break;
  }
  return parts;
}

/** A line of at least this many words is text. A frame with at least this many such lines contains text, whatever is drawn beside it. */
const wordsInLine = 5;
const linesInFrame = 3;

function framesText(box: Box, pieces: TextLine[]): boolean {
  return pieces.filter((piece) => piece.angle === 0 && piece.text.split(' ').length >= wordsInLine && holdsMiddle(box, piece.box)).length >= linesInFrame;
}

function near(a: Part, b: Part): boolean {
  const gapX = -horizontalOverlap(a.box, b.box);
  const gapY = -verticalOverlap(a.box, b.box);
  if (a.kind === 'bar' && b.kind === 'bar') return gapX <= 40 && gapY < 0 || gapX < 0 && gapY <= 6;
  if (a.kind === 'frame' || b.kind === 'frame') return gapX < 0 && gapY < 0;
  return gapX <= 6 && gapY <= 6;
}

function cluster(parts: Part[]): Part[][] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const touching = groups.filter((group) => group.some((other) => near(part, other)));
    const merged = [part, ...touching.flat()];
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups;
}

/** Joins axes to the bars that they touch. */
function withAxes(box: Box, content: PageContent): Box {
  const touching: Box[] = [box];
  for (const { orientation, position, start, end } of content.rulings) {
    const line = orientation === 'horizontal'
      ? { left: start, right: end, top: position, bottom: position }
      : { left: position, right: position, top: start, bottom: end };
    const gapX = -horizontalOverlap(box, line);
    const gapY = -verticalOverlap(box, line);
    const length = end - start;
    const extent = orientation === 'horizontal' ? widthOf(box) : heightOf(box);
    if (gapX <= 40 && gapY <= 4 && length >= 0.5 * extent && length <= 2.5 * extent + 60) touching.push(line);
  }
  return unionBox(touching);
}

function isFigure(group: Part[], box: Box): boolean {
  if (widthOf(box) < smallestFigure || heightOf(box) < smallestFigure) return false;
  if (group.some((part) => part.kind === 'image' || part.kind === 'drawing')) return true;
  return group.filter((part) => part.kind === 'bar').length >= 3;
}

/** Share of the box that its text fills: a frame around paragraphs is not a figure. */
export function textShare(box: Box, pieces: TextLine[]): number {
  let covered = 0;
  for (const piece of pieces) if (holdsMiddle(box, piece.box)) covered += widthOf(piece.box) * 1.2 * piece.size;
  return covered / Math.max(1, areaOf(box));
}

/** Whether a box, perhaps with round corners, frames text: lines of the page's own size that begin at one edge, below larger titles, or program text. */
export function holdsText(box: Box, pieces: TextLine[], bodySize: number): boolean {
  const inner = pieces.filter((piece) => holdsMiddle(box, piece.box));
  if (inner.length === 0) return false;
  if (isSign(box, inner, bodySize)) return true;
  if (inner.length < 2) return false;
  if (inner.every((piece) => piece.monospace)) return true;
  const lefts = sortedNumbers(inner.map((piece) => piece.box.left));
  const edges = lefts.filter((left, index) => index === 0 || left - lefts[index - 1]! > 2).length;
  const isOwn = ({ size }: TextLine): boolean => Math.abs(size - bodySize) < 0.1 * bodySize;
  return edges <= 2 && (inner.every(isOwn) || edges === 1 && inner.every((piece) => isOwn(piece) || piece.size > bodySize && piece.size < largestTitle * bodySize) && hasTitles(inner, isOwn));
}

/** The largest title of a box, in sizes of the text below it. Then the fewest words of such text. */
const largestTitle = 1.3;
const wordsOfText = 4;

/** Every larger line has text of some words right below it. */
function hasTitles(lines: TextLine[], isOwn: (line: TextLine) => boolean): boolean {
  const sorted = fromTop(lines);
  return sorted.every((line, index) => {
    const next = sorted[index + 1];
    return isOwn(line) || next !== undefined && isOwn(next) && next.text.split(' ').length >= wordsOfText && next.baseline - line.baseline < 2 * line.size;
  });
}

/** Width divided by height of a box around a title, at least. */
const signShape = 3;
/** Size of such a title, in sizes of running text. */
const signSize = 1.2;

/** Whether a wide box contains only lines of words in its middle, the first one large: a title with a drawn frame. */
function isSign(box: Box, inner: TextLine[], bodySize: number): boolean {
  const middle = middleX(box);
  const [first] = fromTop(inner);
  return widthOf(box) > signShape * heightOf(box) && inner.length <= 4 && first!.size >= signSize * bodySize && first!.size >= Math.max(...inner.map(({ size }) => size))
    && first!.text.split(' ').length > 1 && inner.every((line) => line.angle === 0 && /\p{L}{2}/u.test(line.text) && Math.abs(middleX(line.box) - middle) < 0.5 * line.size);
}

/** The median size of the lines of running text. */
export function sizeOfText(pieces: TextLine[]): number {
  return median(pieces.filter((piece) => piece.text.length >= 25).map((piece) => piece.size));
}

/** Whether the text inside consists of labels. Paragraphs over a picture are text of the page. */
export function readsAsLabels(box: Box, pieces: TextLine[]): boolean {
  const inner = pieces.filter((piece) => holdsMiddle(box, piece.box, 1));
  const long = inner.filter((piece) => piece.text.length > 60 || widthOf(piece.box) > 0.75 * widthOf(box) && piece.text.length > 30);
  return long.length <= 3 || long.length < 0.25 * inner.length && !hasParagraph(inner);
}

/** A paragraph with this many lines is not a label. */
const LINES_OF_PROSE = 5;

/** Whether enough long lines of one size begin below one another. */
function hasParagraph(lines: TextLine[]): boolean {
  const sorted = lines.filter(({ text, angle }) => angle === 0 && text.length > 40).sort((a, b) => a.box.left - b.box.left || a.baseline - b.baseline);
  let count = 1;
  for (let at = 1; at < sorted.length; at++) {
    const [above, below] = [sorted[at - 1]!, sorted[at]!];
    const follows = below.box.left - above.box.left < 0.3 * above.size && Math.abs(below.size - above.size) < 0.05 * above.size && Math.abs(below.baseline - above.baseline) < 2 * above.size;
    count = follows ? count + 1 : 1;
    if (count >= LINES_OF_PROSE) return true;
  }
  return false;
}

/** Short labels of the axes stand just outside of the drawn part. */
function withLabels(box: Box, pieces: TextLine[]): Box {
  const reach = 10;
  const labels = pieces.filter((piece) => {
    if (piece.text.length > 14 || holdsMiddle(box, piece.box)) return false;
    const gapX = -horizontalOverlap(box, piece.box);
    const gapY = -verticalOverlap(box, piece.box);
    return gapX <= reach && gapY <= reach && (gapX < 0 || gapY < 0);
  });
  // A single label beside a figure without words may be the end of a caption or a page number.
  const own = pieces.filter((piece) => holdsMiddle(box, piece.box)).length;
  return labels.length + own < 3 ? box : unionBox([box, ...labels.map((piece) => piece.box)]);
}

/** Points between a figure and the title of its axis, and the most letters of such a title. */
const axisReach = 20;
const longestAxisTitle = 60;

/** Extends the figures by text beside them that is written upwards or downwards, as titles of vertical axes are. `objects` are tables. */
export function withAxisTitles(figures: FigureRegion[], objects: Box[], pieces: TextLine[]): FigureRegion[] {
  const titles = pieces.filter(({ angle, text }) => (angle === 90 || angle === 270) && text.length <= longestAxisTitle);
  return titles.length === 0 ? figures : figures.map((figure) => {
    const { box } = figure;
    const own = titles.filter((title) => standsAlong(title.box, box));
    if (!figure.ownsText || own.length === 0) return figure;
    const wider = unionBox([box, ...own.map((title) => title.box)]);
    const others = [...objects, ...figures.filter((other) => other !== figure).map((other) => other.box)];
    const meets = others.some((other) => boxesOverlap(other, wider) && !boxesOverlap(other, box));
    return meets || pieces.some((piece) => holdsMiddle(wider, piece.box) && !holdsMiddle(box, piece.box) && !own.includes(piece)) ? figure : { ...figure, box: wider };
  });
}

function standsAlong(title: Box, box: Box): boolean {
  const gap = horizontalGap(box, title);
  const middle = middleY(title);
  return gap > -0.5 * widthOf(title) && gap <= axisReach && middle > box.top && middle < box.bottom && heightOf(title) <= 1.1 * heightOf(box);
}

/** The figures of a page, from the top. Parts inside `tables` belong to these. */
export function findFigures(content: PageContent, tables: Box[], pieces: TextLine[]): FigureRegion[] {
  const figures: FigureRegion[] = [];
  const bodySize = sizeOfText(pieces);
  for (const group of cluster(collectParts(content, tables, pieces))) {
    const chart = !group.some((part) => part.kind === 'image' || part.kind === 'drawing');
    let box = unionBox(group.map((part) => part.box));
    if (!isFigure(group, box)) continue;
    const isImage = group.some((part) => part.kind === 'image');
    const bars = group.filter((part) => part.kind === 'bar').length;
    if (!isImage && (textShare(box, pieces) > (bars >= 3 ? 0.6 : 0.33) || bars < 3 && holdsText(box, pieces, bodySize))) continue;
    if (chart) box = withAxes(box, content);
    if (!isImage) box = withLabels(box, pieces);
    const ownsText = readsAsLabels(box, pieces);
    if (ownsText || isImage) figures.push({ box, chart, ownsText });
  }
  figures.sort((a, b) => a.box.top - b.box.top);
  // A figure that lies entirely in another one is part of it.
  return figures.filter((figure) => !figures.some((other) => other !== figure && areaOf(other.box) > areaOf(figure.box) && holdsMiddle(other.box, figure.box)));
}

/** Whether a piece belongs to the figure. Text on the edge of a picture is the paragraph right below it, and text that extends beyond the picture is not a label either. */
function holds(figure: Box, text: Box): boolean {
  const slack = 0.25 * heightOf(text);
  const within = horizontalOverlap(figure, text);
  return within >= 0.75 * widthOf(text) && holdsMiddle(figure, text, 1) && text.top > figure.top - slack && text.bottom < figure.bottom + slack;
}

/** Splits the pieces into those inside each figure and the others. */
export function splitByFigure(pieces: TextLine[], figures: FigureRegion[]): { inside: TextLine[][]; outside: TextLine[] } {
  const inside: TextLine[][] = figures.map(() => []);
  const outside: TextLine[] = [];
  for (const piece of pieces) {
    const index = figures.findIndex((figure) => figure.ownsText && holds(figure.box, piece.box));
    if (index >= 0) inside[index]!.push(piece);
    else outside.push(piece);
  }
  return { inside, outside };
}
