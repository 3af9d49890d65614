/** The input of the line network: text lines and clusters of drawings, with features, neighbours and pairs. models/training/layout/items.py computes the same in training; a test compares the two. */
import { weightedMedian } from '../../geometry/statistics.js';
import { areaOf, containsPoint, heightOf, horizontalOverlap, middleX, middleY, union, verticalOverlap, widthOf } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import { textFeatureCount, textFeatures } from './text-features.js';

export interface LayoutLine extends Box {
  size: number;
  bold: boolean;
  italic: boolean;
  text: string;
}

/** A stroke, a filled area, or an image. */
export interface DrawnItem extends Box {
  kind: 'stroke' | 'area' | 'image';
}

export interface LayoutPage {
  width: number;
  height: number;
  lines: LayoutLine[];
  drawn: DrawnItem[];
}

export interface Cluster extends Box {
  strokes: number;
  areas: number;
  images: number;
}

/** Lines first, then clusters. */
export interface Items {
  lineCount: number;
  boxes: Box[];
  /** Rows of `featureCount`. */
  features: number[][];
  /** Above, below, left, right, around; -1 for none. */
  neighbours: number[][];
  pairs: [number, number][];
  /** Rows of `pairFeatureCount`. */
  pairFeatures: number[][];
}

export const featureCount = 62;
export const pairFeatureCount = 8;

/** Boxes no further apart than this, in ems, form one drawing. */
const touching = 0.35;
/** Larger distances all have the same value, in ems. */
const far = 8;
/** Lines whose sizes differ by less, as a share, have the same style. */
const alike = 0.06;
/** Points: the em of a page without lines. */
const emWithoutLines = 8;
/** A drawing that takes more than this share of the page's width and of its height is the background. */
const background = 0.85;
/** Two items stand side by side if they share more than this part of the lower one's height. */
const sideBySide = 0.5;
/** A cluster thinner than this, in ems, is a drawn line. */
const thin = 0.4;
/** Ratios of lengths below this count as equal to it, so that their logarithm is finite. */
const leastRatio = 0.1;
/** Features beyond are the same: coordinates of damaged files reach 1e38, and products of such numbers are none. Those of the fixtures lie between -2.8 and 3.0, and none that training can compute from page shares or logarithms is far outside. */
const largestFeature = 16;
/** Features that a line or a cluster has for itself, beside those of the text: size, bold, italic, and the two shares of its style. */
const styleFeatureCount = 5;
/** Features that compare an item with the neighbour above or below: whether there is one, both edges, size, weight. */
const alignmentFeatureCount = 5;
/** Features of a cluster: strokes, areas, images, items inside, and whether it is flat or narrow. */
const clusterFeatureCount = 6;

/** The scale of features, as in training: logarithms of counts and of lengths in ems are divided by these, the em as a share of the page's height is multiplied. None has a unit. */
const featureScales = { pageLines: 5, pageClusters: 4, rowLines: 3, clusterItems: 4, length: 4, em: 40 } as const;

/** The median size of the page's characters, 1 point at least. */
function emOf(lines: LayoutLine[]): number {
  return lines.length === 0 ? emWithoutLines : Math.max(1, weightedMedian(lines.map(({ size, text }) => ({ value: size, weight: [...text].length }))));
}

/** Joins boxes that touch, and drops a box that fills the page, which is its background. */
function clustersOf({ drawn, width, height }: LayoutPage, em: number): Cluster[] {
  const reach = touching * em;
  let made: Cluster[] = drawn.filter((box) => !(widthOf(box) > background * width && heightOf(box) > background * height))
    .map(({ left, top, right, bottom, kind }) => ({ left, top, right, bottom, strokes: Number(kind === 'stroke'), areas: Number(kind === 'area'), images: Number(kind === 'image') }));
  for (let changed = true; changed;) {
    changed = false;
    const rest: Cluster[] = [];
    for (const box of made) {
      const other = rest.find((one) => box.left <= one.right + reach && one.left <= box.right + reach && box.top <= one.bottom + reach && one.top <= box.bottom + reach);
      if (other === undefined) {
        rest.push({ ...box });
        continue;
      }
      Object.assign(other, {
        ...union(box, other),
        strokes: box.strokes + other.strokes, areas: box.areas + other.areas, images: box.images + other.images,
      });
      changed = true;
    }
    made = rest;
  }
  return made;
}

/** For each line the share of the page's characters in lines of its style, and in larger lines. */
function styleShares(lines: LayoutLine[]): [number, number][] {
  const letters = lines.map(({ text }) => [...text].length);
  const all = Math.max(1, letters.reduce((sum, count) => sum + count, 0));
  return lines.map(({ size, bold, italic }) => {
    let [same, larger] = [0, 0];
    for (const [index, other] of lines.entries()) {
      if (other.size > (1 + alike) * size) larger += letters[index] as number;
      if (Math.abs(other.size - size) <= alike * size && other.bold === bold && other.italic === italic) same += letters[index] as number;
    }
    return [same / all, larger / all];
  });
}

const within = (value: number, em: number): number => Math.max(-far, Math.min(far, value / em)) / far;
const ratio = (one: number, other: number): number => Math.log(Math.max(leastRatio, one / other)) * 2;
const scaledLength = (length: number, em: number): number => Math.log(Math.max(leastRatio, length / em)) / featureScales.length;
const scaledItems = (count: number): number => Math.log1p(count) / featureScales.clusterItems;
/** A number that the network can compute with; NaN, of lengths of which both are endless, is 0. */
const bounded = (feature: number): number => (Number.isNaN(feature) ? 0 : Math.max(-largestFeature, Math.min(largestFeature, feature)));
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

/** The smallest cluster around each item's middle, or -1. */
function containers(boxes: Box[], lineCount: number): number[] {
  return boxes.map((box, item) => {
    const [x, y, area] = [middleX(box), middleY(box), areaOf(box)];
    let found = -1;
    for (let other = lineCount; other < boxes.length; other++) {
      const around = boxes[other] as Box;
      if (other === item || areaOf(around) <= area || !containsPoint(around, x, y)) continue;
      if (found < 0 || areaOf(around) < areaOf(boxes[found] as Box)) found = other;
    }
    return found;
  });
}

/** The nearest items above, below, left and right, and their distances. Items beside it share more than half of the lower one's height; items above and below share any width. */
function neighboursOf(boxes: Box[], item: number, inside: number[], em: number): { neighbours: number[]; gaps: number[] } {
  const own = boxes[item] as Box;
  const neighbours = [-1, -1, -1, -1];
  const nearest = [Infinity, Infinity, Infinity, Infinity];
  for (const [index, box] of boxes.entries()) {
    if (index === item || inside[index] === item || inside[item] === index) continue;
    const high = verticalOverlap(own, box);
    const isBeside = high > sideBySide * Math.min(heightOf(own), heightOf(box));
    let side: number;
    let gap: number;
    if (isBeside) {
      side = middleX(box) < middleX(own) ? 2 : 3;
      gap = side === 2 ? own.left - box.right : box.left - own.right;
    } else {
      if (horizontalOverlap(own, box) <= 0) continue;
      side = middleY(box) < middleY(own) ? 0 : 1;
      gap = side === 0 ? own.top - box.bottom : box.top - own.bottom;
    }
    if (gap >= (nearest[side] as number)) continue;
    nearest[side] = gap;
    neighbours[side] = index;
  }
  return { neighbours, gaps: nearest.map((gap) => (gap === Infinity ? far : Math.min(far, Math.max(-1, gap / em)))) };
}

/** Boxes, features, neighbours and pairs of a page's items. Deterministic; the time grows with the square of their number. */
export function itemsOf(page: LayoutPage): Items {
  const { lines, width, height } = page;
  const em = emOf(lines);
  const clusters = clustersOf(page, em);
  const boxes: Box[] = [...lines, ...clusters].map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
  const sizes = [...lines.map(({ size }) => size), ...clusters.map(() => em)];
  const bold = [...lines.map((line) => Number(line.bold)), ...clusters.map(() => 0)];
  const inside = containers(boxes, lines.length);
  const found = boxes.map((_, item) => neighboursOf(boxes, item, inside, em));
  const boldShare = lines.length === 0 ? 0 : lines.filter((line) => line.bold).length / lines.length;
  const whole = [Math.log1p(lines.length) / featureScales.pageLines, Math.log1p(clusters.length) / featureScales.pageClusters, width / (width + height), (em * featureScales.em) / height, boldShare];
  const shares = styleShares(lines);
  const features = boxes.map((box, item) => {
    const [wide, high] = [widthOf(box), heightOf(box)];
    const isLine = item < lines.length;
    const { neighbours, gaps } = found[item] as { neighbours: number[]; gaps: number[] };
    const row = lines.filter((line) => verticalOverlap(box, line) > sideBySide * high).length;
    const aligned = [0, 1].flatMap((side) => {
      const other = neighbours[side] as number;
      const at = boxes[other];
      if (at === undefined) return zeros(alignmentFeatureCount);
      return [1, within(box.left - at.left, em), within(box.right - at.right, em), ratio(sizes[item] as number, sizes[other] as number), (bold[item] as number) - (bold[other] as number)];
    });
    return [
      Number(isLine), box.left / width, box.top / height, box.right / width, box.bottom / height, wide / width, high / height, scaledLength(wide, em), scaledLength(high, em),
      ...(isLine ? ofLine(lines[item] as LayoutLine, shares[item] as [number, number], em) : ofCluster(clusters[item - lines.length] as Cluster, inside.filter((around) => around === item).length, em)),
      ...gaps.map((gap) => gap / far), ...aligned, Math.log1p(row) / featureScales.rowLines, ...whole,
    ].map(bounded);
  });
  const neighbours = found.map((one, item) => [...one.neighbours, inside[item] as number]);
  return { lineCount: lines.length, boxes, features, neighbours, ...pairsOf(boxes, neighbours, lines.length, sizes, bold, em) };
}

function ofLine(line: LayoutLine, shares: [number, number], em: number): number[] {
  return [ratio(line.size, em), Number(line.bold), Number(line.italic), ...shares, ...textFeatures(line.text), ...zeros(clusterFeatureCount)];
}

function ofCluster({ left, top, right, bottom, strokes, areas, images }: Cluster, held: number, em: number): number[] {
  return [
    ...zeros(styleFeatureCount + textFeatureCount),
    scaledItems(strokes), scaledItems(areas), Number(images > 0), scaledItems(held), Number(bottom - top < thin * em), Number(right - left < thin * em),
  ];
}

/** Neighbours that may belong to one region, each pair once, in order. */
function pairsOf(boxes: Box[], neighbours: number[][], lineCount: number, sizes: number[], bold: number[], em: number): Pick<Items, 'pairs' | 'pairFeatures'> {
  const pairsByKey = new Map<number, [number, number]>();
  for (const [item, row] of neighbours.entries()) {
    for (const other of row) if (other >= 0) pairsByKey.set(Math.min(item, other) * boxes.length + Math.max(item, other), [Math.min(item, other), Math.max(item, other)]);
  }
  const pairs = [...pairsByKey].sort(([a], [b]) => a - b).map(([, pair]) => pair);
  const pairFeatures = pairs.map(([i, j]) => {
    let [upper, lower] = [boxes[i] as Box, boxes[j] as Box];
    const [one, other] = [upper.top + upper.bottom, lower.top + lower.bottom];
    if (one > other || one === other && upper.left > lower.left) [upper, lower] = [lower, upper];
    const down = lower.top - upper.bottom;
    const across = -horizontalOverlap(upper, lower);
    return [
      within(down, em), within(across, em), within(lower.left - upper.left, em), within(lower.right - upper.right, em), ratio(sizes[i] as number, sizes[j] as number),
      Number(bold[i] !== bold[j]), Number(down < 0), Number(i >= lineCount || j >= lineCount),
    ].map(bounded);
  });
  return { pairs, pairFeatures };
}
