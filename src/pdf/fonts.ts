/** Properties of a PDF font from its name, flags and weight; one object for each distinct font of a document. */
import type { Font } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

const FIXED_PITCH = 1;
const ITALIC = 64;
const FORCE_BOLD = 1 << 18;

/** Weights as in OpenType's OS/2 table, 100 to 900. */
const WEIGHT = { regular: 400, semiBold: 600, bold: 700 };
/** The stem weights guessed by PDFium that indicate bold faces. */
const BOLD_STEMS = { least: 650, most: 1000 };
/** The least slant of an italic face. */
const ITALIC_DEGREES = 5;

/** Patterns for the name with spaces between its parts: `Nimbus Rom No9L-Medi Ital`. The first match counts. */
const namedWeights: [RegExp, number][] = [
  [/(semi|demi)[-_ ]?(bold|bd)|\bsemb|\bdemi\b|\bsb\b/i, 600],
  [/(extra|ultra)[-_ ]?(bold|bd)/i, 800],
  [/\b(black|heavy|blk)\b/i, 900],
  [/bold|\bbd\b|\bmedi\b|-bi?$|-bx\b/i, 700],
  [/\b(medium|md)\b/i, 500],
  [/(extra|ultra)[-_ ]?light|\b(thin|hairline)\b/i, 200],
  [/\b(light|lt)\b/i, 300],
  [/\b(regular|roman|book|normal|regu|rg)\b/i, 400],
];
/** Computer Modern and its successors, and the PostScript short names of TeX's fonts, by their own abbreviations. */
const texBold = /^(cmbx|cmb\d|cmssbx|cmbsy|cmmib|sfbx|ecbx|lmb|ptmb|phvb|pplb)/i;
const texItalic = /^(cm(b?xti|ti|sl|mi|bxsl|ssi|itt|mib)\d|cmbxti|sfti|sfsl|ecti|lmri|lmmi)/i;
const texMonospace = /^(cmtt|cmitt|cmsltt|ectt|sftt|lmtt|lmmono|txtt)/i;
const italicName = /italic(?!a)|oblique|kursiv|slanted|\bit(al)?\b|[-_]b?i$|\bobli\b/i;
const monospaceName =
  /mono(?!type|line)|courier|consol|typewriter|menlo|inconsolata|\bfixed\b|terminal|lettergothic|nimbus ?mon|andale|code ?(pro|new)|source ?code|fira ?code|jetbrains|cascadia/i;
const symbolName = /symbol|wingdings|dingbat|webdings|^cmsy|^cmex|^msam|^msbm|^stmary|^marvosym|fontawesome|material ?icons|icomoon/i;

/**
 * Reads fonts by pointer (valid while a page is open). Fonts with equal properties share one object, across pages and also if
 * a file divides one font into several subsets.
 */
export class FontTable {
  #byDescription = new Map<string, Font>();
  #pdfium: Pdfium;

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
  }

  read(pointer: number): Font {
    const { call } = this.#pdfium;
    if (pointer === 0) return this.#intern(describeFont('', 0, 0, 0));
    const name = this.#pdfium.readString((buffer, size) => call.FPDFFont_GetBaseFontName(pointer, buffer, size), 'utf8');
    const family = this.#pdfium.readString((buffer, size) => call.FPDFFont_GetFamilyName(pointer, buffer, size), 'utf8');
    const italicAngle = call.FPDFFont_GetItalicAngle(pointer, this.#pdfium.scratch) === 0 ? 0 : this.#pdfium.i32[this.#pdfium.scratch >> 2] ?? 0;
    return this.#intern(describeFont(name || family, Math.max(0, call.FPDFFont_GetFlags(pointer)), call.FPDFFont_GetWeight(pointer), italicAngle));
  }

  /** The font if it is stroked as well as filled: producers thicken letters in this way if they lack the bold face. */
  emboldened(font: Font): Font {
    return font.bold ? font : this.#intern({ ...font, bold: true, weight: WEIGHT.bold });
  }

  /** The same font marked as monospace, by its advances. */
  fixedPitch(font: Font): Font {
    return font.monospace ? font : this.#intern({ ...font, monospace: true });
  }

  #intern(font: Font): Font {
    const key = `${font.name} ${font.weight} ${font.bold} ${font.italic} ${font.monospace} ${font.symbolic}`;
    const known = this.#byDescription.get(key);
    if (known !== undefined) return known;
    this.#byDescription.set(key, font);
    return font;
  }
}

/** `flags` as in the font descriptor, `engineWeight` as PDFium estimates it from the stems (0 or below: unknown). */
export function describeFont(rawName: string, flags: number, engineWeight: number, italicAngle: number): Font {
  const name = rawName.replace(/^[A-Z]{6}\+/, '');
  const parts = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  const named = texBold.test(name) ? WEIGHT.bold : namedWeights.find(([pattern]) => pattern.test(parts))?.[1];
  // Stem widths are only reliable for clearly bold faces: regular Arial has estimates from 200 to 600.
  const weight = named ?? ((flags & FORCE_BOLD) !== 0 || (engineWeight >= BOLD_STEMS.least && engineWeight <= BOLD_STEMS.most) ? WEIGHT.bold : WEIGHT.regular);
  return {
    name,
    weight,
    bold: weight >= WEIGHT.semiBold,
    italic: italicName.test(parts) || texItalic.test(name) || (flags & ITALIC) !== 0 || Math.abs(italicAngle) >= ITALIC_DEGREES,
    monospace: monospaceName.test(parts) || texMonospace.test(name) || ((flags & FIXED_PITCH) !== 0 && !symbolName.test(name)),
    symbolic: symbolName.test(name),
  };
}
