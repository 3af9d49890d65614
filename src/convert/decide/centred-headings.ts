/** Finds headings that stand centred over running text, several times in one style: capitals or small capitals, as large as the text. headings.ts marks them. */
import { widthOf } from '../../geometry/box.js';
import type { Block, TextBlock } from '../structure/block.js';
import { linesOf, plainText } from '../structure/block.js';
import { headingScore } from './heading-score.js';
import type { HeadingEvidence } from './heading-score.js';
import { faceOf } from './headings.js';

/** So many of one face; a line of authors stands over text but once. */
const fewest = 2;
const mostLines = 3;
/** In ems: how far from the column's middle, and how far in from its edges. */
const offMiddle = 0.8;
const setIn = 1.5;
/** Of the column's width, what text below fills at least; in ems, how far its first line may be set in. */
const filled = 0.85;
const indent = 4;
/** What else must speak for them. */
const leastScore = 0.7;

/** Those among `blocks`, by faces: their text may be running text nowhere. */
export function findCentredHeadings(blocks: Block[], next: Map<Block, Block | undefined>, evidence: HeadingEvidence): Set<Block> {
  const faces = new Map<string, TextBlock[]>();
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text' || !isCentred(block) || !isOverText(next.get(block))) continue;
    const face = faceOf(block, evidence.body);
    if (face === '' || /[.,;:]$/.test(plainText(block)) || headingScore(block, next.get(block), evidence) < leastScore) continue;
    faces.set(face, [...faces.get(face) ?? [], block]);
  }
  return new Set([...faces.values()].filter(({ length }) => length >= fewest).flat());
}

function isCentred(block: TextBlock): boolean {
  const [{ lines, column }] = block.columnParts as [TextBlock['columnParts'][0]];
  return block.columnParts.length === 1 && lines.length <= mostLines && lines.every(({ box, size, angle }) => angle === 0
    && Math.abs(box.left + box.right - column.left - column.right) < 2 * offMiddle * size && box.left - column.left > setIn * size);
}

/** Running text over the whole width of its column. */
function isOverText(block: Block | undefined): boolean {
  if (block?.kind !== 'text' || block.role !== 'text') return false;
  const { box, column, lines } = block.columnParts[0]!;
  return widthOf(box) > filled * widthOf(column) || lines.length === 1 && lines[0]!.box.left - column.left < indent * lines[0]!.size && !isCentred(block) && linesOf(block)[0]!.text.length >= 25;
}
