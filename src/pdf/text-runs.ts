/** Converts text objects to runs: the font, size, colour and direction that all characters of one object share. */
import { heightOf, union, widthOf } from '../geometry/box.js';
import { FULL_TURN, HALF_TURN, QUARTER_TURN } from './angles.js';
import { alphaOf, OPAQUE_BLACK, packColor, withoutAlpha } from './colors.js';
import type { Box, Font } from './pdf-page.js';
import type { FontTable } from './fonts.js';
import type { Matrix } from './matrix.js';
import { objectBounds } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';

/** Text rendering modes (ISO 32000-1, table 106). */
const STROKE = 1;
const FILL_AND_STROKE = 2;
const INVISIBLE = 3;
const STROKE_AND_CLIP = 5;
const CLIP_ONLY = 7;
/** The end of the Latin, Greek and Cyrillic blocks. */
const LAST_PLAIN_LETTER = 0x52f;
/** Degrees: a direction this close to a quarter turn counts as one, because the baselines of scanned text lean by as much. */
const QUARTER_TOLERANCE_DEGREES = 1.5;

/** A matrix of PDFium: six numbers, of which the first four rotate and scale. */
const MATRIX = { numberBytes: 4, linearParts: 4 };
/** Out parameters of FPDFPageObj_GetFillColor and GetStrokeColor. */
const COLOR = { red: 0, green: 1, blue: 2, alpha: 3 };

/** The common properties of the characters of one text object. */
export interface TextRun {
  object: PageObject;
  font: Font;
  /** Effective, in points. */
  size: number;
  /** Points of advance per unit of the font's em: differs from `size` if text is stretched. */
  stretch: number;
  fontPointer: number;
  color: number;
  /** Degrees counter-clockwise on the displayed page. */
  angle: number;
  cos: number;
  sin: number;
  /** Drawn with render mode 3, or fully transparent. */
  invisible: boolean;
}

/** A text object whose characters PDFium's text page lacks: those of `source`, moved by this many points on the displayed page. */
export interface LeftOut {
  source: TextRun;
  run: TextRun;
  dx: number;
  dy: number;
}

/** The number of previous text objects with which PDFium compares one. */
const COMPARED = 5;
/** In ems: a repetition that is moved by less thickens letters, or shows another slice of them. */
const MOVED = 0.12;

/** Reads each text object once. */
export class RunTable {
  #pdfium: Pdfium;
  #textPage: number;
  #toSeen: Matrix;
  #fonts: FontTable;
  #objects = new Map<number, PageObject>();
  #runs = new Map<number, TextRun | null>();
  #byPointer = new Map<number, Font>();
  #widths = new Map<number, number>();
  #last = 0;
  #lastRun: TextRun | null = null;

  constructor(pdfium: Pdfium, textPage: number, objects: PageObject[], toSeen: Matrix, fonts: FontTable) {
    this.#pdfium = pdfium;
    this.#textPage = textPage;
    this.#toSeen = toSeen;
    this.#fonts = fonts;
    for (const object of objects) if (object.kind === 'text') this.#objects.set(object.pointer, object);
  }

  /** The run of a text object, read at one of its characters; null for text that belongs to no object of the walk. */
  get(pointer: number, characterIndex: number): TextRun | null {
    if (pointer === this.#last) return this.#lastRun;
    let run = this.#runs.get(pointer);
    if (run === undefined) this.#runs.set(pointer, (run = this.#read(pointer, characterIndex)));
    this.#last = pointer;
    this.#lastRun = run;
    return run;
  }

  /**
   * PDFium's text page omits a text object that repeats the previous one. A small shift thickens
   * the letters; the same place shows another slice of them. Letters without a height (their font is neither in the file nor here) PDFium
   * also takes for repetitions if they are lines below: this function returns those. Call it once, after all characters are read.
   */
  heedRepeats(): LeftOut[] {
    const texts = [...this.#objects.values()];
    return texts.flatMap((object, index): LeftOut[] => {
      if (this.#runs.has(object.pointer)) return [];
      const box = objectBounds(this.#pdfium, object);
      for (let back = 1; back <= COMPARED; back++) {
        const source = this.#runs.get(texts[index - back]?.pointer ?? 0);
        if (source === undefined || source === null) continue;
        const before = objectBounds(this.#pdfium, source.object);
        const shift = shiftBetween(before, box);
        if (shift < MOVED * source.size) {
          if (back > 3) continue;
          if (shift > 0.004 * source.size) source.font = this.#fonts.emboldened(source.font);
          source.object.clip = source.object.clip === null || object.clip === null ? null : union(source.object.clip, object.clip);
        } else if (before !== null && box !== null && shift < Infinity && isFlat(box, source) && this.#pdfium.call.FPDFTextObj_GetFont(object.pointer) === source.fontPointer) {
          const run = { ...source, object };
          this.#runs.set(object.pointer, run);
          return [{ source, run, dx: box.left - before.left, dy: box.top - before.top }];
        }
      }
      return [];
    });
  }

  /** Ends a glyph at the font's own width, if that is less than its present span. */
  narrowToAdvance(glyph: { run: TextRun; u0: number; u1: number }, code: number): void {
    // Widths are looked up by Unicode value: in cursive scripts that is the width of another form of the letter.
    if (code > LAST_PLAIN_LETTER) return;
    const { fontPointer, stretch } = glyph.run;
    const key = fontPointer * 0x110000 + code;
    let width = this.#widths.get(key);
    if (width === undefined) {
      const known = this.#pdfium.call.FPDFFont_GetGlyphWidth(fontPointer, code, 1000, this.#pdfium.scratch) !== 0;
      this.#widths.set(key, (width = known ? (this.#pdfium.f32[this.#pdfium.scratch >> 2] ?? 0) / 1000 : 0));
    }
    const end = glyph.u0 + width * stretch;
    if (width > 0 && end < glyph.u1) glyph.u1 = end;
  }

  #read(pointer: number, index: number): TextRun | null {
    const object = this.#objects.get(pointer);
    if (object === undefined) return null;
    const { call, scratch } = this.#pdfium;
    const mode = call.FPDFTextObj_GetTextRenderMode(pointer);
    const color = readColor(this.#pdfium, pointer, mode === STROKE || mode === STROKE_AND_CLIP ? 'stroke' : 'fill');
    const fontSize = call.FPDFText_GetFontSize(this.#textPage, index);
    call.FPDFText_GetMatrix(this.#textPage, index, scratch);
    const [a = 1, b = 0, c = 0, d = 1] = this.#pdfium.f32.subarray(scratch / MATRIX.numberBytes, scratch / MATRIX.numberBytes + MATRIX.linearParts);
    const t = this.#toSeen;
    const fontPointer = call.FPDFTextObj_GetFont(pointer);
    const backwards = fontSize < 0 ? -1 : 1;
    const dx = (a * t.a + b * t.c) * backwards;
    const dy = (a * t.b + b * t.d) * backwards;
    return {
      object,
      font: this.#font(fontPointer, mode === FILL_AND_STROKE),
      size: Math.abs(fontSize) * Math.hypot(c, d),
      stretch: Math.abs(fontSize) * Math.hypot(a, b),
      fontPointer,
      color: withoutAlpha(color),
      ...direction(snapAngle((Math.atan2(-dy, dx) * HALF_TURN) / Math.PI)),
      invisible: mode === INVISIBLE || mode === CLIP_ONLY || alphaOf(color) === 0,
    };
  }

  #font(fontPointer: number, stroked: boolean): Font {
    let font = this.#byPointer.get(fontPointer);
    if (font === undefined) this.#byPointer.set(fontPointer, (font = this.#fonts.read(fontPointer)));
    return stroked ? this.#fonts.emboldened(font) : font;
  }
}

/** The shift between a box and another of the same size; Infinity if the sizes differ. */
function shiftBetween(a: Box | null, b: Box | null): number {
  if (a === null || b === null) return Infinity;
  const sameSize = Math.abs(widthOf(a) - b.right + b.left) < 0.05 && Math.abs(heightOf(a) - b.bottom + b.top) < 0.05;
  return sameSize ? Math.hypot(a.left - b.left, a.top - b.top) : Infinity;
}

/** Without any height across its line. */
function isFlat(box: Box, { sin, cos, size }: TextRun): boolean {
  return Math.min(Math.abs(cos) < 0.5 ? Infinity : heightOf(box), Math.abs(sin) < 0.5 ? Infinity : widthOf(box)) < 0.02 * size;
}

const turns = new Map<number, Pick<TextRun, 'angle' | 'cos' | 'sin'>>();

/** The angle with its exact cosine and sine. */
export function direction(angle: number): Pick<TextRun, 'angle' | 'cos' | 'sin'> {
  const known = turns.get(angle);
  if (known !== undefined) return known;
  const radians = (angle * Math.PI) / HALF_TURN;
  const exactly = (value: number) => (Math.abs(value) < 1e-9 ? 0 : Math.abs(Math.abs(value) - 1) < 1e-9 ? Math.sign(value) : value);
  const turn = { angle, cos: exactly(Math.cos(radians)), sin: exactly(Math.sin(radians)) };
  turns.set(angle, turn);
  return turn;
}

function snapAngle(degrees: number): number {
  const positive = ((degrees % FULL_TURN) + FULL_TURN) % FULL_TURN;
  const quarter = Math.round(positive / QUARTER_TURN) * QUARTER_TURN;
  return (Math.abs(positive - quarter) < QUARTER_TOLERANCE_DEGREES ? quarter : Math.round(positive)) % FULL_TURN;
}

/** 0xAARRGGBB of the object's fill or stroke; opaque black if PDFium does not know it (patterns, shadings). */
export function readColor(pdfium: Pdfium, pointer: number, which: 'fill' | 'stroke'): number {
  const { call } = pdfium;
  const { red, green, blue, alpha } = COLOR;
  const read = which === 'fill' ? call.FPDFPageObj_GetFillColor : call.FPDFPageObj_GetStrokeColor;
  const isKnown = read(pointer, pdfium.out32(red), pdfium.out32(green), pdfium.out32(blue), pdfium.out32(alpha)) !== 0;
  return isKnown ? packColor(pdfium.int(red), pdfium.int(green), pdfium.int(blue), pdfium.int(alpha)) : OPAQUE_BLACK;
}
