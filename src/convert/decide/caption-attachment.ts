/** Captions: lines that name a table or figure, tied to the nearest one. */
import { horizontalOverlap, middleX, unionBox, verticalOverlap } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { TextLine } from '../page/text-line.js';
import { captionKind, isAboutFigure, isCaptionText, isLabelAlone } from '../wording/captions.js';
import type { CaptionKind } from '../wording/captions.js';
import type { Block, FigureBlock, TableBlock, TextBlock } from '../structure/block.js';
import { linesOf, plainText } from '../structure/block.js';
import { isLikely } from './line-classes.js';
import type { BodyStyle } from '../structure/style.js';

type Captioned = TableBlock | FigureBlock;

function boxOf(block: Captioned): Box {
  return block.kind === 'table' ? block.table.box : block.figure.box;
}

/** White space between caption and object, negative when they do not share a strip of the page. */
function distance(caption: TextBlock, object: Captioned): number {
  const { box, pageIndex } = caption.columnParts[0]!;
  if (pageIndex !== object.pageIndex) return Infinity;
  const other = boxOf(object);
  const shared = horizontalOverlap(box, other);
  const gapY = -verticalOverlap(box, other);
  if (shared > 0) return Math.max(0, gapY);
  // Beside it: narrow captions stand in the margin of a wide figure.
  return gapY < 0 ? -shared + 10 : Infinity;
}

function nearest(caption: TextBlock, objects: Captioned[], kind: CaptionKind): { object: Captioned; distance: number } | null {
  let best: { object: Captioned; distance: number } | null = null;
  for (const object of objects) {
    // Charts are often drawn tables and the other way round, so the wrong kind counts, but less.
    const otherKind = kind !== 'source' && object.kind !== kind ? 25 : 0;
    // Between two tables the lower one is meant: captions of tables stand above them, nearer or not.
    const above = kind === 'table' && boxOf(object).bottom <= caption.columnParts[0]!.box.top + 1;
    const penalty = otherKind + (above ? 1.2 * linesOf(caption)[0]!.size : 0);
    const away = distance(caption, object) + penalty;
    if (away !== Infinity && (best === null || away < best.distance)) best = { object, distance: away };
  }
  return best;
}

/** Small or slanted text of a few lines right below a figure, no wider than it: a caption that does not say so. */
function findUnnamed(blocks: Block[], body: BodyStyle): Set<Block> {
  const found = new Set<Block>();
  const figures = blocks.filter((block) => block.kind === 'figure');
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text') continue;
    const [first, ...more] = linesOf(block);
    const slanted = first!.italic && !body.italic;
    if (first!.size > (slanted ? 1.02 : 0.93) * body.size || more.length > 4) continue;
    const { box, pageIndex } = block.columnParts[0]!;
    const above = figures.find((other) => other.pageIndex === pageIndex && box.top > other.figure.box.bottom - 2
      && box.top - other.figure.box.bottom < 1.6 * body.size && box.left > other.figure.box.left - 12 && box.right < other.figure.box.right + 12);
    if (above !== undefined) found.add(block);
  }
  return found;
}

/** A label by itself and the lines right below it, which say what the table or figure shows, are one caption. */
function joinLabels(blocks: Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const label = joined.at(-1);
    if (label !== undefined && label.kind === 'text' && block.kind === 'text' && saysWhatIsShown(label, block)) {
      const [above, below] = [label.columnParts[0]!, block.columnParts[0]!];
      above.lines = [...above.lines, ...below.lines];
      above.box = unionBox([above.box, below.box]);
      label.spaceBelow = block.spaceBelow;
    } else joined.push(block);
  }
  return joined;
}

/** In parts of the label's size. */
const otherSize = 0.12;
const smallCapitals = 0.75;

function saysWhatIsShown(label: TextBlock, block: TextBlock): boolean {
  if (label.role !== 'text' || block.role !== 'text' || label.columnParts.length > 1 || block.columnParts.length > 1) return false;
  const [above, below] = [linesOf(label), linesOf(block)];
  const [last, first] = [above.at(-1)!, below[0]!];
  if (above.length > 1 || below.length > 4 || !isLabelAlone(last.text) || isCaptionText(first.text)) return false;
  if (label.columnParts[0]!.pageIndex !== block.columnParts[0]!.pageIndex || block.spaceAbove > 0.8 * last.size) return false;
  // The size of a line in small capitals is theirs.
  const least = /\p{Lu}{2}/u.test(first.text) && !/\p{Ll}{2}/u.test(first.text) ? smallCapitals : 1 - otherSize;
  if (first.size > (1 + otherSize) * last.size || first.size < least * last.size) return false;
  const middle = ({ box }: TextLine): number => middleX(box);
  return Math.abs(first.box.left - last.box.left) < 1.5 * last.size || Math.abs(middle(first) - middle(last)) < last.size;
}

/** A caption that only the layout network takes for one is longer, and stands near its object. */
const fewestLetters = 20;

/** What a caption that does not say it is one of. */
function nearestKind(block: TextBlock, objects: Captioned[]): CaptionKind {
  return nearest(block, objects, 'figure')?.object.kind ?? 'figure';
}

/** How far a caption may stand from its object, in sizes of running text and points. */
const farthest = (body: BodyStyle): number => 3.5 * body.size + 25;

/**
 * What stands right behind or before such a caption in reading order, however far to a side: beside it, or a few lines below or above. Of two tables
 * the one behind is meant, of two figures the one before.
 */
function neighbour(caption: TextBlock, kind: CaptionKind, blocks: Block[], body: BodyStyle): Captioned | undefined {
  const { box, pageIndex } = caption.columnParts[0]!;
  const at = blocks.indexOf(caption);
  const besides = [blocks[at - 1], blocks[at + 1]].filter((other) => other !== undefined && other.kind === kind);
  const near = (besides as Captioned[]).filter((other) => {
    const { top, bottom } = boxOf(other);
    return other.pageIndex === pageIndex && Math.max(top - box.bottom, box.top - bottom) <= farthest(body);
  });
  return kind === 'table' ? near.at(-1) : near[0];
}

/**
 * Gives captions near a table or figure to it. A figure's, and one that stands above its table, is its caption, which every
 * output writes first; one below a table keeps its place and is about it. A caption without an object stays where it is, as a caption.
 */
export function attachCaptions(all: Block[], body: BodyStyle): Block[] {
  const blocks = joinLabels(all);
  const objects = blocks.filter((block) => block.kind !== 'text');
  const unnamed = findUnnamed(blocks, body);
  const attached = new Set<Block>();
  const captioned = new Set<Block>();
  const tie = (caption: TextBlock, object: Captioned, kind: CaptionKind): void => {
    const { top, bottom } = caption.columnParts[0]!.box;
    // A caption in the margin may be as high as its table.
    const isAbove = (object.kind === kind && isNext(caption, object) ? top : bottom) <= (boxOf(object).top + boxOf(object).bottom) / 2;
    if (kind !== 'source' && object.captions.length === 0 && (isAbove || object.kind === 'figure')) {
      object.captions.push(caption);
      attached.add(caption);
    } else caption.about = object;
    if (kind !== 'source') captioned.add(object);
  };
  const isNext = (caption: Block, object: Block): boolean => Math.abs(blocks.indexOf(caption) - blocks.indexOf(object)) === 1;
  const alone: [TextBlock, CaptionKind][] = [];
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text') continue;
    const text = plainText(block);
    const named = captionKind(text) ?? (unnamed.has(block) ? 'figure' : null);
    const predicted = named === null && !isAboutFigure(text) && text.length >= fewestLetters && isLikely(block, 0.8, 'caption');
    const kind = predicted ? nearestKind(block, objects) : named;
    if (kind === null || text.length > 1200) continue;
    const found = nearest(block, objects, kind);
    const close = found !== null && found.distance <= farthest(body) - (kind === 'source' ? 25 : 0);
    if (predicted && !close || kind === 'source' && (!close || linesOf(block).length > 4)) continue;
    block.role = 'caption';
    if (close) tie(block, found.object, kind);
    else alone.push([block, kind]);
  }
  for (const [caption, kind] of alone) {
    const object = neighbour(caption, kind, blocks, body);
    if (object !== undefined && !captioned.has(object)) tie(caption, object, kind);
  }
  return besideTheirTables(blocks.filter((block) => !attached.has(block)));
}

/** A caption below its table follows it at once, where between them stand only tables and figures side by side, and what belongs to them. */
function besideTheirTables(blocks: Block[]): Block[] {
  const ordered = [...blocks];
  for (const caption of blocks) {
    if (caption.kind !== 'text' || caption.role !== 'caption' || caption.about?.kind !== 'table') continue;
    const [from, to] = [ordered.indexOf(caption), ordered.indexOf(caption.about)];
    const between = ordered.slice(to + 1, from);
    if (to < 0 || !between.some(({ kind }) => kind !== 'text') || between.some((block) => block.kind === 'text' && block.role !== 'caption')) continue;
    ordered.splice(from, 1);
    const others = between.findIndex((block) => block.kind !== 'text' || block.about !== caption.about);
    ordered.splice(to + 1 + others, 0, caption);
  }
  return ordered;
}
