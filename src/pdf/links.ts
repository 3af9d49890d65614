/** Link annotations of a page: their boxes and their targets. */
import { heightOf, intersection, middleX, middleY, widthOf } from '../geometry/box.js';
import { transformBox } from './matrix.js';
import type { Matrix } from './matrix.js';
import type { Box, Line, Link } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

const MAX_LINKS = 10_000;
const MAX_QUADS = 64;
const GO_TO = 1;
const URI = 3;

export function readLinks(pdfium: Pdfium, document: number, page: number, toSeen: Matrix, seen: Box): Link[] {
  const { call, scratch } = pdfium;
  const links: Link[] = [];
  const [position, found] = [scratch + 3072, scratch + 3080];
  pdfium.i32[position >> 2] = 0;
  for (let count = 0; count < MAX_LINKS && call.FPDFLink_Enumerate(page, position, found) !== 0; count++) {
    const annotation = pdfium.i32[found >> 2] ?? 0;
    const resume = pdfium.i32[position >> 2] ?? 0;
    const target = readTarget(pdfium, document, annotation);
    for (const box of target === null ? [] : linkBoxes(pdfium, annotation, toSeen)) {
      const inside = intersection(box, seen);
      if (inside.right > inside.left && inside.bottom > inside.top) links.push({ box: inside, ...(target as Pick<Link, 'uri' | 'pageIndex'>) });
    }
    pdfium.i32[position >> 2] = resume;
  }
  return links;
}

function readTarget(pdfium: Pdfium, document: number, link: number): Pick<Link, 'uri' | 'pageIndex'> | null {
  const { call } = pdfium;
  const direct = call.FPDFLink_GetDest(document, link);
  if (direct !== 0) return { uri: null, pageIndex: call.FPDFDest_GetDestPageIndex(document, direct) };
  const action = call.FPDFLink_GetAction(link);
  if (action === 0) return null;
  const type = call.FPDFAction_GetType(action);
  if (type === URI) {
    const uri = pdfium.readString((buffer, size) => call.FPDFAction_GetURIPath(document, action, buffer, size), 'utf8').trim();
    return uri === '' ? null : { uri, pageIndex: -1 };
  }
  const destination = type === GO_TO ? call.FPDFAction_GetDest(document, action) : 0;
  return destination === 0 ? null : { uri: null, pageIndex: call.FPDFDest_GetDestPageIndex(document, destination) };
}

/** One box for each line of a link over several lines, if the file gives them; otherwise its rectangle. */
function linkBoxes(pdfium: Pdfium, link: number, toSeen: Matrix): Box[] {
  const { call, scratch } = pdfium;
  if (call.FPDFLink_GetAnnotRect(link, scratch) === 0) return [];
  const f32 = pdfium.f32;
  const at = scratch >> 2;
  const whole = transformBox(toSeen, f32[at] ?? 0, f32[at + 3] ?? 0, f32[at + 2] ?? 0, f32[at + 1] ?? 0);
  const quads = Math.min(MAX_QUADS, call.FPDFLink_CountQuadPoints(link));
  if (quads < 2) return [whole];
  const boxes: Box[] = [];
  for (let index = 0; index < quads; index++) {
    if (call.FPDFLink_GetQuadPoints(link, index, scratch) === 0) continue;
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0] = pdfium.f32.subarray(at, at + 8);
    const box = transformBox(toSeen, Math.min(x1, x2, x3, x4), Math.min(y1, y2, y3, y4), Math.max(x1, x2, x3, x4), Math.max(y1, y2, y3, y4));
    const inside = intersection(box, whole);
    if (inside.right > inside.left && inside.bottom > inside.top) boxes.push(inside);
  }
  return boxes.length === 0 ? [whole] : boxes;
}

/** Sets `link` of every word whose middle lies in a link's box; of several, the smallest box wins. */
export function linkWords(lines: Line[], links: Link[]): void {
  if (links.length === 0) return;
  const sorted = links.map(({ box }, index) => ({ box, index })).sort((a, b) => a.box.top - b.box.top);
  const tallest = sorted.reduce((height, { box }) => Math.max(height, heightOf(box)), 0);
  for (const line of lines) {
    const candidates = sorted.filter(({ box }) => box.top <= line.box.bottom && box.top >= line.box.top - tallest && box.bottom >= line.box.top);
    if (candidates.length === 0) continue;
    for (const word of line.words) {
      const x = middleX(word.box);
      const y = middleY(word.box);
      let least = Infinity;
      for (const { box, index } of candidates) {
        const size = widthOf(box) * heightOf(box);
        if (x < box.left || x > box.right || y < box.top - 1 || y > box.bottom + 1 || size >= least) continue;
        least = size;
        word.link = index;
      }
    }
  }
}
