/** Reads the characters of a page as glyphs in their line's own frame, from PDFium's text page, corrected, each once. */
import { heightOf, union, widthOf } from '../geometry/box.js';
import { placeActualText } from './actual-text.js';
import type { Box } from './pdf-page.js';
import type { FontTable } from './fonts.js';
import type { Glyph } from './glyph.js';
import { type Matrix, transformBox } from './matrix.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';
import { cleanCharacter, isSpace, unnamedGlyph } from './characters.js';
import { applyLetterShapes } from './letter-shapes.js';
import { readsLikeText } from './plausible-letters.js';
import { joinVowelPoints } from './vowel-points.js';
import { decodeTexCodes } from './tex-codes.js';
import { turnVertical } from './vertical-writing.js';
import { type LeftOut, RunTable, type TextRun } from './text-runs.js';

export interface GlyphPage {
  glyphs: Glyph[];
  /** Characters other than spaces, by the file's count. */
  characters: number;
  unmapped: number;
  /** One past the last index. */
  end: number;
}

/** Out parameters of FPDFText_GetCharBox, and behind them of FPDFText_GetCharOrigin. */
const CHAR_BOX = { left: 0, right: 1, bottom: 2, top: 3 };
const ORIGIN = { x: 4, y: 5 };
/** Lower ink, in ems, counts as none. */
const FLAT = 0.02;
/** The last code point before Hebrew, the first script that is read from the right. */
const LAST_BEFORE_HEBREW = 0x58f;
/** Surrogates: halves of a code point above U+FFFF. */
const HIGH_SURROGATE = { first: 0xd800, last: 0xdbff };
const LOW_SURROGATE = { first: 0xdc00, last: 0xdfff };
const BEYOND_16_BITS = 0x10000;
const BITS_OF_SURROGATE = 10;
const SOFT_HYPHEN = 0xad;
/** PDFium's code for a hyphen at the end of a line, hard or soft. */
const LINE_END_HYPHEN = 2;
const rightToLeftScript = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Reads every character of the file itself (without PDFium's generated spaces and line ends). */
export function readGlyphs(pdfium: Pdfium, textPage: number, objects: PageObject[], toSeen: Matrix, fonts: FontTable): GlyphPage {
  const runs = new RunTable(pdfium, textPage, objects, toSeen, fonts);
  const reader = new GlyphReader(pdfium, textPage, runs, toSeen);
  const count = pdfium.call.FPDFText_CountChars(textPage);
  for (let index = 0; index < count; index++) reader.read(index);
  const end = reader.giveBack(runs.heedRepeats(), count);
  const named = decodeTexCodes(reader.glyphs);
  const glyphs = placeActualText(pdfium, reader.glyphs, objects.filter(({ kind }) => kind === 'text'));
  applyLetterShapes(glyphs, fonts);
  return { glyphs: turnVertical(joinVowelPoints(glyphs)), characters: reader.characters, unmapped: reader.unmapped - named, end };
}

class GlyphReader {
  readonly glyphs: Glyph[] = [];
  characters = 0;
  #unmapped = 0;
  /** By font: text with values that PDFium guessed. */
  #doubtful = new Map<number, string>();
  #pdfium: Pdfium;
  #textPage: number;
  #runs: RunTable;
  #toSeen: Matrix;
  #lastX = NaN;
  #lastY = NaN;
  /** A soft hyphen without ink marks a possible break; a hyphen drawn at the same place shows that the line was broken there. */
  #softHyphenAt = -2;
  /** The end of the last glyph if its advance did not depend on its first letter. */
  #lastEnd = 0;

  constructor(pdfium: Pdfium, textPage: number, runs: RunTable, toSeen: Matrix) {
    this.#pdfium = pdfium;
    this.#textPage = textPage;
    this.#runs = runs;
    this.#toSeen = toSeen;
  }

  read(index: number): void {
    const pdfium = this.#pdfium;
    const { call } = pdfium;
    const textPage = this.#textPage;
    if (call.FPDFText_IsGenerated(textPage, index) === 1) return;
    const run = this.#runs.get(call.FPDFText_GetTextObject(textPage, index), index);
    if (run === null) return;
    const code = this.#codePointAt(index);
    const lineEndHyphen = code === LINE_END_HYPHEN && call.FPDFText_IsHyphen(textPage, index) === 1;
    const cleaned = lineEndHyphen ? '-' : cleanCharacter(code, run.font);
    if (cleaned === '' || call.FPDFText_GetCharBox(textPage, index, pdfium.out64(CHAR_BOX.left), pdfium.out64(CHAR_BOX.right), pdfium.out64(CHAR_BOX.bottom), pdfium.out64(CHAR_BOX.top)) === 0) return;
    call.FPDFText_GetCharOrigin(textPage, index, pdfium.out64(ORIGIN.x), pdfium.out64(ORIGIN.y));
    const x = pdfium.double(ORIGIN.x);
    const y = pdfium.double(ORIGIN.y);
    const shape = transformBox(this.#toSeen, pdfium.double(CHAR_BOX.left), pdfium.double(CHAR_BOX.bottom), pdfium.double(CHAR_BOX.right), pdfium.double(CHAR_BOX.top));
    const flat = heightOf(shape) < FLAT * run.size;
    if (code === SOFT_HYPHEN && flat) {
      this.#softHyphenAt = index;
      return;
    }
    if (cleaned === '\ufffd' && isEmpty(shape) && !(flat && isSpace(code))) return;
    // A code without a meaning that advances without ink is a space.
    const text = cleaned === '\ufffd' && flat ? ' ' : cleaned;
    const space = text === ' ';
    // Layers of recognised text use fonts without shapes, so that only their boxes are available.
    const ink = flat && !space && run.invisible ? this.#looseBox(index) : shape;
    if (!space) this.#count(index, text, run);
    const sameOrigin = x === this.#lastX && y === this.#lastY;
    if (sameOrigin && this.#isPartOfLast(index, run, ink, text)) return;
    this.#lastX = x;
    this.#lastY = y;
    const t = this.#toSeen;
    const seenX = t.a * x + t.c * y + t.e;
    const seenY = t.b * x + t.d * y + t.f;
    const u = seenX * run.cos - seenY * run.sin;
    // Written out: a spread here takes two milliseconds a page.
    const glyph: Glyph = {
      text, code, space, run, u0: u, u1: u, v: seenX * run.sin + seenY * run.cos, ink, index,
      rightToLeft: code > LAST_BEFORE_HEBREW && rightToLeftScript.test(text), softHyphen: code === SOFT_HYPHEN || (this.#softHyphenAt === index - 1 && (text === '-' || text === '\u2010')),
    };
    const widened = spanFromAdvanceBox(glyph, this.#looseBox(index), sameOrigin);
    this.#lastEnd = glyph.u1;
    if (widened) this.#runs.narrowToAdvance(glyph, code);
    this.glyphs.push(glyph);
  }

  /** Adds the characters that the text page lacks. `end` is one past its last index; returns the new end. */
  giveBack(leftOut: LeftOut[], end: number): number {
    if (leftOut.length === 0) return end;
    const byRun = new Map<TextRun, Glyph[]>(leftOut.map(({ source }) => [source, []]));
    for (const glyph of this.glyphs) byRun.get(glyph.run)?.push(glyph);
    let index = end;
    for (const { source, run, dx, dy } of leftOut) {
      const [du, dv] = [dx * run.cos - dy * run.sin, dx * run.sin + dy * run.cos];
      const moved = (byRun.get(source) ?? []).map((glyph): Glyph => {
        const ink = { left: glyph.ink.left + dx, top: glyph.ink.top + dy, right: glyph.ink.right + dx, bottom: glyph.ink.bottom + dy };
        return { ...glyph, run, u0: glyph.u0 + du, u1: glyph.u1 + du, v: glyph.v + dv, ink, index: index++ };
      });
      // It may be repeated itself.
      byRun.set(run, moved);
      this.glyphs.push(...moved);
      this.characters += moved.filter(({ space }) => !space).length;
    }
    return index;
  }

  /** A character above U+FFFF comes as two surrogates: the first stands for both, the second is dropped. */
  #codePointAt(index: number): number {
    const { call } = this.#pdfium;
    const code = call.FPDFText_GetUnicode(this.#textPage, index) >>> 0;
    if (code < HIGH_SURROGATE.first || code > HIGH_SURROGATE.last) return code;
    const low = call.FPDFText_GetUnicode(this.#textPage, index + 1) >>> 0;
    return low >= LOW_SURROGATE.first && low <= LOW_SURROGATE.last ? BEYOND_16_BITS + ((code - HIGH_SURROGATE.first) << BITS_OF_SURROGATE) + (low - LOW_SURROGATE.first) : code;
  }

  #count(index: number, text: string, run: TextRun): void {
    this.characters++;
    if (text === '\ufffd' || text === unnamedGlyph) this.#unmapped++;
    else if (this.#pdfium.call.FPDFText_HasUnicodeMapError(this.#textPage, index) === 1) {
      this.#doubtful.set(run.fontPointer, (this.#doubtful.get(run.fontPointer) ?? '') + text);
    }
  }

  /** Characters without a meaning, and those of fonts whose guessed letters form no language. */
  get unmapped(): number {
    let count = this.#unmapped;
    for (const text of this.#doubtful.values()) if (!readsLikeText(text)) count += text.length;
    return count;
  }

  #looseBox(index: number): Box {
    const { call, scratch } = this.#pdfium;
    call.FPDFText_GetLooseCharBox(this.#textPage, index, scratch);
    const f32 = this.#pdfium.f32;
    const at = scratch >> 2;
    return transformBox(this.#toSeen, f32[at] ?? 0, f32[at + 1] ?? 0, f32[at + 2] ?? 0, f32[at + 3] ?? 0);
  }

  /**
   * One code with several letters comes as several characters with the same box: they are one glyph. The same holds for the parts
   * of a right-to-left ligature that are drawn as strokes from one point.
   */
  #isPartOfLast(index: number, run: TextRun, ink: Box, text: string): boolean {
    const last = this.glyphs[this.glyphs.length - 1];
    if (last === undefined || last.run !== run || ink.right <= ink.left) return false;
    const sameBox = last.ink.left === ink.left && last.ink.right === ink.right;
    if (sameBox) last.text = rightToLeftScript.test(text) ? rightToLeftLigature(text, last.text) : last.text + text;
    // Shares of one ink that do not overlap are read from the right.
    else if (last.rightToLeft && rightToLeftScript.test(text)) last.text = run.angle === 0 && ink.left > last.ink.right - 0.1 ? text + last.text : last.text + text;
    else return false;
    if (last.rightToLeft) last.text = last.text.replace(/^(\p{M}+)(\P{M})/u, '$2$1');
    last.ink = union(last.ink, ink);
    last.u1 = Math.max(last.u1, this.#lastEnd, last.rightToLeft && run.angle === 0 ? this.#looseBox(index).right : -Infinity);
    return true;
  }
}

function isEmpty(box: Box): boolean {
  return widthOf(box) < 0.01;
}

/**
 * PDFium reverses right-to-left runs character by character, which reverses the order inside a ligature, unless the
 * ligature came as one presentation form. Alef never joins the following letter, so that lam-alef distinguishes the two cases.
 */
function rightToLeftLigature(later: string, earlier: string): string {
  const turned = later + earlier;
  return /^[\u0622\u0623\u0625\u0627\u0671]\u0644$/.test(turned) || turned === '\u0647\u0644\u0644\u0627' ? earlier + later : turned;
}

/**
 * PDFium's loose box is the upright box around advance box and ink. The advance follows from its sides and the angle. `true`
 * if ink that overhangs (a swash, an italic f) may have widened it.
 */
function spanFromAdvanceBox(glyph: Glyph, loose: Box, sameOrigin: boolean): boolean {
  const { cos, sin } = glyph.run;
  const { ink } = glyph;
  const [across, up] = [widthOf(loose), heightOf(loose)];
  if (sin !== 0 && cos !== 0) {
    const slope = cos * cos - sin * sin;
    const advance = Math.abs(slope) > 0.2 ? (across * Math.abs(cos) - up * Math.abs(sin)) / slope : 0.5 * glyph.run.size;
    glyph.u1 = glyph.u0 + Math.max(0, advance);
    return false;
  }
  const [low, high] = sin === 0 ? (cos > 0 ? [loose.left, loose.right] : [-loose.right, -loose.left]) : sin > 0 ? [-loose.bottom, -loose.top] : [loose.top, loose.bottom];
  const inkHigh = sin === 0 ? (cos > 0 ? ink.right : -ink.left) : sin > 0 ? -ink.top : ink.bottom;
  // A letter of a decomposed ligature has no advance of its own: both boxes are its share of the ink.
  const isShare = same(loose.left, ink.left) && same(loose.right, ink.right) && same(loose.top, ink.top);
  if (isShare && sameOrigin) glyph.u0 = low;
  glyph.u1 = Math.max(glyph.u0, high);
  return !glyph.space && high - inkHigh < 0.002 && !isShare;
}

function same(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.002;
}
