/** The text of a page: converts characters to glyphs, removes hidden ones, corrects the others and groups them into lines. */
import { buildLines } from './glyphs-to-lines.js';
import { makeLine } from './line-words.js';
import type { FontTable } from './fonts.js';
import type { Matrix, PageFrame } from './matrix.js';
import type { PageGraphics } from './page-graphics.js';
import type { PageObject } from './page-objects.js';
import type { Box, HiddenText, Line, Ruling, WordTrace } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';
import { readGlyphs } from './read-glyphs.js';
import type { GlyphPage } from './read-glyphs.js';
import { settleGlyphs } from './settle-glyphs.js';
import { keepVisible } from './visibility.js';

export interface PageText {
  lines: Line[];
  hidden: HiddenText;
  /** Characters other than spaces, by the file's count. */
  characters: number;
  unmapped: number;
  /** One past the last index of a glyph. */
  end: number;
}

/** `page` is open; `walls` are drawn lines at which text lines end; `trace` receives each word with its characters. */
export function readPageText(pdfium: Pdfium, page: number, frame: PageFrame, seen: Box, { objects, covers, proof }: PageGraphics, fonts: FontTable, walls: Ruling[], trace?: WordTrace): PageText {
  const { glyphs, ...counts } = readGlyphPage(pdfium, page, objects, frame.toSeen, fonts);
  const visible = keepVisible(glyphs, covers, seen, proof, (kept) => settleGlyphs(kept, fonts));
  return { ...counts, lines: buildLines(visible.glyphs, walls).map((line) => makeLine(line, trace)), hidden: visible.hidden };
}

function readGlyphPage(pdfium: Pdfium, page: number, objects: PageObject[], toSeen: Matrix, fonts: FontTable): GlyphPage {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return { glyphs: [], characters: 0, unmapped: 0, end: 0 };
  try {
    return readGlyphs(pdfium, textPage, objects, toSeen, fonts);
  } finally {
    pdfium.call.FPDFText_ClosePage(textPage);
  }
}
