/** Program text: lines in a monospace font, indentation kept. */
import { unionBox } from '../layout/text-line.js';
import type { TextLine } from '../layout/text-line.js';
import type { Block, TextBlock } from './block.js';
import { linesOf } from './block.js';
import type { BodyStyle } from './style.js';

/** Little more than an address: many documents set these in a monospace font. */
const address = /^(?:\d{1,3}\s*|[\p{L} ]{1,16}:\s*)?(?:https?:\/\/|www\.|mailto:)\S+$/u;

/** Of a document's letters in a monospace font: with so many there is no other text; with so many such a block must look like a program. */
const typewritten = 0.9;
const mostlyMonospace = 0.5;
const programSign = /[{}();=<>$#|[\]\\]|^(?:import|from|def|class|return|else|end|SELECT|INSERT|WHERE)\b/;
const words = /^["'“(]?\p{L}[\p{L}’'-]*(?:,? \p{L}[\p{L}’'-]*){3,}[.,;:!?]?["'”)]?$/u;

/** Signs of programs in many lines, sentences in few. */
function looksLikeProgram(lines: TextLine[]): boolean {
  const signs = lines.filter((line) => programSign.test(line.text)).length;
  return signs >= 0.4 * lines.length && lines.filter((line) => words.test(line.text)).length < 0.5 * lines.length;
}

/** Marks blocks of code; `monospace` is the share of the document's letters in such a font, 0..1: where all are, none is code. */
export function markCode(blocks: Block[], monospace: number): void {
  if (monospace > typewritten) return;
  const candidates = blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === 'text' && linesOf(block).every((line) => line.monospace));
  for (const block of candidates) {
    const lines = linesOf(block);
    if (lines.every((line) => address.test(line.text)) || monospace > mostlyMonospace && !looksLikeProgram(lines)) continue;
    if (lines.length >= 2 || /[{}();=<>$#]|^\s*(import|def|class|return|SELECT|INSERT)\b/.test(lines[0]!.text)) block.role = 'code';
  }
  // One line by itself may be an address; between lines of code it is one of them.
  const isBesideCode = (block: TextBlock): boolean => [-1, 1].some((step) => {
    const other = blocks[blocks.indexOf(block) + step];
    return other !== undefined && isCode(other) && other.stretches[0]!.pageIndex === block.stretches[0]!.pageIndex;
  });
  const mayJoin = (block: TextBlock): boolean => monospace <= mostlyMonospace || linesOf(block).length === 1 && !words.test(linesOf(block)[0]!.text);
  for (const block of candidates) if (block.role !== 'code' && mayJoin(block) && isBesideCode(block)) block.role = 'code';
}

/** Neighbouring blocks of code on one page are one: an empty line parts no program. */
export function joinCode(blocks: Block[], body: BodyStyle): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (isCode(block) && last !== undefined && isCode(last)) {
      const [above, below] = [last.stretches.at(-1)!, block.stretches[0]!];
      const gap = below.box.top - above.box.bottom;
      const sameColumn = above.pageIndex === below.pageIndex && Math.abs(above.column.left - below.column.left) < 2;
      if (sameColumn && gap < 2.5 * body.leading * body.size) {
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

function isCode(block: Block): block is TextBlock {
  return block.kind === 'text' && block.role === 'code';
}

/** The lines as they stand: one space for each character's width of indentation, empty lines where the page leaves room. */
export function codeText(lines: TextLine[]): string {
  const { left } = unionBox(lines.map((line) => line.box));
  const widths = lines.map((line) => (line.box.right - line.box.left) / Math.max(1, line.text.length)).sort((a, b) => a - b);
  const cell = widths[widths.length >> 1] ?? 6;
  const distances = lines.slice(1).map((line, index) => line.baseline - lines[index]!.baseline).sort((a, b) => a - b);
  const leading = distances[distances.length >> 2] ?? 12;
  let text = '';
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      const distance = line.baseline - lines[index - 1]!.baseline;
      text += distance > 1.6 * leading && distance < 4 * leading ? '\n\n' : '\n';
    }
    text += placed(line, left, cell);
  }
  return text;
}

function placed(line: TextLine, left: number, cell: number): string {
  const indent = ' '.repeat(Math.max(0, Math.min(200, Math.round((line.box.left - left) / cell))));
  if (line.pieces.length === 0) return indent + line.text;
  let text = '';
  for (const [index, piece] of line.pieces.entries()) {
    const end = line.pieces[index + 1]?.start ?? line.text.length;
    const column = Math.max(0, Math.min(400, Math.round((piece.left - left) / cell)));
    const gap = text.length === 0 ? column : Math.max(1, column - text.length);
    text += ' '.repeat(gap) + line.text.slice(piece.start, end).trim();
  }
  return text;
}
