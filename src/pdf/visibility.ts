/** Determines the visible glyphs of a page: page box and clips by geometry, layers, covers and colours by drawing. */
import { areaOf, containsPoint, heightOf, middleX, middleY, widthOf } from '../geometry/box.js';
import type { Glyph } from './glyph.js';
import type { Box, HiddenText } from './pdf-page.js';
import type { PageObject } from './page-objects.js';
import type { Cover } from './covers.js';
import { CoverIndex } from './covers.js';
import type { Proof } from './proof-by-drawing.js';
import type { TextRun } from './text-runs.js';

/** Text under an image of at least this share of the page is the text layer of a scan. */
const SCAN_SHARE = 0.5;
const CLIP_TOLERANCE = 1;

export interface VisibleText {
  glyphs: Glyph[];
  hidden: HiddenText;
}

/** `covers` are the page's filled boxes and images in painting order; `page` is the displayed page; `settle` is called with the glyphs inside it. */
export function keepVisible(glyphs: Glyph[], covers: Cover[], page: Box, proof: Proof, settle: (glyphs: Glyph[]) => Glyph[]): VisibleText {
  const hidden: HiddenText = { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 };
  const inside = settle(glyphs.filter((glyph) => isWithin(glyph, page, hidden)));
  const painted = dropUnpainted(inside, proof, hidden);
  const seen = dropUnseen(painted, new CoverIndex(covers, page), areaOf(page), proof, hidden);
  for (const glyph of seen) if (glyph.run.invisible && !glyph.space) hidden.invisible += glyph.text.length;
  return { glyphs: seen, hidden };
}

function isWithin(glyph: Glyph, page: Box, hidden: HiddenText): boolean {
  const x = middleX(glyph.ink);
  const y = middleY(glyph.ink);
  if (x < page.left || x > page.right || y < page.top || y > page.bottom) {
    if (!glyph.space) hidden.outsidePage += glyph.text.length;
    return false;
  }
  const { clip } = glyph.run.object;
  if (clip === null || isIn(clip, x, y)) return true;
  if (!glyph.space) hidden.clipped += glyph.text.length;
  return false;
}

function isIn(clip: Box, x: number, y: number): boolean {
  if (widthOf(clip) <= 0 || heightOf(clip) <= 0) return false;
  return containsPoint(clip, x, y, CLIP_TOLERANCE);
}

/** Text inside forms may lie outside the form's own box, and the layer of text may be switched off: PDFium reports neither. */
function dropUnpainted(glyphs: Glyph[], proof: Proof, hidden: HiddenText): Glyph[] {
  const suspects = glyphs.filter(({ run, space }) => !space && !run.invisible && (run.object.depth > 0 || run.object.layer !== null));
  if (suspects.length === 0) return glyphs;
  const unpainted = proof.unpainted(objectsOf(suspects), boxesOf(suspects));
  if (unpainted.size === 0) return glyphs;
  for (const { run, text } of unpainted) {
    if (run.object.layer !== null) hidden.hiddenLayer += text.length;
    else hidden.clipped += text.length;
  }
  return glyphs.filter((glyph) => !unpainted.has(glyph));
}

interface Suspicion {
  glyph: Glyph;
  /** The object painted over it; null: it has the colour of its background. */
  cover: Cover | null;
}

function dropUnseen(glyphs: Glyph[], covers: CoverIndex, pageArea: number, proof: Proof, hidden: HiddenText): Glyph[] {
  const suspicions = new Map<Glyph, Suspicion>();
  for (const glyph of glyphs) {
    if (glyph.space || glyph.run.invisible) continue;
    const cover = covers.over(glyph.ink, glyph.run.object.order);
    if (cover !== null || covers.hasColorOfGround(glyph.ink, glyph.run.object.order, glyph.run.color)) suspicions.set(glyph, { glyph, cover });
  }
  if (suspicions.size === 0) return glyphs;
  const unseen = proof.unseen(objectsOf([...suspicions.keys()]), boxesOf([...suspicions.keys()]));
  if (unseen.size === 0) return glyphs;
  const scanned = new Map<TextRun, TextRun>();
  return glyphs.filter((glyph) => {
    if (!unseen.has(glyph)) return true;
    const cover = suspicions.get(glyph)?.cover ?? null;
    if (cover?.image === true && areaOf(cover.box) > SCAN_SHARE * pageArea) {
      glyph.run = invisibleTwin(scanned, glyph.run);
      return true;
    }
    if (cover === null) hidden.sameColor += glyph.text.length;
    else hidden.covered += glyph.text.length;
    return false;
  });
}

function invisibleTwin(twins: Map<TextRun, TextRun>, run: TextRun): TextRun {
  let twin = twins.get(run);
  if (twin === undefined) twins.set(run, (twin = { ...run, invisible: true }));
  return twin;
}

function objectsOf(glyphs: Glyph[]): Set<PageObject> {
  return new Set(glyphs.map((glyph) => glyph.run.object));
}

function boxesOf(glyphs: Glyph[]): Map<Glyph, Box> {
  return new Map(glyphs.map((glyph) => [glyph, glyph.ink]));
}
