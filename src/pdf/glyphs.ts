/** The characters of a page as glyphs in their line's own frame: read from PDFium's text page, cleaned, each once. */
import type { Box, Font } from './page.js';
import type { FontTable } from './fonts.js';
import type { Matrix } from './geometry.js';
import { transformBox } from './geometry.js';
import type { PageObject } from './objects.js';
import type { Pdfium } from './pdfium.js';
import { cleanCharacter } from './characters.js';

const INVISIBLE = 3;
const CLIP_ONLY = 7;
const FILL_AND_STROKE = 2;

/** What all characters of one text object share. */
export interface TextRun {
  object: PageObject;
  font: Font;
  fontPointer: number;
  size: number;
  color: number;
  /** Degrees counter-clockwise on the seen page. */
  angle: number;
  cos: number;
  sin: number;
  invisible: boolean;
}

/**
 * A character in the frame of its reading direction: u runs along the line, v downwards across it
 * (u = x cos - y sin, v = x sin + y cos on the seen page, by the run's angle).
 */
export interface Glyph {
  text: string;
  space: boolean;
  run: TextRun;
  /** Advance along the line. */
  u0: number;
  u1: number;
  /** Baseline. */
  v: number;
  /** Ink on the seen page. */
  ink: Box;
  /** Position in PDFium's text order, which is logical order for right-to-left script. */
  index: number;
  rightToLeft: boolean;
  softHyphen: boolean;
}

export interface GlyphPage {
  glyphs: Glyph[];
  characters: number;
  unmapped: number;
}

const rightToLeftScript = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Reads every character that the file itself holds (PDFium's made-up spaces and line ends are left out). */
export function readGlyphs(pdfium: Pdfium, textPage: number, objects: PageObject[], fonts: FontTable): GlyphPage {
  const { call, scratch } = pdfium;
  const runs = new RunTable(pdfium, textPage, objects, fonts);
  const count = call.FPDFText_CountChars(textPage);
  const page: GlyphPage = { glyphs: [], characters: 0, unmapped: 0 };
  for (let index = 0; index < count; index++) {
    const generated = call.FPDFText_IsGenerated(textPage, index) === 1;
    const hyphen = call.FPDFText_IsHyphen(textPage, index) === 1;
    if (generated && !hyphen) continue;
    const run = runs.get(call.FPDFText_GetTextObject(textPage, index), index);
    if (run === null) continue;
    const code = call.FPDFText_GetUnicode(textPage, index) >>> 0;
    const text = hyphen && (code === 2 || code === 0xfffe) ? '-' : cleanCharacter(code, run.font);
    const space = text === ' ';
    if (!space) {
      page.characters++;
      if (call.FPDFText_HasUnicodeMapError(textPage, index) === 1) page.unmapped++;
    }
    if (text === '') continue;
    if (call.FPDFText_GetCharBox(textPage, index, scratch, scratch + 8, scratch + 16, scratch + 24) === 0) continue;
    const f64 = pdfium.f64;
    const at = scratch >> 3;
    const { toSeen } = runs;
    const ink = transformBox(toSeen, f64[at] ?? 0, f64[at + 2] ?? 0, f64[at + 1] ?? 0, f64[at + 3] ?? 0);
    page.glyphs.push(place(pdfium, textPage, index, code, toSeen, { text, space, run, ink, softHyphen: code === 0xad || hyphen }));
  }
  return page;
}

function place(
  pdfium: Pdfium,
  textPage: number,
  index: number,
  code: number,
  toSeen: Matrix,
  known: Pick<Glyph, 'text' | 'space' | 'run' | 'ink' | 'softHyphen'>,
): Glyph {
  const { call, scratch } = pdfium;
  const { run, ink } = known;
  call.FPDFText_GetCharOrigin(textPage, index, scratch, scratch + 8);
  const ox = pdfium.f64[scratch >> 3] ?? 0;
  const oy = pdfium.f64[(scratch >> 3) + 1] ?? 0;
  const x = toSeen.a * ox + toSeen.c * oy + toSeen.e;
  const y = toSeen.b * ox + toSeen.d * oy + toSeen.f;
  const u0 = x * run.cos - y * run.sin;
  let u1 = u0;
  if (run.angle === 0 && toSeen.a === 1) {
    // PDFium's loose box is the advance box, but only for text that is upright in the page's own space.
    if (call.FPDFText_GetLooseCharBox(textPage, index, scratch) !== 0) u1 = u0 + (pdfium.f32[(scratch >> 2) + 2] ?? ox) - (pdfium.f32[scratch >> 2] ?? ox);
  } else if (call.FPDFFont_GetGlyphWidth(run.fontPointer, code, run.size, scratch) !== 0) {
    u1 = u0 + (pdfium.f32[scratch >> 2] ?? 0);
  }
  if (!(u1 > u0)) {
    const box = transformBox({ a: run.cos, b: run.sin, c: -run.sin, d: run.cos, e: 0, f: 0 }, ink.left, ink.top, ink.right, ink.bottom);
    u1 = Math.max(box.right, u0);
  }
  return { ...known, u0, u1, v: x * run.sin + y * run.cos, index, rightToLeft: rightToLeftScript.test(known.text) };
}

/** Looks a character's text object up once and keeps what its characters share. */
class RunTable {
  readonly toSeen: Matrix;
  #pdfium: Pdfium;
  #textPage: number;
  #fonts: FontTable;
  #objects = new Map<number, PageObject>();
  #runs = new Map<number, TextRun | null>();
  #byPointer = new Map<number, Font>();
  #last = 0;
  #lastRun: TextRun | null = null;

  constructor(pdfium: Pdfium, textPage: number, objects: PageObject[], fonts: FontTable) {
    this.#pdfium = pdfium;
    this.#textPage = textPage;
    this.#fonts = fonts;
    for (const object of objects) if (object.kind === 'text') this.#objects.set(object.pointer, object);
    this.toSeen = objects.find((object) => object.depth === 0)?.toSeen ?? { a: 1, b: 0, c: 0, d: -1, e: 0, f: 0 };
  }

  get(pointer: number, index: number): TextRun | null {
    if (pointer === this.#last) return this.#lastRun;
    let run = this.#runs.get(pointer);
    if (run === undefined) this.#runs.set(pointer, (run = this.#read(pointer, index)));
    this.#last = pointer;
    this.#lastRun = run;
    return run;
  }

  #read(pointer: number, index: number): TextRun | null {
    const object = this.#objects.get(pointer);
    if (object === undefined) return null;
    const { call, scratch } = this.#pdfium;
    const fontPointer = call.FPDFTextObj_GetFont(pointer);
    let font = this.#byPointer.get(fontPointer);
    if (font === undefined) this.#byPointer.set(fontPointer, (font = this.#fonts.read(fontPointer)));
    const mode = call.FPDFTextObj_GetTextRenderMode(pointer);
    if (mode === FILL_AND_STROKE) font = this.#fonts.emboldened(font);
    const color = readColor(this.#pdfium, pointer, mode === 1 || mode === 5 ? 'stroke' : 'fill');
    const fontSize = call.FPDFText_GetFontSize(this.#textPage, index);
    call.FPDFText_GetMatrix(this.#textPage, index, scratch);
    const [a = 1, b = 0, c = 0, d = 1] = this.#pdfium.f32.subarray(scratch >> 2, (scratch >> 2) + 4);
    const t = this.toSeen;
    const dx = a * t.a + b * t.c;
    const dy = a * t.b + b * t.d;
    const angle = roundAngle((Math.atan2(-dy, dx) * 180) / Math.PI);
    const radians = (angle * Math.PI) / 180;
    const size = Math.abs(fontSize) * Math.hypot(c, d);
    return {
      object, font, fontPointer, size, color: color & 0xffffff, angle,
      cos: exactly(Math.cos(radians)), sin: exactly(Math.sin(radians)), invisible: mode === INVISIBLE || mode === CLIP_ONLY,
    };
  }
}

function exactly(value: number): number {
  return Math.abs(value) < 1e-9 ? 0 : Math.abs(Math.abs(value) - 1) < 1e-9 ? Math.sign(value) : value;
}

function roundAngle(degrees: number): number {
  const positive = ((degrees % 360) + 360) % 360;
  const quarter = Math.round(positive / 90) * 90;
  // Rounding noise of matrices stays below a tenth of a degree.
  return Math.abs(positive - quarter) < 0.1 ? quarter % 360 : Math.round(positive * 100) / 100;
}

/** 0xAARRGGBB of the object's fill or stroke; opaque black where PDFium cannot say (patterns, shadings). */
export function readColor(pdfium: Pdfium, pointer: number, which: 'fill' | 'stroke'): number {
  const { call, scratch: s } = pdfium;
  const read = which === 'fill' ? call.FPDFPageObj_GetFillColor : call.FPDFPageObj_GetStrokeColor;
  if (read(pointer, s, s + 4, s + 8, s + 12) === 0) return 0xff000000;
  const i32 = pdfium.i32;
  const at = s >> 2;
  return (((i32[at + 3] ?? 255) << 24) | ((i32[at] ?? 0) << 16) | ((i32[at + 1] ?? 0) << 8) | (i32[at + 2] ?? 0)) >>> 0;
}
