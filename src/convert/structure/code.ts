/** Finds program text: lines in a monospace font. Keeps its indentation. */
import { quantile, weightedMedian } from '../../geometry/statistics.js';
import { unionBox, widthOf } from '../../geometry/box.js';
import { programSign } from '../layout/numbered-code.js';
import type { TextLine } from '../page/text-line.js';
import type { Block, ColumnPart, TextBlock } from './block.js';
import { linesOf } from './block.js';
import type { BodyStyle } from './style.js';

/** Texts that consist mostly of an address: many documents set these in a monospace font. */
const address = /^(?:\d{1,3}\s*|[\p{L} ]{1,16}:\s*)?(?:https?:\/\/|www\.|mailto:)\S+$/u;

/** Shares of the document's characters in a monospace font. Above the first, all text is in such a font; above the second, a block must resemble a program. */
const typewritten = 0.9;
const mostlyMonospace = 0.5;
const words = /^["'“(]?\p{L}[\p{L}’'-]*(?:,? \p{L}[\p{L}’'-]*){3,}[.,;:!?]?["'”)]?$/u;

/** Whether symbols of program text are in many lines and words of sentences in few. */
function looksLikeProgram(lines: TextLine[]): boolean {
  const signs = lines.filter((line) => programSign.test(line.text)).length;
  return signs >= 0.4 * lines.length && lines.filter((line) => words.test(line.text)).length < 0.5 * lines.length;
}

/** Marks blocks of code. `monospace` is the share of the document's letters in such a font, 0..1; if all are, no block is code. */
export function markCode(blocks: Block[], monospace: number): void {
  if (monospace > typewritten) return;
  const candidates = blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === 'text' && linesOf(block).every((line) => line.monospace));
  for (const block of candidates) {
    const lines = linesOf(block);
    if (lines.every((line) => address.test(line.text)) || monospace > mostlyMonospace && !looksLikeProgram(lines)) continue;
    if (lines.length >= 2 || /[{}();=<>$#]|^\s*(import|def|class|return|SELECT|INSERT)\b/.test(lines[0]!.text)) block.role = 'code';
  }
  // A single line may be an address. It is code if it stands between lines of code, or if the end of a page separates it from them.
  const written = blocks.filter((block) => !isFurniture(block));
  const isBesideCode = (block: TextBlock): boolean => [-1, 1].some((step) => {
    const other = written[written.indexOf(block) + step];
    return other !== undefined && isCode(other) && isOfOneSize(other, block) && Math.abs(other.columnParts[0]!.pageIndex - block.columnParts[0]!.pageIndex) <= 1;
  });
  const mayJoin = (block: TextBlock): boolean => monospace <= mostlyMonospace || linesOf(block).length === 1 && !words.test(linesOf(block)[0]!.text);
  for (const block of candidates) if (block.role !== 'code' && mayJoin(block) && isBesideCode(block)) block.role = 'code';
}

/** Joins neighbouring blocks of code on one page, because an empty line does not end a program. */
export function joinCode(blocks: Block[], body: BodyStyle): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (isCode(block) && last !== undefined && isCode(last)) {
      const [above, below] = [last.columnParts.at(-1)!, block.columnParts[0]!];
      const gap = below.box.top - above.box.bottom;
      const sameColumn = above.pageIndex === below.pageIndex && Math.abs(above.column.left - below.column.left) < 2;
      if (sameColumn && isOfOneSize(last, block) && gap < 2.5 * body.leading * body.size) {
        above.lines = [...above.lines, ...below.lines];
        above.box = unionBox([above.box, below.box]);
        last.spaceBelow = block.spaceBelow;
        continue;
      }
    }
    joined.push(block);
  }
  return joined;
}

/** A program has one size: the name of an option that is explained below it is larger, if only by a twentieth. */
function isOfOneSize(above: TextBlock, below: TextBlock): boolean {
  const [last, first] = [linesOf(above).at(-1)!, linesOf(below)[0]!];
  return Math.abs(last.size - first.size) < 0.03 * last.size;
}

function isCode(block: Block): block is TextBlock {
  return block.kind === 'text' && block.role === 'code';
}

/** The largest distance from the end of the text area, in lines, at which a page may break a program. Comments and single lines are not separated from the rest. */
const mostLeft = 4;

/** The begin and end of the text area of the document's pages, in points, by quartiles, because few pages are short. */
interface TextArea {
  head: number;
  foot: number;
}

function textAreaOf(blocks: Block[]): TextArea {
  const edges = new Map<number, TextArea>();
  for (const block of blocks) {
    if (isFurniture(block)) continue;
    for (const { pageIndex, box } of block.kind === 'text' ? block.columnParts : block.kind === 'table' ? block.places : [{ pageIndex: block.pageIndex, box: block.figure.box }]) {
      const { head, foot } = edges.get(pageIndex) ?? { head: Infinity, foot: -Infinity };
      edges.set(pageIndex, { head: Math.min(head, box.top), foot: Math.max(foot, box.bottom) });
    }
  }
  const upperQuartile = (values: number[]): number => quantile(values, 0.75);
  const pages = [...edges.values()];
  return { head: -upperQuartile(pages.map(({ head }) => -head)), foot: upperQuartile(pages.map(({ foot }) => foot)) };
}

function isFurniture(block: Block): boolean {
  return block.kind === 'text' && (block.role === 'page_header' || block.role === 'page_footer');
}

/** Whether the program's first part ends at the end of its column, above the page's notes, the second part begins at the top of the next column or page, and both have the same style. */
function goesOn(first: TextBlock, second: TextBlock, notes: Block[], area: TextArea, heightOf: (pageIndex: number) => number): boolean {
  const [from, to] = [first.columnParts.at(-1)!, second.columnParts[0]!];
  const [above, below] = [from.lines.at(-1)!, to.lines[0]!];
  const fonts = new Set(from.lines.map(({ font }) => font));
  if (Math.abs(above.size - below.size) > 0.08 * above.size || !to.lines.some(({ font }) => fonts.has(font))) return false;
  const room = mostLeft * leadingOf(from.lines);
  const foot = Math.min(area.foot, ...notes.flatMap((note) => (note.kind === 'text' && note.role === 'footnote' && note.columnParts[0]!.pageIndex === from.pageIndex ? [note.columnParts[0]!.box.top] : [])));
  return to.pageIndex - from.pageIndex <= 1 && from.box.bottom > foot - room && from.box.bottom > 0.6 * heightOf(from.pageIndex) && to.box.top < area.head + room;
}

/** Joins programs that the end of a page or column splits. Furniture and notes may stand between the parts. */
export function joinCodeOverPages(blocks: Block[], heightOf: (pageIndex: number) => number): Block[] {
  const area = textAreaOf(blocks);
  const result: Block[] = [];
  for (const block of blocks) {
    const at = result.findLastIndex((other) => !isFurniture(other) && !(other.kind === 'text' && other.role === 'footnote'));
    const above = result[at];
    if (isCode(block) && above !== undefined && isCode(above) && goesOn(above, block, result.slice(at + 1), area, heightOf)) {
      above.columnParts.push(...block.columnParts);
      above.spaceBelow = block.spaceBelow;
    } else result.push(block);
  }
  return result;
}

/** The line distance. Of two lines one may follow an empty line. */
function leadingOf(lines: TextLine[]): number {
  // Lines over each other, such as text that is painted twice, do not show the distance.
  const distances = lines.slice(1).map((line, index) => line.baseline - lines[index]!.baseline).filter((distance, index) => distance > 0.5 * lines[index]!.size);
  return quantile(distances, 0.25, 1.2 * (lines[0]?.size ?? 10));
}

/** The left edge of each part without indentation: its column's left edge, or that of the previous part if the whole column is indented by a whole number of characters. */
function originsOf(parts: ColumnPart[], characterWidth: number): number[] {
  const origins: number[] = [];
  const widest = Math.max(...parts.map(({ column }) => widthOf(column))) / characterWidth;
  for (const { column } of parts) {
    const before = origins.at(-1) ?? column.left;
    const indent = (column.left - before) / characterWidth;
    const isSetIn = indent > 0 && indent < 0.3 * widest && Math.abs(indent - Math.round(indent)) < 0.1;
    origins.push(isSetIn ? before : column.left);
  }
  return origins;
}

/** The width of a character, by most characters. White space between the pieces of a line may have any width. */
function characterWidthOf(lines: TextLine[]): number {
  const runs = lines.flatMap(({ text, box, pieces }) => {
    if (pieces.length === 0) return [{ length: text.length, width: widthOf(box) }];
    return pieces.map(({ start, left, right }, index) => ({ length: text.slice(start, pieces[index + 1]?.start).trim().length, width: right - left }));
  });
  const widths = runs.filter(({ length }) => length > 0).map(({ length, width }) => ({ value: width / length, weight: length }));
  return widths.length === 0 ? 6 : weightedMedian(widths);
}

/** The lines with their layout: one space for each character's width of indentation, and empty lines where the page has room for them. */
export function codeText(parts: ColumnPart[]): string {
  const characterWidth = characterWidthOf(parts.flatMap((part) => part.lines));
  const origins = originsOf(parts, characterWidth);
  const setIn = Math.min(...parts.map(({ lines: own }, index) => unionBox(own.map(({ box }) => box)).left - origins[index]!));
  return parts.map((part, index) => partText(part.lines, origins[index]! + setIn, characterWidth, leadingOf(part.lines))).join('\n');
}

/** The most successive empty lines: wider white space does not belong to a listing. */
const mostEmpty = 8;

function partText(lines: TextLine[], left: number, characterWidth: number, leading: number): string {
  let text = '';
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      const distance = (line.baseline - lines[index - 1]!.baseline) / leading;
      text += '\n'.repeat(distance > 1.6 ? Math.min(mostEmpty + 1, Math.max(2, Math.round(distance))) : 1);
    }
    text += placed(line, left, characterWidth);
  }
  return text;
}

function placed(line: TextLine, left: number, characterWidth: number): string {
  const indent = ' '.repeat(Math.max(0, Math.min(200, Math.round((line.box.left - left) / characterWidth))));
  if (line.pieces.length === 0) return indent + line.text;
  let text = '';
  for (const [index, piece] of line.pieces.entries()) {
    const end = line.pieces[index + 1]?.start ?? line.text.length;
    const column = Math.max(0, Math.min(400, Math.round((piece.left - left) / characterWidth)));
    const gap = text.length === 0 ? column : Math.max(1, column - text.length);
    text += ' '.repeat(gap) + line.text.slice(piece.start, end).trim();
  }
  return text;
}
