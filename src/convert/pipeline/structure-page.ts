/** One page, boiled down to what the document-wide steps need: pieces of lines, tables, figures. No words are kept. */
import { gapTolerances } from '../page/tolerances.js';
import type { Box, HiddenText, Line, PageContent, QuarterTurn, StructureNode, Word } from '../../pdf/pdf-page.js';
import type { LayoutPrediction } from '../layout-network/prediction.js';
import type { FoundTable } from '../page/found-table.js';
import { pictureCoverage } from '../decide/recognition-reason.js';
import { cardRows } from '../layout/cards.js';
import type { CardRow } from '../layout/cards.js';
import type { Contents } from '../layout/contents.js';
import { findFormulas } from '../formulas/find.js';
import type { FoundFormula } from '../formulas/find.js';
import { withHangingSigns } from '../formulas/hanging.js';
import { withFractionsInLine } from '../formulas/in-line.js';
import { findFigures, withAxisTitles } from '../layout/figures.js';
import { withProposedFigures } from '../decide/figure-proposals.js';
import type { FigureRegion } from '../layout/figures.js';
import { withLooseLines } from '../layout/loose-lines.js';
import { sidePanels, textPanels } from '../layout/panels.js';
import { tableOfPage } from '../page/page-table.js';
import type { PageTable } from '../page/page-table.js';
import type { TextLayer } from './text-layer.js';
import { joinPieces, lineOfWords } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';

/** The words of each of its lines, from the left. */
export type Listing = Word[][];

/** A long horizontal stroke outside tables and figures: it may set footnotes apart or underline a heading. */
export interface Separator {
  y: number;
  left: number;
  right: number;
}

/** A long upright stroke outside tables and figures, as newspapers draw between columns, or the edge of a panel at a side of the page. */
export interface ColumnRule {
  x: number;
  top: number;
  bottom: number;
}

export interface PageStructure {
  pageIndex: number;
  width: number;
  height: number;
  pieces: TextLine[];
  tables: PageTable[];
  figures: FigureRegion[];
  separators: Separator[];
  columnRules: ColumnRule[];
  cardRows: CardRow[];
  /** Grounds and frames that text may stand on. */
  panels: Box[];
  hidden: HiddenText;
  characters: number;
  unmappedCharacters: number;
  /** Characters of the text layer that are drawn invisibly and were kept. */
  invisibleCharacters: number;
  /** Share of the page that pictures cover, 0..1. */
  pictureCoverage: number;
  /** Where the text was read from the page's picture: by what, how surely (0..1), and how the page was turned (degrees clockwise) and leaned. */
  recognised?: { by: string; confidence: number | null; turn: number; lean: number };
  /** By what the page was turned, clockwise, before its text was read from the file; absent: not at all. */
  turn?: QuarterTurn;
  /** The page's picture was looked at, and no text was found in it. */
  nothingRecognised?: boolean;
}

/** A gap wider than this many times the text's size parts a line into pieces; pieces on one line meet again unless a column ends between them. */

/** What the page holds beside its table of contents, whose words `content` is without; those of `tables` are left out of the pieces. `prediction` is the layout network's, where it was asked. `listings` are read line by line. */
export function structurePage({ content, keptInvisible }: TextLayer, contents: Contents | null, tables: FoundTable[], prediction: LayoutPrediction | null = null, listings: Listing[] = []): PageStructure {
  const taken = new Set<Word>(listings.flat(2));
  for (const table of tables) for (const cell of table.cells) for (const word of cell.words) taken.add(word);
  const formulas = findFormulas(content, (word) => taken.has(word));
  for (const formula of formulas) for (const word of formula.words) taken.add(word);
  const roleOf = roleLookup(content.structure);
  const pieces: TextLine[] = [];
  const lines = content.lines.filter(({ words }) => !words.every((word) => taken.has(word)));
  const loose = withLooseLines(withHangingSigns(withFractionsInLine(lines, content.rulings), content.rulings));
  for (const line of loose.lines) {
    const parts = loose.whole.has(line) && !line.words.some((word) => taken.has(word)) ? [line.words] : piecesOfLine(line, taken);
    for (const words of parts) pieces.push(withPrediction(lineOfWords(words, content.links, roleOf), words, prediction));
  }
  for (const formula of formulas) pieces.push(lineOfFormula(formula));
  for (const [index, listing] of listings.entries()) for (const words of listing) pieces.push({ ...lineInParts(words, content, roleOf), listing: index });
  const objects = [...tables.map((table) => table.box), ...(contents?.tables ?? []).map((table) => table.box)];
  const drawnOver = [...objects, ...formulas.map(({ box }) => box)];
  const figures = withAxisTitles(withProposedFigures(findFigures(content, drawnOver, pieces), prediction, drawnOver, pieces), objects, pieces);
  return {
    pageIndex: content.pageIndex,
    width: content.width,
    height: content.height,
    pieces,
    tables: [...(contents?.tables ?? []).map((table) => tableOfPage(table, content.links, true)), ...tables.map((table) => tableOfPage(table, content.links, false))],
    figures,
    separators: findSeparators(content, [...objects, ...figures.map((figure) => figure.box)]),
    columnRules: findColumnRules(content, [...objects, ...figures.map((figure) => figure.box)]),
    cardRows: cardRows(content.boxes, pieces, [...objects, ...figures.map((figure) => figure.box)]),
    panels: textPanels(content.boxes),
    hidden: content.hidden,
    characters: content.characters,
    unmappedCharacters: content.unmappedCharacters,
    invisibleCharacters: keptInvisible,
    pictureCoverage: pictureCoverage(content),
  };
}

function withPrediction(line: TextLine, [first]: Word[], prediction: LayoutPrediction | null): TextLine {
  const ofLine = first === undefined ? undefined : prediction?.lines.get(first);
  return ofLine === undefined ? line : { ...line, prediction: ofLine };
}

/** A formula takes the place of its lines as one. */
function lineOfFormula({ words, box, baseline, size, text, latex }: FoundFormula): TextLine {
  return { ...lineOfWords(words, [], () => 'Formula'), text, latex, box, baseline, size, spans: [], bold: false, boldPrefix: 0, order: Math.min(...words.map((word) => word.order)) };
}

/** A whole line, however wide the white in it is. */
function lineInParts(words: Word[], content: PageContent, roleOf: (mcid: number) => string): TextLine {
  return joinPieces(partsOf(words, new Set()).map((part) => lineOfWords(part, content.links, roleOf)));
}

/** A line's words, parted where white wider than between words opens or where words are taken; `words` of lines that are partly read from the right do not stand in the order in which they are read. */
function piecesOfLine(line: Line, taken: Set<Word>): Word[][] {
  if (line.angle === 0 && line.words.some((word, index) => index > 0 && word.box.left < line.words[index - 1]!.box.left)) return piecesByPlace(line.words, taken);
  return partsOf(line.words, taken, line.angle === 0);
}

function partsOf(words: Word[], taken: Set<Word>, isUpright = true): Word[][] {
  const pieces: Word[][] = [];
  let last: Word | null = null;
  for (const word of words) {
    if (taken.has(word)) {
      last = null;
      continue;
    }
    const gap = last === null ? Infinity : Math.max(word.box.left - last.box.right, last.box.left - word.box.right);
    if (last === null || (gap > gapTolerances.fragment * Math.max(word.size, last.size) && !word.glued && isUpright)) pieces.push([word]);
    else pieces.at(-1)!.push(word);
    last = word;
  }
  return pieces;
}

function piecesByPlace(words: Word[], taken: Set<Word>): Word[][] {
  const places = new Map<Word, number>();
  let [place, right, size] = [0, -Infinity, 0];
  for (const word of [...words].sort((a, b) => a.box.left - b.box.left)) {
    if (word.box.left - right > gapTolerances.fragment * Math.max(word.size, size) && right > -Infinity) place++;
    places.set(word, taken.has(word) ? place++ : place);
    right = Math.max(right, word.box.right);
    size = word.size;
  }
  const pieces = new Map<number, Word[]>();
  for (const word of words) {
    if (taken.has(word)) continue;
    const known = pieces.get(places.get(word)!);
    if (known === undefined) pieces.set(places.get(word)!, [word]);
    else known.push(word);
  }
  return [...pieces.values()];
}

function roleLookup(structure: StructureNode[]): (mcid: number) => string {
  if (structure.length === 0) return () => '';
  const roles = new Map<number, string>();
  const visit = (node: StructureNode, inherited: string, depth: number): void => {
    // A span or link inside a heading is part of the heading.
    const role = /^(H[1-6]?|P|Caption|Note|Code|Formula|Artifact|TOCI|Title|BlockQuote|LBody|Lbl)$/.test(node.role) ? node.role : inherited;
    for (const mcid of node.mcids) roles.set(mcid, role);
    if (depth < 100) for (const child of node.children) visit(child, role, depth + 1);
  };
  for (const node of structure) visit(node, '', 0);
  return (mcid) => roles.get(mcid) ?? '';
}

function inside(x: number, y: number, boxes: Box[]): boolean {
  return boxes.some((box) => x >= box.left - 2 && x <= box.right + 2 && y >= box.top - 2 && y <= box.bottom + 2);
}

function findSeparators(content: PageContent, objects: Box[]): Separator[] {
  const separators: Separator[] = [];
  for (const ruling of content.rulings) {
    if (ruling.orientation !== 'horizontal' || ruling.end - ruling.start < 0.1 * content.width) continue;
    if (inside((ruling.start + ruling.end) / 2, ruling.position, objects)) continue;
    separators.push({ y: ruling.position, left: ruling.start, right: ruling.end });
    if (separators.length >= 100) break;
  }
  return separators;
}

function findColumnRules(content: PageContent, objects: Box[]): ColumnRule[] {
  const rules = content.rulings.filter(({ orientation, position, start, end }) => orientation === 'vertical' && end - start > 0.03 * content.height
    && position > 0.05 * content.width && position < 0.95 * content.width && !inside(position, (start + end) / 2, objects));
  return [...sidePanels(content.boxes, content.width, content.height), ...rules.slice(0, 60).map(({ position, start, end }) => ({ x: position, top: start, bottom: end }))];
}
