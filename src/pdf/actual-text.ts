/** Glyphs with replacement text (`/ActualText`): PDFium assigns the text to one of the objects that it covers; here it gets the place of all of them. */
import { heightOf, horizontalOverlap, union, widthOf } from '../geometry/box.js';
import type { Box } from './pdf-page.js';
import type { Glyph } from './glyph.js';
import { objectBounds, objectMatrix } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';
import type { TextRun } from './text-runs.js';

/** The most glyphs of such a span that are moved. A letter with its marks has fewer; a longer text may be a whole line and stays as it is. */
const MOST_GLYPHS = 8;
const mark = /\p{M}/u;

/** The objects under one text, in painting order, and its glyphs. */
interface ActualTextGroup {
  text: string;
  objects: PageObject[];
  /** The object to which PDFium assigned the glyphs. */
  run: TextRun | null;
  glyphs: Glyph[];
}

/**
 * Moves glyphs that stand for several objects to the place of their letter: browsers paint a letter and its marks
 * as separate objects under one text, and the first of them is often a mark high above the line. If PDFium repeats the text
 * at a later object, the repetition is dropped. `texts` are all text objects in painting order. The result is in that order, too, if anything changed.
 */
export function placeActualText(pdfium: Pdfium, glyphs: Glyph[], texts: PageObject[]): Glyph[] {
  if (!glyphs.some(({ text }) => text >= '\u0300' && mark.test(text))) return glyphs;
  const groups = groupsOf(pdfium, texts);
  if (groups.size === 0) return glyphs;
  for (const glyph of glyphs) {
    const group = groups.get(glyph.run.object);
    if (group === undefined) continue;
    group.run ??= glyph.run;
    if (group.run === glyph.run) group.glyphs.push(glyph);
  }
  for (const group of new Set(groups.values())) if (group.run !== null) seat(pdfium, group.run, group);
  const spoken = new Set([...groups.values()].flatMap((group) => group.glyphs));
  const kept = glyphs.filter((glyph) => !groups.has(glyph.run.object) || spoken.has(glyph));
  // PDFium placed them at the first of their objects. Objects that are painted side by side are ordered from the left.
  kept.sort((a, b) => a.run.object.order - b.run.object.order || (a.run.angle === 0 ? a.u0 - b.u0 : 0) || a.index - b.index);
  widenToAdvance(kept, groups);
  return kept;
}

/** In ems: white space that a letter's advance may include beside its ink. */
const SIDE_BEARING = 0.25;

/** Only the ink of a moved glyph is known: its width ends where the next glyph begins, as for its neighbours. */
function widenToAdvance(glyphs: Glyph[], groups: Map<PageObject, ActualTextGroup>): void {
  for (const [at, glyph] of glyphs.entries()) {
    const next = glyphs[at + 1];
    if (next === undefined || glyph.rightToLeft || !groups.has(glyph.run.object) || next.run.font !== glyph.run.font || Math.abs(next.v - glyph.v) > 0.01 * glyph.run.size) continue;
    if (next.u0 > glyph.u1 && next.u0 - glyph.u1 < SIDE_BEARING * glyph.run.size) glyph.u1 = next.u0;
  }
}

/** Texts with at least two objects, by each of their objects. */
function groupsOf(pdfium: Pdfium, texts: PageObject[]): Map<PageObject, ActualTextGroup> {
  const groups = new Map<PageObject, ActualTextGroup>();
  for (let start = 0, end = 1; start < texts.length; start = end++) {
    const own = innermostMark(pdfium, texts[start]!);
    if (own === 0) continue;
    while (end < texts.length && innermostMark(pdfium, texts[end]!) === own) end++;
    const text = end > start + 1 ? actualTextOf(pdfium, own) : '';
    if (text === '') continue;
    const group: ActualTextGroup = { text, objects: texts.slice(start, end), run: null, glyphs: [] };
    for (const object of group.objects) groups.set(object, group);
  }
  return groups;
}

/** PDFium's pointer, the same for all objects that the mark covers; 0 for none. */
function innermostMark({ call }: Pdfium, object: PageObject): number {
  const count = call.FPDFPageObj_CountMarks(object.pointer);
  return count > 0 ? call.FPDFPageObj_GetMark(object.pointer, count - 1) : 0;
}

/** Longest and shortest text that is read, in bytes of UTF-16 with its byte order mark. */
const MOST_BYTES = 66;
const LEAST_BYTES = 4;
const BIG_ENDIAN_MARK = [0xfe, 0xff];

/** The mark's text in reading order; '' if it has none, a longer one, or one in another encoding than UTF-16. */
function actualTextOf(pdfium: Pdfium, mark: number): string {
  const { call, scratch } = pdfium;
  const buffer = pdfium.out64(1);
  if (call.FPDFPageObjMark_GetParamBlobValue(mark, pdfium.names.ActualText, buffer, MOST_BYTES, scratch) === 0) return '';
  const size = pdfium.int(0);
  const bytes = Buffer.from(pdfium.u8.subarray(buffer, buffer + Math.min(size, MOST_BYTES)));
  if (size > MOST_BYTES || size < LEAST_BYTES || size % 2 === 1 || bytes[0] !== BIG_ENDIAN_MARK[0] || bytes[1] !== BIG_ENDIAN_MARK[1]) return '';
  return bytes.subarray(2).swap16().toString('utf16le');
}

/** Whether it is over, under or through the letter and not beside it: then it takes no width in the line, however wide it is. */
function standsOver(mark: Box, letter: Box): boolean {
  const shared = horizontalOverlap(mark, letter);
  return shared > 0.5 * Math.min(widthOf(mark), widthOf(letter));
}

/** The largest of the objects is the letter, whose baseline the text gets. The text is as wide as all objects side by side. */
function seat(pdfium: Pdfium, run: TextRun, group: ActualTextGroup): void {
  const { text, objects, glyphs } = group;
  if (run.angle !== 0 || glyphs.length === 0 || glyphs.length > MOST_GLYPHS) return;
  const boxes = objects.map((object) => objectBounds(pdfium, object));
  let all: Box | null = null;
  let [letter, largest] = [run.object, 0];
  for (const [at, box] of boxes.entries()) {
    if (box === null) continue;
    all = all === null ? box : union(all, box);
    const area = widthOf(box) * heightOf(box);
    if (area > largest) [letter, largest] = [objects[at]!, area];
  }
  // Objects on several lines are not a letter with its marks.
  if (all === null || heightOf(all) > 3 * run.size) return;
  const origin = objectMatrix(pdfium, letter.pointer);
  const baseline = letter.toSeen.b * origin.e + letter.toSeen.d * origin.f + letter.toSeen.f;
  const [first] = glyphs;
  const told = glyphs.map((glyph) => glyph.text).join('');
  if (first === undefined) return;
  // A reversal letter by letter exchanged the marks; the file has their order.
  const isWhole = [...told].sort().join('') === [...text].sort().join('');
  if (isWhole) first.text = text;
  const parts = isWhole ? [first] : glyphs;
  const start = first.rightToLeft ? all.left : Math.min(all.left, letter.toSeen.a * origin.e + letter.toSeen.c * origin.f + letter.toSeen.e);
  const letterBox = boxes[objects.indexOf(letter)]!;
  const end = Math.max(...boxes.map((box) => (box === null || box !== letterBox && standsOver(box, letterBox) ? -Infinity : box.right)));
  const share = (Math.max(end, start) - start) / parts.length;
  for (const [at, glyph] of parts.entries()) {
    const left = start + (glyph.rightToLeft ? parts.length - 1 - at : at) * share;
    glyph.v = baseline;
    [glyph.u0, glyph.u1] = [left, left + share];
    glyph.ink = { left, right: left + share, top: Math.min(all.top, glyph.ink.top), bottom: Math.max(all.bottom, glyph.ink.bottom) };
  }
  group.glyphs = parts;
}
