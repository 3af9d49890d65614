/** A text line, or a piece of one, without its words: the form in which pages are kept after layout. */
import { nominalLine, scriptTolerances, styleShares } from './tolerances.js';
import { unionBox } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import type { Link, Word } from '../../pdf/pdf-page.js';
import type { LinePrediction } from './layout-prediction.js';
import { scriptsOf } from './find-scripts.js';
import { scriptInLine } from './script-characters.js';

/** A part of the text that differs from plain text on the baseline. Offsets into `text`, end excluded. */
export interface Span {
  start: number;
  end: number;
  script: 'baseline' | 'sub' | 'super';
  /** An address outside the document. */
  uri: string | null;
}

export interface TextLine {
  /** Words with one space between them, none where the page has none. */
  text: string;
  box: Box;
  baseline: number;
  /** The size of most of its characters, points. */
  size: number;
  /** Name of the font of most of its characters. */
  font: string;
  /** More than a few of its characters are of other fonts. */
  mixed: boolean;
  /** Nearly all of its characters are bold; the same for the next two. */
  bold: boolean;
  italic: boolean;
  monospace: boolean;
  /** Characters at its start that are bold (or, in a line that is not italic, bold italic) while the others are not. */
  boldPrefix: number;
  color: number;
  angle: number;
  /** The line ends in a hyphen that the file marks as soft. */
  softHyphen: boolean;
  /** The place of its first word in the painting order. */
  order: number;
  spans: Span[];
  /** The role of its tag in a tagged PDF, or ''. */
  role: string;
  /** For a display formula: its LaTeX. */
  latex?: string | undefined;
  /** For a line of an algorithm or of printed output: the index of the listing on the page. */
  listing?: number;
  /** For code: x positions that keep the column of each piece and the width of its letters. */
  pieces: { start: number; left: number; right: number }[];
  /** Mean confidence of the recognised letters, 0..1; absent if all come from the file. */
  confidence?: number;
  /** The layout network's prediction; absent if the network did not run. */
  prediction?: LinePrediction;
}

const noSpans: Span[] = [];
const noPieces: TextLine['pieces'] = [];

/** The box of a line of this size, whatever ink its letters have: a full stop is as tall as an `A`. */
export function nominalBox(line: TextLine): Box {
  return {
    left: line.box.left,
    right: line.box.right,
    top: Math.min(line.box.bottom, line.baseline - nominalLine.ascent * line.size),
    bottom: Math.max(line.box.top, line.baseline + nominalLine.descent * line.size),
  };
}

/** The text of the raised words around the one at `index` that touch each other. */
function raisedAt(words: Word[], index: number, scripts: Span['script'][]): string {
  let [from, to] = [index, index + 1];
  while (from > 0 && words[from]!.glued && scripts[from - 1] === 'super') from--;
  while (to < words.length && words[to]!.glued && scripts[to] === 'super') to++;
  return words.slice(from, to).map(({ text }) => text).join('');
}

interface Letters {
  all: number;
  bold: number;
  italic: number;
  monospace: number;
}

function countLetters(words: Word[]): Letters {
  const letters: Letters = { all: 0, bold: 0, italic: 0, monospace: 0 };
  for (const word of words) {
    const count = word.text.length;
    letters.all += count;
    if (word.font.bold) letters.bold += count;
    if (word.font.italic) letters.italic += count;
    if (word.font.monospace) letters.monospace += count;
  }
  return letters;
}

/** The value that most characters of the words have; `words` is not empty. */
export function mostFrequent<Value>(words: Word[], value: (word: Word) => Value): Value {
  const counts = new Map<Value, number>();
  let best = value(words[0]!);
  let most = 0;
  for (const word of words) {
    const key = value(word);
    const count = (counts.get(key) ?? 0) + word.text.length;
    counts.set(key, count);
    if (count > most) {
      most = count;
      best = key;
    }
  }
  return best;
}

/** The line of these words, in the given order. `words` is not empty. */
export function lineOfWords(words: Word[], links: Link[], roleOf: (mcid: number) => string): TextLine {
  const size = mostFrequent(words, (word) => Math.round(word.size * 10) / 10);
  const anchor = words.find((word) => Math.abs(word.size - size) < 0.1) ?? words[0]!;
  const letters = countLetters(words);
  // A bold sentence at the begin of a paragraph may almost fill its line.
  const last = words.at(-1)!;
  const runsOut = words[0]!.font.bold && !last.font.bold && !last.font.symbolic && /\p{L}{2}/u.test(last.text);
  const bold = letters.bold >= styleShares.most * letters.all && !runsOut;
  const font = mostFrequent(words, (word) => word.font.name);
  const inFont = words.reduce((sum, word) => sum + (word.font.name === font ? word.text.length : 0), 0);
  let text = '';
  let boldPrefix = 0;
  let inPrefix = !bold;
  const spans: Span[] = [];
  let base = words[0]!;
  const scripts = scriptsOf(words);
  const around = (index: number): { before: string; raised: string } => ({ before: text.slice(text.lastIndexOf(' ') + 1), raised: raisedAt(words, index, scripts) });
  for (const [index, word] of words.entries()) {
    if (index > 0 && (!word.glued || index === 1 && isNoteMark(spans[0], words[0]!, word))) text += ' ';
    const start = text.length;
    const script = scripts[index]!;
    const small = script === 'baseline' || index === 0 || !word.glued ? null : scriptInLine(base, word, script, around(index));
    if (script === 'baseline') base = word;
    text += small !== null ? small : index < words.length - 1 ? word.text.replaceAll('\u00ad', '') : word.text.replace(/\u00ad(?=.)/gu, '');
    if (inPrefix && word.font.bold) boldPrefix = text.length;
    else inPrefix = false;
    const uri = word.link >= 0 ? links[word.link]?.uri ?? null : null;
    if (script !== 'baseline' || uri !== null) addSpan(spans, { start, end: text.length, script, uri }, text);
  }
  return {
    text, boldPrefix, bold, size, font,
    mixed: inFont < styleShares.most * letters.all,
    box: unionBox(words.map((word) => word.box)),
    baseline: anchor.baseline,
    italic: letters.italic >= styleShares.most * letters.all,
    monospace: letters.monospace >= styleShares.most * letters.all,
    color: mostFrequent(words, (word) => word.color),
    angle: words[0]!.angle,
    softHyphen: last.softHyphen,
    order: words[0]!.order,
    spans: spans.length === 0 ? noSpans : spans,
    role: roleOf(words[0]!.mcid),
    pieces: noPieces,
    ...confidenceOf(words),
  };
}

const isotope = /^(?:He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Fe|Co|Ni|Cu|Zn|Kr|Sr|Tc|Ag|Xe|Cs|Ba|Hg|Pb|Rn|Ra|Th|Pu|Am)(?!\p{L})/u;

/** Whether the line begins with a raised number or character directly before a word: a footnote reference, which touches the word in some files. */
function isNoteMark(raised: Span | undefined, mark: Word, next: Word): boolean {
  return raised?.script === 'super' && /^(?:\d{1,3}|[*†‡§]{1,3})$/u.test(mark.text) && /^\p{L}{2}/u.test(next.text) && !/^\p{Lu}[\p{Lu}\d]/u.test(next.text) && !isotope.test(next.text);
}

function confidenceOf(words: Word[]): { confidence?: number } {
  let [letters, sure] = [0, 0];
  for (const { text, confidence } of words) {
    if (confidence === undefined) continue;
    letters += text.length;
    sure += text.length * confidence;
  }
  return letters === 0 ? {} : { confidence: sure / letters };
}

/** `text` is that of the line so far: one letter between two scripts is none. */
function addSpan(spans: Span[], span: Span, text: string): void {
  const last = spans.at(-1);
  if (last !== undefined && last.script === span.script && last.uri === span.uri && text.slice(last.end, span.start).trim() === '') last.end = span.end;
  else spans.push(span);
}

/** Whether a piece is a raised note mark beside the text that it precedes. */
function isMarkBefore(mark: TextLine, text: TextLine | undefined): boolean {
  return text !== undefined && mark.angle === 0 && /^(?:\d{1,3}|[*∗†‡§¶#]{1,3}|\p{Ll})$/u.test(mark.text) && mark.size < scriptTolerances.size * text.size && text.baseline - mark.baseline > scriptTolerances.raised * text.size;
}

function lettersIn(line: TextLine): number {
  return line.text.replaceAll(' ', '').length;
}

/** Joins the pieces of one line, in the given order; `glue` returns whether no space separates two of them. */
export function joinPieces(pieces: TextLine[], glue: (left: TextLine, right: TextLine) => boolean = () => false): TextLine {
  if (pieces.length === 1) return pieces[0]!;
  const main = pieces.reduce((best, piece) => (lettersIn(piece) > lettersIn(best) ? piece : best));
  let text = '';
  const spans: Span[] = [];
  const starts: TextLine['pieces'] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && !glue(pieces[index - 1]!, piece)) text += ' ';
    const shift = text.length;
    text += piece.text;
    starts.push({ start: shift, left: piece.box.left, right: piece.box.right });
    // A separate footnote reference before its text is raised only relative to that text.
    if (piece !== main && isMarkBefore(piece, pieces[index + 1])) addSpan(spans, { start: shift, end: text.length, script: 'super', uri: null }, text);
    else for (const span of piece.spans) spans.push({ ...span, start: span.start + shift, end: span.end + shift });
  }
  const bold = pieces.every((piece) => piece.bold || lettersIn(piece) < 3) && main.bold;
  return {
    ...main, text, bold, spans, latex: undefined,
    mixed: pieces.some((piece) => piece.mixed || piece.font !== main.font && lettersIn(piece) > 2),
    box: unionBox(pieces.map((piece) => piece.box)),
    boldPrefix: bold ? 0 : boldStart(pieces, starts),
    italic: main.italic && pieces.every((piece) => piece.italic || lettersIn(piece) < 3),
    monospace: pieces.every((piece) => piece.monospace || lettersIn(piece) < 2),
    softHyphen: pieces.at(-1)!.softHyphen,
    order: pieces.reduce((first, piece) => Math.min(first, piece.order), Infinity),
    role: pieces[0]!.role,
    pieces: starts,
  };
}

function boldStart(pieces: TextLine[], starts: { start: number }[]): number {
  let prefix = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece.bold) prefix = starts[index]!.start + piece.text.length;
    else return piece.boldPrefix > 0 ? starts[index]!.start + piece.boldPrefix : prefix;
  }
  return prefix;
}
