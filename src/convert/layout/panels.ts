/** Fills and frames under text: panels at a side of the page, as high as most of it, are columns of their own; others are set into the surrounding text. */
import { heightOf, widthOf } from '../../geometry/box.js';
import type { Box, DrawnBox } from '../../pdf/pdf-page.js';

/** The inner edge of a panel. */
export interface PanelEdge {
  x: number;
  top: number;
  bottom: number;
}

/** Shares of the page: least height, least and largest width of a panel, and its largest distance from the page's edge. The fill of a table's column stands within the type area. */
const highest = 0.6;
const narrowest = 0.12;
const widest = 0.5;
const atEdge = 0.02;
const mostEdges = 4;

/** Edges between panels and the text beside them, each once. */
export function sidePanels(boxes: DrawnBox[], width: number, height: number): PanelEdge[] {
  const edges: PanelEdge[] = [];
  for (const { box, fill } of boxes) {
    if (!isGround(fill)) continue;
    const share = widthOf(box) / width;
    const [isLeft, isRight] = [box.left <= atEdge * width, box.right >= (1 - atEdge) * width];
    if (heightOf(box) < highest * height || share < narrowest || share > widest || isLeft === isRight) continue;
    const x = isLeft ? box.right : box.left;
    if (edges.length < mostEdges && !edges.some((edge) => Math.abs(edge.x - x) < 2)) edges.push({ x, top: Math.max(0, box.top), bottom: Math.min(height, box.bottom) });
  }
  return edges;
}

/** Points: smaller boxes are marks or bars. A page with more boxes is a drawing. */
export const leastWidth = 30;
export const leastHeight = 16;
export const mostBoxes = 400;

/** A visible fill. */
export const isGround = (fill: number): boolean => fill >= 0 && fill !== 0xffffff;

/** Boxes that may have text on them. */
export function textPanels(boxes: DrawnBox[]): Box[] {
  const panels = boxes.flatMap(({ box, fill, stroke }) => ((isGround(fill) || stroke >= 0) && widthOf(box) >= leastWidth && heightOf(box) >= leastHeight ? [box] : []));
  return panels.length > mostBoxes ? [] : panels;
}
