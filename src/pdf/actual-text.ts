/** Glyphs whose text the file gives apart (`/ActualText`): PDFium puts it on one of the objects that it covers, here it gets the place of all. */
import { heightOf, horizontalOverlap, union, widthOf } from '../geometry/box.js';
import type { Box } from './pdf-page.js';
import type { Glyph } from './glyph.js';
import { objectBounds, objectMatrix } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';
import type { TextRun } from './text-runs.js';

/** Glyphs of one such span: a letter with its marks has less; longer texts may be whole lines and are left as they stand. */
const MOST_GLYPHS = 8;
const mark = /\p{M}/u;

/** Objects under one text, in painting order, and the glyphs that are made of it. */
interface ActualTextGroup {
  text: string;
  objects: PageObject[];
  /** The object that has the glyphs. */
  run: TextRun | null;
  glyphs: Glyph[];
}

/**
 * The glyphs with those moved into the place of their letter that speak for several objects: browsers paint a letter and its marks
 * as objects of their own under one text, the first of them often a mark high above the line. Where PDFium repeats the text
 * at a later one it is left out. `texts` are all text objects in painting order. The result is in that order, too, where anything changed.
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
  // The reader put them where the first of their objects stands; what is painted side by side is side by side.
  kept.sort((a, b) => a.run.object.order - b.run.object.order || (a.run.angle === 0 ? a.u0 - b.u0 : 0) || a.index - b.index);
  widenToAdvance(kept, groups);
  return kept;
}

/** In parts of the size: white that a letter's own width may hold beside its ink. */
const SIDE_BEARING = 0.25;

/** Only ink is known of what is seated: its width ends where the next glyph begins, as that of all its neighbours does. */
function widenToAdvance(glyphs: Glyph[], groups: Map<PageObject, ActualTextGroup>): void {
  for (const [at, glyph] of glyphs.entries()) {
    const next = glyphs[at + 1];
    if (next === undefined || glyph.rightToLeft || !groups.has(glyph.run.object) || next.run.font !== glyph.run.font || Math.abs(next.v - glyph.v) > 0.01 * glyph.run.size) continue;
    if (next.u0 > glyph.u1 && next.u0 - glyph.u1 < SIDE_BEARING * glyph.run.size) glyph.u1 = next.u0;
  }
}

/** By each of their objects: those of two objects or more. */
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

/** The mark's text in the order in which it is read; '' where it has none, a longer one, or one in another encoding than UTF-16. */
function actualTextOf(pdfium: Pdfium, mark: number): string {
  const { call, scratch } = pdfium;
  const buffer = pdfium.out64(1);
  if (call.FPDFPageObjMark_GetParamBlobValue(mark, pdfium.names.ActualText, buffer, MOST_BYTES, scratch) === 0) return '';
  const size = pdfium.int(0);
  const bytes = Buffer.from(pdfium.u8.subarray(buffer, buffer + Math.min(size, MOST_BYTES)));
  if (size > MOST_BYTES || size < LEAST_BYTES || size % 2 === 1 || bytes[0] !== BIG_ENDIAN_MARK[0] || bytes[1] !== BIG_ENDIAN_MARK[1]) return '';
  return bytes.subarray(2).swap16().toString('utf16le');
}

/** Over, under or through the letter and not beside it: however wide it is, it takes no room in the line. */
function standsOver(mark: Box, letter: Box): boolean {
  const shared = horizontalOverlap(mark, letter);
  return shared > 0.5 * Math.min(widthOf(mark), widthOf(letter));
}

/** The largest of the objects is the letter: its baseline is that of the text, which takes the width of all of them that stand side by side. */
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
  // What spreads over several lines is no letter with its marks.
  if (all === null || heightOf(all) > 3 * run.size) return;
  const origin = objectMatrix(pdfium, letter.pointer);
  const baseline = letter.toSeen.b * origin.e + letter.toSeen.d * origin.f + letter.toSeen.f;
  const [first] = glyphs;
  const told = glyphs.map((glyph) => glyph.text).join('');
  if (first === undefined) return;
  // Turned round letter by letter, marks have changed places with each other; the file has their order.
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
