/** The table finder: finds tables of cells from a page's words, rulings and fills, without a network. */
import type { Box } from '../../geometry/box.js';
import type { PageContent } from '../../pdf/pdf-page.js';
import type { ConvertOptions } from '../options.js';
import type { FoundTable } from '../page/found-table.js';
import { readingFrames, type Frame } from './evidence/frame.js';
import { inReadingDirection } from './evidence/reading-direction.js';
import { withRotatedHeaders } from './evidence/rotated-headers.js';
import { findTagged } from './evidence/tagged.js';
import { findMarked } from './marked-tables.js';
import { sceneOf } from './scene.js';
import { findSpread } from './spread-tables.js';
import { tableWords } from './table-words.js';

/** A page with fewer words has no table. */
const MIN_WORDS = 4;
const MIN_CONFIDENCE = 0.5;
const MIN_DOUBTFUL = 0.02;

/** The tables that geometry finds on a page. */
export interface FoundTables {
  tables: FoundTable[];
  /** Possible tables among the remaining words: their confidence is too low for a table. */
  doubtful: FoundTable[];
}

/**
 * Finds the tables of a page, from the top. Every word is in at most one cell of one table; the words outside all tables are the
 * page's remaining text. The time is bounded for any page. Returns no tables if `doTableStructure` is off.
 */
export function findTables(page: PageContent, options: Pick<ConvertOptions, 'doTableStructure'>): FoundTable[] {
  return findSureAndDoubtful(page, options, false).tables;
}

/** Like findTables(). With `wantsDoubtful` also the candidates for the table network. */
export function findSureAndDoubtful(page: PageContent, options: Pick<ConvertOptions, 'doTableStructure'>, wantsDoubtful = true): FoundTables {
  if (!options.doTableStructure || page.words.length < MIN_WORDS) return { tables: [], doubtful: [] };
  const found: FoundTables[] = [];
  for (const [index, frame] of readingFrames(page).entries()) {
    const tagged = index === 0 ? findTagged(page, frame) : [];
    const taken = tableWords(found.flatMap((one) => one.tables));
    const rest = index === 0 ? withoutTables(frame, tagged) : { ...frame, pieces: frame.pieces.filter(({ word }) => !taken.has(word)) };
    const { tables, doubtful } = findInFrame(rest, wantsDoubtful);
    found.push({ tables: index === 0 ? [...tagged, ...withRotatedHeaders(tables, page)] : tables, doubtful });
  }
  const inOrder = (tables: FoundTable[]): FoundTable[] => tables.map(inReadingDirection).sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  return { tables: inOrder(found.flatMap(({ tables }) => tables)), doubtful: inOrder(found.flatMap(({ doubtful }) => doubtful)) };
}

/** The frame without the tables' words and the lines inside their boxes. */
function withoutTables(frame: Frame, tables: FoundTable[]): Frame {
  if (tables.length === 0) return frame;
  const words = tableWords(tables);
  const isClear = (box: Box): boolean => !tables.some((table) => overlaps(table.box, box));
  return {
    ...frame,
    pieces: frame.pieces.filter((piece) => !words.has(piece.word)),
    rulings: frame.rulings.filter(({ orientation, position: at, start, end }) => isClear(orientation === 'horizontal' ? { left: start, right: end, top: at, bottom: at } : { left: at, right: at, top: start, bottom: end })),
    boxes: frame.boxes.filter(({ box }) => isClear(box)),
  };
}

function overlaps(table: Box, box: Box): boolean {
  return box.left < table.right + 3 && box.right > table.left - 3 && box.top < table.bottom + 6 && box.bottom > table.top - 6;
}

function findInFrame(frame: Frame, wantsDoubtful: boolean): FoundTables {
  const scene = sceneOf(frame, MIN_CONFIDENCE);
  const tables = [...findMarked(scene), ...findSpread(scene)];
  if (!wantsDoubtful) return { tables, doubtful: [] };
  scene.least = MIN_DOUBTFUL;
  return { tables, doubtful: [...findMarked(scene), ...findSpread(scene)] };
}
