/** The meanings of the codes of symbol fonts: Adobe's Symbol encoding, the Wingdings symbols that occur in texts, TeX's large operators. */

/** Symbol, codes 0x20..0x7E and 0xA0..0xFE; U+FFFD where a code is only a piece of a larger symbol. */
const symbolLow = ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼';
const symbolHigh =
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…│─↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭';

const wingdings = new Map<number, string>(
  Object.entries({
    0x22: '✂', 0x28: '☎', 0x2a: '✉', 0x45: '☜', 0x46: '☞', 0x47: '☝', 0x4a: '☺', 0x4c: '☹', 0x6c: '●', 0x6d: '❍', 0x6e: '■', 0x6f: '□',
    0x70: '□', 0x71: '❑', 0x72: '❒', 0x73: '⬧', 0x74: '⧫', 0x75: '◆', 0x76: '❖', 0x77: '⬥', 0x78: '⌧', 0x7a: '⌘', 0x9e: '·', 0x9f: '•',
    0xa0: '▪', 0xa1: '○', 0xa2: '○', 0xa4: '◉', 0xa5: '◎', 0xa7: '▪', 0xa8: '◻', 0xab: '★', 0xaa: '✦', 0xac: '✶', 0xad: '✸', 0xd5: '⌫',
    0xd8: '➢', 0xdc: '➲', 0xdf: '←', 0xe0: '→', 0xe1: '↑', 0xe2: '↓', 0xe8: '➔', 0xef: '⇦', 0xf0: '⇨', 0xf1: '⇧', 0xf2: '⇩', 0xf3: '⬄',
    0xf4: '⇳', 0xfb: '✗', 0xfc: '✓', 0xfd: '☒', 0xfe: '☑',
  }).map(([code, sign]) => [Number(code), sign]),
);

/** TeX's large operators: codes 0x00..0x1F, 0x46..0x5A; others may be characters in the file's own encoding. */
const extensionLow = '()[]⌊⌋⌈⌉{}⟨⟩|‖/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\';
/** Wide accents, codes 0x62..0x67, and delimiters two ems high, 0x68..0x6F. */
const extensionWide = 'ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}';
const extensionHigh = '⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫';

/** TeX's symbols (CMSY): codes 0x30..0x39, 0x60..0x7A. The bar that begins `↦` leaves its arrow. */
const relationDigits = '′∞∈∋△▽\u0338\u200b∀∃';
const relationLetters = '⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀√∐∇∫⊔⊓⊑⊒§†‡';
const otherRelations = new Map([[0x25, '↗'], [0x26, '↘'], [0x27, '≃'], [0x3e, '⊤'], [0x40, 'ℵ']]);

/**
 * The symbol of a code in TeX's symbol font, or '' if it may be a character in the file's own encoding. Glyph names of such fonts that are missing from glyph lists, such as `prime` and `negationslash`,
 * keep their code as if it were ASCII; no digits and no lower-case letters are among them.
 */
export function relationSymbol(code: number): string {
  return relationDigits[code - 0x30] ?? relationLetters[code - 0x60] ?? otherRelations.get(code) ?? '';
}

/** Codes of TeX's large operators outside the tables above. */
const extensionHighFrom = 0x46;
const coproducts = { first: 0x60, last: 0x61 };
const wideFrom = 0x62;
const roots = { first: 0x70, last: 0x74 };
/** Where the two halves of Symbol begin; DELETE ends the lower one. */
const symbolLowFrom = 0x20;
const symbolHighFrom = 0xa0;
const deleteCode = 0x7f;

/** The symbol of a code in TeX's font of large operators (CMEX), or '' if the code may be a character in the file's own encoding. */
export function extensionSymbol(code: number): string {
  if (code < extensionLow.length) return extensionLow[code] ?? '';
  if (code >= coproducts.first && code <= coproducts.last) return '∐';
  if (code >= roots.first && code <= roots.last) return '√';
  return extensionHigh[code - extensionHighFrom] ?? extensionWide[code - wideFrom] ?? '';
}

/** The symbol of a code 0x20..0xFF in Symbol, or '' if it has none. */
export function symbolCharacter(code: number): string {
  if (code < deleteCode) return symbolLow[code - symbolLowFrom] ?? '';
  return code >= symbolHighFrom ? (symbolHigh[code - symbolHighFrom] ?? '').replace('\ufffd', '') : '';
}

/** Adobe's private codes for pieces of large signs, 0xF8E5..0xF8FE, by which its list of glyph names maps `parenlefttp` and others (AGL, corporate use). */
const corporateFrom = 0xf8e5;
const corporate = '√|—®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭';

/** The sign of one of Adobe's private codes, or ''. */
export function corporateSymbol(code: number): string {
  return corporate[code - corporateFrom] ?? '';
}

/** The symbol of a code 0x20..0xFF in Wingdings, or '' if none is known. */
export function wingdingsSymbol(code: number): string {
  return wingdings.get(code) ?? '';
}
